"""Answers requests for pages that are at hand, or that another process fetches: they take the way of all others.

A request that carries `meta["page"]`, a `blogcrawler.items.Page`, gets that page as its response; nothing is fetched.
One with `meta["delegate"]`, a function, has that called: it has the page fetched elsewhere.
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
"""Meta of a request for a page that was fetched elsewhere, where all of this was done."""


class FailedElsewhere(IgnoreRequest):
    """A page that another process could not fetch; `str()` says why in a few words."""


class KeptPageMiddleware:
    """Stands before everything that fetches, or asks whether it may."""

    def process_request(self, request: Request) -> HtmlResponse | None:
        """The page that the request carries; None where it carries none."""
        page: Page | None = request.meta.get("page")
        return None if page is None else _response(page, request)


class DelegateMiddleware:
    """Stands before everything that fetches, and behind what asks where a request may lead."""

    async def process_request(self, request: Request) -> HtmlResponse | Request | None:
        """The page as another process has fetched it, or the request to make instead; None where it is fetched here."""
        delegate: Delegate | None = request.meta.get("delegate")
        found = None if delegate is None or "is_probe" in request.meta else await delegate(request)
        if not isinstance(found, Page):
            return found
        request.meta.update(HAS_ALL, page=found)
        return _response(found, request)


def _response(page: Page, request: Request) -> HtmlResponse:
    headers = {"Content-Type": page.content_type} if page.content_type else {}
    return HtmlResponse(page.url, status=page.status, headers=headers, body=page.body, request=request)
