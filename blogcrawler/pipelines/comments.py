"""Third stage: gather the comments of each post, see `blogcrawler.comments`."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http.request import NO_CALLBACK

from blogcrawler.browser import Renderer
from blogcrawler.comments import CommentGatherer, Crawl, compare
from blogcrawler.component import Component
from blogcrawler.downloader import NOT_CAPTURED
from blogcrawler.downloader.in_flight import is_stuck
from blogcrawler.errors import BackendUnavailable, PageTooSlow
from blogcrawler.feeds.sources import Answer
from blogcrawler.file_store import file_store
from blogcrawler.pipelines.warc import keep_picture
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from blogcrawler.backend import Archive
    from blogcrawler.comments import CommentRequest
    from blogcrawler.items import Record, RecordSource

logger = logging.getLogger(__name__)


class CommentsPipeline(Component):
    """Adds the comments of each post to its record. Setting: COMMENTS.

    Counters under `blogcrawler/comments/`: `found` comments, `posts` with comments, `cut` posts with missing comments,
    `late` posts with comments that a later crawl may get, `requests`, `in_vain` requests that returned no comment feed
    of the post, and `since/new`, `since/edited` and `since/gone` for posts that were known before.
    """

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("COMMENTS"):
            raise NotConfigured
        super().__init__(crawler)
        self._crawl = comment_crawl(crawler)
        self._files = file_store(crawler.settings)
        self._gatherer: CommentGatherer | None = None

    async def close_spider(self) -> None:
        """Save the list of posts with missing comments."""
        if self._gatherer is not None:
            try:
                self._gatherer.close()
            except BackendUnavailable as error:
                logger.error("%s", error)

    async def process_item(self, item: Record) -> Record:
        """Gather the comments of a post; for a record from the archive, count what has changed.

        If the archive cannot be written, the record is dropped with BackendUnavailable as the cause.
        """
        spider: Any = self.crawler.spider
        archive = spider.ctx.archive
        try:
            if item.material is not None:
                await self._gather(item, item.material, archive)
            elif (earlier := archive.record(item.blog, item.url)) is not None:
                compare(item, earlier.comments, self._crawl, is_whole=True)
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error
        except PageTooSlow as error:
            logger.warning("%s is saved without its comments. %s", item.url, error)
        return item

    async def _gather(self, item: Record, material: RecordSource, archive: Archive) -> None:
        if self._gatherer is None:
            least = self.crawler.settings.getfloat("CONFIDENCE_MINIMUM")
            self._gatherer = CommentGatherer(archive, item.blog, material.wrapper, self._crawl, least=least)
        gathered = await self._gatherer.add_to(item)
        if item.material is not None and item.material.shown is not None:
            await keep_picture(item, item.material.shown, self._files)
        self._crawl.count("found", len(item.comments))
        self._crawl.count("posts", int(bool(item.comments)))
        self._crawl.count("cut", int(gathered.is_cut and not gathered.is_whole))
        if (source := item.provenance.fields.get("comments")) is not None:
            self._crawl.stats.inc_value(f"blogcrawler/fields/comments/{source.source}")


def comment_crawl(crawler: Crawler) -> Crawl:
    """The functions that the comments package needs from a crawl. Counter: `blogcrawler/comments/requests`."""
    stats = crawler.stats
    assert stats is not None

    async def fetch(wanted: CommentRequest) -> Answer | None:
        assert crawler.engine is not None
        stats.inc_value("blogcrawler/comments/requests")
        url, method, headers, body = wanted
        meta = Purpose.COMMENTS.meta
        try:
            request = Request(url, NO_CALLBACK, method, dict(headers), body, meta=meta, dont_filter=True)
            response = await crawler.engine.download_async(request)
        except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
            # robots.txt forbids this request, or its URL is invalid; others may be possible
            is_refused = type(error) is IgnoreRequest or isinstance(error, ValueError)
            return None if is_refused else Answer(url, 0)
        if NOT_CAPTURED in response.flags:
            return None  # the server may have had this document
        answered = {
            name.decode("latin-1").lower(): ", ".join(value.decode("latin-1") for value in values)
            for name, values in response.headers.items()
        }
        return Answer(response.url, response.status, response.body, answered.get("content-type"), answered)

    def is_stuck_with(posts: int) -> bool:
        assert crawler.engine is not None
        slot, spider = crawler.engine.scraper.slot, crawler.spider
        aside = len(getattr(getattr(spider, "ctx", None), "waiting_for_files", ()))
        return (slot.itemproc_size if slot is not None else 0) <= posts + aside and is_stuck(crawler.engine)

    return Crawl(fetch, stats, crawler.get_extension(Renderer), is_stuck_with)
