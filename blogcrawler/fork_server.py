"""A process that has imported what crawls import, and starts each crawl as a copy of itself, fork(2).

Nothing may be left in it that a copy cannot have: no thread of Python, no reactor, no connection. Requests come through
a socket that is its standard input (monitor/forking.py sends them). It ends when nobody can ask any more, and its
crawls have ended. Signals that ask a process to end are for crawls and for whoever has started it, and do nothing to
it itself.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import selectors
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any

from scrapy.utils.project import get_project_settings

from blogcrawler import cli
from blogcrawler.monitor.signals import HEEDED
from blogcrawler.reporting import BEGINNING, FAILED, TEMPORARY_FAILURE
from blogcrawler.wrapper import language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

__all__ = ["main", "preload"]

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
LONGEST = 1 << 20
"""Bytes of a request."""
MOST_FILES = 3
"""What comes with a request: where to tell of the crawl, what it writes to, and where it tells what it counts."""
OBJECT = re.compile(r"(?:blogcrawler|scrapy)(?:\.\w+)+")
LATE = (
    "blogcrawler.frontier.knn",
    "blogcrawler.report.page",
    "blogcrawler.command",
    "blogcrawler.commands",
    "protego",
    "queuelib",
    "scrapy.commands.crawl",
)
"""What a crawl imports when it needs it, and no setting names."""
OPTIONAL = ("psycopg", "redis", "sqlalchemy.dialects.postgresql.psycopg")
"""The same, where it is installed."""


def main() -> None:
    """Serve; in a copy, crawl, and end the process with its exit code."""
    is_killing = "--with-parent" in sys.argv[1:2]
    with socket.socket(fileno=os.dup(0)) as requests:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
        preload()
        gc.collect()
        gc.freeze()  # a copy need not look through what it shares, which would have the system copy it
        arguments = _Server(requests, is_killing=is_killing).serve()
    cli.main(arguments)


def preload() -> None:
    """Import what crawls import, and read the largest of the tables that they use."""
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "blogcrawler.settings")
    settings = get_project_settings()
    for name in {*_spiders(settings), *_named(settings), *LATE}:
        import_module(name)
    for name in OPTIONAL:
        with suppress(ImportError):
            import_module(name)
    language.is_known("en")
    assert "twisted.internet.reactor" not in sys.modules, "a copy needs a reactor of its own"


def _spiders(settings: BaseSettings) -> Iterator[str]:
    for package in settings.getlist("SPIDER_MODULES"):
        yield from (module.name for module in walk_packages(import_module(package).__path__, f"{package}."))


def _named(settings: BaseSettings) -> Iterator[str]:
    """Modules of the components that settings name."""
    for value in settings.values():
        for named in [*value, *value.values()] if hasattr(value, "values") else [value]:
            if isinstance(named, str) and OBJECT.fullmatch(named):
                yield named.rpartition(".")[0]


class _Server:
    """Starts crawls, passes signals on to them, and tells how they ended."""

    def __init__(self, requests: socket.socket, *, is_killing: bool) -> None:
        self._requests = requests
        self._is_killing = is_killing
        #: the process ids of crawls
        self._crawls: set[int] = set()
        #: by process id, who is told of it
        self._told: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(requests, selectors.EVENT_READ)
        self._ended, self._waking = socket.socketpair()
        for end in (self._ended, self._waking):
            end.setblocking(False)
        self._selector.register(self._ended, selectors.EVENT_READ)
        self._before = {number: signal.signal(number, _do_nothing) for number in (signal.SIGCHLD, *HEEDED)}
        signal.set_wakeup_fd(self._waking.fileno(), warn_on_full_buffer=False)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)  # until now, as whoever has started it has seen to

    def serve(self) -> list[str]:
        """Serve until nobody can ask any more; returns in copies alone, with the arguments of each."""
        is_asked = True
        while is_asked or self._crawls:
            for key, _ in self._selector.select():
                if key.fileobj is self._ended:
                    self._bury()
                elif key.fileobj is not self._requests:
                    self._pass_on(key.data)
                elif (files := self._request()) is None:
                    is_asked = False
                    self._selector.unregister(self._requests)
                    self._leave()
                elif (arguments := self._start(*files)) is not None:
                    return arguments
        self._close_all()
        raise SystemExit

    def _request(self) -> tuple[bytes, list[int]] | None:
        told, files, *_ = socket.recv_fds(self._requests, LONGEST, MOST_FILES)
        return (told, files) if told else None

    def _leave(self) -> None:
        """Whoever could ask is gone, and what it wrote to need not be kept open for it."""
        os.dup2(0, 2)
        for pid in self._crawls if self._is_killing else ():
            os.kill(pid, signal.SIGKILL)

    def _start(self, request: bytes, files: list[int]) -> list[str] | None:
        """Begin a crawl; the arguments, in the copy alone."""
        told = socket.socket(fileno=files[0])
        signal.pthread_sigmask(signal.SIG_BLOCK, HEEDED)  # until the copy has handlers of its own
        server = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            _refuse(error, told, files[1])
        else:
            if pid == 0:
                return self._copied(server, request, told, files)
            self._crawls.add(pid)
            self._told[pid] = told
            self._selector.register(told, selectors.EVENT_READ, pid)
            _tell(told, {"pid": pid})
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)
        for descriptor in files[1:]:
            os.close(descriptor)
        return None

    def _copied(self, server: int, request: bytes, told: socket.socket, files: list[int]) -> list[str]:
        """In a copy: be no server any more; the arguments of the crawl."""
        try:
            told.close()
            self._close_all()
            _become_a_crawl(server, files[1])
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HEEDED)
            counts = [part for counting in files[2:] for part in ("-s", f"COUNTS_FD={counting}")]
            return [*json.loads(request), *counts]
        except Exception:  # noqa: BLE001 - it must not go on as another server
            os._exit(FAILED)

    def _close_all(self) -> None:
        """Give back all that is the server's alone."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._selector.close()
        for connection in (self._requests, self._ended, self._waking, *self._told.values()):
            connection.close()

    def _pass_on(self, pid: int) -> None:
        """Send a crawl the signal that comes for it."""
        if pid not in self._told:  # it has ended just now
            return
        try:
            message = self._told[pid].recv(LONGEST)
        except ConnectionError:
            message = b""
        if message:
            os.kill(pid, json.loads(message)["signal"])
        else:
            self._close(pid)

    def _bury(self) -> None:
        """Tell how crawls ended."""
        with suppress(BlockingIOError):
            while self._ended.recv(LONGEST):
                pass
        for pid in list(self._crawls):
            found, status = os.waitpid(pid, os.WNOHANG)
            if found:
                self._crawls.discard(pid)
                if pid in self._told:
                    _tell(self._told[pid], {"code": os.waitstatus_to_exitcode(status)})
                    self._close(pid)

    def _close(self, pid: int) -> None:
        """Nobody need be told of a crawl any more."""
        told = self._told.pop(pid)
        self._selector.unregister(told)
        told.close()


def _become_a_crawl(server: int, written: int) -> None:
    """Be in a session of one's own, die with the server, and write to where the crawl's output goes."""
    os.setsid()
    ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != server:  # which was gone before that
        os._exit(FAILED)
    for stream in (1, 2):
        os.dup2(written, stream)
    os.close(written)


def _refuse(error: OSError, told: socket.socket, written: int) -> None:
    """A crawl cannot be started: say why, as the crawl would."""
    os.write(written, f"{BEGINNING}The crawl cannot be started: {error.strerror}.\n".encode())
    _tell(told, {"code": TEMPORARY_FAILURE})
    told.close()


def _tell(to: socket.socket, message: dict[str, Any]) -> None:
    try:
        to.send(json.dumps(message).encode())
    except OSError:  # whoever has asked is gone
        return


def _do_nothing(*_: object) -> None:
    """A signal has come; what it means, the loop sees."""


if __name__ == "__main__":
    main()
