"""The crawl that the room of comments works in: Scrapy's downloader, engine and stats, and the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from blogcrawler.browser import Renderer
from blogcrawler.downloader.in_flight import is_stuck
from blogcrawler.feeds.sources import Answer
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.statscollectors import StatsCollector

    from blogcrawler.browser import Rendition
    from blogcrawler.comments import Question
    from blogcrawler.items import Page

__all__ = ["CommentCrawl"]


class CommentCrawl:
    """See `blogcrawler.comments.crawl`. Counts below `blogcrawler/comments/`."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @property
    def can_render(self) -> bool:
        renderer = self._renderer
        return renderer is not None and renderer.can_render

    @property
    def is_running(self) -> bool:
        return self._crawler.crawling

    async def fetch(self, question: Question) -> Answer | None:
        self.count("requests")
        url, method, headers, body = question
        try:
            request = Request(
                url,
                method=method,
                headers=dict(headers),
                body=body,
                dont_filter=True,
                callback=NO_CALLBACK,
                meta=Purpose.COMMENTS.meta,
            )
            response = await self._engine.download_async(request)
        except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
            # robots.txt forbids this request, or its address is none; others may be possible
            is_refused = type(error) is IgnoreRequest or isinstance(error, ValueError)
            return None if is_refused else Answer(url, 0)
        answered = {
            name.decode("latin-1").lower(): ", ".join(value.decode("latin-1") for value in values)
            for name, values in response.headers.items()
        }
        return Answer(response.url, response.status, response.body, answered.get("content-type"), answered)

    async def show(self, page: Page, *, with_frames: bool = False) -> Rendition | None:
        renderer = self._renderer
        if renderer is None:
            return None
        return await renderer.show_kept(page, lambda _: "leads on to another page", with_frames=with_frames)

    def count(self, event: str, by: int = 1) -> None:
        if by:
            self._stats.inc_value(f"blogcrawler/comments/{event}", by)

    def lose(self, what: str, because: str) -> None:
        self._stats.set_value(f"blogcrawler/comments/because/{what}", because)
        self._stats.inc_value(f"blogcrawler/comments/lost/{what}")

    def is_stuck(self, waiting: int) -> bool:
        slot = self._engine.scraper.slot
        in_work = slot.itemproc_size if slot is not None else 0
        return in_work <= waiting and is_stuck(self._engine)

    def frontier(self, count: str) -> int:
        return int(self._stats.get_value(f"blogcrawler/frontier/{count}", 0))

    @property
    def _renderer(self) -> Renderer | None:
        return self._crawler.get_extension(Renderer)

    @property
    def _engine(self) -> ExecutionEngine:
        assert self._crawler.engine is not None
        return self._crawler.engine

    @property
    def _stats(self) -> StatsCollector:
        assert self._crawler.stats is not None
        return self._crawler.stats
