"""The WARC files of an archive, as one crawl writes to them."""

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
"""The folder of WARC files, below the archive's."""
_NOT_MODIFIED = 304
_BATCH = 64
"""Captures that are written to the index together; those that a crash loses are fetched and kept once more."""


class WarcStore:
    """Writes records; what `keep` gives back is where a body is: the name of a file, "#", and where its record begins.

    `info` is what each file says of its making. The first thing that is written has files closed that killed processes
    have left. All methods raise BackendUnavailable, again and again once the files cannot be written.
    """

    def __init__(self, folder: str | Path, *, max_bytes: int, info: Mapping[str, str] | None = None) -> None:
        self._folder = Path(folder)
        self._max_bytes = max_bytes
        self._info = dict(info or {})
        self._names = _names()
        self._segment: Segment | None = None
        self._info_id = ""
        #: size of the open file when it had no record but its own
        self._begun_at = 0
        self._opened: CaptureIndex | None = None
        self._is_dirty = False
        #: names of files that were found to be there
        self._there: set[str] = set()
        self._broken: BackendUnavailable | None = None

    def knows(self, url: str, *, etag: str, modified: str) -> bool:
        """True if that version of a page is kept, so that a server may answer that it has not changed."""
        with self._writing():
            known = self._known(target(url))
            return known is not None and known.answers(etag, modified)

    def keep(self, exchange: Exchange) -> str | None:
        """Write an exchange; where its body is. None for "not modified" of a page that is not there."""
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
        """Write what was made of a page, under a URI of its own, unless it was the same before; where it is."""
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
        """Let what was written survive a crash of the machine, too."""
        with self._writing():
            if self._is_dirty and self._segment is not None:
                self._segment.sync()
            self._is_dirty = False
            if self._opened is not None:
                self._opened.flush(least=_BATCH)

    def close(self) -> None:
        """Write no more."""
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
        """The last capture of an address whose body is there: files may have been moved away, or lost."""
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
                f"The folder {self._folder} for WARC files cannot be written ({error.strerror}); see that it has "
                "room and may be written, give another with ARCHIVE, or do without with WARC=False."
            )
            raise self._broken from error


def _with_validators(capture: Capture, exchange: Exchange) -> Capture:
    """A capture with what the server calls this version of it now."""
    etag, modified = exchange.header("ETag"), exchange.header("Last-Modified")
    if exchange.status == _NOT_MODIFIED:
        etag, modified = etag or capture.etag, modified or capture.modified
    return replace(capture, etag=etag, modified=modified)


def _names() -> Iterator[str]:
    """Names of files that no other crawl gives, in the order of time."""
    time = f"{datetime.now(UTC):%Y%m%d%H%M%S%f}"[:-3]
    begun = f"{time}-{os.getpid()}-{secrets.token_hex(4)}"
    return (f"blogcrawler-{begun}-{number:05}{SUFFIX}" for number in count(1))
