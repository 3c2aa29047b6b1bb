"""What SIGINT and SIGTERM do while a command starts: from the first moment on, nothing here takes time to import."""

from __future__ import annotations

import atexit
import os
import signal

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def heed_early_signals() -> None:
    """Answer signals with a sentence, until a command has a better end."""
    atexit.register(ignore)  # the first that is registered is called last
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as by nohup
            signal.signal(number, leave)


def ignore() -> None:
    """Let no signal change how the command has ended: Python still tidies up, and would drop what answers them."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def leave(number: int, _frame: object = None) -> None:
    """Say that the command is over, and end by the signal that has come: nothing needs a better end."""
    os.write(2, b"blogcrawler: Stopped, as asked.\n")
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    raise SystemExit(128 + number)
