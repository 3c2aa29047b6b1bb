"""The loop of a monitor or a worker: it starts crawls, waits for their ends, and passes signals on to them."""

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
"""Seconds between two looks at what has become of the crawls."""


class JobSource(Protocol):
    """Where blogs to crawl come from, each with a lease: the register of an archive, or a queue."""

    def tend(self) -> None:
        """Renew the leases of crawls under way; called several times a second."""

    def begin_next(self) -> bool:
        """Lease a blog and start its crawl; False where there is none now."""

    def end(self, child: Child) -> None:
        """Note what has become of a crawl, and give up its lease."""

    def is_exhausted(self) -> bool:
        """True if no crawl is left to wait for; asked when none is under way."""


class CrawlLoop:
    """Crawls blogs, `most` at once, until their source is exhausted or a signal asks to end."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.signals = Signals()
        self.children: list[Child] = []

    def run(self, source: JobSource) -> None:
        """Crawl what a source has; signals have to be heeded meanwhile."""
        while True:
            source.tend()
            while self._has_room() and source.begin_next():
                source.tend()
            if not self.children and (self.signals.count or source.is_exhausted()):
                return
            for child in self._wait():
                source.end(child)

    def pass_signals_on(self) -> None:
        """Stop crawls as often as a signal has come."""
        for child in self.children:
            if child.stops < self.signals.count and not child.has_ended():
                child.stop()

    def end_all(self, note_end: Callable[[Child], None] = lambda _: None) -> None:
        """Let the crawls under way come to their ends, after an error."""
        for child in self.children:
            child.stop()
        while self.children:
            for child in self._wait():
                note_end(child)
                child.close()

    def _has_room(self) -> bool:
        return len(self.children) < self.most and not self.signals.count

    def _wait(self) -> list[Child]:
        """Wait for a moment, pass signals on, and hand over the crawls that have ended."""
        time.sleep(LOOK_S)
        self.pass_signals_on()
        ended = [child for child in self.children if child.has_ended()]
        self.children = [child for child in self.children if child not in ended]
        return ended


def new_posts(archive: Archive, child: Child) -> tuple[int, datetime | None]:
    """How many posts a crawl has found that are new or changed, and when the next one is due."""
    home = archive.find_blog(child.due.url)
    return (0, None) if home is None else (archive.count(home, since=child.started), archive.blog(home).due)


def note_failure(archive: Archive, due: Due, reason: str, bounds: Bounds, *, since: datetime) -> None:
    """Write down a failure that the crawl could not write down itself: then its blog is still due, as `since` a time.

    Called once more since the answer was lost, it finds that the blog is not due any more, and counts it but once.
    """
    home = due.home or archive.find_blog(due.url)
    if archive.register.find_due(due.key, home, since) is not None:
        archive.register.note_failure(due.key, home, reason, bounds, now=datetime.now(UTC))
