"""The crawl that the room of comments works in, as Scrapy has it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from blogcrawler.browser import Renderer
from blogcrawler.comments import Crawl
from blogcrawler.downloader.in_flight import is_stuck
from blogcrawler.feeds.sources import Answer
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from blogcrawler.comments import Question


def comment_crawl(crawler: Crawler) -> Crawl:
    """The crawl of a crawler. Counts `blogcrawler/comments/requests`."""
    stats = crawler.stats
    assert stats is not None

    async def fetch(question: Question) -> Answer | None:
        assert crawler.engine is not None
        stats.inc_value("blogcrawler/comments/requests")
        url, method, headers, body = question
        meta = Purpose.COMMENTS.meta
        try:
            request = Request(url, NO_CALLBACK, method, dict(headers), body, meta=meta, dont_filter=True)
            response = await crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
            # robots.txt forbids this request, or its address is none; others may be possible
            is_refused = type(error) is IgnoreRequest or isinstance(error, ValueError)
            return None if is_refused else Answer(url, 0)
        answered = {
            name.decode("latin-1").lower(): ", ".join(value.decode("latin-1") for value in values)
            for name, values in response.headers.items()
        }
        return Answer(response.url, response.status, response.body, answered.get("content-type"), answered)

    def is_stuck_with(posts: int) -> bool:
        assert crawler.engine is not None
        slot = crawler.engine.scraper.slot
        return (slot.itemproc_size if slot is not None else 0) <= posts and is_stuck(crawler.engine)

    return Crawl(fetch, stats, crawler.get_extension(Renderer), lambda: crawler.crawling, is_stuck_with)
