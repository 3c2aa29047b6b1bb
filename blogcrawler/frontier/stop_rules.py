"""Rules that end a crawl: budgets, the harvest rate, and a source that has all posts.

The rule is that of Blanvillain, Kasioumis and Banos, "A Scalable Approach to Harvest Modern Weblogs", IJAIT 24(2),
2015: stop when the last pages held next to no posts that were not known. Its window has to be long, for the worst of
blogs. On most blogs less is enough: when pages have led to next to all known posts once more, as a sample of all posts
does, and to no other, there are no others. The side bar of every page is no sample.
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
"""Pages in vain, at least, before the crawl is over."""
SEEN_AGAIN = 0.8
"""Share of the known posts that these pages must have led to."""
PATIENCE_SHARE = 0.1
"""Pages in vain for each known post, before the crawl is over."""
NOTHING_YET = 3
"""Times as much patience as long as no post was found but those that the crawl began with."""
WHOLE = 0.95
"""Share of the posts that one page has listed, above which it seems to list all."""
LISTED = 0.5
"""Times as much patience is enough where it does, …"""
CHECKED = 0.4
"""… and share of the posts that is enough to see again, where links between posts agree."""
QUICK, QUICK_SHARE = 2, 0.03
"""Pages in vain that are enough, and as a share of the posts, where much was seen again."""
SAMPLE = 12
"""Posts, seen again, that tell of all …"""
INDEPENDENT = 0.5
"""Share of the posts that the crawl did not begin with, which must have been found on pages of posts for that."""
FURTHER = 2
"""… where so many times as many were found as the crawl began with."""
FEW = 3
"""Posts; a page that shows fewer may be like another by chance."""
FREQUENT = 0.5
"""Share of all pages above which what they link to is not what they list."""


class StopReason(StrEnum):
    """Why a crawl ends; the report words it."""

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
    """The end of a crawl: its reason, and the figures of that. JSON types."""

    reason: StopReason
    #: of pages, seconds or new posts
    limit: float = 0
    #: pages that led to nothing new, or were left out
    pages: int = 0
    posts: int = 0
    #: posts that were linked once more
    again: int = 0
    #: source that lists all posts
    source: str = ""

    @property
    def rule(self) -> str:
        """The name of the rule, with which Scrapy closes the spider."""
        return _CLOSE_REASONS.get(self.reason, "harvest")


class Harvest:
    """The new posts that the last `window` pages led to, and known ones that pages since have shown once more.
    The posts' own pages do not count. Posts are named by keys."""

    def __init__(self, window: int | None) -> None:
        self._last: deque[int] = deque(maxlen=window or 0)
        self._again: set[str] = set()
        self._shown: set[int] = set()  # hashes
        self._pages = 0
        self._linked: Counter[str] = Counter()
        #: pages since the last that showed a new post, or a known one for the first time after that
        self.in_vain = 0
        #: pages since the last new post
        self.since = 0

    def record(self, new_posts: int, shown: Iterable[str] = (), listed: Collection[str] | None = None) -> None:
        """Count a fetched page that is no post, with the known posts that it links to (`shown`) or lists (`listed`)."""
        posts = set(shown)
        self.look(posts)
        told = posts if listed is None else posts & set(listed)
        self._last.append(new_posts)
        if new_posts:
            self.discovered()
        else:
            self.since += 1
            self.in_vain = self.in_vain + 1 if told <= self._again else 0
            self._again |= posts

    def look(self, shown: Iterable[str]) -> None:
        """Note what a page, also a post's, links to."""
        self._pages += 1
        self._linked.update(set(shown))

    def discovered(self) -> None:
        """A new post was found, on whatever page."""
        self.in_vain = self.since = 0
        self._again.clear()

    def is_repetition(self, shown: Iterable[str]) -> bool:
        """True if another page has shown just these posts."""
        posts = frozenset(shown)
        if len(posts) < FEW:
            return False
        is_known = hash(posts) in self._shown
        self._shown.add(hash(posts))
        return is_known

    def seen_again(self) -> tuple[int, int]:
        """Posts that were shown once more since the last new one, and posts that most pages link to. O(posts)."""
        frequent = {key for key, count in self._linked.items() if count > FREQUENT * self._pages}
        return len(self._again - frequent), len(frequent)

    @property
    def pages(self) -> int:
        """Pages in the window."""
        return len(self._last)

    @property
    def posts(self) -> int:
        """New posts in the window."""
        return sum(self._last)


@dataclass(frozen=True)
class Progress:
    """Figures of a crawl that stop rules look at."""

    #: fetched
    pages: int
    elapsed_s: float
    harvest: Harvest
    #: addresses of posts that wait
    pending_posts: int = 0
    #: posts that were found
    posts: int = 0
    #: posts that the crawl began with
    seeds: int = 0
    #: the most posts that one page has listed
    most_listed: int = 0
    #: posts that were found on the pages of other posts
    found_on_posts: int = 0
    #: whether a page waits of which more is expected than of others
    may_tell_more: Callable[[], bool] = bool
    #: what a source lists; where it has all posts, other links are followed to check that alone
    coverage: Coverage = field(default_factory=Coverage)


@dataclass(frozen=True)
class StopRules:
    """The rules of a crawl by its settings; None is no such rule."""

    #: pages fetched in this crawl
    page_limit: int | None = None
    time_limit_s: float | None = None
    #: pages that the harvest rate is taken over
    harvest_window: int | None = None
    #: new posts that the window must hold for the crawl to go on
    harvest_min: int = 1
    #: pages in a row, at least, that led to known posts alone
    patience: int | None = None

    def harvest(self) -> Harvest:
        """An empty window of the right size."""
        return Harvest(self.harvest_window)

    def check(self, progress: Progress) -> Stop | None:
        """The end of the crawl by the first rule that says so; None to go on."""
        if self.page_limit is not None and progress.pages >= self.page_limit:
            return Stop(StopReason.PAGE_LIMIT, limit=self.page_limit)
        if self.time_limit_s is not None and progress.elapsed_s >= self.time_limit_s:
            return Stop(StopReason.TIME_LIMIT, limit=self.time_limit_s)
        if progress.pending_posts:
            return None
        return self._low_harvest(progress.harvest) or self._known_posts_again(progress) or _proven(progress.coverage)

    def _low_harvest(self, harvest: Harvest) -> Stop | None:
        """The end of the crawl if the last pages led to too few new posts."""
        if not self.harvest_window or harvest.pages < self.harvest_window or harvest.posts >= self.harvest_min:
            return None
        return Stop(StopReason.LOW_HARVEST, limit=self.harvest_min, pages=self.harvest_window, posts=harvest.posts)

    def _known_posts_again(self, progress: Progress) -> Stop | None:
        """The end of the crawl if the last pages led to so many known posts once more that there are no others.

        Links to a crawl's first posts are weak evidence, since these are the newest, which are linked everywhere. Older
        posts may have a list that no post links to: pages that seem to be such lists, or are like others that have led
        to posts, are fetched first.
        """
        harvest, posts = progress.harvest, progress.posts
        if not self.patience or harvest.since < QUICK or progress.coverage.is_whole:
            return None
        again, frequent = harvest.seen_again()
        listed = posts - frequent
        if 2 * listed < posts or again < 1 or progress.may_tell_more():
            return None
        if _lists_agree(progress, again, listed):
            return Stop(StopReason.ONE_LIST_HAS_ALL, pages=harvest.since, posts=posts, again=again)
        if again < SEEN_AGAIN * listed or harvest.in_vain < _pages_in_vain(progress, self.patience):
            return None
        return Stop(StopReason.KNOWN_POSTS_AGAIN, pages=harvest.in_vain, posts=posts, again=again)


def _proven(coverage: Coverage) -> Stop | None:
    """The end of the crawl if all posts that a source lists were fetched, and the pages that check it."""
    if not coverage.is_proven:
        return None
    return Stop(StopReason.SOURCE_COMPLETE, pages=len(coverage.check), source=coverage.source)


def _pages_in_vain(progress: Progress, patience: int) -> float:
    """How many pages must have led to nothing else."""
    enough = max(patience, PATIENCE_SHARE * progress.posts)
    if progress.posts <= progress.seeds:
        return enough * NOTHING_YET
    is_listed = progress.most_listed >= WHOLE * progress.posts and progress.posts >= FURTHER * progress.seeds
    return enough * (LISTED if is_listed else 1)


def _lists_agree(progress: Progress, again: int, listed: int) -> bool:
    """True if a few pages in vain are enough: one page lists all posts, which were found in another way.

    That is a capture and a recapture: links between posts lead to a sample of all posts that no list has chosen. Where
    lists alone led to the posts, another one that agrees may be of the same year.
    """
    harvest, posts = progress.harvest, progress.posts
    if again < max(SAMPLE, CHECKED * listed) or harvest.since < max(QUICK, QUICK_SHARE * posts):
        return False
    is_independent = progress.found_on_posts >= max(SAMPLE, INDEPENDENT * (posts - progress.seeds))
    return is_independent and posts >= FURTHER * progress.seeds and progress.most_listed >= WHOLE * posts
