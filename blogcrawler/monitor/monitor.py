"""Takes one due blog after another, so many at once, until none is left that was due when it began."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from blogcrawler.backend import Holder
from blogcrawler.errors import BackendUnavailable, LogsUnavailable
from blogcrawler.monitor.signals import Signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.backend import Archive, Bounds, Due
    from blogcrawler.monitor.child import Child, Starter
    from blogcrawler.monitor.report import Report

T = TypeVar("T")
LOOK_S = 0.2
"""Seconds between two looks at what has become of the crawls."""
RENEWAL_S = 15
"""Seconds between renewals of claims that crawls have not taken over yet."""
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
        self._most = most
        self._bounds = bounds
        self._children: list[Child] = []
        #: keys of blogs that were crawled, or could not be
        self._had: set[str] = set()
        self._signals = Signals()

    def run(self) -> None:
        """Crawl until nothing is left, or a signal asks to end. Raises BackendUnavailable."""
        self._began = datetime.now(UTC)
        with self._signals.heeding():
            try:
                self._work()
            finally:
                self._end_all()

    def _work(self) -> None:
        renewed = time.monotonic()
        while True:
            while self._begin_next():
                pass
            if not self._children:
                break
            time.sleep(LOOK_S)
            self._pass_signals_on()
            if time.monotonic() - renewed > RENEWAL_S:
                renewed = time.monotonic()
                self._renew()
            for child in [child for child in self._children if child.has_ended()]:
                self._children.remove(child)
                self._take_leave(child)
        if not self._had and not self._signals.count:
            self._report.nothing()

    # ------------------------------------------------------------------------------------------------- the crawls

    def _begin_next(self) -> bool:
        """Begin the crawl of the blog that is longest overdue; was there one, and a place for it?"""
        if self._signals.count or len(self._children) >= self._most:
            return False
        holder = Holder.new()
        due = self._patiently(
            lambda: self._archive.register.claim_due(
                str(holder), now=datetime.now(UTC), before=self._began, most=self._most, besides=self._had
            )
        )
        if due is None:
            return False
        self._had.add(due.key)
        try:
            self._children.append(self._starter.start(due, holder))
        except (LogsUnavailable, OSError) as error:  # for no fault of the blog, which stays due
            why = str(error) if isinstance(error, LogsUnavailable) else f"{error.strerror}."
            self._report.failed(f"The crawl of {due.url} cannot be started: {why}")
            self._patiently(lambda: self._archive.claims.release(str(holder)))
        return True

    def _take_leave(self, child: Child) -> None:
        """Tell what has become of a crawl, and see to it that its blog is due at another time if it failed."""
        due, trouble = child.due, child.trouble()
        child.close()
        if trouble is not None:
            self._report.failed(trouble)
            if not child.is_no_fault_of_the_blog():
                self._note_failure(due, trouble)
        elif child.told:
            self._report.stopped(due.url)
        else:
            self._report.done(due.url, *self._patiently(lambda: self._outcome(child)))
        self._patiently(lambda: self._archive.claims.release(str(child.holder)))

    def _note_failure(self, due: Due, reason: str) -> None:
        """Write down a failure that the crawl could not write down itself: then its blog is still due.

        Asked once more since the answer was lost, it finds that the blog is not due any more, and counts it but once.
        """
        register, now = self._archive.register, datetime.now(UTC)

        def note() -> None:
            home = due.home or self._archive.find_blog(due.url)
            if register.is_due(due.key, home, self._began):
                register.note_failure(due.key, home, reason, self._bounds, now=now)

        self._patiently(note)

    def _outcome(self, child: Child) -> tuple[int, datetime | None]:
        """How many posts a crawl has found that are new or changed, and when the next one is due."""
        home = self._archive.find_blog(child.due.url)
        if home is None:
            return 0, None
        return self._archive.count(home, since=child.started), self._archive.blog(home).due

    def _renew(self) -> None:
        for child in self._children:
            holder = str(child.holder)
            self._patiently(partial(self._archive.claims.renew, holder, now=datetime.now(UTC)))

    def _patiently(self, call: Callable[[], T]) -> T:
        """Use the archive, though others that write to it may take their time."""
        for _ in range(PATIENCE):
            try:
                return call()
            except BackendUnavailable:
                time.sleep(1)
        return call()

    # ---------------------------------------------------------------------------------------------------- the end

    def _pass_signals_on(self) -> None:
        for child in self._children:
            if child.told < self._signals.count and not child.has_ended():
                child.stop()

    def _end_all(self) -> None:
        """After an error: let the crawls that are under way come to an end."""
        for child in self._children:
            child.stop()
        for child in self._children:
            child.process.wait()
            child.close()
        self._children.clear()
