"""Starts crawls quickly and with little memory, as forks of a process that has imported everything.

The fork server, `blogcrawler.fork_server`, starts with the first crawl. It receives one message per crawl through a
socket, with the crawl's open files; the crawl replies with its process id. The crawl becomes a child of this process,
which can wait for it and send it signals.

Python's own fork server (multiprocessing.forkserver) is not suitable: after one failed fork it ends and loses the exit
codes of all crawls, and it and its children keep each other alive after their parent has ended.
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
from blogcrawler.monitor.signals import STOP_SIGNALS
from blogcrawler.reporting import TEMPORARY_FAILURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SERVER = "blogcrawler.fork_server"
LONGEST = 1 << 16
"""Largest message in bytes."""
ADOPT_ORPHANS = 36
"""PR_SET_CHILD_SUBREAPER of prctl(2)."""


class Forked:
    """A crawl that the fork server started, with the interface of `subprocess.Popen`; `pid` is None if the start
    failed."""

    def __init__(self, pid: int | None) -> None:
        self.pid = pid
        #: exit code, negative for a signal; None while the crawl runs, 75 if it could not be started
        self.returncode = TEMPORARY_FAILURE if pid is None else None

    def poll(self) -> int | None:
        """The exit code; None if the process is running."""
        return self._code(os.WNOHANG)

    def wait(self) -> int:
        """Wait until the process ends, and return its exit code."""
        code = self._code(0)
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send a signal if the process is running."""
        if self.poll() is None and self.pid is not None:
            os.kill(self.pid, number)

    def _code(self, options: int) -> int | None:
        if self.returncode is None and self.pid is not None:
            ended, status = os.waitpid(self.pid, options)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode


class ForkServer:
    """A process that imports all modules of a crawl once and then starts each crawl as a fork of itself (Linux only).

    `options` of the crawls appear in its command line, to be seen in process lists. With `with_us`, crawls are killed
    when this process ends for any reason; else they run to their end. If the fork server itself ends, its crawls
    continue, and the next crawl starts a new server.
    """

    def __init__(self, options: Sequence[str], *, with_us: bool) -> None:
        self._arguments = [sys.executable, "-m", SERVER, *(["--with-parent"] if with_us else []), *options]
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def start(self, arguments: Sequence[str], files: Sequence[int]) -> Forked:
        """Start a crawl with command-line arguments and files: its output, and optionally its counters.

        Returns when the process exists; the first call waits for the imports. If the crawl cannot be started for lack
        of processes or memory, its exit code is 75. Raises OSError if the fork server cannot be started.
        """
        local_end, remote_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with local_end, _adopting_orphans():
            with remote_end:
                self._send(json.dumps(list(arguments)).encode(), [remote_end.fileno(), *files])
            pid = local_end.recv(LONGEST)
        return Forked(int(pid) if pid else None)

    def close(self) -> None:
        """Stop the fork server; running crawls continue."""
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
            self.close()  # the server has ended
        requests = self._started()
        # if the server ends before it reads the message, the crawl is not started, as with any dead server
        with suppress(ConnectionError):
            socket.send_fds(requests, [request], files)

    def _started(self) -> socket.socket:
        local_end, remote_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with remote_end, _blocked(STOP_SIGNALS):  # the server inherits the blocked signals; crawls unblock them
            self._process = subprocess.Popen(  # noqa: S603 - ourselves
                self._arguments,
                env=environment(),
                stdin=remote_end.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._requests = local_end
        return local_end


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Adopt orphaned processes below this process meanwhile (PR_SET_CHILD_SUBREAPER)."""
    system = ctypes.CDLL(None)
    system.prctl(ADOPT_ORPHANS, 1, 0, 0, 0)
    try:
        yield
    finally:
        system.prctl(ADOPT_ORPHANS, 0, 0, 0, 0)


@contextmanager
def _blocked(signals: Iterable[signal.Signals]) -> Iterator[None]:
    """Block signals meanwhile, also in processes that are started."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def environment() -> dict[str, str]:
    """Environment variables for a child process, with our package's folder in PYTHONPATH if Python does not find it
    otherwise."""
    root = str(Path(blogcrawler.__file__).parents[1])
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), site.getusersitepackages()}
    if root in installed:
        return dict(os.environ)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
