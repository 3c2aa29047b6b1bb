"""What is told of a queue: jobs, workers, numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True)
class Ask:
    """A blog that is to be crawled; the highest priority comes first, and among equals the one that came first."""

    key: str
    url: str
    priority: int
    #: keys of other addresses that a job of it may have, since a blog is not known by its home page at first
    known_as: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Job:
    """The crawl of a blog that a worker has taken."""

    id: int
    #: by which the blog was found to be due
    key: str
    url: str


@dataclass(frozen=True)
class Depths:
    """How many jobs there are: that may begin now, that wait for their time, at work, given up."""

    waiting: int
    later: int
    running: int
    given_up: int
    #: seconds for which the oldest of those could have begun that may; None where none may
    oldest_waiting_s: float | None


@dataclass(frozen=True)
class PutOff:
    """How many jobs wait since they were put off, for no fault of their blogs, for a reason."""

    reason: str
    jobs: int


@dataclass(frozen=True)
class Crawling:
    """What a worker crawls."""

    url: str
    since: datetime


@dataclass(frozen=True)
class WorkerRow:
    """A worker, and when it last told that it lives."""

    host: str
    pid: int
    #: crawls that it may have under way at once
    jobs: int
    since: datetime
    silent_s: float
    crawls: tuple[Crawling, ...]


@dataclass(frozen=True)
class GivenUp:
    """A blog that failed so often that nobody tries it again by himself."""

    id: int
    key: str
    url: str
    reason: str
    #: when, at last
    failed: datetime | None
    failures: int
