"""Finds stored files and posts that have changed since they were written.

Files are named by the digest of their content. For each post and each earlier version, the database stores the digest
of its content, `content_sha256`.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sqlalchemy import text

from blogcrawler.backend.files import FOLDER
from blogcrawler.backend.rows import digest_of
from blogcrawler.backend.tables import POST, POST_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from io import BufferedReader

    from blogcrawler.backend.database import Database
    from blogcrawler.backend.files import Files
    from blogcrawler.items import Record

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")
_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{62}")
_ROWS = 100
"""Number of rows that are read at once."""
_AHEAD = 64
"""Number of files queued for threads: enough to keep all threads busy, few enough to need little memory."""


@dataclass(frozen=True)
class Fault:
    """A file or post that has changed since it was written."""

    #: path relative to the archive's folder, or URL of a post
    where: str
    description: str


def size_of_files(files: Files) -> int:
    """Total size of all files in bytes. Raises BackendUnavailable."""
    return sum(size for _, size in files.listed())


def damaged_files(files: Files, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[Fault]:
    """Files whose content does not match their name, sorted by name. Each byte is read once.

    `on_bytes` is called with the size of each file that was read. Raises BackendUnavailable.
    """
    paths = (path for path, _ in files.listed())
    for path, digest, size in each_in_threads(partial(_digest, files), paths, threads=files.readers, ahead=_AHEAD):
        on_bytes(size)
        fault = _fault_of(path, digest)
        if fault is not None:
            yield fault


def each_in_threads(
    work: Callable[[_Item], _Result], items: Iterable[_Item], *, threads: int | None, ahead: int
) -> Iterator[_Result]:
    """Apply a function to items in threads, in the order of the items; at most `ahead` items are queued."""
    remaining = iter(items)
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque(pool.submit(work, item) for item in islice(remaining, ahead))
        while waiting:
            result = waiting.popleft().result()
            waiting.extend(pool.submit(work, item) for item in islice(remaining, 1))
            yield result


def missing_files(files: Files, records: Iterable[Record]) -> Iterator[Fault]:
    """Files in records that do not exist or have another size. O(1) for each file."""
    for record in records:
        for media in record.media:
            if media.path is not None and (description := _difference(files, media.path, media.bytes)) is not None:
                yield Fault(record.url, f"{media.path}, of {media.url}, {description}")


def _digest(files: Files, path: str) -> tuple[str, str | OSError, int]:
    """Path of a file, its SHA-256 digest or the reason why it cannot be read, and its size."""
    try:
        with files.open(path) as file:
            return path, hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest(), file.tell()
    except OSError as error:
        return path, error, 0


def _fault_of(path: str, digest: str | OSError) -> Fault | None:
    name = path.removeprefix(f"{FOLDER}/")
    if isinstance(digest, OSError):
        return Fault(path, f"cannot be read ({digest.strerror})")
    if not _NAME.fullmatch(name):
        return Fault(path, "has a name that does not come from the archive")
    return None if name.replace("/", "") == digest else Fault(path, f"content has changed; SHA-256 is now {digest}")


def _difference(files: Files, path: str, size: int | None) -> str | None:
    try:
        actual_size = files.size(path)
    except OSError:
        return "is missing"
    return None if size is None or actual_size == size else f"has {actual_size} bytes instead of {size}"


def damages(database: Database) -> list[str]:
    """Damage that SQLite finds in its file; none for a server, which checks its own data.

    Raises BackendUnavailable if nothing can be read at all.
    """
    if not database.is_sqlite:
        return []
    with database.reading() as connection:
        return [message for message in connection.scalars(text("PRAGMA integrity_check")) if message != "ok"]


def altered_posts(database: Database) -> Iterator[Fault]:
    """Posts whose current or earlier content does not match its digest. O(n), in bounded memory.

    Ends at rows with invalid JSON, which are reported where records are read.
    """
    with suppress(ValueError):
        for row in database.in_batches(POST.select(), POST.c.id, _ROWS):
            if digest_of(row) != row["content_sha256"]:
                yield Fault(row["url"], "does not match its content_sha256")
    for row in database.in_batches(POST_VERSION.select(), POST_VERSION.c.id, _ROWS):
        if not _is_as_it_was(row):
            until = f"{row['replaced']:%Y-%m-%d %H:%M:%S}"
            yield Fault(f"post_version {row['id']}", f"the version of post {row['post_id']} until {until} has changed")


def _is_as_it_was(row: Mapping[Any, Any]) -> bool:
    """True if an earlier version of a post matches its digest."""
    try:
        values = json.loads(zlib.decompress(row["body"]))
    except (zlib.error, ValueError):
        return False
    return isinstance(values, dict) and digest_of(values) == row["content_sha256"]
