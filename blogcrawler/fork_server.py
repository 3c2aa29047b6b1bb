"""A process that has imported what crawls need, and starts each crawl as a copy of itself, fork(2).

Nothing may be left in it that a copy cannot have: no thread of Python, no reactor, no connection. Requests come through
a socket that is its standard input (monitor/forking.py sends them). A crawl is the child of whoever has started this
process, which waits for it and sends it signals; so this process only forks, and ends when nobody can send requests any
more. Signals that ask a process to end are blocked in it, by whoever has started it.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import signal
import socket
import sys
import time
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from typing import TYPE_CHECKING

from scrapy.utils.project import get_project_settings

from blogcrawler import cli
from blogcrawler.monitor.signals import STOP_SIGNALS
from blogcrawler.reporting import BEGINNING, FAILED
from blogcrawler.wrapper.fields import language

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.settings import BaseSettings

SET_DEATH_SIGNAL = 1
"""PR_SET_PDEATHSIG of prctl(2)."""
LONGEST = 1 << 20
"""Bytes of a request."""
MOST_FILES = 3
"""Files of a request: where the crawl sends its process id, its output, and the file of its counts."""
OBJECT = re.compile(r"(?:blogcrawler|scrapy)(?:\.\w+)+")
LATE = (
    "blogcrawler.frontier.estimators",
    "blogcrawler.frontier.post_estimator",
    "blogcrawler.report.page",
    "blogcrawler.command",
    "blogcrawler.commands",
    "blogcrawler.export.text",
    "blogcrawler.report.facts",
    "networkx",
    "protego",
    "queuelib",
    "scipy.optimize",
    "scrapy.commands.crawl",
)
"""What a crawl imports when it needs it, and no setting names."""
OPTIONAL = ("psycopg", "redis", "sqlalchemy.dialects.postgresql.psycopg")
"""The same, where it is installed."""


def main() -> None:
    """Serve; in a copy, crawl, and end the process with its exit code."""
    with socket.socket(fileno=os.dup(0)) as requests:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
        preload()
        gc.collect()
        gc.freeze()  # a copy need not look through what it shares, which would have the system copy it
        arguments = _serve(requests, parent=os.getppid(), dies_with_parent="--with-parent" in sys.argv[1:2])
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


def _serve(requests: socket.socket, *, parent: int, dies_with_parent: bool) -> list[str]:
    """Start crawls until nobody can request any more; returns in copies alone, with the arguments of each."""
    while True:
        request, files, *_ = socket.recv_fds(requests, LONGEST, MOST_FILES)
        if not request:
            raise SystemExit
        if _fork(output=files[1]):
            try:
                _become_a_crawl(parent if dies_with_parent else None, *files[:2])
                counts = [part for counting in files[2:] for part in ("-s", f"COUNTS_FD={counting}")]
                return [*json.loads(request), *counts]
            except BaseException:  # noqa: BLE001 - it must not go on as another server
                os._exit(FAILED)
        for descriptor in files:
            os.close(descriptor)


def _fork(output: int) -> bool:
    """Fork a crawl; True in the crawl, when its parent is the process that has started this one.

    It gets that parent, which adopts orphans meanwhile, since the process between ends at once. Where none can be
    forked, that is written to the crawl's output.
    """
    server = os.getpid()
    try:
        if between := os.fork():
            os.waitpid(between, 0)
            return False
        between = os.getpid()
        if os.fork():
            os._exit(0)
    except OSError as error:
        os.write(output, f"{BEGINNING}The crawl cannot be started: {error.strerror}.\n".encode())
        if os.getpid() != server:
            os._exit(0)
        return False
    while os.getppid() == between:
        time.sleep(0.001)
    return True


def _become_a_crawl(parent: int | None, answer: int, output: int) -> None:
    """Begin a session, die with a parent if one is given, write to `output`, and send the process id to `answer`."""
    os.setsid()
    if parent is not None:
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it was gone before that
            os._exit(FAILED)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.close(output)
    with suppress(OSError), socket.socket(fileno=answer) as told:  # nobody reads it where the parent is gone
        told.send(str(os.getpid()).encode())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


if __name__ == "__main__":
    main()
