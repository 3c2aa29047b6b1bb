"""A crawl of a site that lets nobody in any more while it goes on: it ends unfinished, and goes on another time.

A refusal alone proves nothing: single posts may be private. So where several pages were refused, or some at the end, a
page that was a post is asked for again: if it is shown, the site is open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request

from blogcrawler.crawl.feed_discovery import REFUSALS
from blogcrawler.downloader.reasons import advice_of, status_reason
from blogcrawler.errors import Unreachable
from blogcrawler.frontier import Stop, StopReason
from blogcrawler.spiders.sharing import SharedCrawl
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from scrapy.http import Response
    from twisted.python.failure import Failure

__all__ = ["TurnedAway"]

SEVERAL = 5
"""Refused pages after which it is asked whether the site is open; after each time that it is, twice as many."""
LATER = "What was found is kept; try again later, the same command goes on from here."


class TurnedAway(SharedCrawl):
    """A crawl that tells a site which refuses all from one that refuses some pages."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: addresses that were refused since the site was last seen to be open
        self._doubtful: dict[str, None] = {}
        self._most_doubtful = SEVERAL
        #: why the site is closed
        self._closed: Unreachable | None = None

    def _stop(self) -> Stop | None:
        return super()._stop() if self._closed is None else Stop(StopReason.SITE_CLOSED)

    def _is_complete(self, reason: str) -> bool:
        self.fatal = self.fatal or self._closed
        return super()._is_complete(reason)

    def _has_enough_in_work(self) -> bool:
        return super()._has_enough_in_work() or len(self._doubtful) >= self._most_doubtful

    def _left_over(self, stop: Stop | None) -> Request | None:
        if self._doubtful and self._is_at_end(stop) and self._only_sample_in_work():
            if (request := self._probe()) is not None:
                return request
            self._doubtful.clear()
        return super()._left_over(stop)

    # -------------------------------------------------------------------------------------------------- refused pages

    def _give_up(self, url: str, reason: str, *, detours: int = 0) -> None:
        super()._give_up(url, reason, detours=detours)
        if advice_of(reason) is not None and not self._is_blocked():
            self._doubtful[url] = None

    # ------------------------------------------------------------------------------------------- whether it is closed

    def _probe(self) -> Request | None:
        """The request for a page that was a post; None where no such page is kept."""
        kept = [one for one in self.archive.load_training_pages(self.home) if identity(one[0].url) in self._entries]
        if not kept or self._is_blocked():
            return None
        page = kept[0][0]
        return Request(
            self.sessions.address(page.url),
            dont_filter=True,
            callback=self.probed,
            errback=self.not_probed,
            cb_kwargs={"asked": page.url},
            meta={"render": self._rendering.of_posts, "dont_cache": True},
        )

    def probed(self, response: Response, asked: str) -> None:
        """End the crawl if a page that was a post is refused now; what was refused before waits for the next crawl."""
        page = self._fetched(response, asked)
        if page.status in REFUSALS:
            reason = status_reason(page.status)
            message = f"{page.url} answered {reason}, and was there before; {advice_of(reason)}. {LATER}"
            self._closed = Unreachable(message, url=self.home)
            with self._ending_without_archive():
                self.frontier.retry(self._doubtful)
                self.frontier.flush()
        self._settle()

    def not_probed(self, failure: Failure) -> None:  # noqa: ARG002
        """Go on, since no answer tells nothing."""
        self._settle()

    def _settle(self) -> None:
        self._doubtful.clear()
        self._most_doubtful *= 2
        self._news.set()
