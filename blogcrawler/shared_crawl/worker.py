"""The worker's side of a shared crawl: fetches and parses pages for the process that crawls the blog."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import Holder
from blogcrawler.crawl.fetcher import page_of
from blogcrawler.crawl.read_page import read
from blogcrawler.downloader import RedirectRefused, is_gate_gone
from blogcrawler.downloader.reasons import BROKE, reason_of
from blogcrawler.errors import BeingCrawled, LeftBehind, RedisUnavailable, is_lack_of_memory
from blogcrawler.shared_crawl.page_messages import (
    AHEAD,
    HANDED_BACK,
    check_terms,
    page_to_json,
    queue_of,
    redirects_of,
    request_of,
    terms_of,
)
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy import Request
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page
    from blogcrawler.shared import PageQueue

LOOK_S = 1.0
"""Seconds between checks which process crawls the blog."""
OK = 200
STOPPED = "shutdown"
"""Finish reason of a crawl that a signal stopped, and that another process may continue."""

logger = logging.getLogger(__name__)


class Worker:
    """Works for the process that crawls a blog. Settings: FRONTIER_URL, WORKER_LOST_AFTER, CONCURRENT_REQUESTS."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx, self._settings = ctx, ctx.settings
        self._name = secrets.token_hex(8)
        self._began = _process_began()
        self._queue: PageQueue | None = None
        #: numbers of claimed pages, and results since the last exchange, as JSON
        self._under_way: set[int] = set()
        self._answers: dict[int, str] = {}
        self._news = asyncio.Event()
        self._listening: asyncio.Future[None] | None = None
        self._wrapper: Wrapper | None = None
        self._version = 0

    async def requests(self) -> AsyncIterator[Request]:
        """Yield requests for pages of the crawl, until no process crawls the blog.

        Raises LeftBehind if the crawl ended meanwhile, BeingCrawled if the crawl accepts no workers, BadArgument if its
        settings differ, and RedisUnavailable.
        """
        holder, looked = None, -inf
        while not self._settings["CLAIM"]:  # with CLAIM, the holder of the blog's lease hands it over to this process
            if monotonic() - looked >= LOOK_S:
                before, holder = holder, self._ctx.lease.holder(self._ctx.start_url)
                looked = monotonic()
                if holder is None:
                    await self.leave()
                    self._check_not_over()
                    return
                if holder != before:
                    await self._join(holder)
            self._news.clear()
            for request in await self._claim():
                yield request
            await self._news.wait()

    async def _join(self, holder: str) -> None:
        """Start to work for another process."""
        await self.leave()
        self._queue = queue_of(self._settings, holder)
        terms = (await self._queue.work(self._name, {}, capacity=0, lease_s=0)).terms
        url = self._ctx.start_url
        if not terms:
            raise BeingCrawled(
                f"{url} is being crawled by a process that does not have this FRONTIER_URL; try again after it has "
                "ended.",
                url=url,
            )
        check_terms(terms_of(self._settings), terms, url)
        self._listening = asyncio.ensure_future(self._queue.listen("new", self._news))
        logger.info("Another process crawls %s; this one fetches and reads pages for it.", url)

    async def _claim(self) -> list[Request]:
        assert self._queue is not None
        answers = dict(self._answers)
        claimed = await self._queue.work(
            self._name,
            answers,
            capacity=self._settings.getint("CONCURRENT_REQUESTS") * AHEAD,
            lease_s=self._settings.getfloat("WORKER_LOST_AFTER"),
        )
        for number in answers:
            del self._answers[number]
            self._under_way.discard(number)
        if claimed.version not in (0, self._version):
            self._version, wrapper = await self._queue.wrapper()
            self._wrapper = None if wrapper is None else Wrapper.from_dict(wrapper)
        new_numbers = claimed.pages.keys() - self._under_way
        self._under_way |= new_numbers
        return [
            request_of(
                claimed.pages[number],
                callback=self._note_page,
                errback=self._note_failure,
                cb_kwargs={"queue": self._queue, "number": number},
            )
            for number in sorted(new_numbers)
        ]

    def _note_page(self, response: Response, queue: PageQueue, number: int) -> None:
        meta = redirects_of(response.meta)
        try:
            page = page_of(response)
            answer = {"page": page_to_json(page)} | self._read(page)
        except Exception as error:
            if is_lack_of_memory(error):  # this process ends, and another one fetches the page
                raise
            logger.exception("Unexpected error on %s.", response.url)
            self._ctx.outcome.note_fault(error)
            answer = {"failed": BROKE}
        self._hand_in(queue, number, answer | {"meta": meta})

    def _read(self, page: Page) -> dict[str, Any]:
        """The fields that the wrapper reads from the page, and the wrapper's version; empty if they cannot be read."""
        if self._wrapper is None or page.status != OK:
            return {}
        try:
            fields = read(page, self._wrapper).to_dict()
        except Exception as error:  # noqa: BLE001  the crawl parses the page itself and reports the error
            logger.debug("%s cannot be read: %s", page.url, error)
            return {}
        return {"read": fields, "version": self._version}

    def _note_failure(self, failure: Failure) -> None:
        error = failure.value
        request: Request = failure.request  # type: ignore[attr-defined]
        assert error is not None
        if is_gate_gone(error):  # the crawl ends, and the page remains claimable
            return
        if isinstance(error, RedirectRefused) and str(error) == HANDED_BACK:
            answer = {"redirect": error.target}
        else:
            answer = {"failed": reason_of(error)}
        self._hand_in(answer=answer | {"meta": redirects_of(request.meta)}, **request.cb_kwargs)

    def _hand_in(self, queue: PageQueue, number: int, answer: dict[str, Any]) -> None:
        if queue is self._queue:  # else the page belongs to a crawl that has ended, and another page now has its number
            self._answers[number] = json.dumps(answer)
            self._news.set()

    async def leave(self) -> None:
        """Send the remaining results, and release the claimed pages."""
        if self._queue is None:
            return
        queue, self._queue = self._queue, None
        if self._listening is not None:
            self._listening.cancel()
        with suppress(RedisUnavailable):
            await queue.work(self._name, self._answers, capacity=0, lease_s=LOOK_S)
            await queue.leave(self._name)
        self._under_way.clear()
        self._answers.clear()
        self._version, self._wrapper = 0, None  # each crawl has its own version numbers
        await queue.close()

    def _check_not_over(self) -> None:
        """Raise LeftBehind if the crawl that this process should have joined has ended since this process began."""
        home = self._ctx.archive.find_blog(self._ctx.start_url)
        blog = self._ctx.archive.blog(home) if home is not None else None
        if blog is None or blog.crawl_kind != "newcrawl" or blog.crawl_reason in (None, STOPPED):
            return
        if blog.crawl_finished is not None and blog.crawl_finished > self._began:
            raise LeftBehind(
                f"The crawl of {home} by another process has ended, so nothing is left to do. Run the command "
                "again to crawl the blog from the start.",
                url=home,
            )


def _process_began() -> datetime:
    """Start time of this process, or of its fork; the current time if the system does not provide it."""
    ticks = Holder.new().began
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - int(ticks) / os.sysconf("SC_CLK_TCK") if ticks else 0.0
    return datetime.now(UTC) - timedelta(seconds=age_s)
