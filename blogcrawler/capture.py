"""The WARC files of a crawl: one extension of Scrapy's for all that have something to write.

The downloader's middleware gives it each exchange as it comes in (`downloader.exchanges`), the pipeline what a browser
made of posts' pages. Exchanges are written at once: it may take several crawls until a page becomes a record.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import NotConfigured

from blogcrawler import __version__
from blogcrawler.backend.warc import WARC_FOLDER, WarcStore
from blogcrawler.component import Component
from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from blogcrawler.backend.purges import Removed
    from blogcrawler.backend.warc import Exchange

PLACE = "warc"
"""Key of a request's meta: where the body of its answer is in the WARC files, as `provenance.warc` has it."""

SEGMENT_BYTES = 1_000_000_000
"""Of the largest WARC file; then the next one is begun."""

capture_failed = object()
"""The signal, with an `error`, that WARC files cannot be written any more: the crawl is to end."""


class Capture(Component):
    """Writes the WARC files of one crawl, where the setting WARC is on; others find it by `crawler.get_extension`.

    Calls of `store` raise BackendUnavailable, those of this class do not: the crawl ends where nothing can be written.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("WARC"):
            raise NotConfigured
        super().__init__(crawler)
        folder = Path(settings["ARCHIVE"]) / WARC_FOLDER
        self.store = WarcStore(folder, max_bytes=SEGMENT_BYTES, info=_info(settings))
        self._has_failed = False
        crawler.signals.connect(self.close, signals.engine_stopped)

    def knows(self, url: str, *, etag: str, modified: str) -> bool:
        """True if the version of a page is kept that a server is to be asked about."""
        try:
            return self.store.knows(url, etag=etag, modified=modified)
        except BackendUnavailable as error:
            self._fail(error)
            return False

    def keep(self, exchange: Exchange) -> str | None:
        """Write an exchange; the place of its body. One that quotes a post that was removed on request is left out."""
        removed = removed_of(self.crawler)
        if removed is not None and (removed.has(exchange.url) or removed.quotes(*exchange.decoded)):
            return None
        try:
            return self.store.keep(exchange)
        except BackendUnavailable as error:
            self._fail(error)
            return None

    def close(self) -> None:
        try:
            self.store.close()
        except BackendUnavailable as error:
            self._fail(error)

    def _fail(self, error: BackendUnavailable) -> None:
        if not self._has_failed:
            self._has_failed = True
            self.crawler.signals.send_catch_log(capture_failed, error=error)


def removed_of(crawler: Crawler) -> Removed | None:
    """How what was removed on request is recognised; None where nothing was, and before the crawl has begun."""
    ctx: Any = getattr(getattr(crawler, "spider", None), "ctx", None)
    return None if ctx is None else ctx.archive.removed(ctx.home) or None


def _info(settings: BaseSettings) -> dict[str, str]:
    return {
        "software": f"blogcrawler/{__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "operator": str(settings.get("CONTACT") or ""),
        "robots": "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
        "http-header-user-agent": str(settings["USER_AGENT"]),
    }
