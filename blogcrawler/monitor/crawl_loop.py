"""The main loop of monitors and workers: starts crawls, waits until they end, and forwards signals to them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from blogcrawler.monitor.signals import Signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from blogcrawler.backend import Archive, Bounds, Due
    from blogcrawler.monitor.child import Child

LOOK_S = 0.2
"""Seconds between checks of the running crawls."""


class JobSource(Protocol):
    """A source of blogs to crawl, each with a lease: the register of an archive, or a queue."""

    def tend(self) -> None:
        """Renew the leases of running crawls. Called several times per second."""

    def begin_next(self) -> bool:
        """Lease a blog and start its crawl; return False if no blog is available now."""

    def end(self, child: Child) -> None:
        """Record the result of an ended crawl, and release its lease."""

    def is_exhausted(self) -> bool:
        """True if the loop should end. Called when no crawl is running."""


class CrawlLoop:
    """Runs up to `most` crawls at once until the source is exhausted or a signal arrives."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.signals = Signals()
        self.children: list[Child] = []

    def run(self, source: JobSource) -> None:
        """Run all crawls of a source. The caller must have activated the signal handlers."""
        while True:
            source.tend()
            while self._has_room() and source.begin_next():
                source.tend()
            if not self.children and (self.signals.count or source.is_exhausted()):
                return
            for child in self._wait():
                source.end(child)

    def pass_signals_on(self) -> None:
        """Send each crawl as many stop requests as signals have arrived."""
        for child in self.children:
            if child.stops < self.signals.count and not child.has_ended():
                child.stop()

    def end_all(self, note_end: Callable[[Child], None] = lambda _: None) -> None:
        """After an error, stop the running crawls and wait until they have ended."""
        for child in self.children:
            child.stop()
        while self.children:
            for child in self._wait():
                note_end(child)
                child.close()

    def _has_room(self) -> bool:
        return len(self.children) < self.most and not self.signals.count

    def _wait(self) -> list[Child]:
        """Sleep briefly, forward signals, and return the crawls that have ended."""
        time.sleep(LOOK_S)
        self.pass_signals_on()
        ended = [child for child in self.children if child.has_ended()]
        self.children = [child for child in self.children if child not in ended]
        return ended


def new_posts(archive: Archive, child: Child) -> tuple[int, datetime | None]:
    """Number of new and changed posts of a crawl, and the time when the blog is due again."""
    home = archive.find_blog(child.due.url)
    return (0, None) if home is None else (archive.count(home, since=child.started), archive.blog(home).due)


def note_failure(archive: Archive, due: Due, reason: str, bounds: Bounds, *, since: datetime) -> None:
    """Record a failure if the crawl could not record it itself. In that case the blog is still due at the time `since`.

    A repeated call after a lost response counts the failure only once, since the blog is not due any more.
    """
    home = due.home or archive.find_blog(due.url)
    if archive.register.find_due(due.key, home, since) is not None:
        archive.register.note_failure(due.key, home, reason, bounds, now=datetime.now(UTC))
