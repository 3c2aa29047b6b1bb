"""Starts crawls without the time and the memory that their imports take: as copies of a process that has them.

That process, `blogcrawler.fork_server`, is started with the first crawl. Through a socket it gets a message for each
crawl, with the crawl's files; the crawl answers with its process id. It is our child, to be waited for and signalled.

Python's own fork server (multiprocessing.forkserver) will not do: it ends with the exit codes of all crawls when it
cannot fork one more, and its children keep it and each other alive when their parent is gone.
"""

from __future__ import annotations

import ctypes
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

SERVER = "blogcrawler.fork_server"
LONGEST = 1 << 16
"""Bytes of a message."""
ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""


class Forked:
    """A crawl that a fork server has started, used like a `subprocess.Popen`; without `pid` it could not be started."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        #: the exit code, negative for a signal; None while it runs, 75 where it could not be started
        self.returncode = TEMPORARY_FAILURE if pid is None else None

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._code(os.WNOHANG)

    def wait(self) -> int:
        """The exit code, as soon as it has ended."""
        code = self._code(0)
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal; nothing where it has ended."""
        if self.poll() is None and self.pid is not None:
            os.kill(self.pid, number)

    def _code(self, options: int) -> int | None:
        if self.returncode is None and self.pid is not None:
            ended, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode


class ForkServer:
    """A process that has imported what crawls need, and starts each crawl as a copy of itself; Linux alone.

    `options` of all crawls are among its arguments, for whoever lists processes. `with_us`: its crawls are killed with
    this process, however it dies; else they come to their end. When it dies itself, its crawls go on, and the next one
    is started by a new one.
    """

    def __init__(self, options: Sequence[str], *, with_us: bool) -> None:
        self._arguments = [sys.executable, "-m", SERVER, *(["--with-parent"] if with_us else []), *options]
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self, arguments: Sequence[str], files: Sequence[int]) -> Forked:
        """Start a crawl with arguments of the program and with files: its output, and the file of its counts.

        Returns as soon as it has begun, the first one when all is imported. One that cannot be started, for want of
        processes or memory, ends with code 75. Raises OSError where the server cannot be started.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, _adopting_orphans():
            with theirs:
                self._send(json.dumps(list(arguments)).encode(), [theirs.fileno(), *files])
            pid = ours.recv(LONGEST)
        return Forked(int(pid) if pid else None)

    def close(self) -> None:
        """End it; its crawls go on. Nothing where it was never started."""
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
        requests = self._started()
        with suppress(ConnectionError):  # one that ends before it has heard starts no crawl, as one that ends later
            socket.send_fds(requests, [request], files)

    def _started(self) -> socket.socket:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, _blocked(HEEDED):  # which it inherits, and its crawls unblock
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
def _adopting_orphans() -> Iterator[None]:
    """Be the parent of processes below us whose own parent ends meanwhile."""
    system = ctypes.CDLL(None)
    system.prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        system.prctl(ADOPT_ORPHANS, 0, 0, 0, 0)


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
