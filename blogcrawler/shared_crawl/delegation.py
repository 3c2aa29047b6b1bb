"""The crawl's side of a shared crawl: sends pages to workers and receives the results.

The crawl alone decides which page is fetched next and what happens with it. While no worker is free, the crawl fetches
pages itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.read_page import ReadPage
from blogcrawler.downloader import FailedElsewhere
from blogcrawler.errors import RedisUnavailable
from blogcrawler.shared_crawl.page_messages import AHEAD, page_from_json, page_wanted, terms_of

if TYPE_CHECKING:
    from scrapy import Request

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page
    from blogcrawler.shared import PageQueue
    from blogcrawler.wrapper import Wrapper

logger = logging.getLogger(__name__)


class Delegation:
    """Lets workers fetch the pages of one crawl. Settings: CONCURRENT_REQUESTS, and those of `page_messages`."""

    def __init__(self, ctx: CrawlContext, queue: PageQueue) -> None:
        self._ctx, self._queue = ctx, queue
        self._terms = terms_of(ctx.settings)
        self._concurrent = ctx.settings.getint("CONCURRENT_REQUESTS")
        #: number of pages that each worker may own: some wait while it fetches others and while results are processed
        self._share = self._concurrent * (1 + AHEAD)
        self._workers = 0
        self._numbers = count(1)
        #: pages that workers own, as JSON, and the futures that wait for their results, by number
        self._wanted: dict[int, str] = {}
        self._waiting: dict[int, asyncio.Future[dict[str, Any] | None]] = {}
        #: results that Redis may delete
        self._taken: set[int] = set()
        self._version = 0
        self._wrapper: Wrapper | None = None
        self._news = asyncio.Event()
        self._tasks: list[asyncio.Future[None]] = []

    async def open(self) -> None:
        """Accept workers from now on. Raises RedisUnavailable."""
        if not self._tasks:
            await self._ask()
            self._tasks = [
                asyncio.ensure_future(self._ask_on()),
                asyncio.ensure_future(self._queue.listen("come", self._news)),
            ]

    async def fetch(self, request: Request) -> Page | Request | None:
        """Fetch a page through a worker. Returns the page, the request for a redirect's target, or None if no worker is
        free.

        Raises FailedElsewhere if the worker failed, and RedisUnavailable if the crawl ends before the result arrives.
        """
        is_busy = len(self._waiting) >= self._workers * self._share
        if is_busy or self._ctx.fetcher.sessions.place is not None:  # the session's cookies exist only in this process
            return None
        number = next(self._numbers)
        self._wanted[number] = json.dumps(page_wanted(request))
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._news.set()
        try:
            answer = await self._waiting[number]
        finally:
            del self._wanted[number], self._waiting[number]
            self._taken.add(number)
        return None if answer is None else self._outcome(request, answer)

    async def close(self) -> None:
        """Stop accepting workers."""
        for task in self._tasks:
            task.cancel()
        with suppress(RedisUnavailable):
            await self._queue.forget()
        await self._queue.close()

    async def _ask_on(self) -> None:
        outcome = self._ctx.outcome
        try:
            while not outcome.is_over and self._ctx.fetcher.crawler.crawling:
                self._news.clear()
                await self._ask()
                await self._news.wait()
        except RedisUnavailable as error:
            outcome.fail(error)
        except Exception as error:
            logger.exception("Unexpected error; the crawl ends.")
            outcome.note_fault(error, is_over=True)
        finally:
            self._workers = 0
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(RedisUnavailable("The crawl ends."))

    async def _ask(self) -> None:
        taken = frozenset(self._taken)
        wanted = {number: page for number, page in self._wanted.items() if not self._waiting[number].done()}
        workers, answers = await self._queue.ask(self._terms, wanted, taken=taken, wrapper=self._new_wrapper())
        self._taken -= taken
        self._raise_concurrency(workers)
        for number in wanted if not workers else answers:
            waiting = self._waiting.get(number)
            if waiting is not None and not waiting.done():
                waiting.set_result(answers.get(number))
            elif waiting is None:
                self._taken.add(number)

    def _raise_concurrency(self, workers: int) -> None:
        """Allow as many concurrent pages as this process and all workers together can fetch."""
        if workers != self._workers:
            self._workers = workers
            self._ctx.fetcher.engine.downloader.total_concurrency = self._concurrent + workers * self._share
            self._ctx.news.set()

    def _new_wrapper(self) -> tuple[int, str]:
        """Version of the wrapper, and its text if it has changed since it was last sent."""
        if not self._wanted or self._wrapper is self._ctx.classifier.wrapper:
            return self._version, ""
        self._version, self._wrapper = self._version + 1, self._ctx.classifier.wrapper
        return self._version, json.dumps(self._wrapper.to_dict())

    def _outcome(self, request: Request, answer: dict[str, Any]) -> Page | Request:
        request.meta.update(answer["meta"])
        if "failed" in answer:
            raise FailedElsewhere(answer["failed"])
        if "redirect" in answer:
            return request.replace(url=answer["redirect"], dont_filter=True)
        page = page_from_json(answer["page"])
        if self._wrapper is not None and "read" in answer:
            is_by_other = answer["version"] != self._version
            request.meta["handed_in"] = ReadPage.from_dict(answer["read"], page, self._wrapper, is_by_other=is_by_other)
        return page
