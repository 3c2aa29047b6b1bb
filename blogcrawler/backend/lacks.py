"""Posts whose records lack something, as the database tells without reading the whole of any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from blogcrawler.backend.rows import POST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.backend.database import Database

__all__ = ["FIELDS", "Lacking", "lacking"]

FIELDS = ("title", "authors", "published", "content")
"""Fields that posts mostly have."""
_BATCH = 1000
"""Rows that are read at once."""

_EMPTY = {
    "title": POST.c.title.is_(None),
    "authors": func.json_array_length(POST.c.authors) == 0,
    "published": POST.c.published.is_(None),
    "content": POST.c.content_html.is_(None) & POST.c.content_text.is_(None),
}
_COMMENTS = func.json_array_length(POST.c.comments)


@dataclass(frozen=True)
class Lacking:
    """What a record lacks."""

    url: str
    #: those of `FIELDS` that are empty
    empty: tuple[str, ...]
    #: comments that it has, and those that page or feed tell of
    comments: int
    told: int | None

    @property
    def missing_comments(self) -> int:
        """Comments that were counted, and are not there."""
        return max(0, (self.told or 0) - self.comments)


def lacking(database: Database, blog_id: int) -> Iterator[Lacking]:
    """The posts of a blog that lack a field or comments, as they came in. O(n), in bounded memory."""
    empty = [_EMPTY[name].label(name) for name in FIELDS]
    columns = (POST.c.id, POST.c.url, POST.c.comment_count, _COMMENTS.label("got"), *empty)
    wanted = or_(*_EMPTY.values(), POST.c.comment_count > _COMMENTS)
    query = select(*columns).where(POST.c.blog_id == blog_id, wanted).order_by(POST.c.id).limit(_BATCH)
    last = 0
    while True:
        with database.reading() as connection:
            rows = connection.execute(query.where(POST.c.id > last)).mappings().all()
        for row in rows:
            fields = tuple(name for name in FIELDS if row[name])
            yield Lacking(row["url"], fields, row["got"], row["comment_count"])
        if len(rows) < _BATCH:
            return
        last = rows[-1]["id"]
