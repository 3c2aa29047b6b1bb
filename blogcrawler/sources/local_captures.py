"""Captures in WARC, ARC and WACZ files on this machine."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import OrderedDict
from contextlib import ExitStack, closing
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from blogcrawler.errors import BackendUnavailable, DamagedCapture
from blogcrawler.sources.capture import Capture, CapturedResponse, is_page
from blogcrawler.sources.cdx import REVISIT, moment_of
from blogcrawler.sources.http_message import decode_body, headers_of_body
from blogcrawler.sources.index import UNREADABLE, CaptureIndex, IndexedCapture, IndexProgress
from blogcrawler.sources.surt import cased_key, key_ranges, surt_key
from blogcrawler.sources.volumes import Place
from blogcrawler.sources.warc_files import StoredRecord, read_record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a body that is read, in bytes."""
UNPACKED = "unpacked"
"""Folder beside the indexes with files that cannot be read at an offset as they are."""
_OPEN_FILES = 16
_MOST_ORIGINALS = 8
"""Captures that are tried as the one that a revisit record refers to."""
_MOST_PAGES = 200_000
"""Number of captured pages of a blog up to which they are listed."""
_NOT_MODIFIED = 304


class LocalCaptures:
    """The captures of a file or folder, see `Captures`. Must be closed with `close`."""

    def __init__(self, place: Place, index: CaptureIndex, state: IndexProgress, name: str, *, max_bytes: int) -> None:
        self.name = name
        #: counts of files, captures, damaged records and missing files, when the index was updated
        self.state = state
        self._place = place
        self._index = index
        self._max_bytes = max_bytes
        self._files: OrderedDict[str, BinaryIO] = OrderedDict()

    @classmethod
    def open(
        cls,
        place: Path,
        index_folder: Path,
        on_progress: Callable[[IndexProgress], None] | None = None,
        *,
        max_bytes: int = MAX_BYTES,
    ) -> Self:
        """Open a place. Its index is made in `index_folder`, or updated with files that were added or changed, which
        may take hours for a large collection. Raises BadArgument if there is no such place, and
        BackendUnavailable if the index cannot be written."""
        files = Place(place, index_folder / UNPACKED)
        name = hashlib.sha256(str(place.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:32]
        file = index_folder / f"{name}.sqlite"
        try:
            with ExitStack() as stack:
                index = stack.enter_context(closing(CaptureIndex(file)))
                captures = cls(files, index, index.update(files, on_progress), str(place), max_bytes=max_bytes)
                stack.pop_all()
        except (OSError, sqlite3.Error) as error:
            raise BackendUnavailable(
                f"The index of {place} in {file} cannot be written: {error}. Check disk space and permissions; if the "
                "file is damaged, delete it."
            ) from error
        return captures

    async def find(self, url: str) -> Sequence[Capture]:
        """All captures of an address, in the order of their times.

        SURT keys fold upper and lower case, which most servers distinguish: if there are captures of this spelling,
        the others are left out.
        """
        key, cased = surt_key(url), cased_key(url)
        found = list(self._index.captures([(key, f"{key}\0")]))
        exact = [one for one in found if cased_key(one.url) == cased]
        return [self._capture(one) for one in exact or found]

    async def feeds(self, home: str) -> Sequence[Capture]:
        """The captures at and below an address with a media type of feeds or of XML, in the order of their times."""
        found = self._index.captures(key_ranges(home), are_feeds=True)
        return [self._capture(row) for row in sorted(found, key=attrgetter("time"))]

    async def pages(self, home: str) -> Sequence[Capture]:
        """The captures of web pages at and below an address, by SURT key and time; empty if there are too many."""
        rows = self._index.captures(key_ranges(home))
        found = list(islice((row for row in rows if is_page(row.status, row.mime)), _MOST_PAGES + 1))
        return list(map(self._capture, found)) if len(found) <= _MOST_PAGES else []

    def rows(self) -> Iterator[IndexedCapture]:
        """All captures of the place as the index holds them, by SURT key and time."""
        return self._index.captures()

    async def read(self, capture: Capture) -> CapturedResponse:
        """The response of a capture; the original response, if it is a revisit. Raises DamagedCapture."""
        record = self._record(capture)
        if not record.is_revisit:
            return CapturedResponse(capture, *record.response(self._max_bytes))
        original = self._original(capture, record)
        status, headers, body, is_cut = original.response(self._max_bytes)
        if record.head.headers and record.head.status != _NOT_MODIFIED:
            decoded = decode_body(original.head, original.payload, max_bytes=self._max_bytes)
            status, headers = record.head.status, headers_of_body(record.head, decoded)
        return CapturedResponse(capture, status, headers, body, is_cut)

    def close(self) -> None:
        """Close files and index."""
        for file in self._files.values():
            file.close()
        self._files.clear()
        self._index.close()

    def _capture(self, row: IndexedCapture) -> Capture:
        mime = "" if row.mime == REVISIT else row.mime
        place = f"{self._place.folder / row.path}#{row.offset}"
        return Capture(row.url, moment_of(row.time), row.status, mime, row.digest, place)

    def _record(self, capture: Capture) -> StoredRecord:
        file, _, offset = capture.place.rpartition("#")
        try:
            path = Path(file).relative_to(self._place.folder).as_posix()
            record = read_record(self._opened(path), int(offset), max_bytes=self._max_bytes)
            if surt_key(record.url) != surt_key(capture.url):
                raise ValueError(f"the record is of {record.url}")
            return record
        except UNREADABLE as error:
            raise DamagedCapture(f"The capture {capture.place} of {capture.url} cannot be read: {error}") from error

    def _original(self, capture: Capture, revisit: StoredRecord) -> StoredRecord:
        """The record that a revisit record refers to by address and time, or that has the same digest and address; for
        "not modified", the last one before."""
        key = surt_key(revisit.refers_to_url or revisit.url)
        rows = list(self._index.captures([(key, f"{key}\0")]))
        named = [row for row in rows if row.time == revisit.refers_to_time]
        same = [row for row in rows if row.digest and row.digest == revisit.digest]
        earlier = [row for row in rows if revisit.time is not None and row.time < revisit.time]
        if revisit.head.status != _NOT_MODIFIED:
            earlier = []
        candidates = dict.fromkeys(map(self._capture, [*named, *same, *reversed(earlier)]))
        for candidate in list(candidates)[:_MOST_ORIGINALS]:
            if candidate.place != capture.place and not (record := self._record(candidate)).is_revisit:
                return record
        raise DamagedCapture(
            f"The capture {capture.place} of {capture.url} has no body, and the earlier capture that it refers to "
            f"is not in {self.name}."
        )

    def _opened(self, path: str) -> BinaryIO:
        file = self._files.pop(path, None) or self._place.open(path)
        self._files[path] = file
        if len(self._files) > _OPEN_FILES:
            self._files.popitem(last=False)[1].close()
        return file
