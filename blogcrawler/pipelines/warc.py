"""Stores browser results for a post's page: the screenshot with the record, and all results in WARC files, if
enabled."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import run_in_thread

from blogcrawler.capture import Capture, removed_of
from blogcrawler.component import Component
from blogcrawler.errors import BackendUnavailable, FileRefused
from blogcrawler.file_store import file_store
from blogcrawler.items import SCREENSHOT, Media
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from blogcrawler.backend import Files
    from blogcrawler.items import Page, Record

logger = logging.getLogger(__name__)

VIEW = "urn:view:"
"""URI prefix of a page's rendered tree."""
PICTURE = "urn:fullPage:"
"""URI prefix of a page's screenshot."""


class WarcPipeline(Component):
    """Writes the tree and the screenshot of each rendered page of a record as separate WARC records.

    They get URIs of their own, since under the page's URL they would be taken for the server's response. Afterwards all
    data that a record refers to are safely on disk.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._files = file_store(crawler.settings)

    async def process_item(self, item: Record) -> Record:
        """Write the WARC records for one record.

        If files cannot be written, it is dropped with BackendUnavailable as the cause.
        """
        capture = self.crawler.get_extension(Capture)
        if capture is not None and item.material is not None:
            try:
                await self._keep(item, capture)
                capture.store.sync()
            except BackendUnavailable as error:
                raise DropItem(str(error), log_level="ERROR") from error
        return item

    async def _keep(self, item: Record, capture: Capture) -> None:
        material = item.made_from
        for page in filter(None, (material.page, *material.more_pages, material.shown)):
            removed = removed_of(self.crawler)
            if page.is_rendered and not (removed is not None and removed.quotes(page.body, page.content_type)):
                kind = page.content_type or "text/html"
                place = capture.store.keep_view(VIEW + page.url, kind, page.body, _time_of(page))
                if page is material.page:
                    item.provenance.warc = place
        for file in item.media:
            if file.role == SCREENSHOT and file.path is not None:
                picture = await run_in_thread(_content, self._files, file.path)
                capture.store.keep_view(PICTURE + file.url, file.type or "image/jpeg", picture, _time_of(material.page))


async def keep_picture(item: Record, page: Page, files: Files) -> None:
    """Store a page's screenshot, if any, with the record. Raises DropItem."""
    if page.screenshot is None:
        return
    address = out_of_path(page.url)
    try:
        file = await run_in_thread(files.put, page.screenshot)
    except BackendUnavailable as error:
        raise DropItem(str(error), log_level="ERROR") from error
    except FileRefused as error:
        logger.error("The screenshot of %s is not stored. %s", address, error)
    else:
        item.media.append(Media(address, file.path, file.sha256, "image/jpeg", file.bytes, SCREENSHOT))
    page.screenshot = None


def _content(files: Files, path: str) -> bytes:
    """Read a file that was just stored. Raises BackendUnavailable."""
    try:
        with files.open(path) as file:
            return file.read()
    except OSError as error:
        raise BackendUnavailable(f"The picture {path} cannot be read again ({error.strerror}).") from error


def _time_of(page: Page) -> datetime:
    return page.fetched_at or datetime.now(UTC)
