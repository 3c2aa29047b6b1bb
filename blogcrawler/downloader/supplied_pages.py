"""Answer requests with pages that are already available or that another process fetches, so that they pass all other
middlewares.

A request with `meta["page"]`, a `blogcrawler.items.Page`, gets this page as its response without being fetched. For a
request with `meta["delegate"]`, this function is called, and another process fetches the page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse

from blogcrawler.items import Page

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy import Request

    Delegate = Callable[[Request], Awaitable[Page | Request | None]]

HAS_ALL = {"dont_retry": True, "dont_redirect": True, "dont_cache": True, "render": False}
"""Meta of a request for a page that was fetched elsewhere, where retries, redirects, caching and rendering
were done."""


class FailedElsewhere(IgnoreRequest):
    """A page that another process could not fetch; `str()` gives the reason in a few words."""


class KeptPageMiddleware:
    """Returns pages that are already available. Comes before all middlewares that fetch or check permission."""

    def process_request(self, request: Request) -> HtmlResponse | None:
        """The page that the request carries; None if it carries no page."""
        page: Page | None = request.meta.get("page")
        return None if page is None else _response(page, request)


class DelegateMiddleware:
    """Delegates requests. Comes before all middlewares that fetch, and after those that check where a request
    may lead."""

    async def process_request(self, request: Request) -> HtmlResponse | Request | None:
        """The page that another process fetched, or the request to make instead; None to fetch the page here."""
        delegate: Delegate | None = request.meta.get("delegate")
        fetched = None if delegate is None or "is_probe" in request.meta else await delegate(request)
        if not isinstance(fetched, Page):
            return fetched
        request.meta.update(HAS_ALL, page=fetched)
        return _response(fetched, request)


def _response(page: Page, request: Request) -> HtmlResponse:
    headers = {"Content-Type": page.content_type} if page.content_type else {}
    return HtmlResponse(page.url, status=page.status, headers=headers, body=page.body, request=request)
