"""An index of WARC records by URL, as web archives use it (CDXJ). It is a temporary database for one export, so that
memory is constant."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from blogcrawler.backend.warc import kept_records
from blogcrawler.export.text import data_text, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from blogcrawler.backend.warc import KeptRecord

VIEW = "urn:view:"
"""Prefix of the URLs of DOM snapshots of rendered pages."""
_REVISIT = "warc/revisit"
_KINDS = ("response", "revisit", "resource")
_STATUS_LINE = re.compile(rb"HTTP/[\d.]+[ \t]+(\d{3})\b")
_CONTENT_TYPE = re.compile(rb"^content-type[ \t]*:[ \t]*([^\s;,]+)", re.IGNORECASE | re.MULTILINE)
_WWW = re.compile(r"(https?://)www\d*\.", re.IGNORECASE)
_HTTP = re.compile(r"https?://", re.IGNORECASE)
_UNSAFE = re.compile(r"[\s\x00-\x20\x7f]")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Capture:
    """A URL and the time of its capture."""

    url: str
    #: seconds since 1970
    second: int

    @property
    def time(self) -> str:
        """The time in the format of RFC 3339."""
        return datetime.fromtimestamp(self.second, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class _Row:
    key: str
    second: int
    url: str
    mime: str
    status: str
    digest: str
    length: int
    place: int
    file: str
    earlier_key: str = ""
    earlier_second: int = 0


class Captures:
    """An index of captures: call `add` for each WARC file, then `sort`."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    @classmethod
    @contextmanager
    def kept_in(cls, scratch: Path) -> Iterator[Self]:
        """Create an empty index in the temporary file `scratch`."""
        database = sqlite3.connect(scratch, isolation_level=None)
        try:
            database.executescript(data_text("captures.sql"))
            database.execute("BEGIN")
            yield cls(database)
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        finally:
            database.close()
            scratch.unlink(missing_ok=True)

    def add(self, file: Path, on_lost: Callable[[str, str], None]) -> None:
        """Add the captures of a WARC file; damaged records are reported and left out. Raises OSError."""
        latest: tuple[str, _Row] | None = None
        for record in kept_records(file):
            if record.fault is not None:
                on_lost(f"{file.name}#{record.offset}", f"the record {record.fault}")
            elif latest is not None and _asks_otherwise(record, latest[0]):
                latest = None
            elif record.kind in _KINDS and record.url and (row := _row(record, file.name)):
                self._insert(latest)
                latest = (record.headers["warc-record-id"], row)
        self._insert(latest)

    def _insert(self, latest: tuple[str, _Row] | None) -> None:
        if latest is not None:
            row = astuple(latest[1])
            self._database.execute(f"INSERT INTO capture VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608

    def sort(self) -> None:
        """Sort and index the captures."""
        for statement in data_text("captures_order.sql").split(";\n"):
            self._database.execute(statement)

    def lines(self) -> Iterator[str]:
        """Return the sorted lines of the CDXJ index: URL key, time, and the rest as JSON."""
        for key, second, url, mime, status, digest, length, place, file in self._database.execute(
            data_text("captures_listed.sql")
        ):
            at = datetime.fromtimestamp(second, UTC).strftime("%Y%m%d%H%M%S")
            fields = {"url": url, "mime": mime, "status": status, "digest": digest}
            fields |= {"length": str(length), "offset": str(place), "filename": file}
            yield f"{key} {at} {json.dumps({name: value for name, value in fields.items() if value})}\n"

    def at(self, place: str) -> Capture | None:
        """Return the capture at a `provenance.warc` position; for a DOM snapshot, that of its page."""
        file, _, offset = place.partition("#")
        if not (offset.isascii() and offset.isdigit()):
            return None
        query = "SELECT url, second FROM capture WHERE file = ? AND place = ?"
        row = self._database.execute(query, (file, int(offset))).fetchone()
        if row is None:
            return None
        url, second = row
        return self.find(url.removeprefix(VIEW), second) if url.startswith(VIEW) else Capture(url, second)

    def find(self, url: str, second: int) -> Capture | None:
        """Return the capture of a URL that is closest to a time."""
        query = (
            "SELECT url, second FROM capture WHERE key = ? AND status IN ('', '200') AND mime != ? "
            "ORDER BY abs(second - ?), second LIMIT 1"
        )
        row = self._database.execute(query, (surt(plain(url)), _REVISIT, second)).fetchone()
        return None if row is None else Capture(*row)


def _asks_otherwise(record: KeptRecord, response: str) -> bool:
    """True if the capture answers another method than GET, so that its URL alone does not open it."""
    asked = record.kind == "request" and record.headers.get("warc-concurrent-to") == response
    return asked and not record.http_head.upper().startswith(b"GET ")


def _row(record: KeptRecord, file: str) -> _Row | None:
    """Return the index entry of a record; None if its time is invalid."""
    second = _second(record.headers.get("warc-date", ""))
    if second is None:
        return None
    url, status, mime = plain(record.url), _STATUS_LINE.match(record.http_head), _REVISIT
    if record.kind == "resource":
        mime = record.headers.get("content-type", "").partition(";")[0].strip()
    elif record.kind == "response":
        media_type = _CONTENT_TYPE.search(record.http_head)
        mime = media_type[1].decode("latin-1").lower() if media_type else "unk"
    row = (surt(url), second, url, mime, "" if status is None else status[1].decode())
    digest = record.headers.get("warc-payload-digest", "")
    earlier = record.headers.get("warc-refers-to-target-uri", "") if mime == _REVISIT else ""
    earlier_second = _second(record.headers.get("warc-refers-to-date", ""))
    return _Row(*row, digest, record.length, record.offset, file, surt(plain(earlier)), earlier_second or 0)


def _second(date: str) -> int | None:
    try:
        return int(datetime.fromisoformat(date).timestamp())
    except (ValueError, OverflowError):
        return None


def surt(url: str) -> str:
    """Return the key of a URL: `org,example)/a?b&c` for `http://www.Example.org/A?c&b#d`; unchanged unless it is
    http(s). ReplayWeb.page looks up URLs by this key. O(n log n), since the parameters are sorted."""
    url = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02x}" if ord(found[0]) < 128 else "", url)
    if not _HTTP.match(url):
        return url
    try:
        parts = urlsplit(_WWW.sub(r"\1", url).lower())
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    name = f"[{host}]" if ":" in host else ",".join(reversed(host.split(".")))
    end = "" if port is None or port == _PORTS[parts.scheme] else f":{port}"
    query = f"?{'&'.join(sorted(parts.query.split('&')))}" if parts.query else ""
    return f"{name}{end}){parts.path or '/'}{query}"
