"""Wait after a server answers "too many requests" or "unavailable", then try again.

RFC 6585 (429) and RFC 9110, sections 10.2.3 and 15.6.4 (503, Retry-After). An answer of 429, or one with Retry-After,
concerns the whole host: no request goes there until the time is over. A plain 503 may concern one page: only this
request waits, and keeps its place among the concurrent requests.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.utils.asyncio import sleep
from scrapy.utils.response import response_status_message

from blogcrawler.component import Component
from blogcrawler.downloader.gate import FleetGate
from blogcrawler.downloader.pace import Pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

LONGEST_WAIT_S = 120.0
"""Seconds after which a server is asked again, also if it asks to wait longer (Retry-After)."""
_TOO_MANY_REQUESTS = 429
_UNAVAILABLE = 503
_STATS = "blogcrawler/downloader/backoff"


class BackoffMiddleware(Component):
    """Answers 429 and 503 by waiting, at most BACKOFF_TIMES times per request and LONGEST_WAIT_S seconds each time.

    Without Retry-After the waits are 1, 2, 4, … seconds. The last response, and any response to a request with meta
    `dont_retry`, is passed on. RETRY_HTTP_CODES should hold neither status. Counts under
    `blogcrawler/downloader/backoff`. `clock` returns seconds since the epoch.
    """

    def __init__(self, crawler: Crawler, *, clock: Callable[[], float] = time.time) -> None:
        super().__init__(crawler)
        self._clock = clock
        self._times = crawler.settings.getint("BACKOFF_TIMES", 3)

    async def process_response(self, request: Request, response: Response) -> Request | Response:
        if response.status not in (_TOO_MANY_REQUESTS, _UNAVAILABLE):
            return response
        asked_wait_s = retry_after(response, now=self._clock())
        wait = min(asked_wait_s or 2.0 ** request.meta.get("retry_times", 0), LONGEST_WAIT_S)
        whole_host = asked_wait_s is not None or response.status == _TOO_MANY_REQUESTS
        if whole_host:
            await self._pause(request, response, wait)
        retry = None if request.meta.get("dont_retry") else self._retry(request, response)
        if retry is None:
            return response
        if not whole_host:
            await sleep(wait)
        return retry

    async def _pause(self, request: Request, response: Response, wait: float) -> None:
        pace = self.crawler.get_extension(Pace)
        if pace is None:
            return
        key = self.crawler.engine.downloader.get_slot_key(request)
        logger.info(
            "%(host)s answered %(status)d: no request goes there for %(wait).0f s.",
            {"host": key, "status": response.status, "wait": wait},
            extra={"spider": self.crawler.spider},
        )
        pace.pause(key, wait)
        if (fleet := self.crawler.get_extension(FleetGate)) is not None:
            await fleet.pause(key, wait)

    def _retry(self, request: Request, response: Response) -> Request | None:
        assert self.crawler.spider is not None
        return get_retry_request(
            request,
            spider=self.crawler.spider,
            reason=response_status_message(response.status),
            max_retry_times=request.meta.get("max_retry_times", self._times),
            stats_base_key=_STATS,
            give_up_log_level="WARNING",
        )


def retry_after(response: Response, *, now: float) -> float | None:
    """Seconds that the server asks to wait by its Retry-After header; None without a valid header.

    A date is compared with the response's Date header, or else with `now`, in seconds since the epoch.
    """
    value = _header(response, "Retry-After")
    if value.isascii() and value.isdigit():
        return float(value[:9]) or None
    until = _http_date(value)
    if until is None:
        return None
    since = _http_date(_header(response, "Date"))
    wait = until - (now if since is None else since)
    return wait if wait > 0 else None


def _header(response: Response, name: str) -> str:
    return (response.headers.get(name) or b"").decode("latin-1").strip()


def _http_date(value: str) -> float | None:
    """Seconds since the epoch; a date without a zone is GMT, as in RFC 9110, section 5.6.7."""
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
