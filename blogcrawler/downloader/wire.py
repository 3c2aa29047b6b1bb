"""Lets a request's meta tell what was sent and received, byte by byte.

Scrapy's response has the headers in another order, with other names, and without those of the connection. The heads are
noted where Twisted writes and reads them. Built on private parts of Scrapy 2.19 and Twisted; the tests say when that no
longer fits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from scrapy.core.downloader.handlers.http11 import (
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
    _ScrapyAgent,
)

if TYPE_CHECKING:
    from scrapy import Request

WIRE = "wire"
"""Key of a request's meta: the Heads of its last exchange."""


@dataclass
class Heads:
    """The heads of a request and of its response, up to and with the empty line."""

    request: bytes = b""
    response: bytes = b""


class _NotingParser(_LenientHTTPClientParser):
    """Keeps the lines of the head; those of an interim answer (1xx) only until the next one comes."""

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
    """A transport that notes what a head is made of."""

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
    """Makes connections that note heads."""

    def buildProtocol(self, addr: Any) -> _NotingProtocol:  # noqa: ANN401, ARG002, N802 - Twisted's
        return _NotingProtocol(self._quiescentCallback)  # type: ignore[no-untyped-call]


class NotingAgent(_ScrapyAgent):
    """Puts the heads into the request's meta."""

    def _cb_bodyready(self, txresponse: Any, request: Request) -> Any:  # noqa: ANN401
        request.meta[WIRE] = getattr(txresponse, "_heads", None)
        return super()._cb_bodyready(txresponse, request)
