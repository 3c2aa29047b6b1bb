"""The last body of each URL in the WARC files, so that unchanged pages are not stored again.

This is the file `index.db` next to the WARC files. It only describes these files: it can be moved together with them,
independently of the database. It may be deleted; then pages are stored once more when they are fetched next.
"""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple
from typing import TYPE_CHECKING

from blogcrawler.backend.warc.records import Capture, target

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

FILE = "index.db"
_BUSY_TIMEOUT_S = 5.0
_TABLE = """
    CREATE TABLE IF NOT EXISTS capture (
        url TEXT PRIMARY KEY,
        record_id TEXT NOT NULL,
        date TEXT NOT NULL,
        digest TEXT NOT NULL,
        place TEXT NOT NULL,  -- name of the file, "#", where the record begins in it
        etag TEXT NOT NULL,
        modified TEXT NOT NULL
    ) WITHOUT ROWID"""


class CaptureIndex:
    """An index of captures.

    Additions are visible at once, and saved by `flush`, after the records themselves are safe.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        self._new: dict[str, Capture] = {}
        self._connection: sqlite3.Connection | None = None
        with self._continuing_without():
            self._connection = sqlite3.connect(self._file, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
            self._connection.execute(_TABLE)

    def find(self, url: str) -> Capture | None:
        """The last response of a URL."""
        if url in self._new:
            return self._new[url]
        with self._continuing_without():
            if self._connection is None:
                return None
            row = self._connection.execute("SELECT * FROM capture WHERE url = ?", (url,)).fetchone()
            return None if row is None else Capture(*row)
        return None

    def add(self, capture: Capture) -> None:
        """Add the last response of a URL."""
        self._new[capture.url] = capture

    def flush(self, *, least: int = 1) -> None:
        """Save the additions if there are at least `least`."""
        if len(self._new) < least:
            return
        new, self._new = self._new, {}
        with self._continuing_without():
            if self._connection is not None:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(
                    "INSERT OR REPLACE INTO capture VALUES (?, ?, ?, ?, ?, ?, ?)", map(astuple, new.values())
                )
                self._connection.execute("COMMIT")

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @contextmanager
    def _continuing_without(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            logger.warning(
                "%s cannot be used (%s): unchanged pages are saved again. Make the file writable or delete it; "
                "deleting it loses nothing of the archive.",
                self._file,
                error,
            )
            self.close()


def forget(folder: Path, places: Iterable[str]) -> None:
    """Delete references to bodies that no longer exist. Raises sqlite3.Error."""
    if not (folder / FILE).exists():
        return
    with closing(sqlite3.connect(folder / FILE, timeout=_BUSY_TIMEOUT_S)) as connection, connection:
        connection.execute(_TABLE)
        connection.executemany("DELETE FROM capture WHERE place = ?", ((place,) for place in places))


class Places:
    """Read-only access to the positions of the last bodies; without an index file, nothing is known."""

    def __init__(self, folder: Path) -> None:
        self._connection: sqlite3.Connection | None = None
        with suppress(sqlite3.Error):
            address = f"{(folder / FILE).absolute().as_uri()}?mode=ro"
            self._connection = sqlite3.connect(address, timeout=_BUSY_TIMEOUT_S, uri=True)

    def find(self, url: str) -> str | None:
        """The name of a file, "#", and the record's offset in it."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                query = "SELECT place FROM capture WHERE url = ?"
                row = self._connection.execute(query, (target(url),)).fetchone()
                return None if row is None else str(row[0])
        return None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
