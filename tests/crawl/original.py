"""A process that has imported what the program imports, and makes copies of itself (copies.py).

Each copy goes on as `python -m blogcrawler` does after its imports. What is left of its origin is the hash seed, which
all copies share, and tables that are there already (warming.py). The crawls of monitors and workers are copies, too; they do
not die with a worker.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import IO, TYPE_CHECKING, NoReturn

import numpy

from blogcrawler.monitor import child
from tests.crawl.copies import NUMBER, Copy, copied
from tests.crawl.warming import warm

if TYPE_CHECKING:
    from collections.abc import Mapping


def _serve(requests: socket.socket, of_copies: socket.socket) -> tuple[socket.socket, list[int]]:
    """Make copies until the tests end; a copy returns, with where its request comes from and its standard files."""
    while True:
        asking, *_ = select.select([requests, of_copies], [], [])
        told, descriptors, *_ = socket.recv_fds(asking[0], 1, 4)
        _bury()
        if not told:
            raise SystemExit
        assert "twisted.internet.reactor" not in sys.modules, "a copy needs a reactor of its own"
        assert threading.active_count() == 1, "a copy has no threads but the one that makes it"
        if os.fork() == 0:
            talk = socket.socket(fileno=descriptors[0])
            if (pid := os.fork()) == 0:
                return talk, descriptors[1:]
            _watch(pid, talk)
        for descriptor in descriptors:
            os.close(descriptor)


def _watch(pid: int, talk: socket.socket) -> None:
    """Tell the copy's process, and how it ended."""
    try:
        talk.sendall(NUMBER.pack(pid))
        talk.sendall(NUMBER.pack(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])))
    finally:
        os._exit(0)


def _bury() -> None:
    """Take notice of who has ended, so that the system forgets them."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _start_copies_only(original: socket.socket) -> None:
    """Let a monitor or a worker start its crawls without the time that their imports take."""

    def popen(
        arguments: list[str],
        *,
        env: Mapping[str, str],
        stdin: int,
        stdout: IO[bytes],
        stderr: IO[bytes],
        start_new_session: bool,
        pass_fds: list[int],
    ) -> Copy:
        program = [sys.executable, "-m", "blogcrawler"]
        assert arguments[:3] == program
        assert stdin == subprocess.DEVNULL
        with Path(os.devnull).open() as no:
            files = [no.fileno(), stdout.fileno(), stderr.fileno()]
            return copied(original, arguments[3:], Path.cwd(), env, files, in_session=start_new_session)

    child.FORKS = False
    child.subprocess = SimpleNamespace(Popen=popen, DEVNULL=subprocess.DEVNULL)


def _become_the_program(talk: socket.socket, files: list[int], original: socket.socket) -> None:
    """Go on as `python -m blogcrawler`."""
    with talk, talk.makefile(encoding="utf-8") as lines:
        request = json.loads(lines.readline())
    if request["arguments"][:1] in (["monitor"], ["worker"]):
        _start_copies_only(original)
    else:
        original.close()
    if request["session"]:
        os.setsid()
    for number, descriptor in enumerate(files):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdout.reconfigure(line_buffering=sys.stdout.isatty())
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    os.chdir(request["folder"])
    numpy.random.seed()  # Python's own begin anew by themselves
    tempfile.tempdir = None  # of our own environment
    sys.path[0] = request["folder"]
    sys.argv[1:] = request["arguments"]
    try:
        runpy.run_module("blogcrawler", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _end(end.code or 0)
        raise


def _end(code: int) -> NoReturn:
    """End as Python does, but leave memory to the system: taking it apart would first copy what all copies share."""
    threading._shutdown()  # waits for threads
    atexit._run_exitfuncs()
    gc.collect()  # what was left open is told
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    interrupted = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a keyboard's is for the tests, which end us
    warm()
    gc.freeze()  # copies need not look through what they share, again and again
    of_copies, original = socket.socketpair()
    with socket.socket(fileno=int(sys.argv[1])) as requests, of_copies:
        origin = _serve(requests, of_copies)
    signal.signal(signal.SIGINT, interrupted)
    _become_the_program(*origin, original)
