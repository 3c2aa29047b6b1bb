"""Renders pages that are fetched to be read: what a spider gets is what a reader sees.

A web page whose request has a true `meta["render"]` is shown in the browser, and then has the flag `RENDERED`. Where
that fails, it fails with NotShown, to be tried at another time, or goes on as it was sent where all pages are to be
rendered. With `meta["render"]` GROWING only a page with a control that shows more of it is shown, and goes on as it was
sent where that fails. Of lists (GROWING, or LIST where all are to be rendered) more is clicked than of other pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urldefrag

from scrapy.exceptions import IgnoreRequest

from blogcrawler.browser import GROWING, LIST, Renderer, grows
from blogcrawler.component import Component
from blogcrawler.items import Page

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

RENDERED = "rendered"
"""The flag of a response that a browser showed."""

SCREENSHOT = "screenshot"
"""Where the meta of a request has the picture of its page."""
PAGE_TYPES = (b"text/html", b"application/xhtml+xml")


class NotShown(IgnoreRequest):
    """A page that only a browser can show, and that could not be shown."""


class RenderMiddleware(Component):
    """Must see responses after all that follow redirects, retry or decode: its order is below theirs."""

    async def process_response(self, request: Request, response: Response) -> Response:
        """The response, rendered where that is asked for. Raises NotShown."""
        renderer = self.crawler.get_extension(Renderer)
        wish = request.meta.get("render")
        if not wish or renderer is None or not _is_page(response):
            return response
        content_type = response.headers.get("Content-Type")
        kind = content_type.decode("latin-1") if content_type else None
        page = Page(_address(response, request), response.body, kind)
        if wish == GROWING and not grows(page):
            return response
        is_list = wish in (GROWING, LIST)
        shown = await renderer.show(page, request.meta.get("check_redirect"), is_list=is_list)
        if shown is None:
            if renderer.mode == "auto" and wish != GROWING:
                raise NotShown(f"{response.url} needs a browser, and could not be shown in one.")
            return response
        return _shown_response(response, shown.page, request)


def _shown_response(response: Response, shown: Page, request: Request) -> Response:
    """The response to a request, with the page as the browser showed it."""
    if shown.screenshot is not None:
        request.meta[SCREENSHOT] = shown.screenshot
    headers = response.headers.copy()
    headers["Content-Type"] = shown.content_type
    return response.replace(url=shown.url, body=shown.body, headers=headers, flags=[*response.flags, RENDERED])


def _address(response: Response, request: Request) -> str:
    """A page's address with what stands behind "#" where it was asked for, which servers are not told."""
    fragment = urldefrag(request.url).fragment
    return f"{response.url}#{fragment}" if fragment and "#" not in response.url else response.url


def _is_page(response: Response) -> bool:
    kind = (response.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
    return response.status == 200 and kind in (*PAGE_TYPES, b"")
