"""Keep the answers of web archives in an SQLite file, so that an interrupted crawl asks nothing twice."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.errors import BackendUnavailable
from blogcrawler.sources.http_message import parse_head

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

FILE = "web-archive.db"
_BUSY_TIMEOUT_S = 10.0
_TABLE = """
    CREATE TABLE IF NOT EXISTS answer (
        request TEXT PRIMARY KEY,  -- the address that was asked for
        address TEXT NOT NULL,  -- after redirects
        message BLOB NOT NULL  -- status line, header and body, compressed by zlib
    )"""


@dataclass(frozen=True)
class Answer:
    """The answer to one request."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes

    def header(self, name: str) -> str:
        """The last value of a header, whose name is in lower case; empty without one."""
        values = [value for key, value in self.headers if key.lower() == name.encode()]
        return values[-1].decode("latin-1").strip() if values else ""

    @property
    def is_capture(self) -> bool:
        """True if the web archive shows what was captured, and not a message of its own (RFC 7089, 2.1.1)."""
        return bool(self.header("memento-datetime"))


class KeptAnswers:
    """The answers in one file. Methods raise BackendUnavailable if the file is unusable."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE
        with self._reporting():
            folder.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._file, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
            self._connection.execute(_TABLE)

    def get(self, request: str) -> tuple[str, Answer] | None:
        """The address of the answer to a request, and the answer."""
        with self._reporting():
            sql = "SELECT address, message FROM answer WHERE request = ?"
            row = self._connection.execute(sql, (request,)).fetchone()
            if row is None:
                return None
            message = zlib.decompress(row[1])
        head = parse_head(message)
        return row[0], Answer(head.status, head.headers, message[head.size :])

    def add(self, request: str, address: str, answer: Answer) -> None:
        """Keep the answer to a request."""
        fields = (b"%s: %s" % field for field in answer.headers)
        message = b"\r\n".join([b"HTTP/1.1 %03d" % answer.status, *fields, b"", answer.body])
        with self._reporting():
            sql = "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)"
            self._connection.execute(sql, (request, address, zlib.compress(message, 1)))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, OSError) as error:
            raise BackendUnavailable(
                f"{self._file} cannot be used: {error}. Make it writable, or delete it: then all is asked anew."
            ) from error
