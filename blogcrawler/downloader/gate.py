"""Politeness of a fleet: requests to a host keep their distance, however many crawlers there are.

Scrapy keeps the limits of one crawl, `hosts` those of a process. With GATE_URL, each request also reserves its host's
next free moment in Redis (`blogcrawler.shared`). The distance is the current delay of its slot: the longest of
DOWNLOAD_DELAY, Crawl-delay and AutoThrottle.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from blogcrawler.component import Component
from blogcrawler.errors import RedisUnavailable
from blogcrawler.shared import Gate
from blogcrawler.urls import server_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler

gate_failed = object()
"""Signal, with an `error`, that Redis has been unavailable for too long and the crawl must end."""


def is_gate_gone(error: BaseException) -> bool:
    """True if a request failed because Redis is unavailable: it was not sent, so this says nothing about its host."""
    return isinstance(error, RedisUnavailable) or isinstance(error.__cause__, RedisUnavailable)


@contextmanager
def ending_without_gate() -> Iterator[None]:
    """Cancel a coroutine that fetches pages when Redis is unavailable, so that it ends with the crawl. Otherwise the
    coroutine would take the error for an unavailable source and continue without that source."""
    try:
        yield
    except Exception as error:
        if is_gate_gone(error):
            raise asyncio.CancelledError from error
        raise


class FleetGate(Component):
    """The gate of one crawl, if GATE_URL is set; components get it by `crawler.get_extension`.

    Settings: GATE_URL, BACKEND_PATIENCE, GATE_SERVER_DELAY. Keys are those of slots, `downloader.get_slot_key`.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        url = settings["GATE_URL"] or settings["FRONTIER_URL"]
        if not url:
            raise NotConfigured
        super().__init__(crawler)
        self._gate = Gate(url, patience_s=settings.getfloat("BACKEND_PATIENCE"))
        self._server_delay_s = settings.getfloat("GATE_SERVER_DELAY")
        self._error: RedisUnavailable | None = None
        crawler.signals.connect(self._gate.close, signals.engine_stopped)

    async def turn(self, key: str, slot: Slot) -> None:
        """Wait until a request of a slot may begin. Raises RedisUnavailable, and does so for all later requests."""
        if self._error is not None:
            raise self._error
        try:
            await self._gate.turn(key, server_of(key), delay_s=slot.delay, server_delay_s=self._server_delay_s)
        except RedisUnavailable as error:
            self._fail(error)
            raise

    async def pause(self, key: str, seconds: float) -> None:
        """Keep all crawlers of the fleet from sending requests of this slot for `seconds`."""
        try:
            await self._gate.pause(key, seconds)
        except RedisUnavailable as error:  # the crawl ends, but responses that have arrived are still read
            self._fail(error)

    def _fail(self, error: RedisUnavailable) -> None:
        if self._error is None:
            self._error = error
            self.crawler.signals.send_catch_log(gate_failed, error=error)
