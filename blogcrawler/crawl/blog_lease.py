"""The lease of a crawl on its blog, which excludes other processes, and the time when the blog is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from blogcrawler.backend import Bounds, Hold
from blogcrawler.backend.schedule import LATEST, next_due, times_of
from blogcrawler.crawl.tasks import CrawlOver
from blogcrawler.errors import TEMPORARY, BeingCrawled, RemovedOnRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Archive
    from blogcrawler.errors import BlogcrawlerError

CRAWLED_ELSEWHERE = "crawled_elsewhere"
"""Reason to end: another process crawls the blog that a monitor has found due."""
KNOWN = "known"
"""Reason to end: a requested blog turned out to be in the archive already."""


class BlogLease:
    """Holds the blog of one crawl, from `enter` to `close`.

    Settings: CLAIM, UPDATE_INTERVAL_MIN, UPDATE_INTERVAL_MAX. `on_lost` is called, in another thread, if another
    process took over the blog because this process was stalled for a while.
    """

    def __init__(self, settings: BaseSettings, *, on_lost: Callable[[BeingCrawled], None]) -> None:
        self._bounds = bounds(settings)
        self._handed_over = settings["CLAIM"] or None
        self._on_lost = on_lost
        self._hold = Hold(
            settings["DATABASE_URL"],
            heir_of=self._handed_over,
            on_lost=self._note_loss,
            patience_s=settings.getfloat("BACKEND_PATIENCE"),
        )
        #: opened for the lease only
        self.archive = self._hold.archive
        self._key: str | None = None
        #: the blog's home page, if it was in the archive when the crawl began
        self._home: str | None = None
        #: whether another process has the blog
        self.is_elsewhere = False

    @property
    def own_holder(self) -> str:
        """The name that other processes see as the holder of this crawl's blog."""
        return self._hold.owner

    def holder(self, url: str) -> str | None:
        """The process that crawls the blog of a URL; None if no process does."""
        lease = self.archive.leases.find(self.archive.key_of(self.archive.find_blog(url) or url))
        self.is_elsewhere = lease is not None and lease.holds(datetime.now(UTC))
        return lease.owner if lease is not None and self.is_elsewhere else None

    def enter(self, url: str) -> None:
        """Claim the blog of a URL. Raises BeingCrawled if another process crawls it."""
        self._home = self.archive.find_blog(url)
        self._key = self.archive.key_of(url)
        self._take(self._home or url)
        self.is_elsewhere = False

    def enter_home(self, home: str, *addresses: str) -> None:
        """Claim the blog by its home page, which was found at some addresses.

        Raises BeingCrawled if another process crawls it, and RemovedOnRequest if it was removed. Raises CrawlOver if a
        monitor requested the crawl of a new blog and the blog turns out to be in the archive.
        """
        if self.archive.removed().has(home):
            raise RemovedOnRequest(f"{home} was removed from the archive on request and is not added again.", url=home)
        self._take(home)
        known_home = self.archive.find_blog(home)
        is_new = known_home is None or self.archive.load_wrapper(known_home) is None
        if self._handed_over and self._home is None and known_home is not None and not is_new:
            self.archive.save_addresses(known_home, addresses)
            raise CrawlOver(KNOWN)

    def releasing(self, archive: Archive) -> AbstractContextManager[None]:
        """A transaction for writing the end of the crawl; when it is committed, other processes may crawl the blog."""
        return self._hold.releasing(archive)

    def note_end(
        self, archive: Archive, home: str | None, reason: str, *, fatal: BlogcrawlerError | None, complete: bool
    ) -> None:
        """Record when the blog is due again.

        `home` is None if the crawl has not found the home page. After a `complete` crawl, the blog's rhythm of
        publishing decides. After failures the wait grows, and the reason is recorded. The blog is due at once if the
        crawl was stopped by hand or failed for a reason outside the blog, and soon if the crawl was interrupted for
        another reason.
        """
        now, home, register = datetime.now(UTC), home or self._home, archive.register
        if self.is_elsewhere or reason == KNOWN:
            if self._handed_over and self._key is not None:
                register.postpone(self._key, now + self._bounds.least)
        elif isinstance(fatal, TEMPORARY):
            if home is not None:
                register.set_due(home, now)
        elif fatal:
            register.note_failure(self._key or "", home, str(fatal), self._bounds, now=now)
        elif home is not None and complete:
            published = times_of(archive.published(home, limit=2 * LATEST))
            register.set_due(home, next_due(published, now, self._bounds))
        elif home is not None:
            register.set_due(home, now if reason == "shutdown" else now + self._bounds.least)

    def close(self) -> None:
        """Let other processes crawl the blog."""
        self._hold.close()

    def _take(self, url: str) -> None:
        try:
            self._hold.take(url)
        except BeingCrawled:
            self.is_elsewhere = True
            if self._handed_over:
                raise CrawlOver(CRAWLED_ELSEWHERE) from None
            raise

    def _note_loss(self, loss: BeingCrawled) -> None:
        self.is_elsewhere = True
        self._on_lost(loss)


def bounds(settings: BaseSettings) -> Bounds:
    """The shortest and the longest interval between two crawls of a blog."""
    names = ("UPDATE_INTERVAL_MIN", "UPDATE_INTERVAL_MAX")
    return Bounds(*(timedelta(seconds=settings.getfloat(name)) for name in names))
