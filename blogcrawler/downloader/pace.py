"""Slow down requests to a host, by a lasting minimum delay or by a pause.

Scrapy's downloader has a slot for each host, and AutoThrottle adapts the slot's delay to the server's latency. `Pace`
also enforces what the host has asked for (Crawl-delay, Retry-After); other components of this package get it by
`crawler.get_extension(Pace)`.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.extensions.throttle import AutoThrottle as ScrapyAutoThrottle
from scrapy.utils.asyncio import call_later

from blogcrawler.component import Component
from blogcrawler.downloader.hosts import HOSTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class AutoThrottle(ScrapyAutoThrottle):
    """Scrapy's AutoThrottle, which here counts a 304 as a page like a 200.

    Scrapy counts any other status as an error page, whose short latency must not shorten the delay.
    """

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        is_page = response.status == 304
        super()._adjust_delay(slot, latency, response.replace(status=200) if is_page else response)


class Pace(Component):
    """Minimum delays and pauses of the downloader's slots; a slot's key is `downloader.get_slot_key(request)`.

    Must be loaded after AutoThrottle, whose changes it corrects. `clock` returns seconds.
    """

    #: minimum delay of a slot in seconds after its host has asked us to slow down
    SLOWED_DELAY = 1.0

    def __init__(self, crawler: Crawler, *, clock: Callable[[], float] = monotonic) -> None:
        super().__init__(crawler)
        self._clock = clock
        self._throttled = crawler.settings.getbool("AUTOTHROTTLE_ENABLED")
        self._longest_delay = crawler.settings.getfloat("AUTOTHROTTLE_MAX_DELAY")
        self._least: dict[str, float] = {}
        self._paused_until: dict[str, float] = {}
        crawler.signals.connect(self._keep, signal=signals.request_reached_downloader)
        crawler.signals.connect(self._keep, signal=signals.response_downloaded)

    def at_least(self, key: str, seconds: float) -> None:
        """Keep requests of this slot at least `seconds` apart from now on."""
        self._least[key] = max(seconds, self._least.get(key, 0.0))
        self._apply(key)

    def pause(self, key: str, seconds: float) -> None:
        """Begin no request of this slot for `seconds`, in any crawl; a longer pause that has begun stays.

        With AutoThrottle, the slot's delay also doubles, and AutoThrottle lowers it again gradually.
        """
        until = self._clock() + seconds
        if until <= self._paused_until.get(key, 0.0):
            return
        slot = self.crawler.engine.downloader.slots.get(key)
        if slot is not None and self._throttled and self._remaining(key) <= 0:
            slot.delay = max(slot.delay, min(max(2 * slot.delay, self.SLOWED_DELAY), self._longest_delay))
        self._paused_until[key] = until
        HOSTS.pause(key, id(self.crawler), seconds)
        if slot is not None:
            self._block(slot, seconds)

    def _remaining(self, key: str) -> float:
        return self._paused_until.get(key, 0.0) - self._clock()

    def _block(self, slot: Slot, seconds: float) -> None:
        """Block the slot for `seconds`: Scrapy sends nothing while a later call is due."""
        if slot.latercall is not None:
            slot.latercall.cancel()
        slot.latercall = call_later(seconds, self.crawler.engine.downloader._latercall, slot)

    def _keep(self, request: Request) -> None:
        self._apply(request.meta.get("download_slot", ""))

    def _apply(self, key: str) -> None:
        slot = self.crawler.engine.downloader.slots.get(key)
        if slot is None:
            return
        if least := self._least.get(key):
            slot.delay = max(slot.delay, least)
            slot.jitter = 0.0  # jitter would also shorten the delay
        if slot.latercall is None and (remaining := self._remaining(key)) > 0:
            self._block(slot, remaining)
