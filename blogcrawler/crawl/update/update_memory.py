"""What updates of a blog remember from one to the next."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from blogcrawler.crawl.context import COMPLETE
from blogcrawler.downloader.reasons import is_temporary
from blogcrawler.frontier import is_told_by_numbers
from blogcrawler.serialise import dump, stored_as
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.frontier import FrontierStore

T = TypeVar("T")

UPDATES = "updates"
"""Name of the state that the archive keeps of an `UpdateMemory`."""
LOST_FEED = "lost feed"
"""Name of the state that it keeps of a `LostFeed`."""
MOST_REMEMBERED = 5_000
"""Pages that look like posts, and are none, that are remembered."""
MOST_LISTS = 1
"""Lists besides the home page that are read first; one that has all posts is the best of them."""
FEW_LISTED = 5
"""Least number of posts that such a list leads to."""
MOST_UNAVAILABLE = 100
"""Pages that a crawl could not fetch at the time, and that the next update asks for again."""
MOST_TRIES = 5
"""Updates that ask for the page of a post, before it is left alone."""
LONGEST_PAUSE = 16
"""Updates, at least one of which tries again what did not succeed."""


@dataclass
class Announcements(Generic[T]):
    """What was announced of posts, by their keys, as JSON types.

    `settled` is what the archive knows in any case. An update that did not come to its end began to act upon `pending`
    at `since`: the archive knows that of the posts that were kept after this moment, and of no others.
    """

    settled: dict[str, T] = field(default_factory=dict)
    pending: dict[str, T] = field(default_factory=dict)
    since: datetime | None = None

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], name: str) -> Self:
        """The announcements of `to_dict`."""
        since = state.get("since")
        begun = datetime.fromisoformat(since) if since else None
        return cls(dict(state.get(name, {})), dict(state.get("pending", {})), begun)

    def to_dict(self, name: str) -> dict[str, Any]:
        """As JSON types, with what is settled under a name."""
        if self.since is None:
            return {name: self.settled}
        return {name: self.settled, "pending": self.pending, "since": self.since.isoformat()}

    def of(self, key: str, post: KnownPost | None) -> T | None:
        """What the archive, in which a post is as given, knows to have been announced of it."""
        if key in self.pending and self.since is not None and post is not None and post.last_changed >= self.since:
            return self.pending[key]
        return self.settled.get(key)

    def all(self, known: Mapping[str, KnownPost]) -> dict[str, T]:
        """What the archive knows to have been announced of all posts, of which these are `known`. O(n)."""
        found = {key: self.of(key, known.get(key)) for key in (*self.settled, *self.pending)}
        return {key: value for key, value in found.items() if value is not None}

    def begin(self, announced: Mapping[str, T], known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """An update begins to act upon what is announced now. O(n)."""
        self.settled = self.all(known)
        self.pending, self.since = dict(announced), now

    def complete(self) -> None:
        """The update has acted upon all of it."""
        self.settled |= self.pending
        self.pending, self.since = {}, None


@dataclass(frozen=True)
class RetrySchedule:
    """Which updates try what does not succeed: the first, the next, then the second after it, the fourth, and so on."""

    #: from one update that tries to the next
    pause: int = 0
    #: how many updates are still to be skipped
    left: int = 0

    @property
    def is_due(self) -> bool:
        """True if this update is to try."""
        return self.left <= 0

    def after(self) -> Self:
        """The schedule after an update that has tried in vain, or was skipped."""
        if not self.is_due:
            return replace(self, left=self.left - 1)
        pause = min(LONGEST_PAUSE, 2 * self.pause or 1)
        return replace(self, pause=pause, left=pause - 1)


AFTER_THE_FIRST_CRAWL = RetrySchedule(pause=4, left=4)
"""Of a blog whose feed has no entries yet: it is young, or has no other feed."""


@dataclass(frozen=True)
class LostFeed:
    """A feed without entries: what the home page names is tried once, usual places after longer and longer pauses."""

    #: the day since which that is so; None while the feed has entries
    since: str | None = None
    #: when usual places are tried
    guesses: RetrySchedule = field(default_factory=RetrySchedule)
    #: keys of addresses that are no feed of the blog
    in_vain: tuple[str, ...] = ()


@dataclass
class UpdateMemory:
    """What updates have learned of lists, sitemaps, pages that are no posts, and pages that could not be fetched."""

    #: where the blog lists its posts, besides the home page
    lists: list[str]
    #: keys of pages that look like posts, and are none
    no_posts: list[str] = field(metadata=stored_as("in_vain"))
    #: posts whose pages the last crawl could not fetch at the time, and how often they were tried
    unavailable: dict[str, int] = field(default_factory=dict, metadata=stored_as("left"))
    #: other pages that the first crawl could not fetch
    unavailable_lists: list[str] = field(default_factory=list, metadata=stored_as("left_lists"))
    #: sitemaps say when pages were changed
    has_lastmods: bool = True
    #: when the blog was updated for the first time (ISO 8601); what came in before was found by its first crawl
    first_update: str = field(default_factory=lambda: now().isoformat())
    #: from which time on sitemaps are to be asked
    sitemaps_since: str | None = None

    @classmethod
    def of_first_crawl(cls, ctx: CrawlContext) -> Self:
        """What the first crawl of a blog has found."""
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
        """True if nothing is left but pages that the next updates ask for again; these are counted."""
        left = self._to_ask_again(ctx)
        ctx.tally.left_for_later = len(left)
        return reason in COMPLETE and len(left) <= MOST_UNAVAILABLE

    def _to_ask_again(self, ctx: CrawlContext) -> dict[str, int]:
        """The posts whose pages could not be fetched at the time, and how often they were tried."""
        rows = _unavailable(ctx.frontier.store)
        tries = {str(row["url"]): self.unavailable.get(row["url"], 0) + 1 for row in rows}
        return {url: count for url, count in tries.items() if count < MOST_TRIES}


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def today() -> str:
    """The day, in UTC."""
    return now().date().isoformat()


def _best_lists(home: str, store: FrontierStore) -> list[str]:
    """The lists that led the last crawl to most posts, but for the home page, and parts of lists."""
    rows = (row for row in store.load("done") if not row["was_post"] and not is_told_by_numbers(row["url"]))
    lists = [(int(row["post_links"] or 0), str(row["url"])) for row in rows]
    best = heapq.nlargest(MOST_LISTS + 1, (pair for pair in lists if pair[0] >= FEW_LISTED))
    return [url for _, url in best if identity(url) != identity(home)][:MOST_LISTS]


def _no_posts(ctx: CrawlContext, rows: Iterable[Mapping[str, Any]], *, is_first: bool = False) -> list[str]:
    """The keys of the pages of a frontier that a list may show as posts, and that were none.

    What an update has found by no link (the feed or a sitemap names it) may be there later; of the `first` crawl's
    frontier these were a feed's, whose entries are tried again anyway, or a list's.
    """
    tried = (row for row in rows if is_first or row["status"] != "failed" or row["found_on"] is not None)
    return [identity(row["url"]) for row in tried if _resembles_post(ctx, row) and _was_no_post(row)]


def _resembles_post(ctx: CrawlContext, row: Mapping[str, Any]) -> bool:
    """True if a page looks like a post, or is dead and may be where posts are; lists may be there another time."""
    if row["is_post"] or ctx.classifier.is_permalink(row["url"]):
        return True
    return row["status"] == "failed" and not (row["bonus"] > 0 or is_told_by_numbers(row["url"]))


def _was_no_post(row: Mapping[str, Any]) -> bool:
    """True if what looked like a post was none, for good, or was left out as such pages were none."""
    if row["status"] == "failed":
        return not is_temporary(row["reason"] or "")
    return row["status"] == "dropped" or bool(row["status"] == "done" and not row["was_post"])


def _unavailable(store: FrontierStore) -> list[Mapping[str, Any]]:
    """The pages of a frontier that may be there at another time, and that had no answer at another address either."""
    failed = list(store.load("failed"))
    later = [row for row in failed if is_temporary(row["reason"] or "")]
    if not later:
        return []
    for_good = (row for row in failed if not is_temporary(row["reason"] or ""))
    waiting = {identity(row["url"]) for row in later}
    answered = waiting.intersection(identity(row["url"]) for row in chain(store.load("done"), for_good))
    return [row for row in later if identity(row["url"]) not in answered]
