"""Answers requests for pages that are at hand already, so that they take the same way as all others.

A request that carries `meta["page"]`, a `blogcrawler.items.Page`, gets that page as its response; nothing is fetched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse

if TYPE_CHECKING:
    from scrapy import Request

    from blogcrawler.items import Page


class KeptPageMiddleware:
    """Stands before everything that fetches, or asks whether it may."""

    def process_request(self, request: Request) -> HtmlResponse | None:
        """The page that the request carries; None where it carries none."""
        page: Page | None = request.meta.get("page")
        if page is None:
            return None
        headers = {"Content-Type": page.content_type} if page.content_type else {}
        return HtmlResponse(page.url, status=page.status, headers=headers, body=page.body, request=request)
