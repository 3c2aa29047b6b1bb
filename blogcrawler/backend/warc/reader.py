"""Reads the records of a WARC file one after another, and verifies their digests."""

from __future__ import annotations

import base64
import hashlib
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

_CHUNK = 1 << 18
_GZIP = zlib.MAX_WBITS + 16
_LONGEST_HEAD = 1 << 20
"""Maximum size of a record's header, and of the HTTP header in it, in bytes."""
_HEAD = re.compile(rb"WARC/1\.[01]\r\n((?:[^\r\n]+\r\n)+)\r\n")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_NEEDED = ("warc-type", "warc-record-id", "warc-date", "content-length")
"""Mandatory header fields (WARC 1.1, section 5)."""


@dataclass(frozen=True)
class KeptRecord:
    """A record, and its fault, if any."""

    #: offset in the file, and compressed length
    offset: int
    length: int
    #: header fields by lower-case name
    headers: Mapping[str, str]
    #: the HTTP header in the record; empty if there is none
    http_head: bytes = b""
    fault: str | None = None
    #: True if nothing after it can be read
    is_last: bool = False

    @property
    def kind(self) -> str:
        """response, request, revisit, resource, warcinfo, …"""
        return self.headers.get("warc-type", "")

    @property
    def url(self) -> str:
        """The requested URL; empty in other records."""
        return self.headers.get("warc-target-uri", "")


def kept_records(path: Path, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[KeptRecord]:
    """All records of a file; each is a gzip member. Nothing is read after truncated or invalid gzip data.

    `on_bytes` is called with the number of bytes read. Linear, in bounded memory. Raises OSError.
    """
    with path.open("rb") as file:
        yield from _records(_Input(file, on_bytes))


class _Input:
    """A file that is being read, and the number of bytes read."""

    def __init__(self, file: BinaryIO, on_bytes: Callable[[int], object]) -> None:
        self._file, self._on_bytes = file, on_bytes
        self._rest = b""
        self.position = 0

    def next(self) -> bytes:
        """The next bytes; empty at the end."""
        data, self._rest = self._rest, b""
        if not data:
            data = self._file.read(_CHUNK)
            self._on_bytes(len(data))
        self.position += len(data)
        return data

    def give_back(self, data: bytes) -> None:
        """Push back bytes, to be read again."""
        self._rest = data
        self.position -= len(data)


def _records(file: _Input) -> Iterator[KeptRecord]:
    while True:
        begin, member, decoder = file.position, _Member(), zlib.decompressobj(_GZIP)
        data = file.next()
        if not data:
            return
        try:
            while data:
                member.feed(decoder.decompress(data, 4 * _CHUNK))
                if decoder.eof:
                    file.give_back(decoder.unused_data)
                    break
                data = decoder.unconsumed_tail or file.next()
        except zlib.error as error:
            yield member.record(begin, file.position - begin, f"is not gzip data ({error})")
            return
        if not decoder.eof:
            yield member.record(begin, file.position - begin, "is cut")
            return
        yield member.record(begin, file.position - begin)


@dataclass
class _Member:
    """A record that is being read."""

    headers: dict[str, str] = field(default_factory=dict)
    http_head: bytes = b""
    _buffer: bytes = b""
    _has_head: bool = False
    #: remaining bytes of the block
    _left: int = 0
    _end: bytes = b""
    _block: Any = None
    _payload: Any = None
    _is_payload: bool = False

    def feed(self, data: bytes) -> None:
        """Process further bytes."""
        if not self._has_head:
            self._buffer += data
            head = _HEAD.match(self._buffer)
            if head is None:
                self._buffer = self._buffer[: _LONGEST_HEAD + 1]
                return
            self._begin(head.group())
            data, self._buffer = self._buffer[head.end() :], b""
        block, after = data[: self._left], data[self._left :]
        self._left -= len(block)
        self._end = (self._end + after)[:5]
        if self._block is not None:
            self._block.update(block)
        self._feed_payload(block)

    def _begin(self, head: bytes) -> None:
        self._has_head, self.headers = True, _headers(head)
        length = self.headers.get("content-length", "")
        self._left = int(length) if length.isascii() and length.isdigit() else 0
        self._block = _hash_of(self.headers.get("warc-block-digest"))
        if self.headers.get("warc-type") != "revisit":  # the digest is that of the earlier response
            self._payload = _hash_of(self.headers.get("warc-payload-digest"))
        self._is_payload = not self.headers.get("content-type", "").startswith("application/http")

    def _feed_payload(self, block: bytes) -> None:
        if not self._is_payload and block:
            self.http_head += block
            end = _BLANK_LINE.search(self.http_head)
            if end is None and len(self.http_head) <= _LONGEST_HEAD:
                return
            cut = end.end() if end else len(self.http_head)
            self.http_head, block = self.http_head[:cut], self.http_head[cut:]
            self._is_payload = True
        if self._payload is not None:
            self._payload.update(block)

    def record(self, offset: int, length: int, broken: str | None = None) -> KeptRecord:
        """The record with its first fault."""
        is_last = broken is not None
        return KeptRecord(offset, length, self.headers, self.http_head, broken or self._fault(), is_last=is_last)

    def _fault(self) -> str | None:
        if not self._has_head:
            return "has no WARC header"
        if lacking := [name for name in _NEEDED if not self.headers.get(name)]:
            return f"lacks {', '.join(lacking)}"
        if self._left or self._end != b"\r\n\r\n":
            return "is longer or shorter than its Content-Length says"
        for name, hash_found in (("warc-block-digest", self._block), ("warc-payload-digest", self._payload)):
            difference = self._difference(name, hash_found)
            if difference:
                return difference
        return None

    def _difference(self, name: str, computed: Any) -> str | None:  # noqa: ANN401
        if computed is None:
            return None
        stated = self.headers[name].partition(":")[2]
        if stated.lower() == computed.hexdigest() or stated.upper() == base64.b32encode(computed.digest()).decode():
            return None
        return f"does not match its {name}"


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _hash_of(digest: str | None) -> Any:  # noqa: ANN401
    """The hash function of a digest; None if it is unknown."""
    algorithm = (digest or "").partition(":")[0].lower().replace("-", "")
    return hashlib.new(algorithm) if algorithm in hashlib.algorithms_guaranteed and "shake" not in algorithm else None
