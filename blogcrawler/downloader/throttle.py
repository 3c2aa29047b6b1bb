"""Lets the delay follow the time that a host takes to answer, also where it answers that nothing has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.extensions.throttle import AutoThrottle as ScrapyAutoThrottle

if TYPE_CHECKING:
    from scrapy.core.downloader import Slot
    from scrapy.http import Response


class AutoThrottle(ScrapyAutoThrottle):
    """Scrapy's, to which a 304 is as good a sign of a host's health as a 200.

    It takes any other status for that of an error page, whose short latency must not shorten the delay; the crawl of a
    blog that has not changed would be the slowest.
    """

    def _adjust_delay(self, slot: Slot, latency: float, response: Response) -> None:
        is_page = response.status == 304
        super()._adjust_delay(slot, latency, response.replace(status=200) if is_page else response)
