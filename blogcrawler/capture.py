"""Writes the WARC files of a crawl: a Scrapy extension that collects all exchanges.

The downloader middleware passes each exchange as it arrives (`downloader.exchanges`); the pipeline passes browser
results for posts' pages. Exchanges are written at once, since a page may become a record only in a later crawl.
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
"""Meta key: position of the response's body in the WARC files, in the form of `provenance.warc`."""

SEGMENT_BYTES = 1_000_000_000
"""Size of a WARC file in bytes after which the next file is begun."""

capture_failed = object()
"""Signal, with an `error`, that WARC files cannot be written any more, so the crawl must end."""


class Capture(Component):
    """Writes the WARC files of one crawl if the setting WARC is on; available through `crawler.get_extension`.

    Methods of `store` raise BackendUnavailable; methods of this class do not, but end the crawl if nothing can be
    written.
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
        """True if this version of a page is stored, so that the server may respond "not modified"."""
        try:
            return self.store.knows(url, etag=etag, modified=modified)
        except BackendUnavailable as error:
            self._fail(error)
            return False

    def keep(self, exchange: Exchange) -> str | None:
        """Write an exchange and return its body's position. An exchange that quotes a removed post is left out."""
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
    """Recogniser of removed content; None if nothing was removed, and before the crawl has begun."""
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
