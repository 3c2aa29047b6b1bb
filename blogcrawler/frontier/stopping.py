"""When a crawl has done enough: budgets, and the harvest rate.

The harvest rate is that of focused crawling, and the rule that of Blanvillain, Kasioumis and Banos, "A Scalable
Approach to Harvest Modern Weblogs", IJAIT 24(2), 2015: stop when the last pages held next to no posts that were not
known.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Literal

__all__ = ["Harvest", "Stop", "StopRules"]


@dataclass(frozen=True)
class Stop:
    """A rule that ends a crawl: its name, and why it does, as a part of a sentence."""

    rule: Literal["page_limit", "time_limit", "harvest", "complete"]
    because: str


class Harvest:
    """The new posts that the last `window` pages led to; the posts' own pages do not count."""

    def __init__(self, window: int | None) -> None:
        self._last: deque[int] = deque(maxlen=window or 0)

    def record(self, new_posts: int) -> None:
        """Count a fetched page that is no post."""
        self._last.append(new_posts)

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

    def harvest(self) -> Harvest:
        """An empty window of the right size."""
        return Harvest(self.harvest_window)

    def check(self, *, pages: int, elapsed_s: float, harvest: Harvest, pending_posts: int) -> Stop | None:
        """The rule by which the crawl should stop now; None to go on. While posts wait the harvest stops nothing."""
        if self.page_limit is not None and pages >= self.page_limit:
            return Stop("page_limit", f"the limit of {self.page_limit} pages was reached")
        if self.time_limit_s is not None and elapsed_s >= self.time_limit_s:
            return Stop("time_limit", f"the limit of {self.time_limit_s:g} seconds was reached")
        window = self.harvest_window
        if window and not pending_posts and harvest.pages >= window and harvest.posts < self.harvest_min:
            because = f"the last {window} pages led to {harvest.posts} new posts, fewer than {self.harvest_min}"
            return Stop("harvest", because)
        return None
