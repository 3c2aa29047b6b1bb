"""The crawl as far as this room needs it."""

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
"""The answer of a server; without a status where it does not answer, None where it must not be asked."""


@dataclass(frozen=True)
class Crawl:
    """Given by the stage of the pipeline."""

    fetch: Fetch
    stats: StatsCollector
    renderer: Renderer | None = None
    #: True if so many posts are all that are in the pipeline, and no other can come until they go on
    is_stuck: Callable[[int], bool] = lambda _: False

    @property
    def can_render(self) -> bool:
        """True if there is a browser, as far as is known."""
        return self.renderer is not None and self.renderer.can_render

    async def show(self, page: Page, *, with_frames: bool = False) -> Rendition | None:
        """A page as the browser shows it; None where it cannot be shown."""
        if self.renderer is None or not self.renderer.can_render:
            return None
        return await self.renderer.show(
            page, lambda _: "leads on to another page", is_kept=True, with_frames=with_frames
        )

    def count(self, event: str, by: int = 1) -> None:
        """Count something that happened to comments."""
        if by:
            self.stats.inc_value(f"blogcrawler/comments/{event}", by)

    def lose(self, what: str, because: str) -> None:
        """Count a post whose comments cannot be fetched, for the summary."""
        self.stats.set_value(f"blogcrawler/comments/because/{what}", because)
        self.count(f"lost/{what}")

    def frontier(self, name: str) -> int:
        """A number that the spider tells of its frontier."""
        return int(self.stats.get_value(f"blogcrawler/frontier/{name}", 0))
