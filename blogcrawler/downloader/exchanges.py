"""Record exchanges with servers for the crawl's WARC files, byte by byte as they were sent and received.

Scrapy's response has the headers in another order, with other names, and without connection headers. So the heads are
recorded where Twisted writes and reads them; this relies on private parts of Scrapy 2.19 and Twisted, which tests
check.

Kept are pages, feeds and files (200 to 205), redirects, and "not modified". Errors are not kept, since no record is
made of them, nor are answers that are retried. Afterwards `meta["warc"]` of the request says where the body is. A page
that the WARC files lack is requested unconditionally, since they cannot refer to a version that only the crawler's
cache has.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
    _ScrapyAgent,
)

from blogcrawler.backend.warc import Exchange
from blogcrawler.capture import PLACE, Capture
from blogcrawler.component import Component
from blogcrawler.downloader.revalidation import ask_anew

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response

WIRE = "wire"
"""Key of a request's meta: the heads of its last exchange."""
_PAGES = frozenset({*range(200, 206), 304})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass
class Heads:
    """The heads of a request and of its response, each up to and including the empty line."""

    request: bytes = b""
    response: bytes = b""


class _NotingParser(_LenientHTTPClientParser):
    """Records the lines of the last response head. An interim response (1xx) is overwritten by the next one."""

    _head: list[bytes]

    def lineReceived(self, line: bytes) -> None:  # noqa: N802 - Twisted's name
        if self.state == "STATUS":
            self._head = []
        self._head.append(line + b"\n")
        super().lineReceived(line)

    @property
    def head(self) -> bytes:
        return b"".join(self._head)


class _Tee:
    """A transport that also records the request head written to it."""

    def __init__(self, transport: Any, heads: Heads) -> None:  # noqa: ANN401
        self._transport, self._heads = transport, heads

    def writeSequence(self, parts: list[bytes]) -> None:  # noqa: N802 - Twisted's name
        self._heads.request = b"".join(parts)
        self._transport.writeSequence(parts)


class _NotingProtocol(_LenientHTTP11ClientProtocol):
    def request(self, request: Any) -> Any:  # noqa: ANN401
        heads, write = Heads(), request._writeHeaders
        request._writeHeaders = lambda transport, framing: write(_Tee(transport, heads), framing)
        answered = super().request(request)
        assert self._parser is not None
        self._parser.__class__ = _NotingParser
        parser = cast("_NotingParser", self._parser)

        def note(response: Any) -> Any:  # noqa: ANN401
            heads.response = parser.head
            response._heads = heads
            return response

        return answered.addCallback(note)


class NotingFactory(_LenientHTTP11ClientFactory):
    """Makes connections that record heads."""

    def buildProtocol(self, addr: Any) -> _NotingProtocol:  # noqa: ANN401, ARG002, N802 - Twisted's
        return _NotingProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class NotingAgent(_ScrapyAgent):
    """Puts the recorded heads into the request's meta."""

    def _cb_bodyready(self, txresponse: Any, request: Request) -> Any:  # noqa: ANN401
        request.meta[WIRE] = getattr(txresponse, "_heads", None)
        return super()._cb_bodyready(txresponse, request)


class CaptureMiddleware(Component):
    """Gives exchanges to the WARC capture. Must see responses after broken-off ones are retried (595) and before they
    are decoded (590)."""

    statuses = _PAGES

    def process_request(self, request: Request) -> None:
        """Make a conditional request unconditional if the WARC files lack the version that it refers to."""
        capture = self.crawler.get_extension(Capture)
        request.meta.pop(PLACE, None)
        etag, modified = _header(request, "If-None-Match"), _header(request, "If-Modified-Since")
        if capture is None or not (etag or modified):
            return
        if not capture.knows(request.url, etag=etag, modified=modified):
            ask_anew(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep an answer that came over the network."""
        if response.status not in self.statuses or request.method == "HEAD":
            return response
        capture = self.crawler.get_extension(Capture)
        heads: Heads | None = request.meta.pop(WIRE, None)
        if capture is None or heads is None or "cached" in response.flags or "page" in request.meta:
            return response
        request.meta[PLACE] = capture.keep(_exchange(request, response, heads))
        return response


class RedirectCaptureMiddleware(CaptureMiddleware):
    """Stores redirects, which must be seen before they are followed (order 600)."""

    statuses = _REDIRECTS

    def process_request(self, request: Request) -> None:
        """Do nothing: a conditional request was already changed by CaptureMiddleware."""


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
