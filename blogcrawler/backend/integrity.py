"""Is the database of an archive still what it was when it was written?

Of each post it keeps the digest of what the post says, `content_sha256`, and so it does of what posts said before.
"""

from __future__ import annotations

import json
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from blogcrawler.backend.fixity import Fault
from blogcrawler.backend.history import VERSION
from blogcrawler.backend.rows import POST, digest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.backend.database import Database

_BATCH = 100
"""Rows that are read at once."""


def damages(database: Database) -> list[str]:
    """What SQLite finds to be wrong with its file. A server of databases looks after its own: none.

    Raises BackendUnavailable where nothing can be read at all.
    """
    if not database.is_sqlite:
        return []
    with database.reading() as connection:
        return [told for told in connection.scalars(text("PRAGMA integrity_check")) if told != "ok"]


def altered_posts(database: Database) -> Iterator[Fault]:
    """The posts that say something else than their digests, now or before. O(n), in bounded memory.

    Ends at rows that are no JSON, which those are told of who read records.
    """
    with suppress(ValueError):
        for row in database.in_batches(POST.select(), POST.c.id, _BATCH):
            if digest_of(row) != row["content_sha256"]:
                yield Fault(row["url"], "says something else than its content_sha256 tells")
    for row in database.in_batches(VERSION.select(), VERSION.c.id, _BATCH):
        if not _is_as_it_was(row):
            told = f"{row['replaced']:%Y-%m-%d %H:%M:%S}"
            yield Fault(f"post_version {row['id']}", f"what post {row['post_id']} said until {told} is something else")


def _is_as_it_was(row: Mapping[Any, Any]) -> bool:
    """Is an earlier version of a post what its digest says?"""
    try:
        told = json.loads(zlib.decompress(row["body"]))
    except (zlib.error, ValueError):
        return False
    return isinstance(told, dict) and digest_of(told) == row["content_sha256"]
