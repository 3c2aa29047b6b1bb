"""The archive: blogs, the records of their posts, and the state of their crawls, in a database.

Methods are synchronous and fast, so that they can be called from an event loop. Each call is one transaction;
`Archive.transaction` combines several calls into one. Times are aware datetimes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from sqlalchemy import bindparam, delete, exists, func, select, update

from blogcrawler.backend.columns import storable_json
from blogcrawler.backend.comment_pages import CommentPages
from blogcrawler.backend.corrections import Corrections
from blogcrawler.backend.database import Database, is_among
from blogcrawler.backend.deposits import Deposits, hand_over
from blogcrawler.backend.erasure import BlogErasure, CommentsErasure, Erasure, without
from blogcrawler.backend.failures import Failures
from blogcrawler.backend.fixity import altered_posts, damages
from blogcrawler.backend.frontier_store import SqlFrontierStore
from blogcrawler.backend.history import Version, is_change, keep_version, versions_of
from blogcrawler.backend.leases import BlogLeases
from blogcrawler.backend.media import MediaFiles
from blogcrawler.backend.missing import Lacking, LackingFile, lacking, lacking_files
from blogcrawler.backend.purges import Purges
from blogcrawler.backend.queries import Queries
from blogcrawler.backend.register import Register
from blogcrawler.backend.rows import POST_COLUMNS, key_of, page_columns, page_of, record_of, row_of
from blogcrawler.backend.tables import BLOG, BLOG_ADDRESS, POST, PROFILED_PAGE, SOURCE_ENTRY, SOURCE_STATE, VERIFIED
from blogcrawler.errors import RemovedOnRequest
from blogcrawler.items import CaptureReference, Entry, Page
from blogcrawler.serialise import dump, load

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from sqlalchemy import Column, ColumnElement, Connection, RowMapping

    from blogcrawler.backend.fixity import Fault
    from blogcrawler.backend.purges import Removed
from blogcrawler.items import Record

__all__ = ["Archive", "BlogRow", "FeedState", "KeptPost", "KnownPost", "Saved", "Version"]

Saved = Literal["new", "changed", "same"]
"""Effect of saving a record on the archive."""

_IS_POST = (POST.c.blog_id == bindparam("blog")) & (POST.c.key == bindparam("post"))
_RECORD, _ROW = select(*POST_COLUMNS).where(_IS_POST), select(POST).where(_IS_POST)
_MARK_GONE = update(POST).where(_IS_POST, POST.c.gone.is_(None)).values(gone=bindparam("now"))
"""Cached statements, since building them takes longer than executing them."""
_KEPT_COLUMNS = (*POST_COLUMNS, POST.c.first_seen, POST.c.last_changed, POST.c.gone)
_ENTRIES = select(SOURCE_ENTRY.c.key, SOURCE_ENTRY.c.entry).where(
    SOURCE_ENTRY.c.blog_id == bindparam("blog"), is_among(SOURCE_ENTRY.c.key)
)
_ENTRY_OF = (
    select(SOURCE_ENTRY.c.entry)
    .where(SOURCE_ENTRY.c.blog_id == bindparam("blog"))
    .where((SOURCE_ENTRY.c.key == bindparam("first")) | (SOURCE_ENTRY.c.key == bindparam("other")))
    .order_by(SOURCE_ENTRY.c.key != bindparam("first"))
)
#: number of records read at once
_BATCH = 200
COMMENT_FEED = "comment feed"
"""Name of the stored state of the feed of all comments. Its key "told" holds the comments by post."""
CAPTURED_FEEDS = "captured feeds"
"""Name of the state of united entries: the captured feeds and the export, and which of them has each entry."""
NAMED_BY = "named by"
"""Name of the state with the kind and the address of what named each post first, by the keys of posts."""
_PLACE, _CUT, _CAPTURE = "warc", "cut", "capture"
"""Keys stored with a training page's entry: its position in the WARC files, and whether the body was truncated."""


@dataclass(frozen=True)
class FeedState:
    """The values for the next conditional request of a feed."""

    url: str
    etag: str | None = None
    last_modified: str | None = None


@dataclass(frozen=True)
class BlogRow:
    id: int
    home: str
    title: str | None
    language: str | None
    feed_url: str | None
    crawl_kind: str | None
    crawl_started: datetime | None
    crawl_finished: datetime | None
    crawl_complete: bool
    crawl_reason: str | None
    due: datetime | None
    failures: int
    is_followed: bool


@dataclass(frozen=True)
class KnownPost:
    """The values of a stored post that an update needs."""

    url: str
    guid: str | None
    published: str | None
    updated: str | None
    language: str | None
    gone: datetime | None
    comment_count: int | None
    first_seen: datetime
    last_seen: datetime
    last_changed: datetime


@dataclass(frozen=True)
class KeptPost:
    """A post with its record and what the archive stores about it."""

    id: int
    record: Record
    first_seen: datetime
    #: when the content last changed
    last_changed: datetime
    #: since when the post is no longer online; None while it is
    gone: datetime | None


class Archive:
    """Blogs and their records. Several archives, also in several processes, may use the same database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        #: ids of committed blogs, by home page
        self._blog_ids: dict[str, int] = {}
        self._removed: dict[str, Removed] = {}

    @classmethod
    def open(cls, database_url: str, *, make: bool = True, patience_s: float = 0) -> Self:
        """Open the database at an SQLAlchemy URL; create it on first use if `make` is True.

        Raises BackendUnavailable.

        Calls wait up to `patience_s` seconds for an unavailable server, at the start and later.
        """
        return cls(Database.open(database_url, make=make, patience_s=patience_s))

    def close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def file(self) -> Path | None:
        """The database file; None for a server's database, and for one in memory."""
        return self._database.file

    def transaction(self) -> AbstractContextManager[Connection]:
        """Combine all calls inside the `with` block into one transaction."""
        return self._database.transaction()

    @property
    def register(self) -> Register:
        """The register: which blogs are to be crawled, and when."""
        return Register(self._database)

    @property
    def leases(self) -> BlogLeases:
        """The leases of blogs that are being crawled."""
        return BlogLeases(self._database)

    def media_files(self, home: str) -> MediaFiles:
        """The media files of a blog's posts."""
        return MediaFiles(self._database, self._ensure_blog(home))

    @property
    def queries(self) -> Queries:
        """Queries for lists of posts and search."""
        return Queries(self._database)

    def deposits(self, repository: str) -> Deposits:
        """The progress of deposits in a repository."""
        return Deposits(self._database, repository)

    @property
    def purges(self) -> Purges:
        """The audit records of removals."""
        return Purges(self._database)

    def removed(self, home: str = "") -> Removed:
        """Recogniser of removed content of a blog, or of all blogs; its state is that of the first call."""
        if home not in self._removed:
            self._removed[home] = self.purges.removed(home)
        return self._removed[home]

    def _without_removed(self, home: str, state: dict[str, Any]) -> dict[str, Any]:
        removed = self.removed(home)
        return dict(without(state, removed)) if removed else state

    def erasure(self, home: str, keys: Collection[str]) -> Erasure:
        """The stored data of a post that is to be removed, by the keys of its URLs."""
        return Erasure(self._database, self._blog_id(home), keys)

    def blog_erasure(self, home: str) -> BlogErasure:
        """The stored data of a blog that is to be removed."""
        return BlogErasure(self._database, self._blog_id(home), self.addresses().get(home, ()))

    def comments_erasure(self, home: str, person: str) -> CommentsErasure:
        """The stored data of a person's comments on a blog that are to be removed."""
        return CommentsErasure(self._database, self._blog_id(home), person)

    def compact(self) -> None:
        """Rewrite the database file without deleted data. Raises BackendUnavailable."""
        self._database.compact()

    def note_verified(self, moment: datetime) -> None:
        """Record that all files were just verified. Raises BackendUnavailable."""
        self._database.upsert(VERIFIED, [{"id": 1, "moment": moment}])

    def damages(self) -> list[str]:
        """Damage found in the database file. Raises BackendUnavailable if it cannot be read at all."""
        return damages(self._database)

    def altered_posts(self) -> Iterator[Fault]:
        """Posts whose rows do not match their digests."""
        return altered_posts(self._database)

    @property
    def verified(self) -> datetime | None:
        """Time of the last verification."""
        return self._database.value(select(VERIFIED.c.moment))

    @staticmethod
    def key_of(url: str) -> str:
        """The key of a URL: equal for all its spellings.

        It identifies a blog in the archive, the register and the leases.
        """
        return key_of(url)

    # blogs

    def blog(self, home: str) -> BlogRow:
        """The blog with this home page, created on first use."""
        [blog] = self._database.load(BlogRow, BLOG, BLOG.c.id == self._ensure_blog(home))
        return blog

    def blogs(self) -> list[BlogRow]:
        """All blogs, in the order in which they were added."""
        return self._database.load(BlogRow, BLOG, by=(BLOG.c.id,))

    def save_blog(self, home: str, *, title: str | None, language: str | None) -> None:
        """Save title, language and other values of a blog."""
        self._update_blog(home, title=title, language=language)

    def forget_without_posts(self, home: str) -> None:
        """Delete a blog without posts and all its data."""
        has_posts = exists().where(POST.c.blog_id == BLOG.c.id)
        self._database.run(delete(BLOG).where((BLOG.c.home == home) & ~has_posts))
        self._blog_ids.pop(home, None)

    def save_feed_state(self, home: str, state: FeedState) -> None:
        """Save the URL of the blog's feed and the values for the next conditional request."""
        values = {"feed_url": state.url, "feed_etag": state.etag, "feed_last_modified": state.last_modified}
        self._update_blog(home, **values)

    def load_feed_state(self, home: str) -> FeedState | None:
        """Load the state of `save_feed_state`; None if there is none."""
        columns = (BLOG.c.feed_url, BLOG.c.feed_etag, BLOG.c.feed_last_modified)
        url, etag, last_modified = self._blog_values(home, columns)
        return FeedState(url, etag, last_modified) if url else None

    def save_wrapper(self, home: str, wrapper: Mapping[str, Any] | None) -> None:
        """Save the learned wrapper (JSON data)."""
        self._update_blog(home, wrapper=None if wrapper is None else dict(wrapper))

    def load_wrapper(self, home: str) -> dict[str, Any] | None:
        """Load the wrapper of `save_wrapper`; None if there is none."""
        return cast("dict[str, Any] | None", self._blog_values(home, (BLOG.c.wrapper,))[0])

    def save_addresses(self, home: str, urls: Iterable[str]) -> None:
        """Save URLs by which users know a blog, in any spelling. If two blogs have a URL, the newer blog gets it.

        Requests in the register for one of these URLs are deleted.
        """
        blog_id, keys = self._ensure_blog(home), list(dict.fromkeys(map(key_of, urls)))
        with self.transaction():
            self._database.upsert(BLOG_ADDRESS, [{"key": key, "blog_id": blog_id} for key in keys])
            self.register.unwant(keys)

    def find_blog(self, url: str) -> str | None:
        """The home page of the blog with this URL, or with this other saved URL; None if there is none."""
        known = (
            select(BLOG.c.home)
            .join(BLOG_ADDRESS, BLOG_ADDRESS.c.blog_id == BLOG.c.id)
            .where(BLOG_ADDRESS.c.key == key_of(url))
        )
        return self._database.value(select(BLOG.c.home).where(BLOG.c.home == url)) or self._database.value(known)

    def addresses(self) -> dict[str, frozenset[str]]:
        """The keys of all URLs of each blog, by home page."""
        keys_by_home: defaultdict[str, set[str]] = defaultdict(set)
        query = select(BLOG.c.home, BLOG_ADDRESS.c.key).join(BLOG_ADDRESS, BLOG_ADDRESS.c.blog_id == BLOG.c.id)
        for row in self._database.rows(query):
            keys_by_home[row["home"]].add(row["key"])
        return {home: frozenset(keys) for home, keys in keys_by_home.items()}

    def save_training_page(self, home: str, page: Page, entry: Entry) -> None:
        """Save a page from which the wrapper is learned, unless it quotes removed content."""
        if self.removed(home).quotes(page.body, page.content_type):
            return
        row = {
            "blog_id": self._ensure_blog(home),
            "url": page.url,
            "entry": {**dump(entry), _PLACE: page.warc, _CUT: page.is_cut, _CAPTURE: dump(page.capture)},
            **page_columns(page),
        }
        self._database.upsert(PROFILED_PAGE, [row])

    def load_training_pages(self, home: str) -> list[tuple[Page, Entry]]:
        """Load the pages of `save_training_page`, sorted by URL."""
        query = (
            select(PROFILED_PAGE).where(PROFILED_PAGE.c.blog_id == self._blog_id(home)).order_by(PROFILED_PAGE.c.url)
        )
        return [(_training_page(row), load(Entry, row["entry"])) for row in self._database.rows(query)]

    def forget_training_pages(self, home: str, *, url: str | None = None) -> None:
        """Delete the pages of `save_training_page`, or only the page with this URL."""
        condition = PROFILED_PAGE.c.blog_id == self._blog_id(home)
        self._database.run(
            delete(PROFILED_PAGE).where(condition if url is None else condition & (PROFILED_PAGE.c.url == url))
        )

    # sources of older posts

    def save_source_entries(self, home: str, entries: Mapping[str, Entry]) -> None:
        """Save the entries of a source of older posts, by key."""
        blog_id = self._ensure_blog(home)
        remaining = self._without_removed(home, {key: dump(entry) for key, entry in entries.items()})
        storable_entries = ((key, storable_json(entry)) for key, entry in remaining.items())
        self._database.upsert(
            SOURCE_ENTRY, [{"blog_id": blog_id, "key": key, "entry": entry} for key, entry in storable_entries]
        )

    def source_entry(self, home: str, key: str, other: str = "") -> Entry | None:
        """Load the entry of `save_source_entries` with this key, else with the alternative key; None if there is
        none."""
        row = self._database.look_up(_ENTRY_OF, blog=self._blog_id(home), first=key, other=other)
        return None if row is None else load(Entry, row["entry"])

    def source_entries(self, home: str, keys: Iterable[str]) -> dict[str, Entry]:
        """Load the existing entries among these keys."""
        rows = self._database.rows_with(_ENTRIES, keys, blog=self._blog_id(home))
        return {row["key"]: load(Entry, row["entry"]) for row in rows}

    def source_entry_urls(self, home: str) -> dict[str, str]:
        """The URLs of all such entries, by key."""
        url = SOURCE_ENTRY.c.entry["url"].as_string().label("url")
        query = (
            select(SOURCE_ENTRY.c.key, url)
            .where(SOURCE_ENTRY.c.blog_id == self._blog_id(home))
            .order_by(SOURCE_ENTRY.c.key)
        )
        return {row["key"]: row["url"] for row in self._database.rows(query)}

    def save_source_state(self, home: str, name: str, state: Mapping[str, Any]) -> None:
        """Save the progress of reading a source (JSON data)."""
        values = {"name": name, "state": self._without_removed(home, dict(state))}
        self._database.upsert(SOURCE_STATE, [{"blog_id": self._ensure_blog(home), **values}])

    def load_source_states(self, home: str) -> dict[str, dict[str, Any]]:
        """Load the states of `save_source_state`, by name."""
        query = select(SOURCE_STATE.c.name, SOURCE_STATE.c.state).where(SOURCE_STATE.c.blog_id == self._blog_id(home))
        return {row["name"]: row["state"] for row in self._database.rows(query)}

    def load_source_state(self, home: str, name: str) -> dict[str, Any]:
        """Load the state with this name; empty if there is none."""
        query = select(SOURCE_STATE.c.state).where(
            SOURCE_STATE.c.blog_id == self._blog_id(home), SOURCE_STATE.c.name == name
        )
        return dict(self._database.value(query) or {})

    def forget_source_entries(self, home: str) -> None:
        """Delete the entries of all sources."""
        self._database.run(delete(SOURCE_ENTRY).where(SOURCE_ENTRY.c.blog_id == self._blog_id(home)))

    def forget_sources(self, home: str) -> None:
        """Delete the entries and states of all sources."""
        self.forget_source_entries(home)
        self._database.run(delete(SOURCE_STATE).where(SOURCE_STATE.c.blog_id == self._blog_id(home)))

    def forget_source_states(self, home: str, names: Iterable[str]) -> None:
        """Delete the states with these names."""
        condition = (SOURCE_STATE.c.blog_id == self._blog_id(home)) & SOURCE_STATE.c.name.in_(tuple(names))
        self._database.run(delete(SOURCE_STATE).where(condition))

    def save_crawl_state(self, home: str, state: Mapping[str, Any] | None) -> None:
        """Save the state of a crawl apart from its frontier (JSON data)."""
        self._update_blog(home, crawl_state=None if state is None else self._without_removed(home, dict(state)))

    def load_crawl_state(self, home: str) -> dict[str, Any] | None:
        """Load the state of `save_crawl_state`; None if there is none."""
        return cast("dict[str, Any] | None", self._blog_values(home, (BLOG.c.crawl_state,))[0])

    # crawls

    def start_crawl(self, home: str, *, now: datetime, kind: str = "newcrawl") -> bool:
        """Start a crawl of this kind.

        Returns True if it continues an interrupted crawl; else the frontier is emptied.
        """
        with self.transaction():
            blog = self.blog(home)
            is_cut = blog.crawl_started is not None and not blog.crawl_complete
            resumes = is_cut and blog.crawl_kind in (None, kind)
            if not resumes:
                self.reset_frontier(home)
            values: dict[str, Any] = {} if resumes else {"crawl_started": now}
            values |= {"crawl_kind": kind, "crawl_finished": None, "crawl_complete": False, "crawl_reason": None}
            self._update_blog(home, **values)
        return resumes

    def begin_anew(self, home: str) -> None:
        """Record that the blog's next crawl must start from the beginning."""
        self._update_blog(home, crawl_kind=None, crawl_complete=False)

    def finish_crawl(self, home: str, *, now: datetime, reason: str, complete: bool = True) -> None:
        """Record the end of a crawl.

        If it is not `complete` (because of a limit or an interruption), the next crawl continues it.
        """
        with self.transaction():
            self._update_blog(home, crawl_finished=now, crawl_complete=complete, crawl_reason=reason)
            if complete:
                self.frontier_store(home).forget_observations()
                self.comment_pages(home).clear()

    def frontier_store(self, home: str) -> SqlFrontierStore:
        """The storage of the blog's frontier."""
        return SqlFrontierStore(self._database, self._ensure_blog(home))

    def comment_pages(self, home: str) -> CommentPages:
        """Pages from which an incomplete crawl learns the markup of comments."""
        return CommentPages(self._database, self._ensure_blog(home), self.removed(home))

    def reset_frontier(self, home: str) -> None:
        """Delete the blog's frontier, and what was learned with it."""
        with self.transaction():
            self.frontier_store(home).clear()
            self.comment_pages(home).clear()

    def failures(self, home: str) -> Failures:
        """The posts of a blog that could not be fetched."""
        return Failures(self._database, self._ensure_blog(home))

    def corrections(self, home: str) -> Corrections:
        """People's corrections of fields of the blog's posts."""
        return Corrections(self._database, self._ensure_blog(home))

    # records

    def save_record(self, record: Record, *, now: datetime, is_read: bool = True) -> Saved:
        """Insert the record of a post, or replace the record with the same blog and URL, in any spelling.

        `is_read`: the record was read from the post's page just now, so the post is online. Raises RemovedOnRequest for
        removed content.
        """
        if self.removed(record.blog).has_record(record):
            raise RemovedOnRequest(f"{record.url} was removed from the archive on request and is not added again.")
        self.removed(record.blog).take_out_comments(record)
        values = {**row_of(record), "key": key_of(record.url)}
        with self.transaction() as connection:
            blog_id = self._ensure_blog(record.blog)
            known = self._database.look_up(_ROW, blog=blog_id, post=values["key"])
            if known is None:
                times = {"first_seen": now, "last_seen": now, "last_changed": now}
                if self._database.insert_new(POST, {**values, **times, "blog_id": blog_id}) is None:
                    return self.save_record(record, now=now, is_read=is_read)
                return "new"
            changed = known["content_sha256"] != values["content_sha256"] and is_change(known, values)
            if changed:
                keep_version(connection, known, values, now=now)
            values |= {"last_changed": now} if changed else {}
            values |= {"last_seen": now, "gone": None} if is_read else {}
            connection.execute(update(POST).where(POST.c.id == known["id"]).values(values))
            return "changed" if changed else "same"

    def record(self, home: str, url: str) -> Record | None:
        """The record of a post; None if there is none."""
        row = self._database.look_up(_RECORD, blog=self._blog_id(home), post=key_of(url))
        return None if row is None else record_of(row, home)

    def post_id(self, home: str, url: str) -> int | None:
        """The id of a post; None if there is none."""
        return self._database.value(select(POST.c.id).where(self._is_post(home, url)))

    def post(self, home: str, url: str) -> KeptPost | None:
        """A post; None if there is none."""
        row = self._database.row(select(*_KEPT_COLUMNS).where(self._is_post(home, url)))
        return None if row is None else _kept(row, home)

    def homes_of(self, url: str) -> list[str]:
        """The home pages of the blogs that have a post at this URL."""
        query = select(BLOG.c.home).join(POST, POST.c.blog_id == BLOG.c.id).where(POST.c.key == key_of(url))
        return self._database.values(query.order_by(BLOG.c.id))

    def known_posts(self, home: str) -> dict[str, KnownPost]:
        """The posts of a blog by key (`urls.identity`), in the order in which they were added."""
        names = [field.name for field in fields(KnownPost)]
        query = select(POST.c.key, *(POST.c[name] for name in names)).where(POST.c.blog_id == self._blog_id(home))
        rows = self._database.rows(query.order_by(POST.c.id))
        return {row["key"]: KnownPost(**{name: row[name] for name in names}) for row in rows}

    def changed_since(self, home: str, since: datetime) -> list[str]:
        """The URLs of records that were added or changed since a time, in the order in which they were added."""
        return self._database.values(select(POST.c.url).where(self._posts_of(home, since)).order_by(POST.c.id))

    def versions(self, home: str, url: str) -> list[Version]:
        """The earlier versions of a post, the oldest first; the current version is its record."""
        with self._database.reading() as connection:
            post_id = connection.scalar(select(POST.c.id).where(self._is_post(home, url)))
            return [] if post_id is None else versions_of(connection, post_id, home)

    def move(self, home: str, url: str, target: str, *, now: datetime) -> bool:
        """Record that a post has a new URL.

        A post that was added at the new URL is its current version; the history is kept.

        Returns True if its content differs.
        """
        if key_of(url) == key_of(target):
            return False
        with self.transaction() as connection:
            there = self.record(home, target)
            post_id, target_id = (self.post_id(home, address) for address in (url, target))
            if post_id is not None and target_id is not None:
                hand_over(connection, target_id, post_id)
            connection.execute(delete(POST).where(self._is_post(home, target)))
            values = {"key": key_of(target), "url": target, "gone": None}
            connection.execute(update(POST).where(self._is_post(home, url)).values(values))
            return there is not None and self.save_record(there, now=now) == "changed"

    def mark_gone(self, home: str, url: str, *, now: datetime) -> bool:
        """Record that a post is no longer online (404, 410); its record is kept.

        Returns True if it was online before.
        """
        return self._database.change(_MARK_GONE, blog=self._blog_id(home), post=key_of(url), now=now) > 0

    def gone(self, home: str) -> dict[str, datetime]:
        """The URLs of posts that are no longer online, and since when, in the order in which they were added."""
        condition = (POST.c.blog_id == self._blog_id(home)) & POST.c.gone.is_not(None)
        rows = self._database.rows(select(POST.c.url, POST.c.gone).where(condition).order_by(POST.c.id))
        return {row["url"]: row["gone"] for row in rows}

    def _is_post(self, home: str, url: str) -> ColumnElement[bool]:
        return (POST.c.blog_id == self._blog_id(home)) & (POST.c.key == key_of(url))

    def records(self, home: str) -> Iterator[Record]:
        """All records of a blog, in the order in which they were added; read in batches, without a long transaction."""
        return (post.record for post in self.posts(home))

    def posts(self, home: str, *, since: datetime | None = None) -> Iterator[KeptPost]:
        """The posts of a blog, or those added or changed since a time, read like `records`."""
        query = select(*_KEPT_COLUMNS).where(self._posts_of(home, since))
        return (_kept(row, home) for row in self._database.in_batches(query, POST.c.id, _BATCH))

    def lacking(self, home: str) -> Iterator[Lacking]:
        """The records of a blog in which a field or announced comments are missing."""
        return lacking(self._database, self._blog_id(home))

    def lacking_files(self, home: str) -> Iterator[LackingFile]:
        """The media files of a blog's posts that could not be fetched."""
        return lacking_files(self._database, self._blog_id(home))

    def urls(self, home: str, *, since: datetime) -> list[str]:
        """The URLs of the records that a crawl has seen since a time, in the order in which they were added."""
        condition = (POST.c.blog_id == self._blog_id(home)) & (POST.c.last_seen >= since)
        return self._database.values(select(POST.c.url).where(condition).order_by(POST.c.id))

    def counts(self) -> dict[int, tuple[int, int]]:
        """Numbers of records, and of posts that are no longer online, by blog id."""
        query = select(POST.c.blog_id, func.count(), func.count(POST.c.gone)).group_by(POST.c.blog_id)
        with self._database.reading() as connection:
            return {blog_id: (posts, gone) for blog_id, posts, gone in connection.execute(query)}

    def published(self, home: str, *, limit: int | None = None) -> list[str]:
        """The known publication times of a blog's posts (ISO 8601), the newest first."""
        condition = (POST.c.blog_id == self._blog_id(home)) & POST.c.published.is_not(None)
        query = select(POST.c.published).where(condition).order_by(POST.c.published.desc()).limit(limit)
        return self._database.values(query)

    def count(self, home: str, *, since: datetime | None = None) -> int:
        """Number of records of a blog, or of those added or changed since a time."""
        query = select(func.count()).select_from(POST).where(self._posts_of(home, since))
        return self._database.value(query) or 0

    def progress(self, home: str) -> int:
        """Progress of a blog's crawls: number of training pages, visited URLs and records.

        The number grows as long as a crawl makes progress.
        """
        blog_id = self._blog_id(home)
        query = select(func.count()).select_from(PROFILED_PAGE).where(PROFILED_PAGE.c.blog_id == blog_id)
        learned_from = self._database.value(query) or 0
        return learned_from + SqlFrontierStore(self._database, blog_id).count_ended() + self.count(home)

    def count_new(self, *, since: datetime) -> int:
        """Number of posts of all blogs added since a time. O(result), with an index."""
        query = select(func.count()).select_from(POST).where(POST.c.first_seen >= since)
        return self._database.value(query) or 0

    def count_all(self) -> int:
        """Number of posts of all blogs. O(result), with an index."""
        return self._database.value(select(func.count(POST.c.first_seen))) or 0

    @property
    def last_new(self) -> datetime | None:
        """Time when the newest post was added; None if there is none."""
        query = select(POST.c.first_seen).order_by(POST.c.first_seen.desc()).limit(1)
        return self._database.value(query)

    def _posts_of(self, home: str, since: datetime | None) -> ColumnElement[bool]:
        condition = POST.c.blog_id == self._blog_id(home)
        return condition if since is None else condition & (POST.c.last_changed >= since)

    def _blog_id(self, home: str) -> int:
        """Id of the blog with this home page; 0, which is never used, if there is none."""
        if (known := self._blog_ids.get(home)) is not None:
            return known
        query = select(BLOG.c.id).where(BLOG.c.home == home)
        with self._database.reading() as connection:
            found = int(connection.scalar(query) or 0)
            if found and not self._database.is_writing:
                self._blog_ids[home] = found
        return found

    def _ensure_blog(self, home: str) -> int:
        """Id of the blog with this home page, which is created if necessary."""
        while not (found := self._blog_id(home)):
            self._database.insert_new(BLOG, {"home": home, "crawl_complete": False})
        return found

    def _update_blog(self, home: str, **values: Any) -> None:  # noqa: ANN401
        self._database.run(update(BLOG).where(BLOG.c.id == self._ensure_blog(home)).values(values))

    def _blog_values(self, home: str, columns: Sequence[Column[Any]]) -> tuple[Any, ...]:
        query = select(*columns).where(BLOG.c.id == self._blog_id(home))
        with self._database.reading() as connection:
            row = connection.execute(query).one_or_none()
        return tuple(row) if row is not None else (None,) * len(columns)


def _kept(row: RowMapping, home: str) -> KeptPost:
    return KeptPost(row["id"], record_of(row, home), row["first_seen"], row["last_changed"], row["gone"])


def _training_page(row: Mapping[Any, Any]) -> Page:
    kept = row["entry"]
    capture = load(CaptureReference, kept[_CAPTURE]) if kept.get(_CAPTURE) else None
    return page_of(row, warc=kept.get(_PLACE), is_cut=bool(kept.get(_CUT)), capture=capture)
