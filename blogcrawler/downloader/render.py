"""Render pages that are fetched to be read, so that a spider gets what a reader sees.

A web page whose request has a true `meta["render"]` is shown in the browser, and its response gets the flag `RENDERED`.
If the browser fails, the request fails with NotShown and is tried again later; if all pages are to be rendered, the
page is passed on as it was sent. With `meta["render"]` GROWING, only a page with a control that shows more of it is
shown, and it is passed on as it was sent if the browser fails. More controls are clicked on lists (GROWING, or LIST if
all pages are rendered) than on other pages.
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
"""The flag of a response that a browser rendered."""

SCREENSHOT = "screenshot"
"""Key of a request's meta: the screenshot of its page."""
PAGE_TYPES = (b"text/html", b"application/xhtml+xml")


class NotShown(IgnoreRequest):
    """A page that only a browser can show, and that the browser failed to show."""


class RenderMiddleware(Component):
    """Renders responses. Must see them after all middlewares that follow redirects, retry or decode: its order is below
    theirs."""

    async def process_response(self, request: Request, response: Response) -> Response:
        """The response, rendered if the request asks for it. Raises NotShown."""
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
        rendition = await renderer.show(page, request.meta.get("check_redirect"), is_list=is_list)
        if rendition is None:
            if renderer.mode == "auto" and wish != GROWING:
                raise NotShown(f"{response.url} needs a browser, and could not be shown in one.")
            return response
        return _shown_response(response, rendition.page, request)


def _shown_response(response: Response, page: Page, request: Request) -> Response:
    """The response with the page as the browser rendered it."""
    if page.screenshot is not None:
        request.meta[SCREENSHOT] = page.screenshot
    headers = response.headers.copy()
    headers["Content-Type"] = page.content_type
    return response.replace(url=page.url, body=page.body, headers=headers, flags=[*response.flags, RENDERED])


def _address(response: Response, request: Request) -> str:
    """A page's address with the requested fragment (the part after "#"), which is not sent to servers."""
    fragment = urldefrag(request.url).fragment
    return f"{response.url}#{fragment}" if fragment and "#" not in response.url else response.url


def _is_page(response: Response) -> bool:
    kind = (response.headers.get("Content-Type") or b"").partition(b";")[0].strip().lower()
    return response.status == 200 and kind in (*PAGE_TYPES, b"")
