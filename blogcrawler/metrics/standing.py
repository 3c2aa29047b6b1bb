"""What Prometheus is told of an archive and its queue: read when it asks, by one request after the other."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Self

from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable, BlogcrawlerError, QueueUnavailable
from blogcrawler.queue import open_jobs
from blogcrawler.serialise import load_file
from blogcrawler.status import status_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.queue.jobs import Jobs
    from blogcrawler.status import Blogs, QueueStatus, Status

WAIT_S = 10
"""Seconds for which a request waits for the one before it, which may wait for a database."""
OTHER = "other"
_STATUS = re.compile(r"(?<![\w/.:-])([45])\d\d(?![\w/.-])")
_ADDRESS = re.compile(r"(?<!\S)(?=\S+?://\S)\S++")
STATES = ("complete", "cut_short", "failing", "not_crawled", "removed")


class StandingCollector(Collector):
    """Reads an archive, and a queue if one is named, each time that it is asked.

    Where one of them is away, what the other tells is told, `blogcrawler_up` is 0, and it is tried again the next time.
    `note` is given the sentence that says why, once until it is back.
    """

    def __init__(
        self, database_url: str, queue_url: str | None, *, lost_after_s: float, note: Callable[[str], None]
    ) -> None:
        self._database_url = database_url
        self._queue_url = queue_url
        self._lost_after_s = lost_after_s
        self._note = note
        self._lock = threading.Lock()
        self._archive: Archive | None = None
        self._jobs: Jobs | None = None
        self._noted: set[type[BlogcrawlerError]] = set()
        self.registry = CollectorRegistry()
        self.registry.register(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_archive()
        if self._jobs is not None:
            self._jobs.__exit__()

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """Nothing: what there is shows when it is asked for."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All that is told. It raises nothing."""
        if not self._lock.acquire(timeout=WAIT_S):
            yield from self._ups(archive=False, queue=False)
            return
        try:
            begin = time.perf_counter()
            yield from self._read()
            yield _gauge("scrape_duration_seconds", "How long it took to read all this.", time.perf_counter() - begin)
        finally:
            self._lock.release()

    def _read(self) -> Iterator[GaugeMetricFamily]:
        jobs = self._queue()
        status, is_queue_up = self._status(jobs)
        yield from self._ups(archive=status is not None, queue=is_queue_up)
        yield from status or ()

    def _ups(self, *, archive: bool, queue: bool) -> Iterator[GaugeMetricFamily]:
        is_up = archive and (queue or self._queue_url is None)
        yield _gauge("up", "Whether the archive, and the queue if there is one, could be read.", is_up)
        yield _gauge("archive_up", "Whether the archive could be read.", archive)
        if self._queue_url is not None:
            yield _gauge("queue_up", "Whether the queue could be read.", queue)

    def _queue(self) -> Jobs | None:
        """The queue's jobs; None where there is no queue, or none that answers."""
        if self._queue_url is None:
            return None
        try:
            if self._jobs is None:
                self._jobs = open_jobs(self._queue_url, make=False)
                if (lack := self._jobs.missing_tables()) is not None:
                    self._note(lack)
            self._jobs.depths()
        except QueueUnavailable as error:
            self._tell(error)
            return None
        self._noted.discard(QueueUnavailable)
        return self._jobs

    def _status(self, jobs: Jobs | None) -> tuple[list[GaugeMetricFamily] | None, bool]:
        """The metrics of the archive and of the queue, None if the archive is away; True if the queue answers."""
        now = datetime.now(UTC)
        try:
            archive = self._opened_archive()
            status = status_of(archive, jobs, now=now, lost_after_s=self._lost_after_s)
            found = list(_all(archive, status))
        except BackendUnavailable as error:
            self._tell(error)
            self._close_archive()
            return None, jobs is not None
        except QueueUnavailable as error:  # which has answered a moment ago
            self._tell(error)
            return self._status(None)[0], False
        self._noted.discard(BackendUnavailable)
        return found, jobs is not None

    def _opened_archive(self) -> Archive:
        if self._archive is None:
            self._archive = Archive.open(self._database_url, make=False)
        return self._archive

    def _close_archive(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def _tell(self, error: BlogcrawlerError) -> None:
        if type(error) not in self._noted:
            self._noted.add(type(error))
            self._note(str(error))


# ------------------------------------------------------------------------------------------------------- what is told


def _all(archive: Archive, status: Status) -> Iterator[GaugeMetricFamily]:
    yield from _of_blogs(archive, status)
    yield from _of_posts(archive, status.blogs)
    if status.queue is not None:
        yield from _of_queue(status.queue)


def _of_blogs(archive: Archive, status: Status) -> Iterator[GaugeMetricFamily]:
    yield _labelled("blogs", "Blogs, by what became of their last crawl.", "state", _states(archive, status))
    yield _gauge("blogs_due", "Blogs that are due, and that nobody crawls.", status.blogs.due)
    yield _gauge(
        "blogs_being_crawled", "Blogs that are being crawled, by workers or by hand.", status.blogs.being_crawled
    )
    kinds = Counter(failure_kind(one.reason) for one in status.failing)
    yield _labelled("blogs_failing", "Blogs whose last crawl has failed, by the kind of the failure.", "kind", kinds)


def _states(archive: Archive, status: Status) -> dict[str, int]:
    found = dict.fromkeys(STATES, 0)
    found["failing"] = status.blogs.failing
    found["not_crawled"] = sum(not one.failures for one in archive.register.wanted())
    for blog in archive.blogs():
        if not blog.is_followed:
            found["removed"] += 1
        elif not blog.failures:
            found["complete" if blog.crawl_complete else "cut_short" if blog.crawl_started else "not_crawled"] += 1
    return found


def _of_posts(archive: Archive, blogs: Blogs) -> Iterator[GaugeMetricFamily]:
    yield _gauge("posts", "Posts in the archive.", blogs.posts)
    recent = {"5m": blogs.posts_last_5_minutes, "1h": blogs.posts_last_hour, "1d": blogs.posts_last_day}
    yield _labelled(
        "posts_recent", "Posts that have come in within the last five minutes, hour and day.", "window", recent
    )
    if (last := archive.last_new) is not None:
        what = "When the newest post has come in, in seconds since 1970."
        yield _gauge("last_post_timestamp_seconds", what, last.timestamp())


def _of_queue(queue: QueueStatus) -> Iterator[GaugeMetricFamily]:
    depths, living = queue.depths, [one.worker for one in queue.workers if not one.is_lost]
    jobs = {
        "waiting": depths.waiting, "later": depths.later, "running": depths.running, "given_up": depths.given_up
    }  # fmt: skip
    yield _labelled("jobs", "Jobs of the queue: that may begin now, later, are at work, were given up.", "state", jobs)
    what = "For how long the oldest of the jobs could have begun that may."
    yield _gauge("oldest_waiting_job_age_seconds", what, depths.oldest_waiting_s or 0)
    workers = {"living": len(living), "silent": len(queue.workers) - len(living)}
    yield _labelled("workers", "Workers: that have told lately that they live, and that have not.", "state", workers)
    yield _gauge(
        "crawl_slots", "Crawls that living workers may have under way at once.", sum(one.jobs for one in living)
    )
    yield _gauge("crawls_running", "Crawls that living workers have under way.", sum(len(one.crawls) for one in living))


def _gauge(name: str, what: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"blogcrawler_{name}", what, value=value)


def _labelled(name: str, what: str, label: str, values: dict[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"blogcrawler_{name}", what, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def failure_kind(reason: str) -> str:
    """The kind of a sentence that says why a crawl failed: few, as each is a time series."""
    said = _ADDRESS.sub(" ", reason).lower()
    for kind, signs in _kinds().items():
        if any(sign in said for sign in signs):
            return kind
    status = _STATUS.search(said)
    return OTHER if status is None else f"http_{status[1]}xx"


@cache
def _kinds() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], __package__, "failure_kinds.json")
