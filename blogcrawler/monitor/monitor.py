"""Runs the crawls of all due blogs, several at once, until no blog is left that was due at the start."""

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
"""Seconds between renewals of leases that crawls have not yet taken over."""
PATIENCE = 5
"""Number of retries if the archive cannot be used. Each attempt also waits for other writers."""


class Monitor:
    """Crawls the blogs of an archive that are due.

    At most `most` crawls run at once, counting those of other monitors of the same archive. If the other monitors use
    all places, this monitor starts none. `bounds` determine when a blog is retried whose crawl was killed.
    """

    def __init__(self, archive: Archive, starter: Starter, report: Report, *, most: int, bounds: Bounds) -> None:
        self._archive = archive
        self._starter = starter
        self._report = report
        self._bounds = bounds
        self._loop = CrawlLoop(most)
        #: keys of blogs whose crawl was started or could not be started
        self._tried: set[str] = set()

    def run(self) -> None:
        """Crawl until no blog is left or a signal arrives. Raises BackendUnavailable."""
        self._began, self._renewed = datetime.now(UTC), time.monotonic()
        with self._loop.signals.heeding():
            try:
                self._loop.run(self)
            finally:
                self._loop.end_all()
        if not self._tried and not self._loop.signals.count:
            self._report.nothing()

    def tend(self) -> None:
        """Renew leases that crawls have not yet taken over."""
        if time.monotonic() - self._renewed > RENEWAL_S:
            self._renewed = time.monotonic()
            for child in self._loop.children:
                self._patiently(partial(self._archive.leases.renew, str(child.holder), now=datetime.now(UTC)))

    def begin_next(self) -> bool:
        """Start the crawl of the blog that is longest overdue; return False if there is none."""
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
        except (LogsUnavailable, OSError) as error:  # the cause is not the blog, so the blog stays due
            reason = str(error) if isinstance(error, LogsUnavailable) else f"{error.strerror}."
            self._report.failed(f"The crawl of {due.url} cannot be started: {reason}")
            self._patiently(lambda: self._archive.leases.release(str(holder)))
        return True

    def end(self, child: Child) -> None:
        """Report an ended crawl. After a failure, set the blog's next time."""
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
        """True always: this monitor does not wait for crawls of other monitors."""
        return True

    def _patiently(self, call: Callable[[], T]) -> T:
        """Call the archive, and retry if other writers block it."""
        for _ in range(PATIENCE):
            try:
                return call()
            except BackendUnavailable:
                time.sleep(1)
        return call()
