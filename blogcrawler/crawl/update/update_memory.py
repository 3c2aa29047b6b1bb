"""What updates of a blog remember from one to the next."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from blogcrawler.crawl.context import COMPLETE
from blogcrawler.downloader.reasons import is_temporary
from blogcrawler.frontier import is_numbered_url
from blogcrawler.serialise import dump, stored_as
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.frontier import FrontierStore

T = TypeVar("T")

UPDATES = "updates"
"""Name of the state in the archive that holds an `UpdateMemory`."""
LOST_FEED = "lost feed"
"""Name of the state in the archive that holds a `LostFeed`."""
MOST_REMEMBERED = 5_000
"""Maximum number of pages that are remembered as non-posts that look like posts."""
MOST_LISTS = 1
"""Maximum number of lists that are read first, besides the home page."""
FEW_LISTED = 5
"""Minimum number of posts that such a list must lead to."""
MOST_UNAVAILABLE = 100
"""Maximum number of pages that a crawl could not fetch and that the next update requests again."""
MOST_TRIES = 5
"""Number of updates that request a post's page before it is given up."""
LONGEST_PAUSE = 16
"""Maximum number of updates between two attempts, after failures."""


@dataclass
class Announcements(Generic[T]):
    """What was announced about posts, by key, as JSON data.

    `settled` was processed by complete updates. An update that was not completed began to process `pending` at `since`:
    it has processed `pending` for the posts that were saved after that time, and for no others.
    """

    settled: dict[str, T] = field(default_factory=dict)
    pending: dict[str, T] = field(default_factory=dict)
    since: datetime | None = None

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], name: str) -> Self:
        since = state.get("since")
        begun = datetime.fromisoformat(since) if since else None
        return cls(dict(state.get(name, {})), dict(state.get("pending", {})), begun)

    def to_dict(self, name: str) -> dict[str, Any]:
        """The announcements as JSON types, with the settled ones under `name`."""
        if self.since is None:
            return {name: self.settled}
        return {name: self.settled, "pending": self.pending, "since": self.since.isoformat()}

    def of(self, key: str, post: KnownPost | None) -> T | None:
        """The last announcement that the archive has processed for this post."""
        if key in self.pending and self.since is not None and post is not None and post.last_changed >= self.since:
            return self.pending[key]
        return self.settled.get(key)

    def all(self, known: Mapping[str, KnownPost]) -> dict[str, T]:
        """The announcements that the archive has processed, for all posts; `known` are the posts. O(n)."""
        announced = {key: self.of(key, known.get(key)) for key in (*self.settled, *self.pending)}
        return {key: value for key, value in announced.items() if value is not None}

    def begin(self, announced: Mapping[str, T], known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """Begin to process the present announcements. O(n)."""
        self.settled = self.all(known)
        self.pending, self.since = dict(announced), now

    def complete(self) -> None:
        """Note that the update has processed all announcements."""
        self.settled |= self.pending
        self.pending, self.since = {}, None


@dataclass(frozen=True)
class RetrySchedule:
    """Schedule of attempts that fail: after each failure, 1, 2, 4, … updates pass until the next attempt."""

    #: updates from one try to the next
    pause: int = 0
    #: updates that are still to be skipped
    left: int = 0

    @property
    def is_due(self) -> bool:
        """True if this update is to try."""
        return self.left <= 0

    def after(self) -> Self:
        """The schedule after an update that failed or was skipped."""
        if not self.is_due:
            return replace(self, left=self.left - 1)
        pause = min(LONGEST_PAUSE, 2 * self.pause or 1)
        return replace(self, pause=pause, left=pause - 1)


AFTER_THE_FIRST_CRAWL = RetrySchedule(pause=4, left=4)
"""Schedule for a blog whose feed has no entries yet, since it is young or has no other feed."""


@dataclass(frozen=True)
class LostFeed:
    """A feed without entries. The feed that the home page names is tried once, usual addresses of feeds after growing
    pauses."""

    #: the day since which the feed has no entries; None while it has some
    since: str | None = None
    #: when usual places are tried
    guesses: RetrySchedule = field(default_factory=RetrySchedule)
    #: keys of addresses that are no feed of the blog
    in_vain: tuple[str, ...] = ()


@dataclass
class UpdateMemory:
    """What updates have learned about lists, sitemaps, non-posts, and pages that could not be fetched."""

    #: where the blog lists its posts, besides the home page
    lists: list[str]
    #: keys of pages that look like posts but are no posts
    no_posts: list[str] = field(metadata=stored_as("in_vain"))
    #: posts whose pages the last crawl could not fetch, with the number of tries
    unavailable: dict[str, int] = field(default_factory=dict, metadata=stored_as("left"))
    #: other pages that the first crawl could not fetch
    unavailable_lists: list[str] = field(default_factory=list, metadata=stored_as("left_lists"))
    #: whether sitemaps say when pages were changed
    has_lastmods: bool = True
    #: time of the first update (ISO 8601); posts that arrived earlier were found by the first crawl
    first_update: str = field(default_factory=lambda: now().isoformat())
    #: time since which changes in sitemaps are processed
    sitemaps_since: str | None = None

    @classmethod
    def of_first_crawl(cls, ctx: CrawlContext) -> Self:
        """The memory after the first crawl of a blog."""
        store, begun = ctx.archive.frontier_store(ctx.home), ctx.archive.blog(ctx.home).crawl_started
        left = _unavailable(store)
        return cls(
            _best_lists(ctx.home, store),
            _no_posts(ctx, store.load(), is_first=True)[-MOST_REMEMBERED:],
            {row["url"]: 0 for row in left if row["is_post"]},
            [row["url"] for row in left if not row["is_post"]],
            sitemaps_since=begun.isoformat() if begun is not None else None,
        )

    def complete(self, ctx: CrawlContext, sitemaps_read: datetime | None) -> None:
        """Remember which pages were no posts, and up to when the sitemaps were read."""
        self.unavailable, self.unavailable_lists = self._to_ask_again(ctx), []
        no_posts = dict.fromkeys([*self.no_posts, *_no_posts(ctx, ctx.frontier.store.load())])
        self.no_posts = list(no_posts)[-MOST_REMEMBERED:]
        if sitemaps_read is not None:
            self.sitemaps_since = sitemaps_read.isoformat()
        ctx.archive.save_source_state(ctx.home, UPDATES, dump(self))

    def is_complete(self, ctx: CrawlContext, reason: str) -> bool:
        """True if nothing is left but pages that the next updates request again; these are counted."""
        left = self._to_ask_again(ctx)
        ctx.tally.left_for_later = len(left)
        return reason in COMPLETE and len(left) <= MOST_UNAVAILABLE

    def _to_ask_again(self, ctx: CrawlContext) -> dict[str, int]:
        """The posts whose pages could not be fetched, with the number of tries."""
        rows = _unavailable(ctx.frontier.store)
        tries = {str(row["url"]): self.unavailable.get(row["url"], 0) + 1 for row in rows}
        return {url: count for url, count in tries.items() if count < MOST_TRIES}


def now() -> datetime:
    """The present time, in UTC."""
    return datetime.now(UTC)


def today() -> str:
    """The present day, in UTC."""
    return now().date().isoformat()


def _best_lists(home: str, store: FrontierStore) -> list[str]:
    """The lists that led the last crawl to most posts, without the home page and parts of lists."""
    rows = (row for row in store.load("done") if not row["was_post"] and not is_numbered_url(row["url"]))
    lists = [(int(row["post_links"] or 0), str(row["url"])) for row in rows]
    best = heapq.nlargest(MOST_LISTS + 1, (pair for pair in lists if pair[0] >= FEW_LISTED))
    return [url for _, url in best if identity(url) != identity(home)][:MOST_LISTS]


def _no_posts(ctx: CrawlContext, rows: Iterable[Mapping[str, Any]], *, is_first: bool = False) -> list[str]:
    """The keys of a frontier's non-posts that a list may show as posts.

    Left out are failed pages to which no link led (a feed or sitemap named them), since they may exist later. In the
    frontier of the first crawl these were entries of a feed, which are tried again anyway, or of a list.
    """
    tried = (row for row in rows if is_first or row["status"] != "failed" or row["found_on"] is not None)
    return [identity(row["url"]) for row in tried if _resembles_post(ctx, row) and _was_no_post(row)]


def _resembles_post(ctx: CrawlContext, row: Mapping[str, Any]) -> bool:
    """True if a page looks like a post, or is missing and may be at a post's address; a list may be back later."""
    if row["is_post"] or ctx.classifier.is_permalink(row["url"]):
        return True
    return row["status"] == "failed" and not (row["bonus"] > 0 or is_numbered_url(row["url"]))


def _was_no_post(row: Mapping[str, Any]) -> bool:
    """True if a page that resembled a post was finally found not to be a post, or was dropped because similar pages
    were not posts."""
    if row["status"] == "failed":
        return not is_temporary(row["reason"] or "")
    return row["status"] == "dropped" or bool(row["status"] == "done" and not row["was_post"])


def _unavailable(store: FrontierStore) -> list[Mapping[str, Any]]:
    """The pages of a frontier that may be available later, and that had no answer at another address either."""
    failed = list(store.load("failed"))
    later = [row for row in failed if is_temporary(row["reason"] or "")]
    if not later:
        return []
    for_good = (row for row in failed if not is_temporary(row["reason"] or ""))
    waiting = {identity(row["url"]) for row in later}
    answered = waiting.intersection(identity(row["url"]) for row in chain(store.load("done"), for_good))
    return [row for row in later if identity(row["url"]) not in answered]
