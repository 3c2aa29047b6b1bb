"""Fetch a page again only if it has changed since the last fetch: conditional requests.

RFC 9110, section 13, and RFC 9111, section 4.3. The server is always asked, and its 304 is replaced by the stored body.
No error is hidden by an older page, and no stored page is used without asking unless the request allows it (SERVES).
This is Scrapy's HTTP cache with its own policy, and with the storage of `blogcrawler.downloader.http_cache`.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.downloadermiddlewares.httpcache import HttpCacheMiddleware
from scrapy.extensions.httpcache import parse_cachecontrol

from blogcrawler.downloader.http_cache import CONFIRMED_AT, KEPT_AT

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Headers, Response
    from scrapy.settings import BaseSettings, Settings
    from scrapy.statscollectors import StatsCollector

logger = logging.getLogger(__name__)

SERVES = "serves_s"
"""Key of a request's meta: seconds for which a stored answer is used without asking again, whatever it is except a
temporary error."""

LARGEST_BODY_BYTES = 4 * 1024 * 1024
"""Size of the largest body that is stored."""
_NOT_MODIFIED = 304
#: Answers of servers and firewalls that cannot handle a validator, though no GET with If-None-Match should get them.
_REFUSALS = frozenset({400, 412, 431})
_PASSING = frozenset({_NOT_MODIFIED, 408, 425, 429})
_CONDITIONS = ("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range")
#: request header → the response header whose value it sends back
_VALIDATORS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
_LONGEST_VALIDATOR = 1024  # bytes
#: Headers of the message that carries them; they do not apply to a body from another message (RFC 9111, section 3.2).
_OF_THE_BODY = frozenset({b"Content-Encoding", b"Content-Length", b"Content-Range", b"Content-Type"})
#: key of a request's meta: its validators were set by this module
_OURS = "revalidates"
_STATS = "blogcrawler/downloader/validators_refused"


class RevalidationMiddleware(HttpCacheMiddleware):
    """Scrapy's middleware (setting HTTPCACHE_ENABLED), with these differences:

    - an error of the network remains an error, although an older page is stored;
    - validators are removed from a request before it is sent again, or redirected;
    - a host that refuses validators, or answers 304 to a plain request, is requested without them.

    Its order is below those of redirects (600), truncation (595) and decompression (590), so that it stores whole and
    decoded bodies that have passed all limits, and above those of back-off, retry and meta refresh.
    """

    def __init__(self, settings: Settings, stats: StatsCollector) -> None:
        super().__init__(settings, stats)
        self._without: set[str] = set()

    def process_request(self, request: Request, spider: Spider | None = None) -> Request | Response | None:  # noqa: ARG002
        _take_off(request)
        if _host(request) in self._without:
            request.meta["_dont_cache"] = True
            return None
        return super().process_request(request)

    def process_response(
        self,
        request: Request,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002
    ) -> Request | Response:
        if self._is_refused(request, response):
            self._without.add(_host(request))
            self.stats.inc_value(_STATS)
            logger.info(
                "%s answered a conditional request with %d: requests are unconditional now.", request, response.status
            )
            return request.replace(dont_filter=True)
        if response.status == _NOT_MODIFIED:
            headers = {name: values for name, values in response.headers.items() if name not in _OF_THE_BODY}
            response = response.replace(headers=headers)
        return super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:  # noqa: ARG002
        _take_off(request)

    def has_validator(self, request: Request) -> bool:
        """True if an answer to this request is stored with a validator, so that the server can confirm it."""
        if _host(request) in self._without or not self.policy.should_cache_request(request):
            return False
        stored = self.storage.retrieve_response(self.crawler.spider, request)
        return stored is not None and any(_validator(stored, name) for name in _VALIDATORS.values())

    def _is_refused(self, request: Request, response: Response) -> bool:
        if request.meta.get("dont_cache") or "_dont_cache" in request.meta or "page" in request.meta:
            return False
        if response.status == _NOT_MODIFIED:
            return "cached_response" not in request.meta
        return _OURS in request.meta and response.status in _REFUSALS


class RevalidationPolicy:
    """Which answers are stored, and when they are still valid (setting HTTPCACHE_POLICY)."""

    def __init__(self, settings: BaseSettings) -> None:
        """Ignore the settings that Scrapy passes; none of them matters here."""

    def should_cache_request(self, request: Request) -> bool:
        """True for a GET without conditions of its own; a 304 to such a condition would refer to a copy that is not
        ours."""
        is_conditional = any(name in request.headers for name in _CONDITIONS)
        return request.method == "GET" and not is_conditional and not _forbids(request.headers)

    def should_cache_response(self, response: Response, request: Request) -> bool:
        """True for a whole page that the server can tell from a later version, and that may be stored.

        Flags mark bodies that are cut off, or may be.
        """
        return (
            self._is_of_use(response, request)
            and set(response.flags) <= {"cached"}
            and len(response.body) <= LARGEST_BODY_BYTES
            and not _forbids(response.headers)
            and b"*" not in b",".join(response.headers.getlist("Vary"))
            and "Cookie" not in request.headers
        )

    @staticmethod
    def _is_of_use(response: Response, request: Request) -> bool:
        if SERVES in request.meta:
            return response.status < 500 and response.status not in _PASSING
        return response.status == 200 and any(_validator(response, name) for name in _VALIDATORS.values())

    def is_cached_response_fresh(self, cachedresponse: Response, request: Request) -> bool:
        """True only if the request allows it (SERVES), since an archive needs the present page; otherwise the request
        gets the validators."""
        if time.time() - request.meta.get(CONFIRMED_AT, 0.0) < request.meta.get(SERVES, 0.0):
            return True
        for name, source in _VALIDATORS.items():
            if value := _validator(cachedresponse, source):
                request.headers[name] = value
        request.meta[_OURS] = True
        return False

    def is_cached_response_valid(self, cachedresponse: Response, response: Response, request: Request) -> bool:  # noqa: ARG002
        """True if the server says that nothing has changed."""
        return response.status == _NOT_MODIFIED


def ask_anew(request: Request) -> None:
    """Make a request unconditional, so that the server sends the present page."""
    _take_off(request)
    for name in _VALIDATORS:
        request.headers.pop(name, None)


def _take_off(request: Request) -> None:
    """Remove what an earlier try, or the redirecting address, has left in the request."""
    if request.meta.pop(_OURS, False):
        for name in _VALIDATORS:
            request.headers.pop(name, None)
    for key in ("cached_response", "cache_timestamp", KEPT_AT, CONFIRMED_AT, "_dont_cache"):
        request.meta.pop(key, None)


def _validator(response: Response, name: str) -> bytes:
    value = (response.headers.get(name) or b"").strip()
    return value if len(value) <= _LONGEST_VALIDATOR else b""


def _forbids(headers: Headers) -> bool:
    """True if nothing of the message may be stored."""
    return b"no-store" in parse_cachecontrol(b",".join(headers.getlist("Cache-Control")))


def _host(request: Request) -> str:
    return urlsplit(request.url).netloc.lower()
