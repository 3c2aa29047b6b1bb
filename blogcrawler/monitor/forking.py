"""Starts crawls without the time and the memory that their imports take: as copies of a process that has them.

That process, `blogcrawler.fork_server`, is started with the first crawl. It is asked through a socket, with a message
for each crawl; a socket of the crawl's own tells its process id and how it has ended, and takes signals for it. All
messages are JSON.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import site
import socket
import subprocess
import sys
import sysconfig
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import blogcrawler
from blogcrawler.monitor.signals import HEEDED
from blogcrawler.reporting import TEMPORARY_FAILURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["ForkServer", "Forked", "environment"]

SERVER = "blogcrawler.fork_server"
LONGEST = 1 << 16
"""Bytes of a message."""


class Forked:
    """A crawl that a fork server starts, used like a `subprocess.Popen`."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server
        self._pid: int | None = None
        #: the exit code, negative for a signal; None while it runs, 75 where it went with its server
        self.returncode: int | None = None

    @property
    def pid(self) -> int:
        """Its process id, as soon as it has one. Raises ProcessLookupError where it could not be started."""
        while self._pid is None:
            if self.returncode is not None:
                raise ProcessLookupError(errno.ESRCH, "the crawl could not be started")
            self._listen(blocking=True)
        return self._pid

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        while self.returncode is None and self._listen(blocking=False):
            pass
        return self.returncode

    def wait(self) -> int:
        """The exit code, as soon as it has ended."""
        while self.returncode is None:
            self._listen(blocking=True)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Nothing, where it has ended; one that has not begun yet gets it when it does."""
        if self.poll() is None:
            with suppress(OSError):  # the server has ended, and its crawls with it
                self._server.send(json.dumps({"signal": number}).encode())

    def _listen(self, *, blocking: bool) -> bool:
        """Hear what is told next; was there something?"""
        self._server.setblocking(blocking)
        try:
            message = self._received()
        except BlockingIOError:
            return False
        finally:
            self._server.setblocking(True)
        told: dict[str, int] = json.loads(message) if message else {"code": TEMPORARY_FAILURE}  # no server, no crawl
        self._pid = told.get("pid", self._pid)
        self.returncode = told.get("code")
        if self.returncode is not None:
            self._server.close()
        return True

    def _received(self) -> bytes:
        """The next message, empty where no more can come. Raises BlockingIOError where there is none yet."""
        while True:
            with suppress(ConnectionResetError):  # a signal was not read: told once, before the messages that are left
                return self._server.recv(LONGEST)


class ForkServer:
    """A process that has imported what crawls import, and starts each crawl as a copy of itself; Linux alone.

    `options` of all crawls are among its arguments, for whoever lists processes. `with_us`: its crawls are killed with
    this process, however it dies; else they come to their end. When it dies itself, its crawls are killed, and the next
    crawl is started by a new one.
    """

    def __init__(self, options: Sequence[str], *, with_us: bool) -> None:
        self._arguments = [sys.executable, "-m", SERVER, *(["--with-parent"] if with_us else []), *options]
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self, arguments: Sequence[str], files: Sequence[int]) -> Forked:
        """Have a crawl begun with arguments of the program, and with files: what it writes to, where it tells counts.

        Does not wait for it: the first one begins when all is imported. One that cannot be started, for want of
        processes or memory, ends with code 75. Raises OSError where the server cannot be started.
        """
        message = json.dumps(list(arguments)).encode()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self._send(message, [theirs.fileno(), *files])
            except OSError:
                ours.close()
                raise
        return Forked(ours)

    def close(self) -> None:
        """Let it end, as soon as its crawls have ended; nothing where it was never started."""
        if self._requests is not None:
            self._requests.close()
        if self._process is not None:
            self._process.wait()
        self._process = self._requests = None

    def _send(self, request: bytes, files: Sequence[int]) -> None:
        if self._requests is not None:
            with suppress(ConnectionError):
                socket.send_fds(self._requests, [request], files)
                return
            self.close()  # it has died
        socket.send_fds(self._started(), [request], files)

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, _blocked(HEEDED):  # which it inherits, and ends when it has handlers
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                self._arguments,
                env=environment(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._requests = ours
        return ours


@contextmanager
def _blocked(signals: Iterable[signal.Signals]) -> Iterator[None]:
    """Let signals wait meanwhile, also in processes that are started."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def environment() -> dict[str, str]:
    """Ours, with the folder of this package for Python to look into, unless it does so by itself."""
    root = str(Path(blogcrawler.__file__).parents[1])
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()}
    if root in installed:
        return dict(os.environ)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
