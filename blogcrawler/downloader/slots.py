"""Scrapy's downloader, which keeps a slot of requests for each host, with other rules of when they may begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader import Downloader as ScrapyDownloader
from scrapy.core.downloader import Slot as ScrapySlot

from blogcrawler.downloader.foreign import is_beside

if TYPE_CHECKING:
    from scrapy import Request, Spider


class Slot(ScrapySlot):
    """Scrapy's, but draws a delay once for each request.

    Scrapy draws another one each time it looks whether the next request may begin, so that requests are a quarter
    further apart than DOWNLOAD_DELAY on average.
    """

    _drawn: tuple[tuple[float, float, float], float] = ((-1.0, 0.0, 0.0), 0.0)

    def download_delay(self) -> float:
        """Seconds from the beginning of the last request to that of the next."""
        drawn_for = (self.lastseen, self.delay, self.jitter)
        if drawn_for != self._drawn[0]:
            self._drawn = drawn_for, super().download_delay()
        return self._drawn[1]


class Downloader(ScrapyDownloader):
    """What is fetched beside the crawl does not count among its requests under way, see `foreign`."""

    def needs_backout(self) -> bool:
        """True while as many other requests are under way as CONCURRENT_REQUESTS says."""
        if not super().needs_backout():
            return False
        counted = sum(not is_beside(request, self.crawler.spider) for request in self.active)
        return counted >= self.total_concurrency

    def _get_slot(self, request: Request, spider: Spider | None = None) -> tuple[str, ScrapySlot]:  # noqa: ARG002
        key, slot = super()._get_slot(request)
        if not isinstance(slot, Slot):
            slot = self.slots[key] = Slot(slot.concurrency, slot.delay, slot.jitter)
        return key, slot
