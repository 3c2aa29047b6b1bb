"""Handle hosts that cannot be reached, and hosts other than the blog's: hosts of its files, of hosted comments, and of
browser subresources.

Requests to hosts other than the blog's run beside the crawl: no page waits for them. A host that cannot be reached is
asked once in a crawl; later requests to it fail with HostUnreachable. A host that has not answered yet is unreachable
if its name is not found or it refuses the connection; a host other than the blog's also if it does not connect or
answer in time. Any answer, also an error, makes a host reachable.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy import signals
from scrapy.core.downloader.handlers.http11 import TunnelError
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadConnectionRefusedError,
    DownloadTimeoutError,
    IgnoreRequest,
)
from twisted.internet.error import ConnectError

from blogcrawler.component import Component
from blogcrawler.purposes import Purpose
from blogcrawler.urls import origin, same_site

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

FIRST_ANSWER_S = 20.0
"""Seconds that such a host has to answer the request for its robots.txt, which comes first."""
CERTAIN = (CannotResolveHostError, DownloadConnectionRefusedError)
UNREACHED = (*CERTAIN, DownloadTimeoutError, ConnectError, TunnelError)
EXAMPLES = 3
"""Maximum number of hosts that the summary of a crawl names."""
_BESIDE = frozenset({Purpose.FILE, Purpose.COMMENTS, Purpose.BROWSER})
_IS_BESIDE = "is_beside"
_STATS = "blogcrawler/downloader/unreachable_hosts"


class HostUnreachable(IgnoreRequest):
    """A request to a host that could not be reached earlier; its cause is the earlier error."""


def is_beside(request: Request, spider: Spider | None) -> bool:
    """True for a request to a host other than the blog's that is neither for a page nor for a source of posts."""
    if Purpose.of(request.meta) not in _BESIDE:
        return _IS_BESIDE in request.meta
    return not any(same_site(request.url, str(getattr(spider, name, ""))) for name in ("home", "url"))


def robots_meta(request: Request, spider: Spider | None) -> dict[str, Any]:
    """Meta of the request for a host's robots.txt; on hosts other than the blog's, robots.txt is requested
    only once."""
    is_once = is_beside(request, spider)
    return {_IS_BESIDE: True, "dont_retry": True, "download_timeout": FIRST_ANSWER_S} if is_once else {}


class ForeignHostsMiddleware(Component):
    """Sends no more requests to hosts that could not be reached. Its order must be inside of the retry middlewares.

    Counts those other than the blog's under `blogcrawler/downloader/unreachable_hosts`, by name if the name is not
    found, else by scheme, host and port.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._errors: dict[str, Exception] = {}
        self._answered: set[str] = set()
        #: futures that end with the first request to a host
        self._first: dict[str, asyncio.Future[None]] = {}
        crawler.signals.connect(self._note_answer, signals.headers_received)

    def _note_answer(self, request: Request) -> None:
        self._answered.add(origin(request.url))
        self._end_first(urlsplit(request.url).netloc)

    async def process_request(self, request: Request) -> None:
        """Refuse requests to a host that cannot be reached; wait while the first request to another host than the
        blog's is in flight."""
        server, netloc = origin(request.url), urlsplit(request.url).netloc
        if server in self._answered:
            return
        is_foreign = is_beside(request, self.crawler.spider)
        if is_foreign and (first := self._first.get(netloc)) is not None:
            await asyncio.wait([first], timeout=self.crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        if (error := self._errors.get(_host(request)) or self._errors.get(server)) is not None:
            raise HostUnreachable(f"{netloc} could not be reached before") from error
        if is_foreign:
            self._first.setdefault(netloc, asyncio.get_running_loop().create_future())

    def _end_first(self, netloc: str) -> None:
        if (first := self._first.pop(netloc, None)) is not None:
            first.set_result(None)

    def process_response(self, request: Request, response: Response) -> Response:
        """End the wait of other requests, also if the response came from the cache."""
        self._end_first(urlsplit(request.url).netloc)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Record that a host cannot be reached; the request is not retried."""
        server = origin(request.url)
        if isinstance(exception, HostUnreachable) or server in self._answered:
            return
        is_foreign = is_beside(request, self.crawler.spider)
        if isinstance(exception, UNREACHED if is_foreign else CERTAIN):
            request.meta["dont_retry"] = True
            host = _host(request) if isinstance(exception, CannotResolveHostError) else server
            if host not in self._errors:
                self._errors[host] = exception
                self._report(host, exception, is_foreign=is_foreign)
        if is_foreign:
            self._end_first(urlsplit(request.url).netloc)

    def _report(self, host: str, error: Exception, *, is_foreign: bool) -> None:
        stats = self.crawler.stats
        assert stats is not None
        if is_foreign:
            stats.inc_value(_STATS)
            examples = stats.get_value(f"{_STATS}/examples") or []
            stats.set_value(f"{_STATS}/examples", [*examples, host][:EXAMPLES])
        reason = str(error).rstrip(".") or type(error).__name__
        level = logging.INFO if is_foreign else logging.DEBUG  # robots.txt of the blog's host is reported
        extra = {"spider": self.crawler.spider}
        logger.log(level, "%s gets no more requests in this crawl (%s).", host, reason, extra=extra)


def _host(request: Request) -> str:
    return urlsplit(request.url).hostname or ""
