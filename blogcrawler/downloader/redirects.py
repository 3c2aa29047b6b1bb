"""Let a spider decide where a redirect may lead, before the target is fetched.

The function `meta["check_redirect"]` of a request is called with the target of each redirect. It returns None if the
target may be fetched, and otherwise the reason in a few words: the request then fails with RedirectRefused. A circle of
redirects fails likewise. With cookies, an address may be requested twice, since the page in between may have set one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from scrapy.downloadermiddlewares.redirect import MetaRefreshMiddleware as ScrapyMetaRefresh
from scrapy.exceptions import IgnoreRequest, NotConfigured

from blogcrawler.component import Component

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

IN_A_CIRCLE = "redirects in a circle"
WANTS_COOKIES = "redirects without end that set cookies"
SETS_COOKIE = "sets_cookie"


class RedirectRefused(IgnoreRequest):
    """A redirect to an address that the spider does not fetch; `str()` gives the reason in a few words."""

    def __init__(self, reason: str, target: str) -> None:
        super().__init__(reason)
        self.target = target


class MetaRefreshMiddleware(ScrapyMetaRefresh):
    """Scrapy's middleware, which here also accepts pages whose charset is a Python codec that is no text encoding."""

    def process_response(self, request: Request, response: Response) -> Request | Response:  # type: ignore[override]
        try:
            return super().process_response(request, response)
        except (LookupError, ValueError):
            return super().process_response(request, response.replace(encoding="utf-8"))


class RedirectMiddleware:
    """Calls the request's own check for the target of each redirect."""

    def __init__(self, *, has_cookies: bool = False) -> None:
        self._most = 1 if has_cookies else 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(has_cookies=crawler.settings.getbool("COOKIES_ENABLED"))

    def process_request(self, request: Request) -> None:
        """Refuse a redirect target that the check refuses or that was requested before."""
        check = request.meta.get("check_redirect")
        if not request.meta.get("redirect_times"):
            return
        is_circle = request.meta.get("redirect_urls", []).count(request.url) > self._most
        if is_circle and SETS_COOKIE in request.meta and not self._most:
            raise RedirectRefused(WANTS_COOKIES, request.url)
        if check is None:
            return
        reason = IN_A_CIRCLE if is_circle else check(request.url)
        if reason is not None:
            raise RedirectRefused(reason, request.url)


class CookieWallMiddleware(Component):
    """Recognises redirects that set cookies, and ends endless ones, if cookies are not enabled."""

    def __init__(self, crawler: Crawler) -> None:
        self._most = crawler.settings.getint("REDIRECT_MAX_TIMES")
        if crawler.settings.getbool("COOKIES_ENABLED"):
            raise NotConfigured

    def process_response(self, request: Request, response: Response) -> Response:
        if "Set-Cookie" in response.headers:
            request.meta[SETS_COOKIE] = True
        is_redirect = "Location" in response.headers and 300 <= response.status < 400
        if is_redirect and SETS_COOKIE in request.meta and request.meta.get("redirect_times", 0) >= self._most:
            raise RedirectRefused(WANTS_COOKIES, response.url)
        return response
