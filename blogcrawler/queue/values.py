"""Values of a queue: jobs, workers, counts; and the interface of a worker's observer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from blogcrawler.monitor import Child

Outcome = Literal["done", "failed", "stopped", "put_off"]
"""Result of a crawl. `put_off` (postponed): it was killed, the archive was unavailable, or another process had the
blog."""


@dataclass(frozen=True)
class JobRequest:
    """A blog to crawl. The highest priority comes first; among equal priorities, the earliest request."""

    key: str
    url: str
    priority: int
    #: keys of other URLs of the blog under which it may have a job, since its home page is not known at first
    aliases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Job:
    """A job that a worker has leased."""

    #: owner of the lease, also used by the crawl that the worker starts
    owner: str
    #: key under which the blog is due
    key: str
    url: str


@dataclass(frozen=True)
class Depths:
    """Number of jobs that may start now, may start later, are running, or were given up."""

    waiting: int
    later: int
    running: int
    given_up: int
    #: seconds since the oldest waiting job could have started; None if none is waiting
    oldest_waiting_s: float | None


@dataclass(frozen=True)
class PutOff:
    """Number of jobs that were postponed for a reason that the blogs did not cause."""

    reason: str
    jobs: int


@dataclass(frozen=True)
class Crawling:
    url: str
    since: datetime


@dataclass(frozen=True)
class WorkerRow:
    """A worker, and the seconds since its last heartbeat."""

    host: str
    pid: int
    #: maximum number of parallel crawls
    jobs: int
    since: datetime
    silent_s: float
    crawls: tuple[Crawling, ...]


@dataclass(frozen=True)
class GivenUp:
    """A blog that failed so often that it is crawled again only on request."""

    key: str
    url: str
    reason: str
    #: time of the last failure
    failed: datetime | None
    failures: int


class Watcher:
    """Observer of a worker. The methods run in the worker's main thread and must return at once; these do nothing."""

    def note_heartbeat(self, *, is_cut_off: bool) -> None:
        """Called several times per second with the state of the connection to the queue."""

    def note_crawls(self, children: Sequence[Child]) -> None:
        """Called several times per second with the running crawls."""

    def began(self, child: Child) -> None:
        """Called when a crawl was started."""

    def ended(self, child: Child, outcome: Outcome) -> None:
        """Called when a crawl has ended; its counters can still be read."""
