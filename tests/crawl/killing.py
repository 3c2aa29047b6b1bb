"""Ends crawls as kill -9 and a power cut do, just before something is written or just after it was; or as Ctrl-C does
before they have begun.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Engine, Pool, event

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

ADDON = f"{__name__}.KillAtCommit"


def at_commit(number: int, *, is_written: bool = False) -> list[str]:
    """Options with which a crawl is killed at one of its transactions, counted from 1; after that, if it `is_written`."""
    addon = ["-s", f'ADDONS={{"{ADDON}": 0}}', "-s", f"KILL_AT_COMMIT={number}"]
    return [*addon, "-s", f"KILL_AFTER_COMMIT={is_written}"]


def before_it_begins() -> list[str]:
    """Options with which a crawl is interrupted as soon as anything can be."""
    return ["-s", f'EXTENSIONS={{"{__name__}.InterruptAtStart": 0}}']


def without_database() -> list[str]:
    """Options with which the database is gone before the stages of the pipeline open it."""
    return ["-s", f'EXTENSIONS={{"{__name__}.BreakDatabase": 0}}']


class BreakDatabase:
    """Leaves something else where the database was, a file in the folder of the crawl."""

    def __init__(self) -> None:
        for file in Path().glob("archive.db*"):
            file.unlink()
        Path("archive.db").write_text("no database at all " * 100)


class InterruptAtStart:
    """Sends the crawl the signal of Ctrl-C as its reactor starts."""

    def __init__(self) -> None:
        from twisted.internet import reactor

        reactor.callWhenRunning(os.kill, os.getpid(), signal.SIGINT)


class KillAtCommit:
    """Counts the transactions of a crawl, and kills its process at the end of one."""

    def update_settings(self, settings: BaseSettings) -> None:
        self._left = settings.getint("KILL_AT_COMMIT")
        self._is_after = settings.getbool("KILL_AFTER_COMMIT")
        event.listen(Engine, "commit", self._count)
        event.listen(Pool, "checkin", self._end)

    def _count(self, _: object) -> None:
        self._left -= 1
        if self._left == 0 and not self._is_after:
            os.kill(os.getpid(), signal.SIGKILL)

    def _end(self, *_: object) -> None:
        if self._left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)
