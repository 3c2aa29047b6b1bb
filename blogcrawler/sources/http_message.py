"""Reads archived HTTP responses: the header as servers and crawlers wrote it, and the body without its encodings.

Crawlers store what they received in different states. Some leave `Transfer-Encoding: chunked` or `Content-Encoding:
gzip` in the header of a body that they have decoded, and some write `HTTP/2 200` and header names in lower case. So
what the header claims is checked against the body.
"""

from __future__ import annotations

import re
import sys
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import brotli

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_HEADER = 1 << 16
"""Maximum size of an HTTP header that is read, in bytes."""
_STATUS = re.compile(rb"(?:HTTP|ICY)(?:/[0-9.]+)?[ \t]+([0-9]{3})(?![0-9])", re.IGNORECASE)
_END = re.compile(rb"\r?\n\r?\n")
_LINE = re.compile(rb"\r?\n(?![ \t])")
_FOLD = re.compile(rb"\r?\n[ \t]+")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]*)?\r?\n")
_PIECE = 1 << 14
_TRANSFER = {b"transfer-encoding", b"connection", b"keep-alive", b"proxy-connection", b"trailer", b"upgrade"}


@dataclass(frozen=True)
class ResponseHead:
    """The status line and the header of a response."""

    #: 0 if there is no status line
    status: int
    #: as sent, in their order
    headers: Sequence[tuple[bytes, bytes]]
    #: bytes from the beginning of the message to its body
    size: int

    def value(self, name: bytes) -> bytes:
        """The values of a header, joined with ", " as HTTP allows; empty if there is none."""
        return b", ".join(value for known, value in self.headers if known.lower() == name)

    @property
    def mime(self) -> str:
        """The media type without parameters, in lower case; empty if unknown."""
        return self.value(b"content-type").partition(b";")[0].partition(b",")[0].strip().lower().decode("latin-1")


@dataclass(frozen=True)
class DecodedBody:
    """A body, and what is known of its completeness."""

    body: bytes
    is_cut: bool
    #: True if an encoding is left that cannot be undone
    is_encoded: bool = False


def parse_head(message: bytes) -> ResponseHead:
    """The head of a message that begins with these bytes. Without a status line, all of it is body. O(n)."""
    status = _STATUS.match(message)
    if status is None:
        return ResponseHead(0, (), 0)
    end = _END.search(message)
    block = message[: end.start()] if end else message
    lines = [_FOLD.sub(b" ", line).partition(b":") for line in _LINE.split(block)[1:]]
    headers = tuple((name.strip(), value.strip()) for name, colon, value in lines if colon and name.strip())
    return ResponseHead(int(status[1]), headers, end.end() if end else len(message))


def headers_of_body(head: ResponseHead, body: DecodedBody) -> tuple[tuple[bytes, bytes], ...]:
    """The headers that are true of a decoded body: without those of the transfer, its encodings and its length."""
    left_out = _TRANSFER | {b"content-length"} | (set() if body.is_encoded else {b"content-encoding"})
    return tuple((name, value) for name, value in head.headers if name.lower() not in left_out)


def decode_body(head: ResponseHead, payload: bytes, *, max_bytes: int) -> DecodedBody:
    """Undo the transfer and content encodings of a payload. A body is cut if it is longer than `max_bytes`, or if the
    payload ends within an encoding. O(n) in payload and body."""
    body, is_cut = payload, False
    if b"chunked" in head.value(b"transfer-encoding").lower():
        body, is_cut = _unchunk(body)
    codings = [name.strip().lower() for name in head.value(b"content-encoding").split(b",")]
    for name in reversed([name for name in codings if name not in {b"", b"identity", b"none"}]):
        decoder = _DECODERS.get(name)
        if decoder is None:
            return DecodedBody(body[:max_bytes], is_cut or len(body) > max_bytes, is_encoded=True)
        decoded = decoder(body, max_bytes) if body else None
        if decoded is not None:
            body, is_cut = decoded[0], is_cut or decoded[1]
    return DecodedBody(body[:max_bytes], is_cut or len(body) > max_bytes)


def _unchunk(data: bytes) -> tuple[bytes, bool]:
    """The chunks of a chunked body, and whether it is cut; a body that is not chunked is returned unchanged."""
    chunks, position = [], 0
    while size := _CHUNK.match(data, position):
        length, start = int(size[1], 16), size.end()
        position = start + length
        chunks.append(data[start:position])
        if not length:
            return b"".join(chunks), False
        if position < len(data) and data[position : position + 1] not in b"\r\n":
            return (b"".join(chunks), True) if len(chunks) > 1 else (data, False)
        position += 2 if data[position : position + 1] == b"\r" else 1
    return (b"".join(chunks), True) if chunks else (data, False)


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _whole(decompressor: _Decompressor, data: bytes, max_bytes: int) -> tuple[bytes, bool] | None:
    """What a decompressor makes of the data, and whether it is cut; None if the data are not in its format."""
    parts: list[bytes] = []
    size = 0
    view = memoryview(data)
    for start in range(0, len(data), _PIECE):
        try:
            part = decompressor.decompress(bytes(view[start : start + _PIECE]), max_bytes + 1 - size)
        except (zlib.error, zstd.ZstdError, EOFError):
            return (b"".join(parts), True) if size else None
        parts.append(part)
        size += len(part)
        if decompressor.eof or size > max_bytes:
            break
    return b"".join(parts), not decompressor.eof


def _gunzip(data: bytes, max_bytes: int) -> tuple[bytes, bool] | None:
    if not data.startswith(b"\x1f\x8b"):
        return None
    return _whole(zlib.decompressobj(31), data, max_bytes) or (b"", True)


def _inflate(data: bytes, max_bytes: int) -> tuple[bytes, bool] | None:
    """Inflate with the zlib header that the standard demands, or without, as some servers send it."""
    found = _whole(zlib.decompressobj(), data, max_bytes) or _whole(zlib.decompressobj(-15), data, max_bytes)
    return None if _is_text(data, found) else found


def _unzstd(data: bytes, max_bytes: int) -> tuple[bytes, bool] | None:
    return _whole(zstd.ZstdDecompressor(), data, max_bytes)


def _unbrotli(data: bytes, max_bytes: int) -> tuple[bytes, bool] | None:
    decompressor = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    try:
        part = decompressor.process(data, output_buffer_limit=_PIECE)
        while part and size <= max_bytes:
            parts.append(part)
            size += len(part)
            part = decompressor.process(b"", output_buffer_limit=_PIECE)
    except brotli.error:
        return None
    found = b"".join(parts), not decompressor.is_finished()
    return None if _is_text(data, found) else found


def _is_text(data: bytes, found: tuple[bytes, bool] | None) -> bool:
    """True if data in a format without a signature are text that was decoded before: the beginning of some texts looks
    like that of compressed data."""
    return found is not None and found[1] and (not found[0] or data[:32].isascii())


_DECODERS: dict[bytes, Callable[[bytes, int], tuple[bytes, bool] | None]] = {
    b"gzip": _gunzip,
    b"x-gzip": _gunzip,
    b"deflate": _inflate,
    b"br": _unbrotli,
    b"zstd": _unzstd,
}
