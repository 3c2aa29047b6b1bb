"""Store the bodies, headers and addresses of responses, which conditional requests need, in one SQLite file.

The file is `http-cache.db` in the folder of the setting ARCHIVE, and may be deleted at any time. An error of the file
never ends a crawl: one sentence in the log reports it, and all pages are fetched in full.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import time
import zlib
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.http import Headers
from scrapy.responsetypes import responsetypes

from blogcrawler.backend.engines import switch_to_wal
from blogcrawler.capture import removed_of
from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from scrapy import Request, Spider
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

FILE = "http-cache.db"
KEPT_AT = "kept_at"
"""Key of a request's meta: when its answer was stored, in seconds since the epoch."""
CONFIRMED_AT = "confirmed_at"
"""Key of a request's meta: when the server last confirmed the stored answer, in seconds since the epoch."""
_VERSION = 2  # of the table
#: entries that no crawl has used for this long are deleted when a crawl ends
_KEPT_S = 400 * 24 * 3600.0
#: seconds that a crawl, with all its pages, waits for another crawl that writes
_BUSY_TIMEOUT_S = 5.0
#: the fastest compression level, since entries are short-lived
_LEVEL = 1
_TABLE = """
    CREATE TABLE response (
        fingerprint BLOB PRIMARY KEY,
        url TEXT NOT NULL,
        status INTEGER NOT NULL,
        headers TEXT NOT NULL,  -- JSON: [name, value] pairs, each byte a character
        variant BLOB NOT NULL,  -- see _variant
        fetched REAL NOT NULL,  -- when the body was; seconds since the epoch
        used REAL NOT NULL,  -- when the server last said that it holds
        body BLOB NOT NULL  -- decoded, then compressed by zlib
    )"""


class SqliteCacheStorage:
    """A storage for Scrapy's HTTP cache (setting HTTPCACHE_STORAGE) that several crawls may use at once.

    Each entry is written in a transaction of its own: after a crash the last entries may be missing, but no entry is
    damaged.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._file = Path(settings["ARCHIVE"]) / FILE
        self._connection: sqlite3.Connection | None = None
        self._fingerprint: Callable[[Request], bytes]

    def open_spider(self, spider: Spider) -> None:
        self._fingerprint = spider.crawler.request_fingerprinter.fingerprint
        with self._continuing_without():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self._file, timeout=_BUSY_TIMEOUT_S, isolation_level=None)
            _prepare(self._connection)

    def close_spider(self, spider: Spider) -> None:  # noqa: ARG002
        with self._continuing_without():
            if self._connection is not None:
                self._connection.execute("DELETE FROM response WHERE used < ?", (time.time() - _KEPT_S,))
        self._close()

    def retrieve_response(self, spider: Spider, request: Request) -> Response | None:  # noqa: ARG002
        """The stored answer to an equivalent request; the request's meta then holds when it was fetched."""
        with self._continuing_without():
            if self._connection is None:
                return None
            row = self._connection.execute(
                "SELECT url, status, headers, variant, fetched, used, body FROM response WHERE fingerprint = ?",
                (self._fingerprint(request),),
            ).fetchone()
            return None if row is None else _response(request, *row)
        return None

    def store_response(self, spider: Spider, request: Request, response: Response) -> None:
        """Store an answer. Of an answer with the flag `cached`, which is stored already, only the headers are updated.

        The request's meta then holds when the answer was stored; a later crawl that gets no new answer reads the same
        time.
        """
        with self._continuing_without():
            if self._connection is None:
                return
            removed, kind = removed_of(spider.crawler), (response.headers.get("Content-Type") or b"").decode("latin-1")
            if removed is not None and removed.quotes(response.body, kind):
                return
            key, headers = self._fingerprint(request), _written(response.headers)
            if "cached" in response.flags:
                self._connection.execute(
                    "UPDATE response SET headers = ?, used = ? WHERE fingerprint = ?", (headers, time.time(), key)
                )
                return
            variant, body, now = _variant(request, response.headers), zlib.compress(response.body, _LEVEL), time.time()
            self._connection.execute(
                "INSERT OR REPLACE INTO response VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (key, response.url, response.status, headers, variant, now, now, body),
            )
            request.meta[KEPT_AT] = now

    @contextmanager
    def _continuing_without(self) -> Iterator[None]:
        """Continue after an error of the file, without using it again."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            reason = str(error.strerror or error) if isinstance(error, OSError) else str(error)
            logger.warning(
                "%s cannot be used (%s): unchanged pages are fetched again. Make the file writable or delete it; "
                "deleting it loses nothing of the archive.",
                self._file,
                reason,
            )
            self._close()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def forget(folder: Path, is_of: Callable[[str, bytes, str | None], bool], *, is_trial: bool = False) -> list[str]:
    """Delete the answers for which `is_of` (address, body, type) is true, and overwrite their space in the file.

    Returns their addresses; with `is_trial` nothing is deleted. O(n) in the stored answers. Raises BackendUnavailable.
    """
    file = folder / FILE
    if not file.exists():
        return []
    try:
        with closing(sqlite3.connect(file, timeout=_BUSY_TIMEOUT_S, isolation_level=None)) as connection:
            _prepare(connection)
            rows = connection.execute("SELECT fingerprint, url, headers, body FROM response")
            selected = [(key, url) for key, url, headers, body in rows if is_of(url, *_text(headers, body))]
            if not is_trial:
                connection.executemany("DELETE FROM response WHERE fingerprint = ?", ((key,) for key, _ in selected))
                connection.execute("VACUUM")
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise BackendUnavailable(f"{file} cannot be used ({error}); delete it, which loses nothing.") from error
    return [url for _, url in selected]


def _text(headers: str, packed: bytes) -> tuple[bytes, str | None]:
    """The body and type of a stored answer; empty if it is damaged."""
    try:
        kind = _read(headers).get("Content-Type")
        return zlib.decompress(packed), kind.decode("latin-1") if kind else None
    except (zlib.error, ValueError, TypeError):
        return b"", None


def _prepare(connection: sqlite3.Connection) -> None:
    switch_to_wal(connection, _BUSY_TIMEOUT_S)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("BEGIN IMMEDIATE")
    if connection.execute("PRAGMA user_version").fetchone() != (_VERSION,):
        connection.execute("DROP TABLE IF EXISTS response")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("COMMIT")


def _response(
    request: Request, url: str, status: int, written: str, variant: bytes, fetched: float, used: float, packed: bytes
) -> Response | None:
    """The answer that a row holds; None if it is damaged or belongs to other headers of the request."""
    try:
        headers, body = _read(written), zlib.decompress(packed)
        if variant != _variant(request, headers):
            return None
        kind = responsetypes.from_args(headers=headers, url=url, body=body)
        response = kind(url, status=status, headers=headers, body=body)
    except (zlib.error, ValueError, TypeError):
        return None
    request.meta["cache_timestamp"], request.meta[CONFIRMED_AT] = fetched, used
    return response


def _variant(request: Request, headers: Headers) -> bytes:
    """Hash of the request headers that select the response (Vary; RFC 9111, section 4.1); a hash, since they may hold a
    password. Accept-Encoding is ignored, since bodies are stored decoded."""
    named = b",".join(headers.getlist("Vary")).decode("latin-1").lower().split(",")
    names = sorted({name.strip() for name in named} - {"", "accept-encoding"})
    chosen = {name: [value.decode("latin-1") for value in request.headers.getlist(name)] for name in names}
    return hashlib.sha256(json.dumps(chosen).encode()).digest() if chosen else b""


def _written(headers: Headers) -> str:
    pairs = [(name, value) for name, values in headers.items() for value in values]
    return json.dumps([[name.decode("latin-1"), value.decode("latin-1")] for name, value in pairs])


def _read(written: str) -> Headers:
    headers = Headers()
    for name, value in json.loads(written):
        headers.appendlist(name.encode("latin-1"), value.encode("latin-1"))
    return headers
