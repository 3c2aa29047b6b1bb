"""The state of an archive: numbers of blogs and posts, failures, and its queue and workers if there are any."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.backend import Archive

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

    from blogcrawler.backend import BlogRow
    from blogcrawler.queue import Depths, PutOff, WorkerRow
    from blogcrawler.queue.jobs import Jobs

_BUSY = "is being crawled"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
RECENT = timedelta(minutes=5)
"""Longest period over which the rate of new posts is measured."""


@dataclass(frozen=True)
class Blogs:
    """Numbers of blogs and posts."""

    in_archive: int
    #: added blogs without a crawl
    not_crawled_yet: int
    #: due blogs that are not being crawled and were not given up
    due: int
    being_crawled: int
    failing: int
    removed: int
    posts: int
    #: rate since the first running crawl began, over at most five minutes; None if nothing is being crawled
    posts_per_second: float | None
    posts_last_5_minutes: int
    posts_last_hour: int
    posts_last_day: int


@dataclass(frozen=True)
class Failing:
    """A blog whose last crawl failed."""

    url: str
    reason: str
    #: time of the last crawl
    last: datetime | None
    #: number of consecutive failures
    failures: int
    #: time of the next attempt; None if the blog was given up
    due: datetime | None


@dataclass(frozen=True)
class Working:
    """A worker; `is_lost` if it has been silent for too long."""

    worker: WorkerRow
    is_lost: bool


@dataclass(frozen=True)
class QueueStatus:
    """A queue's jobs and workers, and the reasons of postponed jobs."""

    depths: Depths
    put_off: tuple[PutOff, ...]
    workers: tuple[Working, ...]


@dataclass(frozen=True)
class Status:
    """The whole state; `queue` is None if no queue was given."""

    blogs: Blogs
    queue: QueueStatus | None
    failing: tuple[Failing, ...]


def status_of(archive: Archive, jobs: Jobs | None, *, now: datetime, lost_after_s: float) -> Status:
    """Return the state of an archive and its queue. O(blogs), and one scan of an index of posts."""
    given_up = () if jobs is None else given_up_of(archive, jobs)
    failing = failing_of(archive, given_up)
    queue = None if jobs is None else _queue(jobs, lost_after_s)
    return Status(_blogs(archive, len(failing), {_key_of(archive, one) for one in given_up}, now), queue, failing)


def failing_of(archive: Archive, given_up: Iterable[Failing] = ()) -> tuple[Failing, ...]:
    """Return the blogs whose last crawl failed or that were given up, the most frequent failures first."""
    given_up_by_key = {_key_of(archive, blog): blog for blog in given_up}
    known = [
        Failing(blog.home, blog.crawl_reason or "", blog.crawl_started, blog.failures, blog.due)
        for blog in archive.blogs()
        if blog.failures and blog.is_followed
    ]
    wanted = [
        Failing(blog.url, blog.reason or "", blog.tried, blog.failures, blog.due)
        for blog in archive.register.wanted()
        if blog.failures
    ]
    failed = {archive.key_of(blog.url): blog for blog in (*known, *wanted)}
    failing = [replace(blog, due=None) if key in given_up_by_key else blog for key, blog in failed.items()]
    # the crawls or the workers of these blogs were killed
    failing += [blog for key, blog in given_up_by_key.items() if key not in failed]
    return tuple(sorted(failing, key=lambda blog: (-blog.failures, blog.url)))


def _key_of(archive: Archive, failing: Failing) -> str:
    """Return the key of a blog, by its home page if that is known."""
    return archive.key_of(archive.find_blog(failing.url) or failing.url)


def given_up_of(archive: Archive, jobs: Jobs) -> tuple[Failing, ...]:
    """Return the blogs that were given up, the latest first."""
    from blogcrawler.queue import given_up  # packages of the queue are imported only if there is one

    return tuple(Failing(job.url, job.reason, job.failed, job.failures, None) for job in given_up(archive, jobs))


def _blogs(archive: Archive, failing: int, given_up: Set[str], now: datetime) -> Blogs:
    blogs, live = archive.blogs(), archive.leases.live(now=now)
    being_crawled, recent = len({row.owner for row in live.values()}), archive.count_new(since=now - RECENT)
    taken = live.keys() | given_up
    return Blogs(
        in_archive=len(blogs),
        not_crawled_yet=len(archive.register.wanted()),
        due=sum(due.key not in taken for due in archive.register.due(now)),
        being_crawled=being_crawled,
        failing=failing,
        removed=sum(not blog.is_followed for blog in blogs),
        posts=archive.count_all(),
        posts_per_second=_pace(archive, (row.since for row in live.values()), now),
        posts_last_5_minutes=recent,
        posts_last_hour=archive.count_new(since=now - HOUR),
        posts_last_day=archive.count_new(since=now - DAY),
    )


def _pace(archive: Archive, begun: Iterable[datetime], now: datetime) -> float | None:
    """Return the rate of new posts per second since the running crawls began; None if none is running."""
    if (first := min(begun, default=None)) is None:
        return None
    since = max(first, now - RECENT)
    return archive.count_new(since=since) / max(1, (now - since).total_seconds())


def _queue(jobs: Jobs, lost_after_s: float) -> QueueStatus:
    workers = tuple(Working(worker, worker.silent_s > lost_after_s) for worker in jobs.workers())
    return QueueStatus(jobs.depths(), tuple(jobs.put_off()), workers)


def time_label(moment: datetime | None) -> str:
    """Format a time in UTC, to the minute."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M") if moment is not None else "never"


def due_label(due: datetime | None, now: datetime) -> str:
    """Format the time of the next crawl."""
    return "now" if due is None or due <= now else time_label(due)


class Standing(NamedTuple):
    """A blog in the list of blogs."""

    #: None if the blog was not crawled yet
    row: BlogRow | None
    url: str
    crawled: str
    due: str
    state: str


def standings(archive: Archive, now: datetime) -> list[Standing]:
    """Return all blogs; those that were not crawled yet come last."""
    live = archive.leases.live(now=now)
    entries = [standing_of(blog, live.keys(), now) for blog in archive.blogs()]
    for wanted in archive.register.wanted():
        is_busy = wanted.key in live
        state = _BUSY if is_busy else f"failed: {wanted.reason}" if wanted.reason else "not crawled yet"
        due = "" if is_busy else due_label(wanted.due, now)
        entries.append(Standing(None, wanted.url, time_label(wanted.tried), due, state))
    return entries


def standing_of(blog: BlogRow, live: Set[str], now: datetime) -> Standing:
    """Return the list entry of an archived blog; `live` holds the keys of blogs that are being crawled."""
    is_busy = Archive.key_of(blog.home) in live
    due = "" if is_busy or not blog.is_followed else due_label(blog.due, now)
    return Standing(blog, blog.home, time_label(blog.crawl_started), due, _BUSY if is_busy else _state(blog))


def _state(blog: BlogRow) -> str:
    """Return the outcome of the last crawl in words."""
    if not blog.is_followed:
        return "removed"
    if blog.failures:
        return f"failed: {blog.crawl_reason}"
    if blog.crawl_started is None:
        return "not crawled yet"
    return "complete" if blog.crawl_complete else "cut short"
