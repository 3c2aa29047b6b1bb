"""Crawls one due blog after another, several at once, until none is left that was due when it began."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.backend import Holder
from blogcrawler.errors import BackendUnavailable, LogsUnavailable
from blogcrawler.monitor.crawl_loop import CrawlLoop, new_posts, note_failure

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.backend import Archive, Bounds
    from blogcrawler.monitor.child import Child, Starter
    from blogcrawler.monitor.report import Report

T = TypeVar("T")
RENEWAL_S = 15
"""Seconds between renewals of leases that crawls have not taken over yet."""
PATIENCE = 5
"""Times that the archive is tried again when it cannot be used, besides the time that it waits for other writers."""


class Monitor:
    """Crawls what is due in an archive.

    No more than `most` crawls are under way at once, those of other monitors included; where these have all places, the
    monitor leaves the rest to them. `bounds` say when a blog is tried again whose crawl died without a word.
    """

    def __init__(self, archive: Archive, starter: Starter, report: Report, *, most: int, bounds: Bounds) -> None:
        self._archive = archive
        self._starter = starter
        self._report = report
        self._bounds = bounds
        self._loop = CrawlLoop(most)
        #: keys of blogs that were crawled, or could not be
        self._tried: set[str] = set()

    def run(self) -> None:
        """Crawl until nothing is left, or a signal asks to end. Raises BackendUnavailable."""
        self._began, self._renewed = datetime.now(UTC), time.monotonic()
        with self._loop.signals.heeding():
            try:
                self._loop.run(self)
            finally:
                self._loop.end_all()
        if not self._tried and not self._loop.signals.count:
            self._report.nothing()

    def tend(self) -> None:
        """Renew the leases that crawls have not taken over yet."""
        if time.monotonic() - self._renewed > RENEWAL_S:
            self._renewed = time.monotonic()
            for child in self._loop.children:
                self._patiently(partial(self._archive.leases.renew, str(child.holder), now=datetime.now(UTC)))

    def begin_next(self) -> bool:
        """Begin the crawl of the blog that is longest overdue; False where there is none."""
        holder = Holder.new()
        due = self._patiently(
            lambda: self._archive.register.claim_due(
                str(holder), now=datetime.now(UTC), before=self._began, most=self._loop.most, besides=self._tried
            )
        )
        if due is None:
            return False
        self._tried.add(due.key)
        try:
            self._loop.children.append(self._starter.start(due, holder))
        except (LogsUnavailable, OSError) as error:  # for no fault of the blog, which stays due
            why = str(error) if isinstance(error, LogsUnavailable) else f"{error.strerror}."
            self._report.failed(f"The crawl of {due.url} cannot be started: {why}")
            self._patiently(lambda: self._archive.leases.release(str(holder)))
        return True

    def end(self, child: Child) -> None:
        """Report what has become of a crawl; if it failed, its blog is due at another time."""
        trouble = child.trouble()
        child.close()
        if trouble is not None:
            self._report.failed(trouble)
            if not child.is_no_fault_of_the_blog():
                self._patiently(
                    lambda: note_failure(self._archive, child.due, trouble, self._bounds, since=self._began)
                )
        elif child.stops:
            self._report.stopped(child.due.url)
        else:
            self._report.done(child.due.url, *self._patiently(lambda: new_posts(self._archive, child)))
        self._patiently(lambda: self._archive.leases.release(str(child.holder)))

    def is_exhausted(self) -> bool:
        """True: what other monitors crawl is left to them."""
        return True

    def _patiently(self, call: Callable[[], T]) -> T:
        """Use the archive, though others that write to it may take their time."""
        for _ in range(PATIENCE):
            try:
                return call()
            except BackendUnavailable:
                time.sleep(1)
        return call()
