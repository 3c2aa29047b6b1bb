"""The register: which blogs were requested, and when each blog of the archive is to be crawled again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import Select, Table, delete, exists, select, update

from blogcrawler.backend.leases import BlogLeases
from blogcrawler.backend.rows import key_of
from blogcrawler.backend.schedule import after_failure
from blogcrawler.backend.tables import BLOG, BLOG_ADDRESS, CLAIM, WANTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Set

    from sqlalchemy import ColumnElement, Connection, RowMapping

    from blogcrawler.backend.database import Database
    from blogcrawler.backend.schedule import Bounds

_IS_AWAITED = ~exists().where(BLOG_ADDRESS.c.key == WANTED.c.key)
"""Condition: requested, and not yet in the archive in any way."""
_BLOG_COLUMNS = [BLOG.c[name] for name in ("home", "due", "crawl_started", "crawl_complete", "crawl_kind")]
_PAGE = 20
"""Number of rows that are read at once to find a free one."""
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


SpiderName = Literal["newcrawl", "updatecrawl"]


@dataclass(frozen=True)
class WantedBlog:
    """A requested blog that is not yet in the archive."""

    key: str
    url: str
    added: datetime
    due: datetime
    #: time, reason and number of consecutive failed crawls
    tried: datetime | None
    reason: str | None
    failures: int


@dataclass(frozen=True)
class Due:
    """A blog that is to be crawled now."""

    #: key under which it is leased
    key: str
    url: str
    #: the spider to run: `newcrawl` until its first crawl is complete
    spider: SpiderName
    #: its home page; None if it is not yet in the archive
    home: str | None
    since: datetime


class Register:
    """The blogs of an archive for monitors and workers: requested blogs and due times."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # requested blogs

    def want(self, urls: Mapping[str, str], *, now: datetime) -> int:
        """Add requested blogs (URLs by key) that are new; return their number."""
        rows = [{"key": key, "url": url, "added": now, "due": now, "failures": 0} for key, url in urls.items()]
        return self._database.insert_missing(WANTED, rows)

    def wanted(self) -> list[WantedBlog]:
        """The requested blogs that are not yet in the archive, in the order in which they were added."""
        return self._database.load(WantedBlog, WANTED, _IS_AWAITED, by=(WANTED.c.added, WANTED.c.key))

    def is_wanted(self, key: str) -> bool:
        """True if a blog with this key is requested and not yet in the archive."""
        return bool(self._database.load(WantedBlog, WANTED, _IS_AWAITED, WANTED.c.key == key))

    def unwant(self, keys: Iterable[str]) -> int:
        """Delete the requests with these keys; return their number."""
        return self._database.run(delete(WANTED).where(WANTED.c.key.in_(list(keys))))

    def follow(self, home: str, *, is_followed: bool) -> None:
        """Let monitors crawl a blog of the archive, or not."""
        self._database.run(update(BLOG).where(BLOG.c.home == home).values(is_followed=is_followed))

    # due blogs

    def claim_due(
        self,
        who: str,
        *,
        now: datetime,
        before: datetime | None = None,
        most: int | None = None,
        besides: Collection[str] = (),
    ) -> Due | None:
        """Lease the free blog that is longest overdue; None if there is none.

        In one transaction, so that the blog is still due. `before`: only blogs due before this time; `most`: maximum
        number of crawls started by monitors, including this one; `besides`: keys to skip.
        """
        leases = BlogLeases(self._database)
        with self._database.alone_on(CLAIM):
            leases.forget_dead(now=now)
            live = leases.live(now=now)
            if most is not None and len({row.owner for row in live.values() if row.is_monitored}) >= most:
                return None
            due = self._first_due(before or now, live.keys() | set(besides))
            if due is not None:
                leases.claim(due.key, who, now=now, is_monitored=True)
            return due

    def due(self, now: datetime) -> list[Due]:
        """The blogs that are due, the longest overdue first."""
        with self._database.reading() as connection:
            blogs = [_due_of(row) for query in _queries(now) for row in connection.execute(query).mappings()]
        return sorted(blogs, key=lambda due: due.since)

    def _first_due(self, now: datetime, taken: Set[str]) -> Due | None:
        """The longest overdue blog whose key is not leased. Reads only a few more rows than there are leases, even if
        many blogs are due."""
        with self._database.reading() as connection:
            firsts = [_first_free(connection, query, taken) for query in _queries(now)]
        return min((due for due in firsts if due is not None), key=lambda due: due.since, default=None)

    def find_due(self, key: str, home: str | None, now: datetime) -> Due | None:
        """How to crawl a blog; None if it is not due. It was requested with this key, or is in the archive with this
        home page."""
        begun, crawled, wanted = _queries(now)
        if home is None:
            queries = [wanted.where(WANTED.c.key == key)]
        else:
            queries = [query.where(BLOG.c.home == home) for query in (begun, crawled)]
        rows = (self._database.row(query.order_by(None)) for query in queries)
        return next((_due_of(row) for row in rows if row is not None), None)

    def spider_for(self, home: str | None) -> SpiderName:
        """The spider for the next crawl of a blog with this home page, or of a new blog."""
        row = None if home is None else self._database.row(select(*_BLOG_COLUMNS).where(BLOG.c.home == home))
        return "newcrawl" if row is None else _spider_of(row)

    def standing(self, key: str, home: str | None) -> tuple[int, datetime | None]:
        """Number of consecutive failed crawls, and the next due time; parameters as in `find_due`."""
        table, condition = _place(key, home)
        row = self._database.row(select(table.c.failures, table.c.due).where(condition))
        return (0, None) if row is None else (row["failures"], row["due"])

    def begin_again(self, key: str, home: str | None, now: datetime) -> None:
        """Make a blog due at once and reset its failures; parameters as in `find_due`."""
        table, condition = _place(key, home)
        self._database.run(update(table).where(condition).values(due=now, failures=0))

    # ends of crawls

    def set_due(self, home: str, due: datetime) -> None:
        """Record a successful crawl, and set when the blog is to be crawled again."""
        self._database.run(update(BLOG).where(BLOG.c.home == home).values(due=due, failures=0))

    def note_failure(self, key: str, home: str | None, reason: str, bounds: Bounds, *, now: datetime) -> None:
        """Record why a blog could not be crawled; see `find_due`. Does nothing if it is neither known nor requested."""
        table, condition = _place(key, home)
        failure = {"crawl_reason": reason} if home is not None else {"tried": now, "reason": reason}
        with self._database.transaction() as connection:
            failures = 1 + (connection.scalar(select(table.c.failures).where(condition)) or 0)
            values = {"failures": failures, "due": after_failure(failures, now, bounds)}
            connection.execute(update(table).where(condition).values(values | failure))

    def postpone(self, key: str, due: datetime) -> None:
        """Set another time for the first crawl of a requested blog."""
        self._database.run(update(WANTED).where(WANTED.c.key == key).values(due=due))


def _place(key: str, home: str | None) -> tuple[Table, ColumnElement[bool]]:
    """The table and row of a blog: requested with this key, or in the archive with this home page."""
    return (WANTED, WANTED.c.key == key) if home is None else (BLOG, BLOG.c.home == home)


def _queries(now: datetime) -> tuple[Select[Any], Select[Any], Select[Any]]:
    """Queries for due blogs, each the longest overdue first: blogs in their first crawl, other blogs, requested
    blogs."""
    blogs = select(*_BLOG_COLUMNS).where(BLOG.c.is_followed)
    return (
        blogs.where(BLOG.c.due.is_(None)).order_by(BLOG.c.crawl_started.asc().nulls_first(), BLOG.c.id),
        blogs.where(BLOG.c.due <= now).order_by(BLOG.c.due, BLOG.c.id),
        select(WANTED).where(_IS_AWAITED, WANTED.c.due <= now).order_by(WANTED.c.due, WANTED.c.key),
    )


def _first_free(connection: Connection, query: Select[Any], taken: Set[str]) -> Due | None:
    for offset in count(0, _PAGE):
        due_blogs = [_due_of(row) for row in connection.execute(query.limit(_PAGE).offset(offset)).mappings()]
        free = next((due for due in due_blogs if due.key not in taken), None)
        if free is not None or len(due_blogs) < _PAGE:
            return free
    raise AssertionError


def _due_of(row: RowMapping) -> Due:
    if "home" not in row:
        return Due(row["key"], row["url"], "newcrawl", None, row["due"])
    home, since = row["home"], row["due"] or row["crawl_started"]
    return Due(key_of(home), home, _spider_of(row), home, since or _LONG_AGO)


def _spider_of(row: RowMapping) -> SpiderName:
    is_first = not row["crawl_complete"] and row["crawl_kind"] in (None, "newcrawl")
    return "newcrawl" if is_first else "updatecrawl"
