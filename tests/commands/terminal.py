"""Runs the program on a pseudo-terminal, and keeps what it writes there."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import termios
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.crawl.running import begin, environment

if TYPE_CHECKING:
    from pathlib import Path

_ROWS, _COLUMNS = 40, 120


@dataclass(frozen=True)
class Shown:
    """What a run of the program left on its terminal, escape sequences included."""

    code: int
    text: str


def run_on_terminal(folder: Path, arguments: list[str], *, timeout_s: float = 60, anew: bool = False) -> Shown:
    """A run whose standard input, output and error are one terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    variables = {**environment(), "TERM": "xterm-256color"}
    process = begin(folder, arguments, variables, [theirs] * 3, anew=anew)
    os.close(theirs)
    try:
        text = _read(ours, time.monotonic() + timeout_s)
        return Shown(process.wait(5), text.decode("utf-8", "replace"))
    finally:
        os.close(ours)
        process.kill()
        process.wait()


def _read(descriptor: int, deadline: float) -> bytes:
    """Everything until the last process has closed the terminal."""
    found = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            break
        try:
            piece = os.read(descriptor, 65536)
        except OSError:  # Linux tells the end of a terminal in this way
            return found
        if not piece:
            return found
        found += piece
    raise TimeoutError(found.decode("utf-8", "replace"))
