"""Reads WARC files (0.18, 1.0, 1.1) and the ARC files that came before them: lists captures, and reads one of them.

fastwarc parses WARC records. What it leaves to its callers is here: files with damage, and ARC. After a damaged record,
reading goes on at the next beginning of a record, so that the damage costs this record alone.
"""

from __future__ import annotations

import gzip
import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from blogcrawler.sources.cdx import REVISIT, IndexEntry, entry_of, time_number
from blogcrawler.sources.http_message import MOST_HEADER, ResponseHead, decode_body, headers_of_body, parse_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fastwarc.warc import WarcRecordPayloadReader

_PIECE = 1 << 16
_BLOCK = 1 << 20
_CAPTURES = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.revisit
_GZIP = b"\x1f\x8b\x08"
_WARC = re.compile(rb"WARC/[01]\.[0-9]+\r?\n")
_ARC = re.compile(
    rb"\n*([a-z]{3,8}:[^\n]{0,4000}?) [0-9a-fA-F.:]{1,40} ([0-9]{8,14}) ([^ \n]{1,200})(?: [^\n]{1,400}?)? "
    rb"([0-9]{1,12})\r?\n"
)
_BEGINNING = re.compile(rb"\x1f\x8b\x08|WARC/[01]\.[0-9]+\r?\n|(?<=\n)https?://[^ \n]{1,2000} [0-9.]{7,15} [0-9]{14} ")
_LONGEST_BEGINNING, _LONGEST_LINE = 2100, 8192
_LENGTH = re.compile(rb"\ncontent-length:[ \t]*([0-9]{1,18})[ \t\r\n]", re.IGNORECASE)
_HEADER_END = re.compile(rb"\r?\n\r?\n")


class Scanned(NamedTuple):
    """A step of a scan."""

    #: where the record begins; a later scan may start here
    offset: int
    #: None for records that are no captures of pages, and for damaged ones
    entry: IndexEntry | None
    is_damaged: bool = False


@dataclass(frozen=True)
class StoredRecord:
    """A capture as a file holds it."""

    url: str
    time: int | None
    is_revisit: bool
    head: ResponseHead
    #: of the body as it was sent
    payload: bytes
    #: True if the file holds only a part of the payload
    is_cut: bool
    digest: str
    #: address and time of the capture that a revisit record refers to; empty and None if unknown
    refers_to_url: str = ""
    refers_to_time: int | None = None

    def response(self, max_bytes: int) -> tuple[int, Sequence[tuple[bytes, bytes]], bytes, bool]:
        """Status, headers, decoded body, and whether the body is cut."""
        decoded = decode_body(self.head, self.payload, max_bytes=max_bytes)
        return self.head.status, headers_of_body(self.head, decoded), decoded.body, self.is_cut or decoded.is_cut


def has_records_apart(file: BinaryIO) -> bool:
    """False if a file is compressed as a whole, so that no record can be read without those before it. O(1)."""
    block = file.read(_PIECE)
    if not block.startswith(_GZIP):
        return True
    size = _record_size(_decompressed(block, _PIECE))
    if size is None:
        return True
    decompressor, count = zlib.decompressobj(31), 0
    try:
        while block and not decompressor.eof and count <= size:
            count += len(decompressor.decompress(block, _PIECE).rstrip(b"\r\n"))
            block = decompressor.unconsumed_tail or file.read(_PIECE)
    except zlib.error:
        return True
    return count <= size


def scan(file: BinaryIO, start: int = 0) -> Iterator[Scanned]:
    """The captures of a file in their order, from the record at `start`. O(n), in bounded memory. Raises OSError if
    the file cannot be read."""
    file.seek(0)
    is_arc = _ARC.match(_decompressed(file.read(_PIECE), _LONGEST_LINE)) is not None
    return _scan_arc(file, start) if is_arc else _scan_warc(file, start)


def read_record(file: BinaryIO, offset: int, *, max_bytes: int) -> StoredRecord:
    """The record at an offset, with at most about `max_bytes` of its payload. Raises OSError, EOFError, ValueError and
    zlib.error if there is none, or if it is damaged."""
    file.seek(offset)
    beginning = _decompressed(file.read(_LONGEST_LINE), _LONGEST_LINE)
    file.seek(offset)
    if arc := _ARC.match(beginning):
        return _read_arc(file, offset, arc, max_bytes)
    record = next(iter(ArchiveIterator(file, parse_http=False)), None)
    if record is None or record.stream_pos != offset or not record.record_type & _CAPTURES:
        raise ValueError("there is no capture at this offset")
    return _read_warc(record, max_bytes)


# ---------------------------------------------------------------------------------------------------------------- WARC


def _scan_warc(file: BinaryIO, start: int) -> Iterator[Scanned]:
    position: int | None = start
    size = file.seek(0, 2)
    is_gap = False  # damage since the last record that was read
    while position is not None:
        if _end_of_plain(file, position) > size:  # without reading up to the end for each such record
            yield Scanned(position, None, is_damaged=True)
            position, is_gap = _next_beginning(file, position + 1, _WARC), False
            continue
        file.seek(position)
        held: Scanned | None = None
        try:
            for record in ArchiveIterator(file, parse_http=False):
                if held is not None:
                    yield held
                held, position = None, record.stream_pos
                held = _scanned(record)
                if is_gap:
                    yield Scanned(position, None, is_damaged=True)
                is_gap = False
            is_end = True
        except OSError:
            is_end = False
        following = _next_beginning(file, position + 1, _WARC)
        overlaps = following is not None and following < _end_of_plain(file, position)
        if held is not None and (is_end or not overlaps):
            yield held
        if is_end and (following is None or (overlaps and held is not None and not held.is_damaged)):
            break  # what looks like a record is text within the last one
        if held is None and not is_end:
            yield Scanned(position, None, is_damaged=True)
        is_gap = held is not None and not (is_end and held.is_damaged)
        position = following
    if is_gap:
        yield Scanned(position or start, None, is_damaged=True)


def _scanned(record: WarcRecord) -> Scanned:
    """List a record, and read it to its end."""
    reader, kind = record.reader, record.record_type
    is_response = bool(kind & (WarcRecordType.response | WarcRecordType.revisit))
    message = _read_header(reader) if is_response else b""
    size = len(message) + reader.consume()
    is_damaged = str(size) != (record.headers.get("Content-Length") or "").strip()
    is_capture = not is_damaged and (is_response or kind == WarcRecordType.resource)
    return Scanned(record.stream_pos, _entry(record, message) if is_capture else None, is_damaged)


def _read_header(reader: WarcRecordPayloadReader) -> bytes:
    message = reader.read(_PIECE >> 4)
    while 0 < len(message) < MOST_HEADER and not _HEADER_END.search(message) and (more := reader.read(_PIECE >> 4)):
        message += more
    return message


def _entry(record: WarcRecord, message: bytes) -> IndexEntry | None:
    headers = record.headers
    head = _head(record, message)
    is_unknown = record.record_type == WarcRecordType.revisit and not head.headers
    return entry_of(
        (headers.get("WARC-Target-URI") or "").strip("<> "),
        headers.get("WARC-Date") or "",
        status="" if is_unknown else str(head.status),
        mime=REVISIT if is_unknown else head.mime,
        digest=headers.get("WARC-Payload-Digest") or "",
        offset=str(record.stream_pos),
    )


def _head(record: WarcRecord, message: bytes) -> ResponseHead:
    if record.record_type == WarcRecordType.resource:
        return ResponseHead(200, ((b"Content-Type", record.headers.get_bytes(b"Content-Type") or b""),), 0)
    return _http_head(message)


def _http_head(message: bytes) -> ResponseHead:
    head = parse_head(message)
    # without a status line it is HTTP 0.9, which has no other answer
    return head if head.status else ResponseHead(200, (), 0)


def _read_warc(record: WarcRecord, max_bytes: int) -> StoredRecord:
    headers = record.headers
    message = _read(record.reader, max_bytes + MOST_HEADER)
    head = _head(record, message)
    is_part = "WARC-Truncated" in headers or "WARC-Segment-Number" in headers
    return StoredRecord(
        url=(headers.get("WARC-Target-URI") or "").strip("<> "),
        time=time_number(headers.get("WARC-Date") or ""),
        is_revisit=record.record_type == WarcRecordType.revisit,
        head=head,
        payload=message[head.size :],
        is_cut=is_part or str(len(message)) != (headers.get("Content-Length") or "").strip(),
        digest=headers.get("WARC-Payload-Digest") or "",
        refers_to_url=(headers.get("WARC-Refers-To-Target-URI") or "").strip("<> "),
        refers_to_time=time_number(headers.get("WARC-Refers-To-Date") or ""),
    )


def _end_of_plain(file: BinaryIO, offset: int) -> int:
    """Where the uncompressed record at an offset ends by its own account; the offset if it is not one."""
    file.seek(offset)
    return offset + (_record_size(file.read(MOST_HEADER)) or 0)


# ----------------------------------------------------------------------------------------------------------------- ARC


def _scan_arc(file: BinaryIO, start: int) -> Iterator[Scanned]:
    position: int | None = start
    while position is not None:
        file.seek(position)
        beginning = file.read(_PIECE)
        if not beginning.strip(b"\n"):
            return
        record = _ARC.match(_decompressed(beginning, _PIECE))
        end = _end_of_arc(file, position, beginning, record) if record else None
        entry = _arc_entry(record, position) if record and end is not None else None
        yield Scanned(position, entry, is_damaged=end is None)
        position = _next_beginning(file, position + 1, _ARC) if end is None else end


def _end_of_arc(file: BinaryIO, position: int, beginning: bytes, record: re.Match[bytes]) -> int | None:
    """Where the record after this one begins; None if this one is damaged."""
    if not beginning.startswith(_GZIP):
        end = position + record.end() + int(record[4])
        file.seek(end)
        following = file.read(_LONGEST_BEGINNING)
        is_next = not following or following.startswith(b"\n") or _ARC.match(following)
        return end if is_next and file.seek(0, 2) >= end else None
    file.seek(position)
    decompressor, block = zlib.decompressobj(31), file.read(_PIECE)
    try:
        while block and not decompressor.eof:
            decompressor.decompress(block, _BLOCK)
            block = decompressor.unconsumed_tail or (b"" if decompressor.eof else file.read(_PIECE))
    except zlib.error:
        return None
    return file.tell() - len(decompressor.unused_data) if decompressor.eof else None


def _arc_entry(record: re.Match[bytes], offset: int) -> IndexEntry | None:
    message = record.string[record.end() :][: int(record[4])]
    head = _http_head(message)
    return entry_of(
        record[1].decode("utf-8", "replace"),
        record[2].decode("ascii"),
        status=str(head.status),
        mime=head.mime or record[3].decode("latin-1"),
        offset=str(offset),
    )


def _read_arc(file: BinaryIO, offset: int, record: re.Match[bytes], max_bytes: int) -> StoredRecord:
    length = int(record[4])
    file.seek(offset)
    is_compressed = file.read(len(_GZIP)) == _GZIP
    file.seek(offset)
    stream = gzip.GzipFile(fileobj=file) if is_compressed else file
    stream.read(record.end())
    message = stream.read(min(length, max_bytes + MOST_HEADER))
    head = _http_head(message)
    return StoredRecord(
        url=record[1].decode("utf-8", "replace"),
        time=time_number(record[2].decode("ascii")),
        is_revisit=False,
        head=head,
        payload=message[head.size :],
        is_cut=len(message) < length,
        digest="",
    )


# -------------------------------------------------------------------------------------------------------------- common


def _record_size(beginning: bytes) -> int | None:
    """Size of the record that begins with these bytes, header included; None if it is not known."""
    if arc := _ARC.match(beginning):
        return arc.end() + int(arc[4])
    end = _HEADER_END.search(beginning)
    length = _LENGTH.search(beginning, 0, end.end()) if end and _WARC.match(beginning) else None
    return end.end() + int(length[1]) if end and length else None


def _next_beginning(file: BinaryIO, start: int, form: re.Pattern[bytes]) -> int | None:
    """Where the next record begins, compressed or not, from `start` on; None if there is none. O(n)."""
    while True:
        file.seek(start)
        block = file.read(_BLOCK)
        for found in _BEGINNING.finditer(block):
            if form.match(_decompressed(block[found.start() : found.start() + _LONGEST_LINE], _LONGEST_LINE)):
                return start + found.start()
        if len(block) < _BLOCK:
            return None
        start += _BLOCK - _LONGEST_BEGINNING


def _decompressed(beginning: bytes, size: int) -> bytes:
    """The first bytes of data that may be compressed, up to the first damage."""
    if not beginning.startswith(_GZIP):
        return beginning[:size]
    decompressor, data = zlib.decompressobj(31), b""
    with suppress(zlib.error):
        for place in range(0, len(beginning), 256):
            data += decompressor.decompress(beginning[place : place + 256], size - len(data))
            if decompressor.eof or len(data) == size:
                break
    return data


def _read(reader: WarcRecordPayloadReader, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0 and (part := reader.read(min(size, _BLOCK))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
