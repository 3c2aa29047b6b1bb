"""The WARC files of a crawl: one extension of Scrapy's for all that have something to write.

The downloader's middleware gives it each exchange as it comes in (`downloader.capture`), the pipeline what a browser
made of posts' pages. Exchanges are written at once, and not when their page has become a record: a page may wait for
others until it is known whether it is a post, also over several crawls; of what the wire brought nothing would be left.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from blogcrawler import __version__
from blogcrawler.backend.warc import WARC_FOLDER, WarcStore
from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from blogcrawler.backend.warc import Exchange

PLACE = "warc"
"""Key of a request's meta: where the body of its answer is in the WARC files, as `provenance.warc` has it."""

capture_failed = object()
"""The signal, with an `error`, that WARC files cannot be written any more: the crawl is to end."""


class Capture:
    """Writes the WARC files of one crawl, where the setting WARC is on; others find it by `crawler.get_extension`."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        if not settings.getbool("WARC"):
            raise NotConfigured
        self.crawler = crawler
        folder = Path(settings["ARCHIVE"]) / WARC_FOLDER
        self._store = WarcStore(folder, max_bytes=settings.getint("WARC_MAX_BYTES"), info=_info(settings))
        self._has_failed = False
        crawler.signals.connect(self.close, signals.engine_stopped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The files of one crawl."""
        return cls(crawler)

    def knows(self, url: str, *, etag: str, modified: str) -> bool:
        """True if the version of a page is kept that a server is to be asked about."""
        try:
            return self._store.knows(url, etag=etag, modified=modified)
        except BackendUnavailable as error:
            self._fail(error)
            return False

    def keep(self, exchange: Exchange) -> str | None:
        """Write an exchange; where the body is. Where nothing can be written any more, the crawl ends."""
        try:
            return self._store.keep(exchange)
        except BackendUnavailable as error:
            self._fail(error)
            return None

    def keep_view(self, uri: str, content_type: str, body: bytes, at: datetime) -> str:
        """Write what was made of a page; where it is. Raises BackendUnavailable."""
        return self._store.keep_view(uri, content_type, body, at)

    def sync(self) -> None:
        """Let all that was written be as safe as the database that refers to it. Raises BackendUnavailable."""
        self._store.sync()

    def close(self) -> None:
        """Close the last file."""
        try:
            self._store.close()
        except BackendUnavailable as error:
            self._fail(error)

    def _fail(self, error: BackendUnavailable) -> None:
        if not self._has_failed:
            self._has_failed = True
            self.crawler.signals.send_catch_log(capture_failed, error=error)


def _info(settings: BaseSettings) -> dict[str, str]:
    return {
        "software": f"blogcrawler/{__version__}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "operator": str(settings.get("CONTACT") or ""),
        "robots": "obey" if settings.getbool("ROBOTSTXT_OBEY") else "ignore",
        "http-header-user-agent": str(settings["USER_AGENT"]),
    }
