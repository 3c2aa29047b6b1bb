"""An index of the captures in a place, in SQLite, by SURT key and time.

Each file is read once. Its state is saved with its captures, in one transaction, so that an interrupted run continues
where it was, and files that are added or changed later are read then. An index that lies beside the files, CDX or CDXJ,
saves reading the files that it lists.
"""

from __future__ import annotations

import fcntl
import sqlite3
import zipfile
import zlib
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.sources.capture import is_feed_type
from blogcrawler.sources.cdx import CdxReader
from blogcrawler.sources.surt import surt_key
from blogcrawler.sources.warc_files import Scanned, scan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from blogcrawler.sources.cdx import IndexEntry
    from blogcrawler.sources.volumes import Place, Volume

_VERSION = 1
_BATCH = 20_000
"""Captures in a transaction."""
_CACHE_KB = 64_000
_LONGEST_LINE = 1 << 16
UNREADABLE = (OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile)
"""Errors of files that are damaged, or cannot be opened."""
_SCHEMA = f"""
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER, modified_ns INTEGER,
  done INTEGER NOT NULL DEFAULT -1, is_complete INTEGER NOT NULL DEFAULT 0, damaged INTEGER NOT NULL DEFAULT 0);
CREATE TABLE listings (source INTEGER, file INTEGER, PRIMARY KEY (source, file)) WITHOUT ROWID;
CREATE TABLE captures (key TEXT, time INTEGER, file INTEGER, offset INTEGER, source INTEGER, status INTEGER, mime TEXT,
  digest TEXT, url TEXT, PRIMARY KEY (key, time, file, offset)) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""
_ROW = "SELECT key, time, path, offset, status, mime, digest, url FROM captures CROSS JOIN files ON files.id = file"


class IndexedCapture(NamedTuple):
    """A capture as the index holds it."""

    key: str
    #: UTC, as the number YYYYMMDDhhmmss
    time: int
    #: of the file, relative to the place's folder
    path: str
    offset: int
    status: int
    mime: str
    digest: str
    url: str


@dataclass(frozen=True)
class IndexProgress:
    """How far an index is, for a progress line."""

    #: the file that is read
    path: str
    files: int
    files_done: int
    #: captures added in this run
    captures: int
    #: damaged records and unreadable files, in all runs
    damaged: int
    #: indexed before, or listed in an index, and not there now
    missing: int


class CaptureIndex:
    """The index of one place. Must be closed with `close`."""

    def __init__(self, file: Path) -> None:
        """Open the index in a file, which is made unless it exists."""
        file.parent.mkdir(parents=True, exist_ok=True)
        self._file = file
        self._database = sqlite3.connect(file, timeout=600, isolation_level=None)
        self._database.create_function("is_feed_type", 1, is_feed_type, deterministic=True)

    def update(self, place: Place, on_progress: Callable[[IndexProgress], None] | None = None) -> IndexProgress:
        """Read what is new in a place. Another process that updates the same index is waited for."""
        with self._alone():
            return _Update(self._database, place, on_progress).run()

    def captures(
        self, ranges: Iterable[tuple[str, str]] = (("", "\U0010ffff"),), *, are_feeds: bool = False
    ) -> Iterator[IndexedCapture]:
        """The captures whose keys are in these ranges (first key, key after the last one), by key and time; those of
        media types of feeds alone if `are_feeds`."""
        where = "key >= ? AND key < ?" + (" AND is_feed_type(mime)" if are_feeds else "")
        for keys in ranges:
            found = self._database.execute(f"{_ROW} WHERE {where} ORDER BY key, time", keys)
            yield from map(IndexedCapture._make, found)

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._file.with_suffix(".lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._database.executescript(
                f"PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -{_CACHE_KB};"
            )
            version = self._database.execute("PRAGMA user_version").fetchone()[0]
            if version != _VERSION:
                for name in ("files", "listings", "captures"):
                    self._database.execute(f"DROP TABLE IF EXISTS {name}")
                self._database.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
            yield


class _Update:
    """One run over the files of a place."""

    def __init__(
        self, database: sqlite3.Connection, place: Place, on_progress: Callable[[IndexProgress], None] | None
    ) -> None:
        self._database = database
        self._place = place
        self._volumes = place.volumes()
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for volume in self._volumes:
            if not volume.is_index:
                self._by_name[_name(volume.path)].append(volume.path)
        self._ids: dict[str, int] = {}
        self._unreadable: set[str] = set()
        self._on_progress = on_progress
        self._files_done = 0
        self._captures = 0

    def run(self) -> IndexProgress:
        with self._transaction():
            self._find_absent()
            for volume in self._volumes:
                self._register(volume)
        for volume in self._volumes:
            if volume.is_index:
                self._read(volume, self._listed)
            elif not self._place.is_index and not self._is_listed(volume):
                self._read(volume, self._scanned)
            self._files_done += 1
        return self._progress("")

    def _find_absent(self) -> None:
        """Give files that an index lists their paths, if they were added since."""
        absent = self._database.execute("SELECT id, path FROM files WHERE size IS NULL").fetchall()
        for number, path in absent:
            if found := self._by_name.get(_name(path)):
                self._database.execute("UPDATE OR IGNORE files SET path = ? WHERE id = ?", (found[0], number))

    def _register(self, volume: Volume) -> None:
        """Note size and time of a file, and forget what was read of it if they have changed."""
        now = (volume.size, volume.modified_ns)
        known = self._database.execute(
            "SELECT id, size, modified_ns FROM files WHERE path = ?", (volume.path,)
        ).fetchone()
        if known is None:
            self._database.execute("INSERT INTO files (path, size, modified_ns) VALUES (?, ?, ?)", (volume.path, *now))
        elif known[1:] != now:
            if known[1] is not None:
                self._database.execute("DELETE FROM captures WHERE source = ?", (known[0],))
                self._database.execute("DELETE FROM listings WHERE source = ?", (known[0],))
            self._database.execute(
                "UPDATE files SET size = ?, modified_ns = ?, done = -1, is_complete = 0, damaged = 0 WHERE id = ?",
                (*now, known[0]),
            )

    def _is_listed(self, volume: Volume) -> bool:
        query = "SELECT 1 FROM listings JOIN files ON files.id = listings.file WHERE path = ?"
        return self._database.execute(query, (volume.path,)).fetchone() is not None

    def _read(self, volume: Volume, steps: Callable[[Volume, int], Iterator[Scanned]]) -> None:
        """Read a file from the last step that was saved."""
        source, done, is_complete = self._database.execute(
            "SELECT id, done, is_complete FROM files WHERE path = ?", (volume.path,)
        ).fetchone()
        if is_complete:
            return
        found = (step for step in steps(volume, max(done, 0)) if step.offset > done)
        while batch := list(islice(found, _BATCH)):
            self._save(volume, source, batch)
        if volume.path not in self._unreadable:
            self._database.execute("UPDATE files SET is_complete = 1 WHERE id = ?", (source,))

    def _save(self, volume: Volume, source: int, batch: list[Scanned]) -> None:
        with self._transaction():
            rows = sorted(self._row(volume, source, step.entry) for step in batch if step.entry is not None)
            self._database.executemany("INSERT OR IGNORE INTO captures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            listed = {(source, row[2]) for row in rows if row[2] != source}
            self._database.executemany("INSERT OR IGNORE INTO listings VALUES (?, ?)", listed)
            damaged = sum(step.is_damaged for step in batch)
            self._database.execute(
                "UPDATE files SET done = ?, damaged = damaged + ? WHERE id = ?", (batch[-1].offset, damaged, source)
            )
        self._captures += len(rows)
        if self._on_progress is not None:
            self._on_progress(self._progress(volume.path))

    def _row(self, volume: Volume, source: int, entry: IndexEntry) -> tuple[str | int, ...]:
        file = self._file_of(volume, entry.filename) if volume.is_index else source
        status, mime, digest, url = entry.status, entry.mime, entry.digest, entry.url
        return surt_key(url), entry.time, file, entry.offset, source, status, mime, digest, url

    def _file_of(self, index: Volume, filename: str) -> int:
        """The number of a file that an index names, with or without its folder. Among files of this name it is the one
        whose path has the most in common with what the index says, and with the path of the index."""
        key = f"{index.path}\0{filename}"
        if key not in self._ids:
            name = _name(filename)
            wanted, own = filename.split("/"), index.path.split("/")
            path = max(
                self._by_name.get(name, [name]),
                key=lambda path: (_common(reversed(path.split("/")), reversed(wanted)), _common(path.split("/"), own)),
            )
            self._database.execute("INSERT OR IGNORE INTO files (path) VALUES (?)", (path,))
            self._ids[key] = self._database.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()[0]
        return self._ids[key]

    def _scanned(self, volume: Volume, start: int) -> Iterator[Scanned]:
        with self._noting_failure(volume), self._place.open(volume.path) as file:
            yield from scan(file, start)

    def _listed(self, volume: Volume, start: int) -> Iterator[Scanned]:
        reader, position = CdxReader(), start
        with self._noting_failure(volume), self._place.open_index(volume.path) as file:
            reader.entry(file.readline(_LONGEST_LINE).decode("utf-8", "replace"))  # the header
            file.seek(start)
            while line := file.readline(_LONGEST_LINE):
                yield Scanned(position, reader.entry(line.decode("utf-8", "replace")))
                position += len(line)

    @contextmanager
    def _noting_failure(self, volume: Volume) -> Iterator[None]:
        """Note that a file cannot be read to its end, so that the next run tries again."""
        try:
            yield
        except UNREADABLE:
            self._unreadable.add(volume.path)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def _progress(self, path: str) -> IndexProgress:
        known, damaged = self._database.execute("SELECT count(*), total(damaged) FROM files").fetchone()
        return IndexProgress(
            path,
            files=len(self._volumes),
            files_done=self._files_done,
            captures=self._captures,
            damaged=int(damaged) + len(self._unreadable),
            missing=known - len(self._volumes),
        )


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _common(first: Iterable[str], second: Iterable[str]) -> int:
    """How many parts are equal at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
