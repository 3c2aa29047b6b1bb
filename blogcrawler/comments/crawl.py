"""The crawl as far as this room needs it; the stage of the pipeline implements it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from blogcrawler.comments.questions import Question

if TYPE_CHECKING:
    from blogcrawler.browser import Rendition
    from blogcrawler.feeds.sources import Answer
    from blogcrawler.items import Page

__all__ = ["Crawl", "Fetch"]

Fetch = Callable[[Question], "Awaitable[Answer | None]"]
"""The answer of a server; without a status where it does not answer, None where it must not be asked."""


class Crawl(Protocol):
    """Requests, the browser, counts, and what is under way in one crawl."""

    @property
    def can_render(self) -> bool:
        """True if there is a browser, as far as is known."""

    @property
    def is_running(self) -> bool:
        """False once the crawl is to end."""

    async def fetch(self, question: Question) -> Answer | None:
        """See `Fetch`; each request is counted."""

    async def show(self, page: Page, *, with_frames: bool = False) -> Rendition | None:
        """A page as the browser shows it; None where it cannot be shown."""

    def count(self, event: str, by: int = 1) -> None:
        """Count something that happened to comments."""

    def lose(self, what: str, because: str) -> None:
        """Count a post whose comments cannot be fetched, for the summary."""

    def is_stuck(self, waiting: int) -> bool:
        """True if all posts in the pipeline wait, `waiting` of them for rules, and none can come until they go on."""

    def frontier(self, count: str) -> int:
        """A number that the spider tells of its frontier."""
