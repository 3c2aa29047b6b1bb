"""Error messages for users: one sentence on standard error, and an exit code."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

BEGINNING = "blogcrawler: "
"""Prefix of messages on standard error."""
FAILED = 1
"""Exit code of a failure."""
WRONG_USAGE = 2
"""Exit code of wrong usage."""
TEMPORARY_FAILURE = 75
"""Exit code of a crawl that failed for a reason outside its blog: EX_TEMPFAIL of sysexits.h."""


def end(message: str, code: int) -> NoReturn:
    """Print a message and exit with this code."""
    say(message)
    raise SystemExit(code)


def say(message: str) -> None:
    """Print a message in one line on standard error."""
    show(f"{BEGINNING}{message}", sys.stderr)


def show(line: str, stream: TextIO) -> None:
    """Print a line without unprintable characters. If the stream is closed, drop all further output to it."""
    try:
        print(printable(line, instead=" "), file=stream, flush=True)
    except OSError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)


def printable(text: str, *, instead: str = "?") -> str:
    """Replace each unprintable character."""
    return "".join(character if character.isprintable() else instead for character in text)


def acknowledge() -> None:
    """Acknowledge a first signal, from its handler."""
    answer("Stopping after the pages in progress; press Ctrl-C again to drop them.")


def answer(sentence: str) -> None:
    """Write a sentence from a signal handler, unbuffered: the interrupted code may be writing to the same stream."""
    clear = "\r\033[K" if sys.stderr.isatty() else ""
    with suppress(OSError):
        # a progress bar replaces the stream and keeps a line until it ends
        if getattr(sys.stderr, "rich_proxied_file", sys.stderr) is sys.__stderr__:
            os.write(2, f"{clear}{sentence}\n".encode())
        else:
            sys.stderr.write(f"{sentence}\n")


@contextmanager
def interruptible(message: str | None) -> Iterator[None]:
    """Let SIGINT and SIGTERM end a command cleanly: with a message and exit code 128 plus the signal's number, or
    without a message with code 0."""
    received = [signal.SIGINT]

    def interrupt(number: int, _frame: object) -> None:
        received.append(signal.Signals(number))
        raise KeyboardInterrupt

    numbers = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    except KeyboardInterrupt:
        if message is not None:
            end(message, 128 + received[-1])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
