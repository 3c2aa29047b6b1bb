"""The register: which blogs are wanted, and when each blog of the archive is to be crawled again."""

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
"""Wanted and not there, by whatever way it came into the archive."""
_TOLD = [BLOG.c[name] for name in ("home", "due", "crawl_started", "crawl_complete", "crawl_kind")]
_PAGE = 20
"""Rows that are read at once to find one that is free."""
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


SpiderName = Literal["newcrawl", "updatecrawl"]


@dataclass(frozen=True)
class WantedBlog:
    """A blog that was asked for, and is not in the archive yet."""

    key: str
    url: str
    added: datetime
    due: datetime
    #: when it was crawled in vain, what came of it, and how often in a row
    tried: datetime | None
    reason: str | None
    failures: int


@dataclass(frozen=True)
class Due:
    """A blog that is to be crawled now."""

    #: under which it is claimed
    key: str
    url: str
    #: what crawls it: `newcrawl` until its first crawl is complete
    spider: SpiderName
    #: its home page; None of one that is not in the archive yet
    home: str | None
    since: datetime


class Register:
    """The blogs of an archive, as those see them who start crawls."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # what is wanted

    def want(self, urls: Mapping[str, str], *, now: datetime) -> int:
        """Take in blogs, addresses by key, as far as they are new; how many those are."""
        rows = [{"key": key, "url": url, "added": now, "due": now, "failures": 0} for key, url in urls.items()]
        return self._database.insert_missing(WANTED, rows)

    def wanted(self) -> list[WantedBlog]:
        """The blogs that are not in the archive yet, in the order in which they came in."""
        return self._database.load(WantedBlog, WANTED, _IS_AWAITED, by=(WANTED.c.added, WANTED.c.key))

    def is_wanted(self, key: str) -> bool:
        """True if a blog is wanted by a key, and not in the archive yet."""
        return bool(self._database.load(WantedBlog, WANTED, _IS_AWAITED, WANTED.c.key == key))

    def unwant(self, keys: Iterable[str]) -> int:
        """Take in no more what is wanted by these keys; how many blogs that are."""
        return self._database.run(delete(WANTED).where(WANTED.c.key.in_(list(keys))))

    def follow(self, home: str, *, is_followed: bool) -> None:
        """Have a blog of the archive crawled by monitors, or not."""
        self._database.run(update(BLOG).where(BLOG.c.home == home).values(is_followed=is_followed))

    # what is due

    def claim_due(
        self,
        who: str,
        *,
        now: datetime,
        before: datetime | None = None,
        most: int | None = None,
        besides: Collection[str] = (),
    ) -> Due | None:
        """Claim the blog that is longest overdue and free; None where there is none.

        All in one transaction, so that it is due at the moment of the claim. `before`: when it was due at the latest;
        `most`: how many crawls that monitors have started may be under way, this one included; `besides`: keys that are
        not meant.
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
        """What is to be crawled, the longest overdue first."""
        with self._database.reading() as connection:
            found = [_due_of(row) for query in _queries(now) for row in connection.execute(query).mappings()]
        return sorted(found, key=lambda due: due.since)

    def _first_due(self, now: datetime, taken: Set[str]) -> Due | None:
        """The longest overdue whose key is not taken. It reads few rows more than are taken, however many are due."""
        with self._database.reading() as connection:
            firsts = [_first_free(connection, query, taken) for query in _queries(now)]
        return min((due for due in firsts if due is not None), key=lambda due: due.since, default=None)

    def find_due(self, key: str, home: str | None, now: datetime) -> Due | None:
        """How a blog is to be crawled, wanted by a key or in the archive with a home page; None if it is not due."""
        begun, crawled, wanted = _queries(now)
        if home is None:
            queries = [wanted.where(WANTED.c.key == key)]
        else:
            queries = [query.where(BLOG.c.home == home) for query in (begun, crawled)]
        rows = (self._database.row(query.order_by(None)) for query in queries)
        return next((_due_of(row) for row in rows if row is not None), None)

    def spider_for(self, home: str | None) -> SpiderName:
        """What crawls a blog next, of the archive with a home page, or a new one."""
        row = None if home is None else self._database.row(select(*_TOLD).where(BLOG.c.home == home))
        return "newcrawl" if row is None else _spider_of(row)

    def standing(self, key: str, home: str | None) -> tuple[int, datetime | None]:
        """How many crawls of a blog have failed in a row, and when the next one is due; told as for `find_due`."""
        table, mine = _place(key, home)
        row = self._database.row(select(table.c.failures, table.c.due).where(mine))
        return (0, None) if row is None else (row["failures"], row["due"])

    def begin_again(self, key: str, home: str | None, now: datetime) -> None:
        """A blog is due at once, as if no crawl of it had failed; told as for `find_due`."""
        table, mine = _place(key, home)
        self._database.run(update(table).where(mine).values(due=now, failures=0))

    # how crawls end

    def set_due(self, home: str, due: datetime) -> None:
        """A crawl of a blog has done its job: when the blog is to be crawled again."""
        self._database.run(update(BLOG).where(BLOG.c.home == home).values(due=due, failures=0))

    def note_failure(self, key: str, home: str | None, reason: str, bounds: Bounds, *, now: datetime) -> None:
        """Note why a blog could not be crawled; see `find_due`. Nothing where it is neither known nor wanted."""
        table, mine = _place(key, home)
        said = {"crawl_reason": reason} if home is not None else {"tried": now, "reason": reason}
        with self._database.transaction() as connection:
            failures = 1 + (connection.scalar(select(table.c.failures).where(mine)) or 0)
            values = {"failures": failures, "due": after_failure(failures, now, bounds)}
            connection.execute(update(table).where(mine).values(values | said))

    def postpone(self, key: str, due: datetime) -> None:
        """A blog that is wanted is to be crawled at another time."""
        self._database.run(update(WANTED).where(WANTED.c.key == key).values(due=due))


def _place(key: str, home: str | None) -> tuple[Table, ColumnElement[bool]]:
    """The table and row of a blog: wanted by a key, or in the archive with a home page."""
    return (WANTED, WANTED.c.key == key) if home is None else (BLOG, BLOG.c.home == home)


def _queries(now: datetime) -> tuple[Select[Any], Select[Any], Select[Any]]:
    """What is due, each the longest overdue first: blogs in their first crawl, other blogs, what is wanted."""
    blogs = select(*_TOLD).where(BLOG.c.is_followed)
    return (
        blogs.where(BLOG.c.due.is_(None)).order_by(BLOG.c.crawl_started.asc().nulls_first(), BLOG.c.id),
        blogs.where(BLOG.c.due <= now).order_by(BLOG.c.due, BLOG.c.id),
        select(WANTED).where(_IS_AWAITED, WANTED.c.due <= now).order_by(WANTED.c.due, WANTED.c.key),
    )


def _first_free(connection: Connection, query: Select[Any], taken: Set[str]) -> Due | None:
    for offset in count(0, _PAGE):
        found = [_due_of(row) for row in connection.execute(query.limit(_PAGE).offset(offset)).mappings()]
        free = next((due for due in found if due.key not in taken), None)
        if free is not None or len(found) < _PAGE:
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
