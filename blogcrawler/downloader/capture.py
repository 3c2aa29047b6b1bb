"""Gives what servers answer to the crawl's WARC files, as it was sent.

Kept are pages, feeds and files (200 to 205), redirects, and "not modified"; not errors, of which no record is made, nor
answers that are tried again. `meta["warc"]` of the request then tells where the body is. Which is sent whole where the
files lack it: a server is not asked whether a version holds that only the crawler's cache has.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend.warc import Exchange
from blogcrawler.capture import PLACE, Capture
from blogcrawler.downloader.revalidation import ask_anew
from blogcrawler.downloader.wire import WIRE, Heads

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_PAGES = frozenset({*range(200, 206), 304})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class CaptureMiddleware:
    """Must see responses after broken-off ones are retried (595), and before they are decoded (590)."""

    statuses = _PAGES

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let the answer be a whole one where only that could be referred to."""
        capture = self.crawler.get_extension(Capture)
        request.meta.pop(PLACE, None)
        etag, modified = _header(request, "If-None-Match"), _header(request, "If-Modified-Since")
        if capture is None or not (etag or modified):
            return
        if not capture.knows(request.url, etag=etag, modified=modified):
            ask_anew(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep an answer that came over the wire."""
        if response.status not in self.statuses or request.method == "HEAD":
            return response
        capture = self.crawler.get_extension(Capture)
        heads: Heads | None = request.meta.pop(WIRE, None)
        if capture is None or heads is None or "cached" in response.flags or "page" in request.meta:
            return response
        request.meta[PLACE] = capture.keep(_exchange(request, response, heads))
        return response


class RedirectCaptureMiddleware(CaptureMiddleware):
    """The same for redirects, which must be seen before they are followed (600)."""

    statuses = _REDIRECTS

    def process_request(self, request: Request) -> None:
        """Nothing is asked otherwise for a redirect."""


def _exchange(request: Request, response: Response, heads: Heads) -> Exchange:
    has_server = response.ip_address is not None and not request.meta.get("proxy")
    return Exchange(
        response.url,
        heads.request,
        heads.response,
        response.status,
        response.body,
        datetime.now(UTC),
        request_body=request.body,
        ip=str(response.ip_address) if has_server else None,
        truncated="disconnect" if "truncated" in response.flags else None,
    )


def _header(request: Request, name: str) -> str:
    return (request.headers.get(name) or b"").decode("latin-1")
