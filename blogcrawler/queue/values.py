"""Values that a queue is given and shows: jobs, workers, numbers; and the watcher of a worker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from blogcrawler.monitor import Child

Outcome = Literal["done", "failed", "stopped", "put_off"]
"""How a crawl has ended; it is put off where it was killed, could not use the archive, or another one had its blog."""


@dataclass(frozen=True)
class JobRequest:
    """A blog that is to be crawled; the highest priority comes first, and among equals the earliest request."""

    key: str
    url: str
    priority: int
    #: keys of other addresses that a job of the blog may have, since its home page is not known at first
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Job:
    """The crawl of a blog that a worker has leased."""

    #: of the lease, and of the crawl that the worker starts
    owner: str
    #: by which the blog was found to be due
    key: str
    url: str


@dataclass(frozen=True)
class Depths:
    """How many jobs may begin now, wait for their time, are being crawled, and were given up."""

    waiting: int
    later: int
    running: int
    given_up: int
    #: seconds since the oldest of the waiting jobs could have begun; None where none is waiting
    oldest_waiting_s: float | None


@dataclass(frozen=True)
class PutOff:
    """How many jobs were put off for a reason that is no fault of their blogs."""

    reason: str
    jobs: int


@dataclass(frozen=True)
class Crawling:
    """What a worker crawls."""

    url: str
    since: datetime


@dataclass(frozen=True)
class WorkerRow:
    """A worker, and the age of its last sign of life."""

    host: str
    pid: int
    #: crawls that it may have under way at once
    jobs: int
    since: datetime
    silent_s: float
    crawls: tuple[Crawling, ...]


@dataclass(frozen=True)
class GivenUp:
    """A blog that failed so often that it is crawled again only when a person asks for it."""

    key: str
    url: str
    reason: str
    #: when the last crawl failed
    failed: datetime | None
    failures: int


class Watcher:
    """Called in a worker's main thread with what the worker does; it must return at once. This one does nothing."""

    def lives(self, *, is_cut_off: bool) -> None:
        """The worker is at work, and cut off from its queue or not; several times a second."""

    def sees(self, children: Sequence[Child]) -> None:
        """The crawls that are under way; several times a second."""

    def began(self, child: Child) -> None:
        """A crawl was started."""

    def ended(self, child: Child, outcome: Outcome) -> None:
        """A crawl is over; what it has counted can still be read."""
