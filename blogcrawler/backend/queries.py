"""Queries of the archive for people: lists of posts, search, and numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, func, select

from blogcrawler.backend.database import is_among
from blogcrawler.backend.missing import IS_LOCKED
from blogcrawler.backend.rows import key_of
from blogcrawler.backend.search import BEGIN_MARK, END_MARK, matching
from blogcrawler.backend.tables import BLOG, MEDIA_FILE, POST, POST_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from blogcrawler.backend.database import Database

_BEGINNING = 100
"""Number of characters of an article that replace a missing title."""


@dataclass(frozen=True)
class ListedPost:
    id: int
    blog_id: int
    url: str
    #: beginning of the article if there is no title
    title: str | None
    published: str | None
    language: str | None
    comments: int


@dataclass(frozen=True)
class FoundPost:
    """A search result."""

    post: ListedPost
    #: see `search.matching`
    excerpt: str
    #: part of the post that contains the excerpt; None if unknown
    where: Literal["title", "article", "comment"] | None = None
    #: index of the comment in the post, from 0
    comment: int | None = None


@dataclass(frozen=True)
class Numbers:
    """Statistics of a blog in the archive."""

    posts: int = 0
    #: number of posts that are no longer online
    gone: int = 0
    comments: int = 0
    #: number of stored files, their total size in bytes, and number of missing files
    files: int = 0
    bytes: int = 0
    failed: int = 0


@dataclass(frozen=True)
class Contents:
    """What the archive has of a blog's posts that a crawl has seen."""

    posts: int
    comments: int
    #: number of stored files of the blog
    files: int
    #: number of posts whose pages ask for a password instead of showing the article
    locked: int


_MONTH = func.coalesce(func.substr(POST.c.published, 1, 7), "")
_LISTED = (
    POST.c.id,
    POST.c.blog_id,
    POST.c.url,
    func.coalesce(POST.c.title, func.substr(POST.c.content_text, 1, _BEGINNING)).label("title"),
    POST.c.published,
    POST.c.language,
    func.json_array_length(POST.c.comments).label("comments"),
)


class Queries:
    """Reads lists of posts. Calls take milliseconds with ten thousand posts, and raise BackendUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def months(self, blog_id: int) -> list[tuple[str, int]]:
        """The months of a blog's posts (`2014-05`; empty if unknown), the newest first, each with the number of
        posts."""
        columns = (_MONTH.label("month"), func.count().label("posts"))
        query = select(*columns).where(POST.c.blog_id == blog_id).group_by(_MONTH)
        return [(row["month"], row["posts"]) for row in self._database.rows(query.order_by(_MONTH.desc()))]

    def listed(self, blog_id: int, month: str | None = None, *, most: int, offset: int = 0) -> list[ListedPost]:
        """Posts of a blog, or of one of its months, the newest first; posts without a date come last."""
        order = (POST.c.published.is_(None), POST.c.published.desc(), POST.c.id.desc())
        own = select(POST.c.id).where(POST.c.blog_id == blog_id, *_of_month(month))
        # sorting ids only, since sorting all columns would read the contents of all posts
        return self._posts(self._database.values(own.order_by(*order).limit(most).offset(offset)))

    def search(
        self, sought: str, blog_id: int | None = None, *, most: int, offset: int = 0
    ) -> tuple[int, list[FoundPost]]:
        """Number of posts with all terms in title, article or comments, and one page of them, the best first."""
        with self._database.reading() as connection:
            count, found = matching(connection, sought, blog_id, most=most, offset=offset)
        ids = [post_id for post_id, _ in found]
        excerpts = dict(found)
        parts = self._parts_of(excerpts)
        return count, [
            FoundPost(post, excerpts[post.id], *parts.get(post.id, (None, None))) for post in self._posts(ids)
        ]

    def _posts(self, ids: Sequence[int]) -> list[ListedPost]:
        """Posts in the order of these ids."""
        query = select(*_LISTED).where(POST.c.id.in_(ids))
        posts = {row["id"]: ListedPost(**row) for row in self._database.rows(query)}
        return [posts[post_id] for post_id in ids if post_id in posts]

    def _parts_of(self, excerpts: Mapping[int, str]) -> dict[int, tuple[Any, int | None]]:
        """The parts of the posts in which the excerpts are."""
        query = select(POST.c.id, POST.c.title, POST.c.content_text, POST.c.comments).where(POST.c.id.in_(excerpts))
        return {
            row["id"]: _part_of(excerpts[row["id"]], row["title"] or "", row["content_text"] or "", row["comments"])
            for row in self._database.rows(query)
        }

    def blog(self, blog_id: int) -> str | None:
        """The home page of a blog; None if there is no such blog."""
        return self._database.value(select(BLOG.c.home).where(BLOG.c.id == blog_id))

    def numbers(self) -> dict[int, Numbers]:
        """Numbers of each blog by id. Reads all posts, in the database: O(n)."""
        comments = func.sum(func.json_array_length(POST.c.comments))
        posts = select(POST.c.blog_id, func.count(), func.count(POST.c.gone), comments).group_by(POST.c.blog_id)
        # a file may have several URLs
        files = select(MEDIA_FILE.c.blog_id, MEDIA_FILE.c.sha256, func.max(MEDIA_FILE.c.bytes).label("bytes")).group_by(
            MEDIA_FILE.c.blog_id, MEDIA_FILE.c.sha256
        )
        stored = files.where(MEDIA_FILE.c.sha256.is_not(None)).subquery()
        sizes = select(stored.c.blog_id, func.count(), func.sum(stored.c.bytes)).group_by(stored.c.blog_id)
        failed = (
            select(MEDIA_FILE.c.blog_id, func.count())
            .where(MEDIA_FILE.c.error.is_not(None))
            .group_by(MEDIA_FILE.c.blog_id)
        )
        with self._database.reading() as connection:
            of_posts = {row[0]: tuple(map(int, row[1:])) for row in connection.execute(posts)}
            of_files = {row[0]: (int(row[1]), int(row[2] or 0)) for row in connection.execute(sizes)}
            of_failed = {row[0]: int(row[1]) for row in connection.execute(failed)}
        numbers_by_blog = {}
        for blog in {*of_posts, *of_files, *of_failed}:
            (kept_posts, gone, comment_count), (count, size) = of_posts.get(blog, (0, 0, 0)), of_files.get(blog, (0, 0))
            numbers_by_blog[blog] = Numbers(kept_posts, gone, comment_count, count, size, of_failed.get(blog, 0))
        return numbers_by_blog

    def contents(self, blog_id: int, *, since: datetime) -> Contents:
        """The number of posts that a crawl has seen since a time, and what the archive has of them. O(n)."""
        comments = func.coalesce(func.sum(func.json_array_length(POST.c.comments)), 0)
        is_seen = (POST.c.blog_id == blog_id) & (POST.c.last_seen >= since)
        posts = select(func.count(), comments, func.count().filter(IS_LOCKED)).select_from(POST).where(is_seen)
        stored = select(func.count(MEDIA_FILE.c.sha256.distinct())).where(MEDIA_FILE.c.blog_id == blog_id)
        with self._database.reading() as connection:
            post_count, comment_count, locked = connection.execute(posts).one()
            return Contents(post_count, int(comment_count), connection.scalar(stored) or 0, locked)

    def neighbours(self, post_id: int) -> tuple[ListedPost | None, ListedPost | None]:
        """The previous and the next post of the same blog by date. None at the ends, and for a post without a date."""
        this = select(POST.c.blog_id, POST.c.published).where(POST.c.id == post_id)
        with self._database.reading() as connection:
            row = connection.execute(this).one_or_none()
            if row is None or row.published is None:
                return None, None
            mine, published, number = POST.c.blog_id == row.blog_id, POST.c.published, POST.c.id
            before = (published <= row.published, (published < row.published) | (number < post_id))
            after = (published >= row.published, (published > row.published) | (number > post_id))
            earlier, later = (
                connection.scalar(select(number).where(mine, *condition).order_by(*order).limit(1))
                for condition, order in (
                    (before, (published.desc(), number.desc())),
                    (after, (published, number)),
                )
            )
        posts = {
            post.id: post
            for post in self._posts([post_number for post_number in (earlier, later) if post_number is not None])
        }
        return posts.get(earlier or 0), posts.get(later or 0)

    def posts_at(self, blog_id: int, urls: Iterable[str]) -> dict[str, int]:
        """The ids of a blog's posts with these URLs, in any spelling."""
        keys = {url: key_of(url) for url in urls}
        query = select(POST.c.key, POST.c.id).where(POST.c.blog_id == blog_id)
        rows = self._database.rows_with(query.where(is_among(POST.c.key)), sorted(set(keys.values())))
        ids = {row["key"]: row["id"] for row in rows}
        return {url: ids[key] for url, key in keys.items() if key in ids}

    def version_count(self, post_id: int) -> int:
        """Number of earlier versions of a post."""
        query = select(func.count()).select_from(POST_VERSION).where(POST_VERSION.c.post_id == post_id)
        return self._database.value(query) or 0

    def lowest_confidences(self, ids: Sequence[int], names: Collection[str]) -> dict[int, float]:
        """The lowest confidence of some fields, by post id; 0 if title or article is missing."""
        is_bare = POST.c.title.is_(None) | POST.c.content_text.is_(None)
        query = select(POST.c.id, is_bare.label("is_bare"), POST.c.provenance).where(POST.c.id.in_(ids))
        rows = self._database.rows(query)
        return {row["id"]: 0.0 if row["is_bare"] else _least(row["provenance"], names) for row in rows}

    def spread(self, blog_id: int, most: int) -> list[int]:
        """The ids of a number of posts of a blog, evenly spread from its oldest to its newest post."""
        order = (POST.c.published.is_(None), POST.c.published, POST.c.id)
        ids = self._database.values(select(POST.c.id).where(POST.c.blog_id == blog_id).order_by(*order))
        if len(ids) <= most:
            return ids
        return [ids[place * (len(ids) - 1) // max(1, most - 1)] for place in range(most)]

    def place(self, post_id: int) -> tuple[int, str] | None:
        """The blog id and URL of a post; None if there is no such post."""
        row = self._database.row(select(POST.c.blog_id, POST.c.url).where(POST.c.id == post_id))
        return None if row is None else (row["blog_id"], row["url"])


def _of_month(month: str | None) -> list[ColumnElement[bool]]:
    if month is None:
        return []
    return [POST.c.published.is_(None)] if not month else [POST.c.published.startswith(month, autoescape=True)]


def _part_of(excerpt: str, title: str, article: str, comments: Sequence[dict[str, Any]]) -> tuple[Any, int | None]:
    """The part with the first marked word of an excerpt, which was taken from the concatenated texts of a post."""
    text = excerpt.removeprefix("…").removesuffix("…")
    comment_texts = [f"{comment.get('author') or ''}\n{comment.get('content_text') or ''}" for comment in comments]
    texts = [title, article, *comment_texts]
    position = "\n".join(texts).find(text.replace(BEGIN_MARK, "").replace(END_MARK, ""))
    if position < 0:
        return None, None
    position += len(text.partition(BEGIN_MARK)[0])
    number = 0
    while position > len(texts[number]):
        position -= len(texts[number]) + 1
        number += 1
    return ("title", None) if number == 0 else ("article", None) if number == 1 else ("comment", number - 2)


def _least(provenance: Mapping[str, Any], names: Collection[str]) -> float:
    sources = provenance.get("fields", {})
    return min((float(source["confidence"]) for name, source in sources.items() if name in names), default=0.0)
