"""What the steps of an update share, and what updates of a blog remember from one to the next."""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.update.announcements import Announcements
from blogcrawler.crawl.update.feed_changes import News
from blogcrawler.downloader.reasons import is_temporary
from blogcrawler.frontier import is_told_by_numbers
from blogcrawler.serialise import dump, load, stored_as
from blogcrawler.urls import identity, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from blogcrawler.backend import FeedState, KnownPost, LatePosts
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.fetcher import FeedAsker
    from blogcrawler.crawl.update.comment_feed import CommentNews
    from blogcrawler.crawl.update.permalink_changes import PermalinkChanges
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import FrontierStore
    from blogcrawler.items import Entry, Page

STATE = "updates"
"""Name of the state that the archive keeps of an `UpdateMemory`."""
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


@dataclass(frozen=True)
class KnownPosts:
    """The posts that are kept."""

    #: by `urls.identity`, and by guids that one post alone has
    by_key: Mapping[str, KnownPost]
    #: when the update began; posts that came in since then are its own
    begun: datetime

    @classmethod
    def of(cls, posts: Mapping[str, KnownPost], begun: datetime) -> Self:
        """The posts of an archive, which has them by `urls.identity`. O(n)."""
        guids = Counter(post.guid for post in posts.values())
        by_guid = {post.guid: post for post in posts.values() if post.guid and guids[post.guid] == 1}
        return cls({**by_guid, **posts}, begun)

    def __iter__(self) -> Iterator[KnownPost]:
        """Each post once."""
        return iter({post.url: post for post in self.by_key.values()}.values())

    def at(self, url: str) -> KnownPost | None:
        """The post at an address; links may lead to it by a redirect that adds or drops a slash."""
        key = identity(url)
        return self.by_key.get(key) or self.by_key.get(with_other_slash(key))

    def of_entry(self, entry: Entry) -> KnownPost | None:
        """The post of an entry, by its address or guid."""
        return self.by_key.get(identity(entry.url)) or self.by_key.get(entry.guid or "")

    def was_known(self, url: str) -> bool:
        """True if a post at an address was kept before the update began."""
        post = self.at(url)
        return post is not None and post.first_seen < self.begun


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
    def load(cls, ctx: CrawlContext, last: datetime | None) -> Self:
        """What earlier updates have learned; before the first one, what the last crawl has found, which began then."""
        kept = ctx.archive.load_source_state(ctx.home, STATE)
        memory = load(cls, kept) if kept else cls._from_first_crawl(ctx)
        memory.sitemaps_since = memory.sitemaps_since or (last.isoformat() if last is not None else None)
        if not kept:
            memory._save(ctx)
        return memory

    @classmethod
    def _from_first_crawl(cls, ctx: CrawlContext) -> Self:
        store = ctx.archive.frontier_store(ctx.home)
        no_posts, left = _no_posts(ctx, store.load(), is_first=True), _unavailable(store)
        posts = {row["url"]: 0 for row in left if row["is_post"]}
        return cls(_best_lists(ctx.home, store), no_posts, posts, [row["url"] for row in left if not row["is_post"]])

    def _save(self, ctx: CrawlContext) -> None:
        latest = replace(self, no_posts=self.no_posts[-MOST_REMEMBERED:])
        ctx.archive.save_source_state(ctx.home, STATE, dump(latest))

    def complete(self, ctx: CrawlContext) -> None:
        """Remember which pages were no posts, and up to when the sitemaps were read."""
        self.unavailable, self.unavailable_lists = self._to_ask_again(ctx), []
        self.no_posts = list(dict.fromkeys([*self.no_posts, *_no_posts(ctx, ctx.frontier.store.load())]))
        if ctx.update.sitemaps_read is not None:
            self.sitemaps_since = ctx.update.sitemaps_read.isoformat()
        self._save(ctx)

    def is_complete(self, ctx: CrawlContext, reason: str) -> bool:
        """True if nothing is left but pages that the next updates ask for again; these are counted."""
        left = self._to_ask_again(ctx)
        ctx.tally.unavailable(len(left))
        return reason in COMPLETE and len(left) <= MOST_UNAVAILABLE

    def _to_ask_again(self, ctx: CrawlContext) -> dict[str, int]:
        """The posts whose pages could not be fetched at the time, and how often they were tried."""
        rows = _unavailable(ctx.frontier.store)
        tries = {str(row["url"]): self.unavailable.get(row["url"], 0) + 1 for row in rows}
        return {url: count for url, count in tries.items() if count < MOST_TRIES}


@dataclass
class UpdateState:
    """One update of a blog; `ctx.update` of its context."""

    known: KnownPosts
    memory: UpdateMemory
    permalinks: PermalinkChanges
    comments: CommentNews
    late_comments: LatePosts
    #: asks for feeds; without validators after a first part: they may be as they were, and what they said is not done
    asker: FeedAsker
    #: keys of pages that look like posts, and are none
    no_posts: frozenset[str]
    #: keys of the pages that the last crawl knew of, where lists are to be asked again
    queued: set[str]
    #: from which on the user wants all that is new
    since: datetime | None
    #: an earlier part of the update was cut short
    is_second_part: bool
    #: digests of what entries of the feed said
    digests: Announcements[str] = field(default_factory=Announcements)
    #: the feed as it is now; None where it has not changed
    feed: Feed | None = None
    #: of that feed, to be kept at the end
    feed_state: FeedState | None = None
    news: News = field(default_factory=News)
    #: the feed has lacked new posts when it had others last
    has_holes: bool = False
    #: lists that were fetched for another purpose before, by their addresses
    at_hand: dict[str, Page] = field(default_factory=dict)
    #: when sitemaps were read
    sitemaps_read: datetime | None = None
    #: known posts that sitemaps say were changed, as they say of most
    doubtful: set[str] = field(default_factory=set)
    #: the wrapper was found not to fit any more
    has_relearned: bool = False
    #: keys of the posts whose records this part has handed on
    handed_on: set[str] = field(default_factory=set)

    @property
    def has_gap(self) -> bool:
        """True if there may be posts between those of the feed and those that are known."""
        return self.news.has_rolled_over or (self.feed is not None and self.feed.kind == "synthetic")

    @property
    def is_lastmod_read(self) -> bool:
        """True if sitemaps have shown which posts were changed."""
        return self.sitemaps_read is not None and self.memory.has_lastmods

    def is_unknown(self, url: str) -> bool:
        """True if a page is no post that is kept, and none that was found to be no post."""
        return self.known.at(url) is None and identity(url) not in self.no_posts


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


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
