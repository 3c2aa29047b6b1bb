"""The archive as people look at it: lists of posts, and what is found in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, func, select

from blogcrawler.backend.rows import POST
from blogcrawler.backend.search import matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.backend.database import Database

__all__ = ["FoundPost", "ListedPost", "Shelf"]

_BEGINNING = 100
"""Characters of an article that stand for a title."""


@dataclass(frozen=True)
class ListedPost:
    """A post as lists show it."""

    id: int
    blog_id: int
    url: str
    #: the beginning of its article, where it has none
    title: str | None
    published: str | None
    comments: int


@dataclass(frozen=True)
class FoundPost:
    """A post that has what was sought."""

    post: ListedPost
    #: see `search.matching`
    excerpt: str


_MONTH = func.coalesce(func.substr(POST.c.published, 1, 7), "")
_LISTED = (
    POST.c.id,
    POST.c.blog_id,
    POST.c.url,
    func.coalesce(POST.c.title, func.substr(POST.c.content_text, 1, _BEGINNING)).label("title"),
    POST.c.published,
    func.json_array_length(POST.c.comments).label("comments"),
)


class Shelf:
    """Reads lists. Calls take milliseconds with ten thousand posts, and raise BackendUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def months(self, blog_id: int) -> list[tuple[str, int]]:
        """The months (`2014-05`; empty for none) of a blog's posts, the newest first, each with how many there are."""
        query = select(_MONTH.label("month"), func.count()).where(POST.c.blog_id == blog_id).group_by(_MONTH)
        with self._database.reading() as connection:
            return [(month, count) for month, count in connection.execute(query.order_by(_MONTH.desc()))]

    def listed(self, blog_id: int, month: str | None = None, *, most: int, offset: int = 0) -> list[ListedPost]:
        """Posts of a blog, or of one of its months, the newest first; those without a date at the end."""
        query = select(*_LISTED).where(POST.c.blog_id == blog_id, *_of_month(month))
        order = (POST.c.published.is_(None), POST.c.published.desc(), POST.c.id.desc())
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(*order).limit(most).offset(offset)).mappings()
            return [ListedPost(**row) for row in rows]

    def search(
        self, sought: str, blog_id: int | None = None, *, most: int, offset: int = 0
    ) -> tuple[int, list[FoundPost]]:
        """How many posts have all words of a text in title, article or comments, and a page of them, the best first."""
        with self._database.reading() as connection:
            count, found = matching(connection, sought, blog_id, most=most, offset=offset)
            posts = {post.id: post for post in self._posts([post_id for post_id, _ in found])}
        return count, [FoundPost(posts[post_id], excerpt) for post_id, excerpt in found]

    def _posts(self, ids: Sequence[int]) -> list[ListedPost]:
        query = select(*_LISTED).where(POST.c.id.in_(ids))
        with self._database.reading() as connection:
            return [ListedPost(**row) for row in connection.execute(query).mappings()]

    def place(self, post_id: int) -> tuple[int, str] | None:
        """The id of a post's blog, and the post's address; None where there is no such post."""
        query = select(POST.c.blog_id, POST.c.url).where(POST.c.id == post_id)
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else (row.blog_id, row.url)


def _of_month(month: str | None) -> list[ColumnElement[bool]]:
    if month is None:
        return []
    return [POST.c.published.is_(None)] if not month else [POST.c.published.startswith(month, autoescape=True)]
