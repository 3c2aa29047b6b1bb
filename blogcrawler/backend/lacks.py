"""Posts whose records lack something, as the database tells without reading the whole of any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import Text, cast, func, or_, select

from blogcrawler.backend.tables import POST
from blogcrawler.items import LOCKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement

    from blogcrawler.backend.database import Database

FIELDS = ("title", "authors", "published", "content")
"""Fields that posts mostly have."""
_BATCH, _FEW = 1000, 200
"""Rows that are read at once, and those with all of a post's files."""

_EMPTY = {
    "title": POST.c.title.is_(None),
    "authors": func.json_array_length(POST.c.authors) == 0,
    "published": POST.c.published.is_(None),
    "content": POST.c.content_html.is_(None)
    & POST.c.content_text.is_(None)
    & (func.coalesce(POST.c.provenance["fields", "content", "rule"].as_string(), "") != LOCKED),
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


@dataclass(frozen=True)
class LackingFile:
    """A file that a record lacks."""

    url: str
    #: of the post that shows it
    post: str
    error: str


def lacking(database: Database, blog_id: int) -> Iterator[Lacking]:
    """The posts of a blog that lack a field or comments, as they came in. O(n), in bounded memory.

    Without those that are gone from the web: nothing brings more of them.
    """
    empty = [_EMPTY[name].label(name) for name in FIELDS]
    columns = (POST.c.id, POST.c.url, POST.c.comment_count, _COMMENTS.label("got"), *empty)
    wanted = or_(*_EMPTY.values(), POST.c.comment_count > _COMMENTS)
    for row in database.in_batches(select(*columns).where(_there(blog_id), wanted), POST.c.id, _BATCH):
        fields = tuple(name for name in FIELDS if row[name])
        yield Lacking(row["url"], fields, row["got"], row["comment_count"])


def lacking_files(database: Database, blog_id: int) -> Iterator[LackingFile]:
    """The files that the posts of a blog show and lack, each for each post, as `lacking` does."""
    some_lack = cast(POST.c.media, Text).contains('"error": "')  # as JSON is written; most posts lack none
    query = select(POST.c.id, POST.c.url, POST.c.media).where(_there(blog_id), some_lack)
    for row in database.in_batches(query, POST.c.id, _FEW):
        for media in row["media"]:
            if media.get("error"):
                yield LackingFile(media["url"], row["url"], media["error"])


def _there(blog_id: int) -> ColumnElement[bool]:
    return (POST.c.blog_id == blog_id) & POST.c.gone.is_(None)
