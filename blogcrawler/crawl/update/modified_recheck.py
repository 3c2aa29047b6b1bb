"""Posts that may have been changed, as a source says of most: a few are fetched, then more as long as some were."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.list_pages import add_posts
from blogcrawler.crawl.update.retry_schedule import RetrySchedule
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from blogcrawler.crawl.context import CrawlContext

STATE = "doubts"
"""Name of the state that the archive keeps: when sitemaps that say that most was changed are to be believed next."""
FIRST = 10
"""Posts that are fetched first; then twice as many, and so on."""


class RecheckQueue:
    """Chooses what to fetch among the addresses of posts, those that were read last at the end. O(n) in all."""

    def __init__(self, urls: Sequence[str] = ()) -> None:
        self._waiting, self._portion = list(urls), list[str]()
        self._size = FIRST
        self._has_found_change = False

    def note(self, changed: Container[str]) -> bool:
        """Take in which of the last ones were `changed` (see `urls.identity`); True if any was so far."""
        is_changed = any(identity(url) in changed for url in self._portion)
        self._has_found_change |= is_changed
        if self._portion and not is_changed:
            self._waiting = []
        return self._has_found_change

    def next_portion(self, changed: Container[str]) -> list[str]:
        """The addresses to fetch next: none where the last ones were not `changed`, or none is left.

        They are spread over all, since neighbours may have been changed together.
        """
        self.note(changed)
        step = max(1, len(self._waiting) // self._size)
        self._portion = self._waiting[::step][: self._size]
        chosen = set(self._portion)
        self._waiting = [url for url in self._waiting if url not in chosen]
        self._size *= 2
        return self._portion


class ModifiedRecheck:
    """Fetches some of the posts that sitemaps say were changed where they say so of most.

    Where none was, it does so after longer and longer pauses: some servers say it each time.
    """

    def __init__(self) -> None:
        self._queue: RecheckQueue | None = None
        #: there are posts that may have been changed, and that are left to a later update
        self._puts_off = False

    async def run(self, ctx: CrawlContext) -> StepResult:
        """Have posts that may have been changed fetched at the end of the crawl, if it is time for that."""
        known, doubtful = ctx.update.known.by_key, ctx.update.doubtful
        self._puts_off = bool(doubtful) and not _schedule(ctx).is_due
        if doubtful and not self._puts_off:
            self._queue = RecheckQueue(sorted(doubtful, key=lambda url: (known[identity(url)].last_seen, url)))
        return StepResult()

    def refill(self, ctx: CrawlContext) -> None:
        """Add posts that may have been changed."""
        if self._queue is not None:
            add_posts(ctx, self._queue.next_portion(ctx.update.handed_on))

    def complete(self, ctx: CrawlContext) -> None:
        """Remember whether sitemaps were right."""
        if self._puts_off:
            ctx.update.sitemaps_read = None  # what is put off is still to be announced
            schedule = _schedule(ctx).skipped()
        elif self._queue is not None:
            schedule = RetrySchedule() if self._queue.note(ctx.update.handed_on) else _schedule(ctx).failed()
        else:
            return
        ctx.archive.save_source_state(ctx.home, STATE, asdict(schedule))


def _schedule(ctx: CrawlContext) -> RetrySchedule:
    return RetrySchedule(**ctx.archive.load_source_state(ctx.home, STATE))
