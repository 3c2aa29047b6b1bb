"""Tells a site that lets nobody in any more from one that refuses some pages: the crawl ends, and goes on another time.

A refusal alone proves nothing: single posts may be private. So where several pages were refused, or some at the end, a
page that was a post is asked for again: if it is shown, the site is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.tasks import Probe
from blogcrawler.downloader.reasons import advice_of, status_reason
from blogcrawler.errors import Unreachable
from blogcrawler.feeds.discovery import REFUSALS
from blogcrawler.frontier import Stop, StopReason
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page

SEVERAL = 5
"""Refused pages after which it is asked whether the site is open; after each time that it is, twice as many."""
LATER = "What was found is kept; try again later, the same command goes on from here."


class ClosedSite:
    """Asks for a page that was a post once pages are refused."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        #: addresses that were refused since the site was last seen to be open
        self._doubtful: dict[str, None] = {}
        self._most_doubtful = SEVERAL
        #: why the site is closed
        self.closed: Unreachable | None = None

    def stop(self) -> Stop | None:
        """The rule that ends the crawl of a closed site."""
        return None if self.closed is None else Stop(StopReason.SITE_CLOSED)

    def is_waiting(self) -> bool:
        """True if so many pages were refused that no further one should be asked for before the site is probed."""
        return len(self._doubtful) >= self._most_doubtful

    def check(self, reason: str) -> bool:  # noqa: ARG002
        """False if the site is closed, which is why the crawl could not do its job."""
        self._ctx.outcome.fatal = self._ctx.outcome.fatal or self.closed
        return self.closed is None

    def note_given_up(self, url: str, reason: str) -> None:
        """Take in a page that could not be fetched."""
        if advice_of(reason) is not None and not self._ctx.is_blocked:
            self._doubtful[url] = None

    def probe(self, stop: Stop | None) -> Probe | None:
        """Probe the site at the end if pages were refused, with a page that was a post, where one is kept."""
        ctx = self._ctx
        if not self._doubtful or not ctx.is_at_end(stop):
            return None
        kept = [page for page, _ in ctx.archive.load_training_pages(ctx.home) if identity(page.url) in ctx.entries]
        if kept and not ctx.is_blocked:
            return Probe(kept[0].url, self.note_probed)
        self._doubtful.clear()
        return None

    def note_probed(self, page: Page | None) -> None:
        """End the crawl if a page that was a post is refused now; what was refused before waits for the next crawl.

        No answer tells nothing.
        """
        if page is not None and page.status in REFUSALS:
            reason = status_reason(page.status)
            message = f"{page.url} answered {reason}, and was there before; {advice_of(reason)}. {LATER}"
            self.closed = Unreachable(message, url=self._ctx.home)
            self._ctx.frontier.retry(self._doubtful)
            self._ctx.frontier.flush()
        self._doubtful.clear()
        self._most_doubtful *= 2
        self._ctx.news.set()
