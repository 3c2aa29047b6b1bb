"""Replaces WARC records by tombstones: records of the same length that state that something was removed.

No other record moves, so all positions remain valid. The new data are first saved to a file next to the WARC file, so
that nothing is left half written if the process is killed: `finish_tombstones` completes the work.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.backend.files import sync_folder
from blogcrawler.backend.warc.records import VERSION, sha256
from blogcrawler.backend.warc.segment import OPEN

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

NOTE = b"removed: on request\r\n"
"""Content of a tombstone."""
PENDING = ".tombstones"
"""Suffix of the file with data that are still to be written to the WARC file of that name."""
_DRAFT = ".new"
_COMMENT = 16
"""The flag in gzip's header (RFC 1952) for a comment, which ends with a zero byte; the comment fills the missing
length."""
_NAME = re.compile(r"<[^<>\s]{1,100}>")


@dataclass(frozen=True)
class Place:
    """A record that is to be replaced."""

    offset: int
    length: int
    #: its WARC-Record-ID
    name: str


def write_tombstones(path: Path, records: Iterable[Place], now: datetime) -> None:
    """Replace records of a file. Raises OSError."""
    tombstones = [(record.offset, tombstone(record, now)) for record in records]
    if not tombstones:
        return
    pending = path.with_name(f"{path.name.removesuffix(OPEN)}-{secrets.token_hex(4)}{PENDING}")
    draft = pending.with_name(pending.name + _DRAFT)
    pending_records = [[offset, base64.b64encode(member).decode()] for offset, member in tombstones]
    with draft.open("w") as file:
        json.dump(pending_records, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(pending)
    sync_folder(path.parent)
    _write(path, pending)


def finish_tombstones(folder: Path) -> None:
    """Complete the work of killed processes. Raises OSError."""
    for draft in folder.glob(f"*{PENDING}{_DRAFT}"):
        draft.unlink(missing_ok=True)
    for pending in sorted(folder.glob(f"*{PENDING}")):
        path = pending.with_name(pending.name.rpartition("-")[0])
        _write(path if path.exists() else path.with_name(path.name + OPEN), pending)


def _write(path: Path, pending: Path) -> None:
    """Overwrite records in place, since another process may be writing at the end of the file."""
    pending_records = json.loads(pending.read_text())
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        for offset, member in pending_records:
            content = base64.b64decode(member)
            if os.pwrite(file, content, offset) != len(content):
                raise OSError(f"{path} cannot be written")
        os.fsync(file)
    finally:
        os.close(file)
    pending.unlink(missing_ok=True)
    sync_folder(path.parent)


def tombstone(place: Place, now: datetime) -> bytes:
    """A record with the same id and compressed length as another one, but without its content.

    Records of crawls are always long enough for this; only other programs' records may be too short.
    """
    for block in (NOTE, b""):
        content = _record(place.name if _NAME.fullmatch(place.name) else "<urn:removed>", block, now)
        member = _member(content, place.length)
        if member is not None:
            return member
    raise OSError(f"The record at {place.offset} has {place.length} bytes, fewer than a record can have.")


def _record(name: str, block: bytes, now: datetime) -> bytes:
    lines = [VERSION, "WARC-Type: metadata", f"WARC-Record-ID: {name}", f"WARC-Date: {now:%Y-%m-%dT%H:%M:%SZ}"]
    if block:
        lines += ["Content-Type: application/warc-fields", f"WARC-Block-Digest: {sha256(block)}"]
    head = "\r\n".join([*lines, f"Content-Length: {len(block)}", "", ""])
    return head.encode() + block + b"\r\n\r\n"


def _member(content: bytes, length: int) -> bytes | None:
    """A gzip member of a given length; None if the length is too small."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(content) + packer.flush()
    end = struct.pack("<II", zlib.crc32(content), len(content))
    rest = length - len(packed) - len(end) - 10
    if rest < 0:
        return None
    comment = b" " * (rest - 1) + b"\0" if rest else b""
    return b"\x1f\x8b\x08" + bytes([_COMMENT if rest else 0]) + b"\0\0\0\0\x02\xff" + comment + packed + end
