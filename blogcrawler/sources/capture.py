"""A capture, a captured response, and what a place has to offer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from blogcrawler.items import CaptureReference

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_FEED = re.compile("xml|rss|atom|rdf|feed")
_NO_FEED = re.compile("xhtml|svg")


@dataclass(frozen=True)
class Capture:
    """One capture of an address, as an index lists it."""

    #: the address as it was captured
    url: str
    #: in UTC, whole seconds
    time: datetime
    #: HTTP status; 0 if the index does not state it
    status: int
    #: media type without parameters, lower case; empty if unknown
    mime: str
    #: algorithm, ":", and the digest of the payload, as in WARC files ("sha1:…" in base 32); empty if unknown
    digest: str
    #: where the response is: the path of a file, "#", and the offset of its record in bytes; or its address in a web
    #: archive
    place: str

    @property
    def reference(self) -> CaptureReference:
        """What a record made from it states about it."""
        return CaptureReference(self.place, self.time.isoformat(timespec="seconds"), self.digest)


@dataclass(frozen=True)
class CapturedResponse:
    """What a server answered when it was captured."""

    capture: Capture
    status: int
    #: in their order, without those of the transfer; names as sent
    headers: Sequence[tuple[bytes, bytes]]
    #: without transfer and content encodings
    body: bytes
    #: True if the record holds only a part of the body
    is_cut: bool = False

    def header(self, name: str) -> str | None:
        """The last value of a header, by its lower-case name; None without one."""
        values = [value for known, value in self.headers if known.lower() == name.encode()]
        return values[-1].decode("latin-1") if values else None


class Captures(Protocol):
    """The captures of one place."""

    #: the place as the user named it
    name: str

    async def find(self, url: str) -> Sequence[Capture]:
        """All captures of an address, in the order of their times; variants with and without www, of http and https,
        and of a slash at the end count as the same address. Raises Unreachable if a web archive does not answer."""

    async def feeds(self, home: str) -> Sequence[Capture]:
        """The captures under an address and the addresses below it, whose media type is one of feeds or of XML, in the
        order of their times. Raises Unreachable."""

    async def pages(self, home: str) -> Sequence[Capture]:
        """The captures of web pages at and below an address, in no particular order; empty if there are too many to
        list. Raises Unreachable."""

    async def read(self, capture: Capture) -> CapturedResponse:
        """The response of a capture. Raises DamagedCapture if it cannot be read, and Unreachable."""

    def close(self) -> None:
        """Close files and connections."""


def is_feed_type(mime: str) -> bool:
    """True for media types of feeds, and of XML, as which feeds are often served."""
    return _FEED.search(mime) is not None and _NO_FEED.search(mime) is None


def is_page(status: int, mime: str) -> bool:
    """True for captures of web pages that were answered with success, as far as the index states it."""
    return status in {0, 200} and (not mime or "html" in mime)
