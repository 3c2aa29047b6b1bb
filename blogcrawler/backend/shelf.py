"""The archive as people look at it: lists of posts, and what is found in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, func, select

from blogcrawler.backend.database import is_among
from blogcrawler.backend.rows import key_of
from blogcrawler.backend.search import BEGIN_MARK, END_MARK, matching
from blogcrawler.backend.tables import BLOG, MEDIA_FILE, POST, POST_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from blogcrawler.backend.database import Database

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
    language: str | None
    comments: int


@dataclass(frozen=True)
class FoundPost:
    """A post that has what was sought."""

    post: ListedPost
    #: see `search.matching`
    excerpt: str
    #: where the excerpt stands; None where that cannot be told
    where: Literal["title", "article", "comment"] | None = None
    #: the place of the comment among those of the post, from 0
    comment: int | None = None


@dataclass(frozen=True)
class Numbers:
    """How much the archive has of a blog."""

    posts: int = 0
    #: posts that are not on the web any more
    gone: int = 0
    comments: int = 0
    #: files of posts that are kept, their bytes, and how many could not be had
    files: int = 0
    bytes: int = 0
    failed: int = 0


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


class Shelf:
    """Reads lists. Calls take milliseconds with ten thousand posts, and raise BackendUnavailable."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def months(self, blog_id: int) -> list[tuple[str, int]]:
        """The months (`2014-05`; empty for none) of a blog's posts, the newest first, each with how many there are."""
        columns = (_MONTH.label("month"), func.count().label("posts"))
        query = select(*columns).where(POST.c.blog_id == blog_id).group_by(_MONTH)
        return [(row["month"], row["posts"]) for row in self._database.rows(query.order_by(_MONTH.desc()))]

    def listed(self, blog_id: int, month: str | None = None, *, most: int, offset: int = 0) -> list[ListedPost]:
        """Posts of a blog, or of one of its months, the newest first; those without a date at the end."""
        order = (POST.c.published.is_(None), POST.c.published.desc(), POST.c.id.desc())
        mine = select(POST.c.id).where(POST.c.blog_id == blog_id, *_of_month(month))
        # ids alone are sorted: with all columns of a list the contents of all posts would be read
        return self._posts(self._database.values(mine.order_by(*order).limit(most).offset(offset)))

    def search(
        self, sought: str, blog_id: int | None = None, *, most: int, offset: int = 0
    ) -> tuple[int, list[FoundPost]]:
        """How many posts have all words of a text in title, article or comments, and a page of them, the best first."""
        with self._database.reading() as connection:
            count, found = matching(connection, sought, blog_id, most=most, offset=offset)
        ids = [post_id for post_id, _ in found]
        excerpts = dict(found)
        places = self._places(excerpts)
        return count, [
            FoundPost(post, excerpts[post.id], *places.get(post.id, (None, None))) for post in self._posts(ids)
        ]

    def _posts(self, ids: Sequence[int]) -> list[ListedPost]:
        """Posts in the order of their ids."""
        query = select(*_LISTED).where(POST.c.id.in_(ids))
        posts = {row["id"]: ListedPost(**row) for row in self._database.rows(query)}
        return [posts[post_id] for post_id in ids if post_id in posts]

    def _places(self, excerpts: Mapping[int, str]) -> dict[int, tuple[Any, int | None]]:
        """Where excerpts stand."""
        query = select(POST.c.id, POST.c.title, POST.c.content_text, POST.c.comments).where(POST.c.id.in_(excerpts))
        return {
            row["id"]: _place(excerpts[row["id"]], row["title"] or "", row["content_text"] or "", row["comments"])
            for row in self._database.rows(query)
        }

    def blog(self, blog_id: int) -> str | None:
        """The home page of a blog; None where there is no such blog."""
        return self._database.value(select(BLOG.c.home).where(BLOG.c.id == blog_id))

    def numbers(self) -> dict[int, Numbers]:
        """How much there is of each blog, by its id. Reads through all posts, in the database: O(n)."""
        comments = func.sum(func.json_array_length(POST.c.comments))
        posts = select(POST.c.blog_id, func.count(), func.count(POST.c.gone), comments).group_by(POST.c.blog_id)
        # one file may have several addresses
        files = select(MEDIA_FILE.c.blog_id, MEDIA_FILE.c.sha256, func.max(MEDIA_FILE.c.bytes).label("bytes")).group_by(
            MEDIA_FILE.c.blog_id, MEDIA_FILE.c.sha256
        )
        kept = files.where(MEDIA_FILE.c.sha256.is_not(None)).subquery()
        sizes = select(kept.c.blog_id, func.count(), func.sum(kept.c.bytes)).group_by(kept.c.blog_id)
        failed = (
            select(MEDIA_FILE.c.blog_id, func.count())
            .where(MEDIA_FILE.c.error.is_not(None))
            .group_by(MEDIA_FILE.c.blog_id)
        )
        with self._database.reading() as connection:
            of_posts = {row[0]: tuple(map(int, row[1:])) for row in connection.execute(posts)}
            of_files = {row[0]: (int(row[1]), int(row[2] or 0)) for row in connection.execute(sizes)}
            of_failed = {row[0]: int(row[1]) for row in connection.execute(failed)}
        found = {}
        for blog in {*of_posts, *of_files, *of_failed}:
            (kept_posts, gone, talk), (count, size) = of_posts.get(blog, (0, 0, 0)), of_files.get(blog, (0, 0))
            found[blog] = Numbers(kept_posts, gone, talk, count, size, of_failed.get(blog, 0))
        return found

    def beside(self, post_id: int) -> tuple[ListedPost | None, ListedPost | None]:
        """The posts of the same blog before and after one, by their dates; None at an end, and for one without."""
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
        posts = {post.id: post for post in self._posts([found for found in (earlier, later) if found is not None])}
        return posts.get(earlier or 0), posts.get(later or 0)

    def posts_at(self, blog_id: int, urls: Iterable[str]) -> dict[str, int]:
        """The ids of the posts of a blog at some addresses, however these are spelled."""
        keys = {url: key_of(url) for url in urls}
        query = select(POST.c.key, POST.c.id).where(POST.c.blog_id == blog_id)
        rows = self._database.rows_with(query.where(is_among(POST.c.key)), sorted(set(keys.values())))
        found = {row["key"]: row["id"] for row in rows}
        return {url: found[key] for url, key in keys.items() if key in found}

    def version_count(self, post_id: int) -> int:
        """How many earlier versions of a post are kept."""
        query = select(func.count()).select_from(POST_VERSION).where(POST_VERSION.c.post_id == post_id)
        return self._database.value(query) or 0

    def doubts(self, ids: Sequence[int], names: Collection[str]) -> dict[int, float]:
        """How sure the least sure of some fields is, of each of some posts; 0 where title or article lack."""
        is_bare = POST.c.title.is_(None) | POST.c.content_text.is_(None)
        query = select(POST.c.id, is_bare.label("is_bare"), POST.c.provenance).where(POST.c.id.in_(ids))
        rows = self._database.rows(query)
        return {row["id"]: 0.0 if row["is_bare"] else _least(row["provenance"], names) for row in rows}

    def spread(self, blog_id: int, most: int) -> list[int]:
        """The ids of so many posts of a blog, evenly spread from its oldest to its newest."""
        order = (POST.c.published.is_(None), POST.c.published, POST.c.id)
        ids = self._database.values(select(POST.c.id).where(POST.c.blog_id == blog_id).order_by(*order))
        if len(ids) <= most:
            return ids
        return [ids[place * (len(ids) - 1) // max(1, most - 1)] for place in range(most)]

    def place(self, post_id: int) -> tuple[int, str] | None:
        """The id of a post's blog, and the post's address; None where there is no such post."""
        row = self._database.row(select(POST.c.blog_id, POST.c.url).where(POST.c.id == post_id))
        return None if row is None else (row["blog_id"], row["url"])


def _of_month(month: str | None) -> list[ColumnElement[bool]]:
    if month is None:
        return []
    return [POST.c.published.is_(None)] if not month else [POST.c.published.startswith(month, autoescape=True)]


def _place(excerpt: str, title: str, article: str, comments: Sequence[dict[str, Any]]) -> tuple[Any, int | None]:
    """Where the first marked word of an excerpt stands, which is a part of the texts, one after another."""
    said = excerpt.removeprefix("…").removesuffix("…")
    talk = [f"{comment.get('author') or ''}\n{comment.get('content_text') or ''}" for comment in comments]
    texts = [title, article, *talk]
    place = "\n".join(texts).find(said.replace(BEGIN_MARK, "").replace(END_MARK, ""))
    if place < 0:
        return None, None
    place += len(said.partition(BEGIN_MARK)[0])
    number = 0
    while place > len(texts[number]):
        place -= len(texts[number]) + 1
        number += 1
    return ("title", None) if number == 0 else ("article", None) if number == 1 else ("comment", number - 2)


def _least(provenance: Mapping[str, Any], names: Collection[str]) -> float:
    sources = provenance.get("fields", {})
    return min((float(told["confidence"]) for name, told in sources.items() if name in names), default=0.0)
