"""Finds posts with missing fields, comments or files, without reading whole records."""

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
"""Fields that posts usually have."""
_BATCH, _FEW = 1000, 200
"""Number of rows that are read at once; fewer if each row holds all files of a post."""

IS_LOCKED = func.coalesce(POST.c.provenance["fields", "content", "rule"].as_string(), "") == LOCKED
"""True for a post whose page asks for a password instead of showing the article."""
_EMPTY = {
    "title": POST.c.title.is_(None),
    "authors": func.json_array_length(POST.c.authors) == 0,
    "published": POST.c.published.is_(None),
    "content": POST.c.content_html.is_(None) & POST.c.content_text.is_(None) & ~IS_LOCKED,
}
_COMMENTS = func.json_array_length(POST.c.comments)


@dataclass(frozen=True)
class Lacking:
    """What is missing in a record."""

    url: str
    #: names of empty fields, of those in `FIELDS`
    empty: tuple[str, ...]
    #: number of stored comments, and number that page or feed announce
    comments: int
    announced: int | None

    @property
    def missing_comments(self) -> int:
        """Number of announced comments that are not stored."""
        return max(0, (self.announced or 0) - self.comments)


@dataclass(frozen=True)
class LackingFile:
    """A file that is missing in a record."""

    url: str
    #: URL of the post that contains it
    post: str
    error: str


def lacking(database: Database, blog_id: int) -> Iterator[Lacking]:
    """The posts of a blog with missing fields or comments, in the order in which they were added. Posts that are no
    longer online are left out, since their data cannot be fetched. O(n), bounded memory."""
    empty = [_EMPTY[name].label(name) for name in FIELDS]
    columns = (POST.c.id, POST.c.url, POST.c.comment_count, _COMMENTS.label("got"), *empty)
    wanted = or_(*_EMPTY.values(), POST.c.comment_count > _COMMENTS)
    for row in database.in_batches(select(*columns).where(_there(blog_id), wanted), POST.c.id, _BATCH):
        fields = tuple(name for name in FIELDS if row[name])
        yield Lacking(row["url"], fields, row["got"], row["comment_count"])


def lacking_files(database: Database, blog_id: int) -> Iterator[LackingFile]:
    """The missing files of a blog's posts, with the posts in the order of `lacking`."""
    # fast pre-check on the JSON text, since most posts miss none
    some_lack = cast(POST.c.media, Text).contains('"error": "')
    query = select(POST.c.id, POST.c.url, POST.c.media).where(_there(blog_id), some_lack)
    for row in database.in_batches(query, POST.c.id, _FEW):
        for media in row["media"]:
            if media.get("error"):
                yield LackingFile(media["url"], row["url"], media["error"])


def _there(blog_id: int) -> ColumnElement[bool]:
    return (POST.c.blog_id == blog_id) & POST.c.gone.is_(None)
