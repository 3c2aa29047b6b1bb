"""What posts said before: an earlier version is kept as soon as something that it said is said no longer.

A post that has got comments, and nothing else, still says all that it said, so that no version of it is kept.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select

from blogcrawler.backend.rows import NOT_SAID, record_of
from blogcrawler.backend.tables import POST_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Connection

    from blogcrawler.items import Record


@dataclass(frozen=True)
class Version:
    """A post as it was."""

    record: Record
    #: of all that it said, without its provenance
    content_sha256: str
    #: when it was first seen to say so, and when it was seen to say something else
    seen: datetime
    replaced: datetime


def is_change(row: Mapping[Any, Any], said: Mapping[str, Any]) -> bool:
    """True if a post says more than another guid or a later time of change, which generators give at will."""
    return any(row[name] != said[name] for name in _names(row, said) if name not in ("updated", "guid"))


def keep_version(connection: Connection, row: Mapping[Any, Any], said: Mapping[str, Any], *, now: datetime) -> bool:
    """Keep a post's row as it is before `said` takes its place, where that says less; True if it was kept."""
    if not _is_lost(row, said):
        return False
    fields = {name: row[name] for name in said if name in row and name != "content_sha256"}
    values = {
        "post_id": row["id"],
        "content_sha256": row["content_sha256"],
        "seen": row["last_changed"],
        "replaced": now,
        "body": packed(fields),
    }
    connection.execute(insert(POST_VERSION), values)
    return True


def packed(fields: Mapping[str, Any]) -> bytes:
    """The body of a version."""
    return zlib.compress(json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def versions_of(connection: Connection, post_id: int, home: str) -> list[Version]:
    """The earlier versions of a post, the oldest first."""
    query = select(POST_VERSION).where(POST_VERSION.c.post_id == post_id).order_by(POST_VERSION.c.id)
    return [
        Version(
            record_of(json.loads(zlib.decompress(row["body"])), home),
            row["content_sha256"],
            row["seen"],
            row["replaced"],
        )
        for row in connection.execute(query).mappings()
    ]


def _is_lost(row: Mapping[Any, Any], said: Mapping[str, Any]) -> bool:
    """True if anything of a row is said no longer."""
    names = (name for name in _names(row, said) if name not in ("comments", "comment_count"))
    if any(row[name] not in (None, [], said[name]) for name in names):
        return True
    left = {_key(comment) for comment in said["comments"]}
    return any(_key(comment) not in left for comment in row["comments"])


def _names(row: Mapping[Any, Any], said: Mapping[str, Any]) -> list[str]:
    """The fields that a post says itself."""
    return [name for name in said if name in row and name not in (*NOT_SAID, "content_sha256", "key")]


def _key(comment: Mapping[str, Any]) -> str:
    return json.dumps(comment, sort_keys=True)
