"""Asks for a page that was fetched before only if it has changed since: conditional requests.

RFC 9110, section 13, and RFC 9111, section 4.3. The server is always asked, and its 304 is answered with the body that
is at hand; no error is hidden behind an older page, and nothing is served unasked but what a request says may be
(SERVES). It is Scrapy's HTTP cache with a policy of its own, and the storage of `blogcrawler.downloader.http_cache`.
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
"""Key of a request's meta: for how many seconds an answer serves without asking again, whatever it was but an error
that may pass."""

LARGEST_BODY_BYTES = 4 * 1024 * 1024
"""Bytes of the largest body that is kept."""
_NOT_MODIFIED = 304
#: What servers and firewalls answer that cannot take a validator, though no GET with If-None-Match should get it.
_REFUSALS = frozenset({400, 412, 431})
_PASSING = frozenset({_NOT_MODIFIED, 408, 425, 429})
_CONDITIONS = ("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range", "Range")
#: request header → the response header whose value it sends back
_VALIDATORS = {"If-None-Match": "ETag", "If-Modified-Since": "Last-Modified"}
_LONGEST_VALIDATOR = 1024  # bytes
#: Of the message that carries them, and so not of a body that came with another one (RFC 9111, section 3.2).
_OF_THE_BODY = frozenset({b"Content-Encoding", b"Content-Length", b"Content-Range", b"Content-Type"})
#: in the meta of a request whose validators are ours
_OURS = "revalidates"
_STATS = "blogcrawler/downloader/validators_refused"


class RevalidationMiddleware(HttpCacheMiddleware):
    """Scrapy's middleware (setting HTTPCACHE_ENABLED), with these differences:

    - an error of the network stays one, although an older page is at hand;
    - validators are taken off a request before it is sent again, or redirected;
    - a host that refuses validators, or answers 304 unasked, is asked without them.

    Its order is below those of redirects (600), truncation (595) and decompression (590), so that it keeps whole and
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
            logger.info("%s answered a conditional request with %d: it is asked without.", request, response.status)
            return request.replace(dont_filter=True)
        if response.status == _NOT_MODIFIED:
            kept = {name: values for name, values in response.headers.items() if name not in _OF_THE_BODY}
            response = response.replace(headers=kept)
        return super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception, spider: Spider | None = None) -> None:  # noqa: ARG002
        _take_off(request)

    def has_validator(self, request: Request) -> bool:
        """True if an answer to a request is kept, with which the server can be asked whether it still holds."""
        if _host(request) in self._without or not self.policy.should_cache_request(request):
            return False
        kept = self.storage.retrieve_response(self.crawler.spider, request)
        return kept is not None and any(_validator(kept, name) for name in _VALIDATORS.values())

    def _is_refused(self, request: Request, response: Response) -> bool:
        if request.meta.get("dont_cache") or "_dont_cache" in request.meta or "page" in request.meta:
            return False
        if response.status == _NOT_MODIFIED:
            return "cached_response" not in request.meta
        return _OURS in request.meta and response.status in _REFUSALS


class RevalidationPolicy:
    """What is kept, and when the server says that it still holds (setting HTTPCACHE_POLICY)."""

    def __init__(self, settings: BaseSettings) -> None:
        """A policy; Scrapy gives it the settings, none of which matter."""

    def should_cache_request(self, request: Request) -> bool:
        """True for a GET without conditions of its own: a 304 to those would mean a copy that is not ours."""
        is_conditional = any(name in request.headers for name in _CONDITIONS)
        return request.method == "GET" and not is_conditional and not _forbids(request.headers)

    def should_cache_response(self, response: Response, request: Request) -> bool:
        """True for a whole page that the server can tell from a later one, and that may be kept.

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
        """Only where the request says so: an archive wants what is there now. Puts the validators into the request."""
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
    """Let a server send what is there, whatever it has sent before."""
    _take_off(request)
    for name in _VALIDATORS:
        request.headers.pop(name, None)


def _take_off(request: Request) -> None:
    """Leave nothing of an earlier try, or of the address that led to this one."""
    if request.meta.pop(_OURS, False):
        for name in _VALIDATORS:
            request.headers.pop(name, None)
    for key in ("cached_response", "cache_timestamp", KEPT_AT, CONFIRMED_AT, "_dont_cache"):
        request.meta.pop(key, None)


def _validator(response: Response, name: str) -> bytes:
    value = (response.headers.get(name) or b"").strip()
    return value if len(value) <= _LONGEST_VALIDATOR else b""


def _forbids(headers: Headers) -> bool:
    """True if nothing of this may be kept."""
    return b"no-store" in parse_cachecontrol(b",".join(headers.getlist("Cache-Control")))


def _host(request: Request) -> str:
    return urlsplit(request.url).netloc.lower()
