"""Limits that all crawls of one process share for each host.

Scrapy's downloader keeps its limits for each crawl alone. Here a request begins only when the host's delay after the
last request of another crawl is over, never while the host has asked one of the crawls to wait, and never while as many
requests are in flight as a single crawl may have. Hosts are named as by `downloader.get_slot_key`, crawls by any
number.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from scrapy.utils.asyncio import sleep
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredLock

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

MOST_IDLE = 1_000
"""Maximum number of hosts that are remembered while no request to them is in flight."""


@dataclass
class _Host:
    under_way: int = 0
    #: when the last request began, and which crawl sent it
    last: float = float("-inf")
    last_of: int | None = None
    #: when the delay after the last request ends
    free_at: float = float("-inf")
    paused_until: float = float("-inf")
    paused_by: int | None = None
    #: requests in order of arrival; the first one waits until it may start, the others wait for the first
    queue: DeferredLock = field(default_factory=DeferredLock)
    #: fires when a request ends
    end: Deferred[None] | None = None


class Hosts:
    """The requests in flight to each host, and when the last one began. `clock` returns seconds."""

    def __init__(self, *, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._hosts: dict[str, _Host] = {}

    def __len__(self) -> int:
        return len(self._hosts)

    def __contains__(self, key: str) -> bool:
        return key in self._hosts

    @asynccontextmanager
    async def turn(
        self, key: str, crawl: int, *, delay: float, most: int, gate: Callable[[], Awaitable[None]] | None = None
    ) -> AsyncIterator[None]:
        """Wait until a request may start; it counts as in flight while the context lasts.

        `delay`: seconds between two requests of this crawl, which the crawl observes itself. `most`: maximum number of
        requests in flight. `gate`: a further condition that the first waiting request awaits.
        """
        host = self._host(key)
        await maybe_deferred_to_future(host.queue.acquire())
        try:
            while host.under_way >= most or (wait := self._wait(host, crawl, delay)) > 0:
                await (self._next_end(host) if host.under_way >= most else sleep(wait))
            if gate is not None:
                await gate()
            host.under_way += 1
            host.last, host.last_of = self._clock(), crawl
            host.free_at = host.last + delay
        finally:
            host.queue.release()
        try:
            yield
        finally:
            host.under_way -= 1
            if host.end is not None:
                host.end.callback(None)
                host.end = None

    def pause(self, key: str, crawl: int, seconds: float) -> None:
        """Start no request of other crawls for `seconds`; this crawl pauses by itself."""
        host, until = self._host(key), self._clock() + seconds
        if until > host.paused_until:
            host.paused_until, host.paused_by = until, crawl

    def _host(self, key: str) -> _Host:
        if key not in self._hosts and len(self._hosts) >= MOST_IDLE:
            self._hosts = {name: host for name, host in self._hosts.items() if self._is_in_use(host)}
        return self._hosts.setdefault(key, _Host())

    def _is_in_use(self, host: _Host) -> bool:
        is_free = max(host.paused_until, host.free_at) <= self._clock()
        return bool(host.under_way or host.queue.locked) or not is_free

    def _wait(self, host: _Host, crawl: int, delay: float) -> float:
        now = self._clock()
        spacing = 0.0 if host.last_of == crawl else host.last + delay - now
        pause = 0.0 if host.paused_by == crawl else host.paused_until - now
        return max(spacing, pause)

    async def _next_end(self, host: _Host) -> None:
        host.end = Deferred()
        await maybe_deferred_to_future(host.end)


HOSTS = Hosts()
"""The shared limits of this process."""
