"""Writes a crawl's exchanges to the WARC files of an archive."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.backend.warc.index import CaptureIndex
from blogcrawler.backend.warc.records import (
    Capture,
    exchange_members,
    new_id,
    resource_member,
    sha256,
    target,
    timestamp,
    warcinfo_member,
)
from blogcrawler.backend.warc.segment import OPEN, SUFFIX, Segment, recover
from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from blogcrawler.backend.warc.records import Exchange

WARC_FOLDER = "warc"
"""The folder of WARC files in the archive's folder."""
_NOT_MODIFIED = 304
_BATCH = 64
"""Number of captures that are indexed together; those lost in a crash are fetched and stored once more."""


class WarcStore:
    """Writes records. The result of `keep` is the position of a body: file name, "#", and the record's offset.

    `info` is written to the first record of each file. The first write finishes the files of killed processes. All
    methods raise BackendUnavailable, repeatedly once the files cannot be written.
    """

    def __init__(self, folder: str | Path, *, max_bytes: int, info: Mapping[str, str] | None = None) -> None:
        self._folder = Path(folder)
        self._max_bytes = max_bytes
        self._info = dict(info or {})
        self._names = _names()
        self._segment: Segment | None = None
        self._info_id = ""
        #: size of the open file with nothing but its first record
        self._begun_at = 0
        self._opened: CaptureIndex | None = None
        self._is_dirty = False
        #: names of files that are known to exist
        self._there: set[str] = set()
        self._broken: BackendUnavailable | None = None

    def knows(self, url: str, *, etag: str, modified: str) -> bool:
        """True if this version of a page is stored, so that the server may respond "not modified"."""
        with self._writing():
            known = self._known(target(url))
            return known is not None and known.answers(etag, modified)

    def keep(self, exchange: Exchange) -> str | None:
        """Write an exchange; return the body's position. None for "not modified" if the page is not stored."""
        with self._writing():
            url = target(exchange.url)
            known = self._known(url) if exchange.method == "GET" else None
            if exchange.status == _NOT_MODIFIED:
                return None if known is None else self._keep_revisit(exchange, known)
            is_whole = exchange.status == 200 and exchange.body and not exchange.truncated
            if known is not None and is_whole and known.digest == exchange.digest:
                return self._keep_revisit(exchange, known)
            record_id = new_id()
            place = self._append(lambda: exchange_members(exchange, record_id=record_id, info_id=self._info_id))
            if is_whole and exchange.method == "GET":
                capture = Capture(url, record_id, timestamp(exchange.at), exchange.digest, place)
                self._index.add(_with_validators(capture, exchange))
            return place

    def _keep_revisit(self, exchange: Exchange, known: Capture) -> str:
        self._append(lambda: exchange_members(exchange, record_id=new_id(), info_id=self._info_id, earlier=known))
        self._index.add(_with_validators(known, exchange))
        return known.place

    def keep_view(self, uri: str, content_type: str, body: bytes, at: datetime) -> str:
        """Write a browser's view of a page under a special URI, unless it is unchanged; return its position."""
        with self._writing():
            known, digest = self._known(uri), sha256(body)
            if known is not None and known.digest == digest:
                return known.place
            record_id = new_id()
            place = self._append(
                lambda: resource_member(uri, content_type, body, at, record_id=record_id, info_id=self._info_id)
            )
            self._index.add(Capture(uri, record_id, timestamp(at), digest, place))
            return place

    def sync(self) -> None:
        """Make written data survive a system crash."""
        with self._writing():
            if self._is_dirty and self._segment is not None:
                self._segment.sync()
            self._is_dirty = False
            if self._opened is not None:
                self._opened.flush(least=_BATCH)

    def close(self) -> None:
        """Finish the files."""
        try:
            with self._writing():
                self._close_segment()
        finally:
            if self._opened is not None:
                self._opened.close()

    @property
    def _index(self) -> CaptureIndex:
        if self._opened is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            recover(self._folder)
            self._opened = CaptureIndex(self._folder)
        return self._opened

    def _known(self, url: str) -> Capture | None:
        """The last capture of a URL whose body still exists, since files may have been moved or lost."""
        known = self._index.find(url)
        return known if known is not None and self._is_there(known.place.partition("#")[0]) else None

    def _is_there(self, name: str) -> bool:
        if name not in self._there and any((self._folder / f"{name}{end}").exists() for end in ("", OPEN)):
            self._there.add(name)
        return name in self._there

    def _append(self, members: Callable[[], bytes]) -> str:
        segment = self._segment or self._begin_segment()
        data = members()
        if segment.size + len(data) > self._max_bytes and segment.size > self._begun_at:
            self._close_segment()
            segment, data = self._begin_segment(), members()
        self._is_dirty = True
        return f"{segment.name}#{segment.append(data)}"

    def _begin_segment(self) -> Segment:
        segment = Segment.create(self._folder, self._names)
        self._info_id = new_id()
        info = warcinfo_member(segment.name, datetime.now(UTC), self._info, record_id=self._info_id)
        segment.append(info)
        self._begun_at = segment.size
        self._segment = segment
        return segment

    def _close_segment(self) -> None:
        segment, self._segment = self._segment, None
        if segment is not None:
            segment.close()
        if self._opened is not None:
            self._opened.flush()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self._broken is not None:
            raise self._broken
        try:
            yield
        except OSError as error:
            self._broken = BackendUnavailable(
                f"The folder {self._folder} for WARC files cannot be written ({error.strerror}). Check its "
                "free space and permissions, give another folder with ARCHIVE, or set WARC=False."
            )
            raise self._broken from error


def _with_validators(capture: Capture, exchange: Exchange) -> Capture:
    """A capture with the current validators."""
    etag, modified = exchange.header("ETag"), exchange.header("Last-Modified")
    if exchange.status == _NOT_MODIFIED:
        etag, modified = etag or capture.etag, modified or capture.modified
    return replace(capture, etag=etag, modified=modified)


def _names() -> Iterator[str]:
    """Unique file names in chronological order."""
    time = f"{datetime.now(UTC):%Y%m%d%H%M%S%f}"[:-3]
    begun = f"{time}-{os.getpid()}-{secrets.token_hex(4)}"
    return (f"blogcrawler-{begun}-{number:05}{SUFFIX}" for number in count(1))
