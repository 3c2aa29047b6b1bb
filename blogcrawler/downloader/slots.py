"""Scrapy's downloader, which keeps a slot of requests for each host, with other rules for when they may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.core.downloader import Slot as ScrapySlot

from blogcrawler.downloader.foreign import is_beside

if TYPE_CHECKING:
    from scrapy import Request, Spider


class Slot(ScrapySlot):
    """Scrapy's slot, but with a delay that is drawn once for each request.

    Scrapy draws another delay each time it checks whether the next request may begin, so that on average requests are a
    quarter further apart than DOWNLOAD_DELAY.
    """

    _drawn: tuple[tuple[float, float, float], float] = ((-1.0, 0.0, 0.0), 0.0)

    def download_delay(self) -> float:
        """Seconds between the beginnings of the last request and the next."""
        drawn_for = (self.lastseen, self.delay, self.jitter)
        if drawn_for != self._drawn[0]:
            self._drawn = drawn_for, super().download_delay()
        return self._drawn[1]


class Downloader(ScrapyDownloader):
    """Scrapy's downloader, in which requests beside the crawl do not count as concurrent requests, see `foreign`."""

    def needs_backout(self) -> bool:
        """True while CONCURRENT_REQUESTS requests of the crawl itself are in flight."""
        if not super().needs_backout():
            return False
        counted = sum(not is_beside(request, self.crawler.spider) for request in self.active)
        return counted >= self.total_concurrency

    def _get_slot(self, request: Request, spider: Spider | None = None) -> tuple[str, ScrapySlot]:  # noqa: ARG002
        key, slot = super()._get_slot(request)
        if not isinstance(slot, Slot):
            slot = self.slots[key] = Slot(slot.concurrency, slot.delay, slot.jitter)
        return key, slot
