"""Converts records to rows of the post table, and back."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import TYPE_CHECKING, Any

from blogcrawler.backend.columns import storable, storable_json
from blogcrawler.backend.tables import POST
from blogcrawler.items import Page, Record
from blogcrawler.urls import identity, is_http, routed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.items import CaptureReference


_FIELDS = [name for name in Record.__dataclass_fields__ if name in POST.columns]
#: the columns of a record, and the row's id
POST_COLUMNS = [POST.c.id, *(POST.c[name] for name in _FIELDS)]
#: fields that are not content of the post itself
NOT_SAID = ("url", "media", "provenance")
#: the largest integer of PostgreSQL; larger announced counts are ignored
_MOST_COMMENTS = 2**31 - 1


def row_of(record: Record) -> dict[str, Any]:
    """The columns of a record, without blog and times."""
    data = record.to_dict()
    values = {name: storable_json(data[name]) for name in _FIELDS}
    if (values["comment_count"] or 0) > _MOST_COMMENTS:
        values["comment_count"] = None
    values["content_sha256"] = digest_of(values)
    return values


def digest_of(row: Mapping[Any, Any]) -> str:
    """Digest of the content in a row."""
    content = {name: row[name] for name in _FIELDS if name in row and name not in NOT_SAID}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def record_of(row: Mapping[Any, Any], home: str) -> Record:
    """Convert a row of `row_of` back to a record."""
    return Record.from_dict({**{name: row[name] for name in _FIELDS}, "blog": home})


def key_of(url: str) -> str:
    """The key of a URL: equal for all its spellings, with its route. Other texts are their own key."""
    return str(storable(identity(routed(url)) if is_http(url) else url))


def page_columns(page: Page) -> dict[str, Any]:
    """The columns of a stored page, without its URL."""
    return {
        "body": zlib.compress(page.body, zlib.Z_BEST_SPEED),
        "content_type": page.content_type,
        "status": page.status,
        "fetched": page.fetched,
        "is_rendered": page.is_rendered,
    }


def page_of(
    row: Mapping[Any, Any],
    *,
    warc: str | None = None,
    is_cut: bool = False,
    capture: CaptureReference | None = None,
) -> Page:
    """Convert `page_columns` back: the page, its WARC position or capture, and whether the body was truncated."""
    body = zlib.decompress(row["body"])
    values = (row["url"], body, row["content_type"], row["status"], row["fetched"])
    return Page(*values, is_rendered=row["is_rendered"], is_cut=is_cut, warc=warc, capture=capture)
