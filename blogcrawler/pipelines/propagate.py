"""Last stage: save the record to the archive in one transaction; at the end of the crawl, deposit posts in
repositories.

The repositories of PROPAGATE_TO come last so that none of them can lose or delay a record: they get what the archive
has, including posts that they lack from earlier crawls. The deposit package is only imported if there are repositories.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, UsageError

from blogcrawler.component import Component
from blogcrawler.crawl.records import keep_record
from blogcrawler.errors import BackendUnavailable, RedisUnavailable, RemovedOnRequest, Unchanged
from blogcrawler.file_store import file_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from blogcrawler.backend.archive import Saved
    from blogcrawler.deposit import Outcome, Pace, Repository
    from blogcrawler.items import Record

ARCHIVE = "archive"
"""Name of the archive, which always comes first: posts that a repository lacks are taken from it."""
WAIT_S = 600.0
"""Seconds for which the end of a crawl waits for repositories; the next crawl deposits the remaining posts."""
_LOOK_S = 0.05


class PropagatePipeline(Component):
    """Saves each record to the archive's database, or updates it there.

    When the crawl ends, the repositories of PROPAGATE_TO get the posts of its blog that they lack.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._homes: set[str] = set()

    async def close_spider(self) -> None:
        """Deposit missing posts in the repositories."""
        spider = self.crawler.spider
        if (home := getattr(spider, "home", None)) and not getattr(spider, "fatal", None):
            self._homes.add(str(home))
        if self._homes:
            outcomes = await hand_over(self.crawler.settings, self._homes, lambda: self.crawler.crawling)
            assert self.crawler.stats is not None
            self.crawler.stats.set_value("blogcrawler/propagated", [vars(outcome) for outcome in outcomes])

    async def process_item(self, item: Record) -> Record:
        """Save one record, completed from the earlier record of the post.

        Drops it if the archive cannot be written (BackendUnavailable), or if it contains nothing new (Unchanged).
        """
        spider: Any = self.crawler.spider
        self._homes.add(item.blog)
        try:
            saved = keep_record(spider.ctx, item)
        except Unchanged as error:
            self._count("same")
            raise DropItem(str(error), log_level="DEBUG") from error
        except RemovedOnRequest as error:
            raise DropItem(str(error), log_level="DEBUG") from error
        except (BackendUnavailable, RedisUnavailable) as error:
            raise DropItem(str(error), log_level="ERROR") from error
        self._count(saved)
        return item

    def _count(self, saved: Saved) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"blogcrawler/saved/{saved}")


def pace_of(settings: BaseSettings) -> Pace:
    """Retry settings of deposits."""
    from blogcrawler.deposit import Pace

    return Pace(tries=settings.getint("DEPOSIT_RETRIES") + 1)


def repositories(settings: BaseSettings) -> list[Repository]:
    """The repositories in PROPAGATE_TO. Raises BadArgument."""
    named = [" ".join(str(text).split()) for text in settings.getlist("PROPAGATE_TO")]
    wanted = dict.fromkeys(name for name in named if name and name != ARCHIVE)
    if not wanted:
        return []
    from blogcrawler.deposit import repository_of

    return [repository_of(name, pace_of(settings)) for name in wanted]


def check_repositories(settings: BaseSettings) -> None:
    """Raise UsageError if PROPAGATE_TO contains an invalid or duplicate repository."""
    opened = repositories(settings)
    for repository in opened:
        repository.close()
        file_store(settings)
    names = [repository.name for repository in opened]
    if len(set(names)) < len(names):
        raise UsageError("PROPAGATE_TO names a repository twice; name it only once.")


async def hand_over(
    settings: BaseSettings, homes: Iterable[str], is_going_on: Callable[[], bool] = lambda: True
) -> list[Outcome]:
    """Deposit missing posts of some blogs in repositories, within WAIT_S seconds; return the results."""
    opened = repositories(settings) if is_going_on() else []
    if not opened:
        return []
    from blogcrawler.deposit import Courier

    homes, files = list(homes), file_store(settings)
    couriers = [Courier(settings["DATABASE_URL"], repository, files, homes) for repository in opened]
    end = time.monotonic() + WAIT_S
    with _interruptible() as interrupted:
        for courier in couriers:
            courier.start()
        while any(courier.is_alive() for courier in couriers):
            if interrupted.is_set() or time.monotonic() > end or not is_going_on():
                break
            await asyncio.sleep(_LOOK_S)
        for courier in couriers:
            if courier.is_alive():
                await asyncio.to_thread(courier.stop)
    return [courier.outcome for courier in couriers]


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Stop waiting at the first Ctrl-C, since a crawl that is already closing would not end in order."""
    asked = threading.Event()
    is_main = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()
    earlier = {number: handler for number in numbers if callable(handler := signal.getsignal(number))}

    def note(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            earlier[signal.Signals(number)](number, frame)
        asked.set()

    for number in earlier:
        signal.signal(number, note)
    try:
        yield asked
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)
