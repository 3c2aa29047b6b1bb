"""The records of a WARC file, read one after another, each compared with its digests on the way."""

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
"""Bytes that a head, of a record or of the HTTP message in it, may have."""
_HEAD = re.compile(rb"WARC/1\.[01]\r\n((?:[^\r\n]+\r\n)+)\r\n")
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_NEEDED = ("warc-type", "warc-record-id", "warc-date", "content-length")
"""What each record has (WARC 1.1, section 5)."""


@dataclass(frozen=True)
class KeptRecord:
    """A record, and what is wrong with it."""

    #: where it begins in the file, and how much of the file it takes
    offset: int
    length: int
    #: by their names in small letters
    headers: Mapping[str, str]
    #: what stands before the body of the HTTP message in it; empty where there is none
    http_head: bytes = b""
    fault: str | None = None
    #: True if nothing behind it can be read
    is_last: bool = False

    @property
    def kind(self) -> str:
        """response, request, revisit, resource, warcinfo, …"""
        return self.headers.get("warc-type", "")

    @property
    def url(self) -> str:
        """What was asked for; empty in a record of something else."""
        return self.headers.get("warc-target-uri", "")


def kept_records(path: Path, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[KeptRecord]:
    """All records of a file, each a member of gzip. Behind one that is cut or no gzip nothing can be read.

    `on_bytes` is called with the number of bytes read. Linear, in bounded memory. Raises OSError.
    """
    with path.open("rb") as file:
        yield from _records(_Input(file, on_bytes))


class _Input:
    """A file as it is read, and how far."""

    def __init__(self, file: BinaryIO, on_bytes: Callable[[int], object]) -> None:
        self._file, self._on_bytes = file, on_bytes
        self._rest = b""
        self.position = 0

    def next(self) -> bytes:
        """What comes next; empty at the end."""
        rest, self._rest = self._rest, b""
        if not rest:
            rest = self._file.read(_CHUNK)
            self._on_bytes(len(rest))
        self.position += len(rest)
        return rest

    def give_back(self, data: bytes) -> None:
        """Read this again."""
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
            yield member.record(begin, file.position - begin, f"is no gzip ({error})")
            return
        if not decoder.eof:
            yield member.record(begin, file.position - begin, "is cut")
            return
        yield member.record(begin, file.position - begin)


@dataclass
class _Member:
    """What is known of a record, while it is read."""

    headers: dict[str, str] = field(default_factory=dict)
    http_head: bytes = b""
    _buffer: bytes = b""
    _has_head: bool = False
    #: bytes of the block that are still to come
    _left: int = 0
    _end: bytes = b""
    _block: Any = None
    _payload: Any = None
    _is_payload: bool = False

    def feed(self, data: bytes) -> None:
        """Take some more bytes."""
        if not self._has_head:
            self._buffer += data
            found = _HEAD.match(self._buffer)
            if found is None:
                self._buffer = self._buffer[: _LONGEST_HEAD + 1]
                return
            self._begin(found.group())
            data, self._buffer = self._buffer[found.end() :], b""
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
        if self.headers.get("warc-type") != "revisit":  # whose digest is of the earlier response
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
        """The record, with the first thing that is wrong with it."""
        is_last = broken is not None
        return KeptRecord(offset, length, self.headers, self.http_head, broken or self._fault(), is_last=is_last)

    def _fault(self) -> str | None:
        if not self._has_head:
            return "has no head of a WARC record"
        if lacking := [name for name in _NEEDED if not self.headers.get(name)]:
            return f"lacks {', '.join(lacking)}"
        if self._left or self._end != b"\r\n\r\n":
            return "is longer or shorter than its Content-Length says"
        for name, made in (("warc-block-digest", self._block), ("warc-payload-digest", self._payload)):
            told = self._difference(name, made)
            if told:
                return told
        return None

    def _difference(self, name: str, made: Any) -> str | None:  # noqa: ANN401
        if made is None:
            return None
        said = self.headers[name].partition(":")[2]
        if said.lower() == made.hexdigest() or said.upper() == base64.b32encode(made.digest()).decode():
            return None
        return f"holds something else than its {name} says"


def _headers(head: bytes) -> dict[str, str]:
    lines = head.decode("utf-8", "replace").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines if ":" in line)
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _hash_of(digest: str | None) -> Any:  # noqa: ANN401
    """What computes the digest that a record has; None where that is not known."""
    algorithm = (digest or "").partition(":")[0].lower().replace("-", "")
    return hashlib.new(algorithm) if algorithm in hashlib.algorithms_guaranteed and "shake" not in algorithm else None
