"""A process that has imported what crawls need, and starts each crawl as a fork of itself.

It must not contain anything that a fork cannot inherit: no Python thread, no reactor, no connection. Requests arrive
through a socket, its standard input (monitor/forking.py sends them). A crawl becomes a child of the process that
started this one, which waits for it and sends it signals. So this process only forks, and ends when the other end of
the socket is closed. Signals that ask a process to end are blocked here by the process that started it.
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
"""Largest request in bytes."""
MOST_FILES = 3
"""File descriptors of a request: a socket for the crawl's process id, its output, and the file of its counters."""
OBJECT = re.compile(r"(?:blogcrawler|scrapy)(?:\.\w+)+")
LATE = (
    "blogcrawler.frontier.estimators",
    "blogcrawler.frontier.post_estimator",
    "blogcrawler.report.page",
    "blogcrawler.command",
    "blogcrawler.commands",
    "blogcrawler.setting_checks",
    "blogcrawler.export.text",
    "blogcrawler.report.facts",
    "networkx",
    "protego",
    "queuelib",
    "scipy.optimize",
    "scrapy.commands.crawl",
)
"""Modules that a crawl imports on demand and that no setting names."""
OPTIONAL = ("psycopg", "redis", "sqlalchemy.dialects.postgresql.psycopg")
"""Such modules of optional packages."""


def main() -> None:
    """Serve requests; in a fork, run the crawl and end the process with its exit code."""
    with socket.socket(fileno=os.dup(0)) as requests:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
        preload()
        gc.collect()
        gc.freeze()  # garbage collection in a fork would make the system copy shared memory
        arguments = _serve(requests, parent=os.getppid(), dies_with_parent="--with-parent" in sys.argv[1:2])
    cli.main(arguments)


def preload() -> None:
    """Import the modules of crawls, and load their largest tables."""
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "blogcrawler.settings")
    settings = get_project_settings()
    for name in {*_spiders(settings), *_named(settings), *LATE}:
        import_module(name)
    for name in OPTIONAL:
        with suppress(ImportError):
            import_module(name)
    language.is_known("en")
    assert "twisted.internet.reactor" not in sys.modules, "each crawl needs its own reactor"


def _spiders(settings: BaseSettings) -> Iterator[str]:
    for package in settings.getlist("SPIDER_MODULES"):
        yield from (module.name for module in walk_packages(import_module(package).__path__, f"{package}."))


def _named(settings: BaseSettings) -> Iterator[str]:
    """Modules of the components in the settings."""
    for value in settings.values():
        for named in [*value, *value.values()] if hasattr(value, "values") else [value]:
            if isinstance(named, str) and OBJECT.fullmatch(named):
                yield named.rpartition(".")[0]


def _serve(requests: socket.socket, *, parent: int, dies_with_parent: bool) -> list[str]:
    """Start crawls until the socket is closed; returns only in forks, with the arguments of the crawl."""
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
    """Fork a crawl. Returns True in the crawl, when it is a child of the process that started this one.

    It becomes a child of that process, which adopts orphans meanwhile, since the intermediate process ends at once. If
    no process can be forked, the error is written to the crawl's output.
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
    """Start a session, link its life to `parent` if given, write to `output`, and send the process id to `answer`."""
    os.setsid()
    if parent is not None:
        ctypes.CDLL(None).prctl(SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before that
            os._exit(FAILED)
    for stream in (1, 2):
        os.dup2(output, stream)
    os.close(output)
    with suppress(OSError), socket.socket(fileno=answer) as connection:  # the socket is closed if the parent has ended
        connection.send(str(os.getpid()).encode())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


if __name__ == "__main__":
    main()
