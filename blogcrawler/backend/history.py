"""Earlier versions of posts: a version is saved when a part of its content has been changed or removed.

If a post only got new comments, it still has all its old content, so no version is saved.
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
    """An earlier version of a post."""

    record: Record
    #: digest of its content, without provenance
    content_sha256: str
    #: when this content was first seen, and when other content was seen
    seen: datetime
    replaced: datetime


def is_change(row: Mapping[Any, Any], values: Mapping[str, Any]) -> bool:
    """True if a post changed in more than its guid or its time of update, which generators change arbitrarily."""
    return any(row[name] != values[name] for name in _names(row, values) if name not in ("updated", "guid"))


def keep_version(connection: Connection, row: Mapping[Any, Any], values: Mapping[str, Any], *, now: datetime) -> bool:
    """Save a post's row as a version before new values replace it, if they lack some content; return True if it was
    saved."""
    if not _is_lost(row, values):
        return False
    fields = {name: row[name] for name in values if name in row and name != "content_sha256"}
    version = {
        "post_id": row["id"],
        "content_sha256": row["content_sha256"],
        "seen": row["last_changed"],
        "replaced": now,
        "body": packed(fields),
    }
    connection.execute(insert(POST_VERSION), version)
    return True


def packed(fields: Mapping[str, Any]) -> bytes:
    """The compressed body of a version."""
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


def _is_lost(row: Mapping[Any, Any], values: Mapping[str, Any]) -> bool:
    """True if some content of a row is missing in the new values."""
    names = (name for name in _names(row, values) if name not in ("comments", "comment_count"))
    if any(row[name] not in (None, [], values[name]) for name in names):
        return True
    remaining = {_key(comment) for comment in values["comments"]}
    return any(_key(comment) not in remaining for comment in row["comments"])


def _names(row: Mapping[Any, Any], values: Mapping[str, Any]) -> list[str]:
    """The fields with a post's own content."""
    return [name for name in values if name in row and name not in (*NOT_SAID, "content_sha256", "key")]


def _key(comment: Mapping[str, Any]) -> str:
    return json.dumps(comment, sort_keys=True)
