"""Rules that end a crawl: budgets, the harvest rate, and a source that lists all posts.

The harvest rule is that of Blanvillain, Kasioumis and Banos, "A Scalable Approach to Harvest Modern Weblogs", IJAIT
24(2), 2015: stop when the last pages held hardly any new posts. Its window has to be long enough for difficult blogs.
On most blogs fewer pages are enough: if pages have linked to nearly all known posts again and to no new post, there are
no unknown posts. Links that are on all pages, such as those of a side bar, do not count for this.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.frontier.coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

PATIENCE = 10
"""Minimum number of fruitless pages before the crawl ends."""
SEEN_AGAIN = 0.8
"""Share of the known posts that these pages must have linked to."""
PATIENCE_SHARE = 0.1
"""Number of consecutive pages without new posts that end a crawl, as a share of the known posts."""
NOTHING_YET = 3
"""Factor for the number of fruitless pages that end a crawl which has found no post besides its seeds."""
WHOLE = 0.95
"""Share of the posts that one page must list to be taken for a list of all posts."""
LISTED = 0.5
"""Factor for the number of fruitless pages that end a crawl if one page lists all posts."""
CHECKED = 0.4
"""Share of the posts that must be seen again if links between posts confirm such a list."""
QUICK, QUICK_SHARE = 2, 0.03
"""Number of fruitless pages that end a crawl if links between posts confirm such a list, and share of the posts."""
SAMPLE = 12
"""Minimum number of posts that must be seen again, and found on pages of other posts, to represent all posts."""
INDEPENDENT = 0.5
"""Share of the posts besides the seeds that must have been found on pages of other posts."""
FURTHER = 2
"""Factor by which the posts found must exceed the seeds."""
FEW = 3
"""Number of posts below which two pages may show the same posts by chance."""
FREQUENT = 0.5
"""A post is linked from boilerplate if more than this share of all pages link to it."""


class StopReason(StrEnum):
    """The reason why a crawl ended; reports state it in words."""

    PAGE_LIMIT = "page_limit"
    TIME_LIMIT = "time_limit"
    NO_TIME_TO_LEARN = "no_time_to_learn"
    LOW_HARVEST = "low_harvest"
    KNOWN_POSTS_AGAIN = "known_posts_again"
    ONE_LIST_HAS_ALL = "one_list_has_all"
    SOURCE_COMPLETE = "source_complete"
    SITE_CLOSED = "site_closed"
    KINDS_LEFT_OUT = "kinds_left_out"


_CLOSE_REASONS = {
    StopReason.PAGE_LIMIT: "page_limit",
    StopReason.TIME_LIMIT: "time_limit",
    StopReason.NO_TIME_TO_LEARN: "time_limit",
    StopReason.SOURCE_COMPLETE: "complete",
    StopReason.SITE_CLOSED: "closed",
    StopReason.KINDS_LEFT_OUT: "finished",
}


class Stop(NamedTuple):
    """The end of a crawl: its reason and the figures behind it. JSON types."""

    reason: StopReason
    #: the limit that was reached: pages, seconds or new posts
    limit: float = 0
    #: pages that led to nothing new, or were left out
    pages: int = 0
    posts: int = 0
    #: posts that were linked again
    again: int = 0
    #: the source that lists all posts
    source: str = ""

    @property
    def rule(self) -> str:
        """The reason with which Scrapy closes the spider."""
        return _CLOSE_REASONS.get(self.reason, "harvest")


class Harvest:
    """Counts the new posts that the last `window` pages led to, and the known posts that were linked again since the
    last new post. Pages of posts do not count. Posts are identified by keys."""

    def __init__(self, window: int | None) -> None:
        self._last: deque[int] = deque(maxlen=window or 0)
        self._again: set[str] = set()
        self._shown: set[int] = set()  # hashes
        self._pages = 0
        self._linked: Counter[str] = Counter()
        #: the posts that most pages link to, and some that most pages linked to when they were last linked
        self._frequent: set[str] = set()
        #: number of pages fetched after the last page that showed a new post, or showed a known post again for the
        #: first time
        self.in_vain = 0
        #: pages since the last new post
        self.since = 0

    def record(self, new_posts: int, shown: Iterable[str] = (), listed: Collection[str] | None = None) -> None:
        """Count a fetched page that is no post, with the known posts that it links to (`shown`) or lists (`listed`)."""
        posts = set(shown)
        self.look(posts)
        posts_listed = posts if listed is None else posts & set(listed)
        self._last.append(new_posts)
        if new_posts:
            self.discovered()
        else:
            self.since += 1
            self.in_vain = self.in_vain + 1 if posts_listed <= self._again else 0
            self._again |= posts

    def look(self, shown: Iterable[str]) -> None:
        """Count the posts that any page, also a post, links to."""
        self._pages += 1
        posts = set(shown)
        self._linked.update(posts)
        self._frequent.update(filter(self._is_frequent, posts))

    def discovered(self) -> None:
        """Note that a new post was found, on any page."""
        self.in_vain = self.since = 0
        self._again.clear()

    def is_repetition(self, shown: Iterable[str]) -> bool:
        """True if another page has shown exactly these posts."""
        posts = frozenset(shown)
        if len(posts) < FEW:
            return False
        is_known = hash(posts) in self._shown
        self._shown.add(hash(posts))
        return is_known

    def seen_again(self) -> tuple[int, int]:
        """Number of posts linked again since the last new one, and number of posts that most pages link to."""
        self._frequent = set(filter(self._is_frequent, self._frequent))
        return len(self._again) - len(self._again & self._frequent), len(self._frequent)

    def _is_frequent(self, key: str) -> bool:
        return self._linked[key] > FREQUENT * self._pages

    @property
    def pages(self) -> int:
        """Number of pages in the window."""
        return len(self._last)

    @property
    def posts(self) -> int:
        """Number of new posts in the window."""
        return sum(self._last)


@dataclass(frozen=True)
class Progress:
    """The figures of a crawl that the stop rules use."""

    #: pages fetched
    pages: int
    elapsed_s: float
    harvest: Harvest
    #: waiting addresses of posts
    pending_posts: int = 0
    #: posts found
    posts: int = 0
    #: posts that the crawl began with
    seeds: int = 0
    #: maximum number of posts that one page has listed
    most_listed: int = 0
    #: posts found on pages of other posts
    found_on_posts: int = 0
    #: whether a waiting page promises more than others
    has_promising_page: Callable[[], bool] = bool
    #: what a source lists; if it is complete, other links are followed only to check that
    coverage: Coverage = field(default_factory=Coverage)


@dataclass(frozen=True)
class StopRules:
    """The stop rules that the settings define; a rule that is None is off."""

    #: maximum number of pages fetched in this crawl
    page_limit: int | None = None
    time_limit_s: float | None = None
    #: pages over which the harvest rate is measured
    harvest_window: int | None = None
    #: new posts that the window must hold for the crawl to go on
    harvest_min: int = 1
    #: minimum number of consecutive pages that led to known posts only
    patience: int | None = None

    def harvest(self) -> Harvest:
        """An empty window of the configured size."""
        return Harvest(self.harvest_window)

    def check(self, progress: Progress) -> Stop | None:
        """The end of the crawl by the first rule that applies; None to go on."""
        if self.page_limit is not None and progress.pages >= self.page_limit:
            return Stop(StopReason.PAGE_LIMIT, limit=self.page_limit)
        if self.time_limit_s is not None and progress.elapsed_s >= self.time_limit_s:
            return Stop(StopReason.TIME_LIMIT, limit=self.time_limit_s)
        if progress.pending_posts:
            return None
        return self._low_harvest(progress.harvest) or self._known_posts_again(progress) or _proven(progress.coverage)

    def _low_harvest(self, harvest: Harvest) -> Stop | None:
        """The end of the crawl if the last pages led to too few new posts; otherwise None."""
        if not self.harvest_window or harvest.pages < self.harvest_window or harvest.posts >= self.harvest_min:
            return None
        return Stop(StopReason.LOW_HARVEST, limit=self.harvest_min, pages=self.harvest_window, posts=harvest.posts)

    def _known_posts_again(self, progress: Progress) -> Stop | None:
        """The end of the crawl if the last pages linked to so many known posts again that there are no others.

        Links to a crawl's seeds are weak evidence, since these posts are the newest and linked everywhere. Older posts
        may have a list that no post links to: pages that seem to be such lists, or resemble pages that led to posts,
        are fetched first.
        """
        harvest, posts = progress.harvest, progress.posts
        if not self.patience or harvest.since < QUICK or progress.coverage.is_whole:
            return None
        again, frequent = harvest.seen_again()
        listed = posts - frequent
        if 2 * listed < posts or again < 1 or progress.has_promising_page():
            return None
        if _lists_agree(progress, again, listed):
            return Stop(StopReason.ONE_LIST_HAS_ALL, pages=harvest.since, posts=posts, again=again)
        if again < SEEN_AGAIN * listed or harvest.in_vain < _pages_in_vain(progress, self.patience):
            return None
        return Stop(StopReason.KNOWN_POSTS_AGAIN, pages=harvest.in_vain, posts=posts, again=again)


def _proven(coverage: Coverage) -> Stop | None:
    """The end of the crawl if all posts of a source and all pages that check it were fetched; otherwise None."""
    if not coverage.is_proven:
        return None
    return Stop(StopReason.SOURCE_COMPLETE, pages=len(coverage.check), source=coverage.source)


def _pages_in_vain(progress: Progress, patience: int) -> float:
    """Number of consecutive pages that must have led to nothing new."""
    enough = max(patience, PATIENCE_SHARE * progress.posts)
    if progress.posts <= progress.seeds:
        return enough * NOTHING_YET
    is_listed = progress.most_listed >= WHOLE * progress.posts and progress.posts >= FURTHER * progress.seeds
    return enough * (LISTED if is_listed else 1)


def _lists_agree(progress: Progress, again: int, listed: int) -> bool:
    """True if a few fruitless pages are enough: one page lists all posts, and these were found independently of it.

    This is a capture and recapture test: links between posts lead to a sample of all posts that no list has selected.
    If only lists led to the posts, another list that agrees may cover the same year.
    """
    harvest, posts = progress.harvest, progress.posts
    if again < max(SAMPLE, CHECKED * listed) or harvest.since < max(QUICK, QUICK_SHARE * posts):
        return False
    is_independent = progress.found_on_posts >= max(SAMPLE, INDEPENDENT * (posts - progress.seeds))
    return is_independent and posts >= FURTHER * progress.seeds and progress.most_listed >= WHOLE * posts
