"""When a crawl has done enough: budgets, and the harvest rate.

The harvest rate is that of focused crawling, and the rule that of Blanvillain, Kasioumis and Banos, "A Scalable
Approach to Harvest Modern Weblogs", IJAIT 24(2), 2015: stop when the last pages held next to no posts that were not
known. Its window has to be long, for the worst of blogs. On most blogs less tells more: when pages have led to next to
all known posts once more, as a sample of all posts does, and to no other, there are no others.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Harvest", "Stop", "StopRules"]


PATIENCE_SHARE = 0.25
"""Pages in vain for each known post, before the crawl is over."""
FEW = 3
"""Posts; a page that shows fewer may be like another by chance."""


@dataclass(frozen=True)
class Stop:
    """A rule that ends a crawl: its name, and why it does, as a part of a sentence."""

    rule: Literal["page_limit", "time_limit", "harvest", "complete"]
    because: str


class Harvest:
    """The new posts that the last `window` pages led to; the posts' own pages do not count.

    And what the pages since the last new post have shown once more.
    """

    def __init__(self, window: int | None) -> None:
        self._last: deque[int] = deque(maxlen=window or 0)
        self._again: set[str] = set()
        self._shown: set[frozenset[str]] = set()
        #: pages since the last new post
        self.in_vain = 0

    def record(self, new_posts: int, shown: Iterable[str] = ()) -> None:
        """Count a fetched page that is no post; `shown` are the keys of known posts that it links to."""
        self._last.append(new_posts)
        if new_posts:
            self.discovered()
        else:
            self.in_vain += 1
            self._again.update(shown)

    def discovered(self) -> None:
        """A new post was found, on whatever page."""
        self.in_vain = 0
        self._again.clear()

    def is_repetition(self, shown: Iterable[str]) -> bool:
        """Has another page shown just these posts?"""
        posts = frozenset(shown)
        if len(posts) < FEW:
            return False
        is_known = posts in self._shown
        self._shown.add(posts)
        return is_known

    @property
    def again(self) -> int:
        """Known posts that were shown once more since the last new one."""
        return len(self._again)

    @property
    def pages(self) -> int:
        """Pages in the window."""
        return len(self._last)

    @property
    def posts(self) -> int:
        """New posts in the window."""
        return sum(self._last)


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

    def check(
        self, *, pages: int, elapsed_s: float, harvest: Harvest, pending_posts: int, posts: int = 0
    ) -> Stop | None:
        """The rule by which the crawl should stop now; None to go on. While posts wait the harvest stops nothing.

        `posts` are those that were found.
        """
        if self.page_limit is not None and pages >= self.page_limit:
            return Stop("page_limit", f"the limit of {self.page_limit} pages was reached")
        if self.time_limit_s is not None and elapsed_s >= self.time_limit_s:
            return Stop("time_limit", f"the limit of {self.time_limit_s:g} seconds was reached")
        window = self.harvest_window
        if window and not pending_posts and harvest.pages >= window and harvest.posts < self.harvest_min:
            because = f"the last {window} pages led to {harvest.posts} new posts, fewer than {self.harvest_min}"
            return Stop("harvest", because)
        if self.patience and posts and not pending_posts and self._has_seen_all(harvest, posts):
            because = f"the last {harvest.in_vain} pages led to {harvest.again} of the posts again, and to no new one"
            return Stop("harvest", because)
        return None

    def _has_seen_all(self, harvest: Harvest, posts: int) -> bool:
        least = max(self.patience or 0, PATIENCE_SHARE * posts)
        return harvest.in_vain >= least and harvest.again >= self.seen_again * posts
