"""The interface to the crawl that this package uses."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.comments.endpoints import CommentRequest

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from blogcrawler.browser import Renderer, Rendition
    from blogcrawler.feeds.sources import Answer
    from blogcrawler.items import Page

Fetch = Callable[[CommentRequest], "Awaitable[Answer | None]"]
"""Sends a request and returns the server's response. A response without a status means that there was none; None means
that the request is not allowed, or that its response was not captured."""


@dataclass(frozen=True)
class Crawl:
    """The functions of the crawl that this package uses; created by the pipeline stage."""

    fetch: Fetch
    stats: StatsCollector
    renderer: Renderer | None = None
    #: returns True if the pipeline has only this many posts, and no further post can arrive until they continue
    is_stuck: Callable[[int], bool] = lambda _: False

    @property
    def can_render(self) -> bool:
        """True unless no browser can be used."""
        return self.renderer is not None and self.renderer.can_render

    async def show(self, page: Page, *, with_frames: bool = False) -> Rendition | None:
        """A page as rendered by the browser; None if it cannot be rendered."""
        if self.renderer is None or not self.renderer.can_render:
            return None
        return await self.renderer.show(
            page, lambda _: "leads on to another page", is_kept=True, with_frames=with_frames
        )

    def count(self, event: str, by: int = 1) -> None:
        """Count an event of the comments."""
        if by:
            self.stats.inc_value(f"blogcrawler/comments/{event}", by)

    def lose(self, source: str, because: str) -> None:
        """Count, for the summary, a post whose comments cannot be fetched from this source."""
        self.stats.set_value(f"blogcrawler/comments/because/{source}", because)
        self.count(f"lost/{source}")

    def frontier(self, name: str) -> int:
        """A number of the frontier, from the spider."""
        return int(self.stats.get_value(f"blogcrawler/frontier/{name}", 0))
