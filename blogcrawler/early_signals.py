"""Handlers of SIGINT and SIGTERM while a command starts. This module imports quickly, so that they are set at once."""

from __future__ import annotations

import atexit
import os
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def heed_early_signals() -> None:
    """Exit with a message on a signal, until the command installs its own handlers."""
    atexit.register(ignore)  # the handler registered first is called last
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # an ignored signal stays ignored, as with nohup
            signal.signal(number, leave)


def ignore() -> None:
    """Ignore signals while Python shuts down, so that the exit code stays that of the command."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def leave(number: int, _frame: object = None) -> None:
    """Print a message and end the process by the signal."""
    os.write(2, b"blogcrawler: Stopped.\n")
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    raise SystemExit(128 + number)
