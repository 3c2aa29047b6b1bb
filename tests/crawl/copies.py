"""Starts the program without the time that its imports take: as a copy of a process that has them (original.py)."""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

#: how process ids and exit codes are told
NUMBER = struct.Struct("!i")
_ROOT = Path(__file__).parents[2]
_LOCK = threading.Lock()


class Copy:
    """A copy at work, used like a `subprocess.Popen`."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self.pid = self._next()
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, negative for a signal; none while it runs."""
        if self.returncode is None and select.select([self._told], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout_s: float | None = None) -> int:
        """The exit code, as soon as there is one."""
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout_s)[0]:
                raise subprocess.TimeoutExpired("blogcrawler", timeout_s or 0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing, where it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _next(self) -> int:
        told = self._told.recv(NUMBER.size, socket.MSG_WAITALL)
        if len(told) < NUMBER.size:
            self._told.close()
            raise ChildProcessError("the process that copies are made of has ended; it says why on standard error")
        return int(NUMBER.unpack(told)[0])

    def _end(self) -> None:
        self.returncode = self._next()
        self._told.close()


def start(arguments: list[str], folder: Path, environment: dict[str, str], files: list[int]) -> Copy:
    """Begin a run in `folder`, with descriptors of standard input, output and error."""
    for_python = frozenset((name, value) for name, value in environment.items() if name.startswith("PYTHON"))
    with _LOCK:
        return copied(_original(for_python), arguments, folder, environment, files)


def copied(
    original: socket.socket,
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    files: list[int],
    *,
    in_session: bool = False,
) -> Copy:
    """Begin a run as a copy of the process that a socket leads to, if need be in a session of its own."""
    ours, theirs = socket.socketpair()
    with theirs:
        socket.send_fds(original, [b"."], [theirs.fileno(), *files])
    request = {"arguments": arguments, "folder": str(folder), "environment": dict(environment), "session": in_session}
    ours.sendall(json.dumps(request).encode() + b"\n")
    return Copy(ours)


@cache
def _original(for_python: frozenset[tuple[str, str]]) -> socket.socket:
    """Leads to a process of which copies are made; one for all whose Python is told the same by its environment."""
    ours, theirs = socket.socketpair()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    arguments = [sys.executable, "-m", "tests.crawl.original", str(theirs.fileno())]
    with theirs:
        process = subprocess.Popen(
            arguments,
            cwd=_ROOT,
            env=environment | dict(for_python),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
    atexit.register(process.wait, 10)
    atexit.register(ours.close)
    return ours
