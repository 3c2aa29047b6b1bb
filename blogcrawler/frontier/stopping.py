"""When a crawl has done enough: budgets, and the harvest rate.

The harvest rate is that of focused crawling, and the rule that of Blanvillain, Kasioumis and Banos, "A Scalable
Approach to Harvest Modern Weblogs", IJAIT 24(2), 2015: stop when the last pages held next to no posts that were not
known. Its window has to be long, for the worst of blogs. On most blogs less tells more: when pages have led to next to
all known posts once more, as a sample of all posts does, and to no other, there are no others. What stands in the side
bar of every page is no sample, and as long as pages go on through known posts, new ones may come behind these.
"""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["Harvest", "Progress", "Stop", "StopRules"]


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


@dataclass(frozen=True)
class Stop:
    """A rule that ends a crawl: its name, and why it does, as a part of a sentence."""

    rule: Literal["page_limit", "time_limit", "harvest", "complete", "closed"]
    because: str


class Harvest:
    """The new posts that the last `window` pages led to; the posts' own pages do not count.

    And what the pages since the last new post have shown once more. Posts are named by keys.
    """

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
        """Count a fetched page that is no post; `shown` are the known posts that it links to.

        `listed` are those of them that are no part of what surrounds every page; None for all.
        """
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
        """Has another page shown just these posts?"""
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
    """What a crawl has done, and what it has before it."""

    #: fetched
    pages: int
    elapsed_s: float
    harvest: Harvest
    #: addresses of posts that wait
    pending_posts: int = 0
    #: that were found
    posts: int = 0
    #: those of them that the crawl began with
    seeds: int = 0
    #: the most posts that one page has listed
    most_listed: int = 0
    #: that were found on the pages of other posts
    found_on_posts: int = 0
    #: does a page wait of which more is to be expected than of others?
    may_tell_more: Callable[[], bool] = bool
    #: is it being proven that a source has all of them? Then others that pages lead to are not followed
    is_proving: bool = False


@dataclass(frozen=True)
class StopRules:
    """When to stop; None is no such rule."""

    #: pages fetched in this crawl
    page_limit: int | None = None
    #: seconds
    time_limit_s: float | None = None
    #: pages that the harvest rate is taken over
    harvest_window: int | None = None
    #: new posts that the window must hold for the crawl to go on
    harvest_min: int = 1
    #: pages in a row, at least, that lead to no new post and to so many of the known ones again, as a share
    patience: int | None = None
    seen_again: float = 0.8

    def harvest(self) -> Harvest:
        """An empty window of the right size."""
        return Harvest(self.harvest_window)

    def check(self, progress: Progress) -> Stop | None:
        """The rule by which the crawl should stop now; None to go on. While posts wait the harvest stops nothing."""
        harvest = progress.harvest
        if self.page_limit is not None and progress.pages >= self.page_limit:
            return Stop("page_limit", f"the limit of {self.page_limit} pages was reached")
        if self.time_limit_s is not None and progress.elapsed_s >= self.time_limit_s:
            return Stop("time_limit", f"the limit of {self.time_limit_s:g} seconds was reached")
        if progress.pending_posts:
            return None
        window = self.harvest_window
        if window and harvest.pages >= window and harvest.posts < self.harvest_min:
            because = f"the last {window} pages led to {harvest.posts} new posts, fewer than {self.harvest_min}"
            return Stop("harvest", because)
        if self.patience and harvest.since >= QUICK and not progress.is_proving:
            return self._check_repetition(progress)
        return None

    def _check_repetition(self, progress: Progress) -> Stop | None:
        """Have the last pages led to so many known posts once more that there are no others?

        As long as other pages go on through known posts, new ones may come behind these. What is shown of a crawl's
        first posts tells little, since these are the newest, which stand everywhere. Older posts may have a list of
        their own, which no post links to: what seems to be of these is looked at before, and so is what is like pages
        that have led to posts.
        """
        harvest, posts = progress.harvest, progress.posts
        again, frequent = harvest.seen_again()
        listed = posts - frequent
        if 2 * listed < posts or again < 1 or progress.may_tell_more():
            return None
        if (because := self._quick(progress, again, listed)) is not None:
            return Stop("harvest", because)
        if again < self.seen_again * listed or harvest.in_vain < self._pages_in_vain(progress):
            return None
        because = f"pages led to {again} of {posts} posts again, and the last {harvest.in_vain} to nothing else"
        return Stop("harvest", because)

    def _pages_in_vain(self, progress: Progress) -> float:
        """How many pages must have led to nothing else."""
        patience = max(self.patience or 0, PATIENCE_SHARE * progress.posts)
        if progress.posts <= progress.seeds:
            return patience * NOTHING_YET
        is_listed = progress.most_listed >= WHOLE * progress.posts and progress.posts >= FURTHER * progress.seeds
        return patience * (LISTED if is_listed else 1)

    def _quick(self, progress: Progress, again: int, listed: int) -> str | None:
        """Why a few pages in vain are enough: one page lists all posts, which were found in another way.

        That is a capture and a recapture: links between posts lead to a sample of all posts that no list has chosen. A
        list that holds all of them, and none besides, is the list of all. Where lists alone led to the posts, another
        one that agrees may be of the same year.
        """
        harvest, posts = progress.harvest, progress.posts
        if again < max(SAMPLE, CHECKED * listed) or harvest.since < max(QUICK, QUICK_SHARE * posts):
            return None
        is_independent = progress.found_on_posts >= max(SAMPLE, INDEPENDENT * (posts - progress.seeds))
        if not is_independent or posts < FURTHER * progress.seeds or progress.most_listed < WHOLE * posts:
            return None
        return f"one list has all posts, and {harvest.since} pages led to {again} of them again, and to no other"
