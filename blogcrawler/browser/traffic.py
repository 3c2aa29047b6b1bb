"""Answers the requests of pages in the browser with the crawl's own downloader.

The downloader follows redirects and checks their targets. The page itself is already available and is not fetched
again. Scripts and style sheets are cached for later pages.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter, OrderedDict
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playwright.async_api import Error as PlaywrightError
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from w3lib.url import safe_url_string

from blogcrawler.browser.page_scripts import is_tracker
from blogcrawler.purposes import Purpose
from blogcrawler.urls import same_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.async_api import Request as BrowserRequest
    from playwright.async_api import Route
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.browser.visit import Visit

IN_CIRCLES = "redirected again and again by script"
TRIED_TO_DOWNLOAD = "tried to download files"
ASKED_TOO_MUCH = "asked for too many files"
MOST_REQUESTS = 200
"""Most requests of one page, except for files that an earlier page has requested."""
ANSWER_S = 20.0
"""Seconds that an answer may take; no longer than the page's own time limit."""
IN_PICTURES = frozenset({"image", "font"})
"""Resource types that a screenshot needs."""
KEPT_BYTES = 32 * 1024 * 1024
"""Largest total size of cached scripts and style sheets."""
KEPT_TYPES = frozenset({"script", "stylesheet"})
NEVER_ASKED = frozenset({"ping", "cspviolationreport", "eventsource", "websocket", "prefetch", "manifest"})
"""Resource types without visible content."""
ESSENTIAL = frozenset({"script", "xhr", "fetch"})
"""Resource types that a page may need to show its content."""
FORBIDDEN = "Forbidden by robots.txt"
"""Scrapy's message for a request that robots.txt forbids."""
METHODS = frozenset({"GET", "HEAD", "POST"})
OWN_HEADERS = frozenset({"connection", "content-length", "cookie", "host", "user-agent", "accept-encoding"})
"""Request headers that the downloader sets."""
LEFT_OUT = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})
"""Response headers that are wrong after decoding."""
FAILURES = 3
"""Number of consecutive failures after which a host is only requested by its own pages."""


class Traffic:
    """Answers the requests of the pages of one crawl.

    The setting RENDER_BLOCKED names the kinds of requests that are rejected: Chromium's resource types, "tracker", and
    "frame" for other sites' documents except those that `is_wanted_frame` accepts. Other settings: SCREENSHOTS,
    REDIRECT_MAX_TIMES, DOWNLOAD_TIMEOUT, RENDER_TIMEOUT.
    """

    def __init__(self, crawler: Crawler, *, is_wanted_frame: Callable[[str], bool]) -> None:
        self.crawler = crawler
        settings = crawler.settings
        needed = IN_PICTURES if settings.getbool("SCREENSHOTS") else frozenset()
        self._blocked = set(settings.getlist("RENDER_BLOCKED")) - needed
        self._most_redirects = settings.getint("REDIRECT_MAX_TIMES")
        self._timeout_s = min(ANSWER_S, settings.getfloat("DOWNLOAD_TIMEOUT"), settings.getfloat("RENDER_TIMEOUT"))
        self._is_wanted_frame = is_wanted_frame
        self._kept: OrderedDict[str, Response] = OrderedDict()
        self._kept_bytes = 0
        self._under_way: dict[str, asyncio.Task[Response | None]] = {}
        self._failures: Counter[str] = Counter()

    def is_queueing(self, visit: Visit) -> bool:
        """True if a request of a page waits because of politeness limits. O(running requests)."""
        if not visit.pending or self.crawler.engine is None:
            return False
        slots = self.crawler.engine.downloader.slots.values()
        sent = {request.url for slot in slots for request in slot.transferring}
        return not sent.issuperset(map(safe_url_string, visit.pending))

    async def answer(self, route: Route, visit: Visit | None) -> None:
        """Answer or abort a request of a page."""
        with suppress(PlaywrightError):  # the page was closed
            if visit is None or not self._is_allowed(route.request, visit):
                await route.abort("blockedbyclient")
            elif _is_page(route.request):
                await self._answer_page(route, visit)
            else:
                response = await self._response(route.request, visit)
                if response is None or response.status >= 400:
                    visit.unanswered.add(urlsplit(route.request.url).netloc)
                await _deliver(route, response)

    def _is_allowed(self, request: BrowserRequest, visit: Visit) -> bool:
        kind, host = request.resource_type, urlsplit(request.url).hostname or ""
        if kind in self._blocked or kind in NEVER_ASKED or request.method not in METHODS:
            return False
        if "tracker" in self._blocked and is_tracker(host):
            return False
        if kind != "document" or _is_page(request) or "frame" not in self._blocked or visit.with_frames:
            return True
        return same_site(request.url, visit.url) or self._is_wanted_frame(request.url)

    async def _answer_page(self, route: Route, visit: Visit) -> None:
        """Answer with the page itself, or with another document that its scripts navigate to."""
        url = route.request.url
        if not visit.led_on:
            await route.fulfill(body=visit.document, content_type=_as_html(visit.page.content_type))
            visit.led_on = 1
            return
        if url not in visit.waiting and not visit.is_offline:
            visit.led_on += 1
        if visit.led_on > self._most_redirects:
            visit.note(IN_CIRCLES)
        if not visit.is_open or visit.led_on > self._most_redirects or (visit.check and visit.check(url)):
            visit.refused.append(url)
            await route.abort("aborted")
            return
        if visit.is_own(url):
            await route.fulfill(body=visit.document, content_type=_as_html(visit.page.content_type))
            visit.url = visit.page.url
            return
        response = await self._response(route.request, visit)
        if response is not None and not _is_html(response):
            visit.note(TRIED_TO_DOWNLOAD)
            response = None
        if response is None or response.status >= 400:
            await route.abort("aborted")
            return
        if response.url == url:
            visit.url = url
        await _deliver(route, response)

    async def _response(self, request: BrowserRequest, visit: Visit) -> Response | None:
        """Return the answer to a request; None if there is none."""
        url = request.url
        if (stored := self._kept.get(url)) is not None and request.method == "GET":
            self._kept.move_to_end(url)
            return stored
        if visit.is_offline:
            return visit.known.get(url) if request.method == "GET" else None
        if (waiting := visit.waiting.pop(url, None)) is not None:
            return waiting
        host = urlsplit(url).netloc
        if self._failures[host] >= FAILURES and host != urlsplit(visit.page.url).netloc:
            return None
        if visit.requests >= MOST_REQUESTS:
            visit.note(ASKED_TOO_MUCH)
            return None
        visit.requests += 1
        visit.pending.append(url)
        try:
            response = await self._fetch_together(request, visit)
        except IgnoreRequest as error:
            if request.resource_type in ESSENTIAL and FORBIDDEN in str(error):
                visit.note(f"lacks files that robots.txt of {host} forbids")
            return None
        finally:
            visit.pending.remove(url)
            visit.answered += 1
        if response is not None:
            self._failures[host] = 0
            self._keep(request, response)
            if request.method == "GET":
                visit.remember(url, response)
            if request.is_navigation_request() and response.url != url:
                visit.waiting[response.url] = response
        return response

    async def _fetch_together(self, request: BrowserRequest, visit: Visit) -> Response | None:
        """Fetch a resource; concurrent requests for the same script share one download."""
        if request.resource_type not in KEPT_TYPES or request.method != "GET":
            return await self._fetch(request, visit)
        task = self._under_way.get(request.url)
        if task is None:
            task = self._under_way[request.url] = asyncio.ensure_future(self._fetch(request, visit))
            task.add_done_callback(partial(self._fetched, request.url))
        return await asyncio.shield(task)

    def _fetched(self, url: str, task: asyncio.Task[Response | None]) -> None:
        self._under_way.pop(url)
        if not task.cancelled():
            task.exception()  # nobody waits for the result after the page is closed

    async def _fetch(self, request: BrowserRequest, visit: Visit) -> Response | None:
        """Send a request; return None without an answer. Raises IgnoreRequest if it is forbidden."""
        assert self.crawler.engine is not None
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("blogcrawler/rendering/requests")
        asked = self._request(request, await visit.cookies(request.url) if visit.cookies else {})
        visit.under_way.append(asked)
        try:
            return await self.crawler.engine.download_async(asked)
        except IgnoreRequest:
            raise
        except Exception as error:  # noqa: BLE001  whatever it was, there is no answer
            self._failures[urlsplit(request.url).netloc] += 1
            logging.getLogger(__name__).debug("A request of a page failed: %s: %s", request.url, error)
            return None
        finally:
            visit.under_way.remove(asked)

    def _request(self, request: BrowserRequest, cookies: dict[str, str]) -> Request:
        """Convert a page's request for the downloader. Cookies are merged with Scrapy's, or sent unchanged."""
        headers = {name: value for name, value in request.headers.items() if _is_passed_on(name)}
        if cookies:
            headers["cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
        return Request(
            request.url,
            method=request.method,
            headers=headers,
            cookies=[{"name": name, "value": value} for name, value in cookies.items()],
            body=request.post_data_buffer or b"",
            dont_filter=True,
            callback=NO_CALLBACK,
            meta={"download_timeout": self._timeout_s, "max_retry_times": 1, **Purpose.BROWSER.meta},
        )

    def _keep(self, request: BrowserRequest, response: Response) -> None:
        if request.resource_type not in KEPT_TYPES or request.method != "GET" or response.status != 200:
            return
        if len(response.body) <= KEPT_BYTES // 4 and request.url not in self._kept:
            response.headers.pop("Set-Cookie", None)  # a page must not use the cache entry of another page
            self._kept[request.url] = response
            self._kept_bytes += len(response.body)
        while self._kept_bytes > KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest.body)


async def _deliver(route: Route, response: Response | None) -> None:
    """Pass an answer to the browser; a redirected document is requested again at its final URL."""
    if response is None:
        await route.abort("failed")
        return
    if route.request.is_navigation_request() and response.url != route.request.url:
        target = json.dumps(response.url).replace("<", "\\u003c")
        await route.fulfill(body=f"<script>location.replace({target})</script>", content_type="text/html")
        return
    items = response.headers.to_unicode_dict().items()
    headers = {str(name): str(value) for name, value in items if str(name).lower() not in LEFT_OUT}
    if cookies := response.headers.getlist("Set-Cookie"):
        headers["Set-Cookie"] = "\n".join(cookie.decode("latin-1") for cookie in cookies)
    await route.fulfill(status=response.status, headers=headers, body=response.body)


def _is_page(request: BrowserRequest) -> bool:
    """True if a request is a navigation of the page, not of a frame, and not for a file."""
    try:
        return request.is_navigation_request() and request.frame.parent_frame is None
    except PlaywrightError:  # a frame that does not exist yet, or no longer exists
        return False


def _is_passed_on(header: str) -> bool:
    return header not in OWN_HEADERS and not header.startswith((":", "sec-", "proxy-"))


def _is_html(response: Response) -> bool:
    kind = (response.headers.get("Content-Type") or b"text/html").partition(b";")[0].strip().lower()
    disposition = (response.headers.get("Content-Disposition") or b"").strip().lower()
    return kind in (b"text/html", b"application/xhtml+xml") and not disposition.startswith(b"attachment")


def _as_html(content_type: str | None) -> str:
    """Media type and charset for the browser, so that it parses the page leniently, as HTML."""
    _, _, parameters = (content_type or "").partition(";")
    return f"text/html;{parameters}" if parameters.strip() else "text/html"
