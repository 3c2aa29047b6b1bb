"""Metrics of an archive and its queue, read from the databases at each scrape. Scrapes run one after another."""

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
"""Seconds for which a scrape waits until the previous scrape ends, which may itself wait for a database."""
OTHER = "other"
_STATUS = re.compile(r"(?<![\w/.:-])([45])\d\d(?![\w/.-])")
_ADDRESS = re.compile(r"(?<!\S)(?=\S+?://\S)\S++")
STATES = ("complete", "cut_short", "failing", "not_crawled", "removed")


class StatusCollector(Collector):
    """Reads the metrics of an archive, and of a queue if a URL is given, at each scrape.

    If one of them is unavailable, `blogcrawler_up` is 0 and the metrics of the other are still returned; the next
    scrape tries again. `note` is called with the error message once for each outage.
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
        """Return nothing, since the metrics are only known when they are collected."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield all metrics. Raises no errors."""
        if not self._lock.acquire(timeout=WAIT_S):
            yield from self._ups(archive=False, queue=False)
            return
        try:
            begin = time.perf_counter()
            yield from self._read()
            yield _gauge("scrape_duration_seconds", "Duration of this scrape in seconds.", time.perf_counter() - begin)
        finally:
            self._lock.release()

    def _read(self) -> Iterator[GaugeMetricFamily]:
        jobs = self._queue()
        status, is_queue_up = self._status(jobs)
        yield from self._ups(archive=status is not None, queue=is_queue_up)
        yield from status or ()

    def _ups(self, *, archive: bool, queue: bool) -> Iterator[GaugeMetricFamily]:
        is_up = archive and (queue or self._queue_url is None)
        yield _gauge("up", "1 if the archive, and the queue if configured, could be read.", is_up)
        yield _gauge("archive_up", "1 if the archive could be read.", archive)
        if self._queue_url is not None:
            yield _gauge("queue_up", "1 if the queue could be read.", queue)

    def _queue(self) -> Jobs | None:
        """Open the queue; return None if there is no queue or it is unavailable."""
        if self._queue_url is None:
            return None
        try:
            if self._jobs is None:
                self._jobs = open_jobs(self._queue_url, make=False)
                if (message := self._jobs.missing_tables()) is not None:
                    self._note(message)
            self._jobs.depths()
        except QueueUnavailable as error:
            self._note_once(error)
            return None
        self._noted.discard(QueueUnavailable)
        return self._jobs

    def _status(self, jobs: Jobs | None) -> tuple[list[GaugeMetricFamily] | None, bool]:
        """Return the metrics of archive and queue, or None if the archive is unavailable; and True if the queue is
        available."""
        now = datetime.now(UTC)
        try:
            archive = self._opened_archive()
            status = status_of(archive, jobs, now=now, lost_after_s=self._lost_after_s)
            metrics = list(_all(archive, status))
        except BackendUnavailable as error:
            self._note_once(error)
            self._close_archive()
            return None, jobs is not None
        except QueueUnavailable as error:  # the queue became unavailable after `_queue` had opened it
            self._note_once(error)
            return self._status(None)[0], False
        self._noted.discard(BackendUnavailable)
        return metrics, jobs is not None

    def _opened_archive(self) -> Archive:
        if self._archive is None:
            self._archive = Archive.open(self._database_url, make=False)
        return self._archive

    def _close_archive(self) -> None:
        if self._archive is not None:
            self._archive.close()
            self._archive = None

    def _note_once(self, error: BlogcrawlerError) -> None:
        if type(error) not in self._noted:
            self._noted.add(type(error))
            self._note(str(error))


def _all(archive: Archive, status: Status) -> Iterator[GaugeMetricFamily]:
    yield from _of_blogs(archive, status)
    yield from _of_posts(archive, status.blogs)
    if status.queue is not None:
        yield from _of_queue(status.queue)


def _of_blogs(archive: Archive, status: Status) -> Iterator[GaugeMetricFamily]:
    yield _labelled("blogs", "Blogs, by the result of their last crawl.", "state", _states(archive, status))
    yield _gauge("blogs_due", "Blogs that are due and not being crawled.", status.blogs.due)
    yield _gauge("blogs_being_crawled", "Blogs being crawled, by workers or by hand.", status.blogs.being_crawled)
    kinds = Counter(failure_kind(blog.reason) for blog in status.failing)
    yield _labelled("blogs_failing", "Blogs whose last crawl failed, by kind of failure.", "kind", kinds)


def _states(archive: Archive, status: Status) -> dict[str, int]:
    states = dict.fromkeys(STATES, 0)
    states["failing"] = status.blogs.failing
    states["not_crawled"] = sum(not wanted.failures for wanted in archive.register.wanted())
    for blog in archive.blogs():
        if not blog.is_followed:
            states["removed"] += 1
        elif not blog.failures:
            states["complete" if blog.crawl_complete else "cut_short" if blog.crawl_started else "not_crawled"] += 1
    return states


def _of_posts(archive: Archive, blogs: Blogs) -> Iterator[GaugeMetricFamily]:
    yield _gauge("posts", "Posts in the archive.", blogs.posts)
    recent = {"5m": blogs.posts_last_5_minutes, "1h": blogs.posts_last_hour, "1d": blogs.posts_last_day}
    yield _labelled("posts_recent", "Posts added within the last five minutes, hour and day.", "window", recent)
    if (last := archive.last_new) is not None:
        help_text = "Time at which the newest post was added (Unix timestamp)."
        yield _gauge("last_post_timestamp_seconds", help_text, last.timestamp())


def _of_queue(queue: QueueStatus) -> Iterator[GaugeMetricFamily]:
    depths, living = queue.depths, [row.worker for row in queue.workers if not row.is_lost]
    jobs = {
        "waiting": depths.waiting, "later": depths.later, "running": depths.running, "given_up": depths.given_up
    }  # fmt: skip
    yield _labelled("jobs", "Jobs of the queue, by state.", "state", jobs)
    help_text = "Seconds since the oldest waiting job could have started."
    yield _gauge("oldest_waiting_job_age_seconds", help_text, depths.oldest_waiting_s or 0)
    workers = {"living": len(living), "silent": len(queue.workers) - len(living)}
    yield _labelled("workers", "Workers, by whether they sent a recent heartbeat.", "state", workers)
    yield _gauge(
        "crawl_slots", "Maximum number of parallel crawls of all living workers.", sum(worker.jobs for worker in living)
    )
    yield _gauge("crawls_running", "Running crawls of living workers.", sum(len(worker.crawls) for worker in living))


def _gauge(name: str, help_text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"blogcrawler_{name}", help_text, value=value)


def _labelled(name: str, help_text: str, label: str, values: dict[str, int]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"blogcrawler_{name}", help_text, labels=[label])
    for value, number in values.items():
        family.add_metric([value], number)
    return family


def failure_kind(reason: str) -> str:
    """The kind of a failure message. The kinds are few, since each one is a time series."""
    text = _ADDRESS.sub(" ", reason).lower()
    for kind, signs in _kinds().items():
        if any(sign in text for sign in signs):
            return kind
    status = _STATUS.search(text)
    return OTHER if status is None else f"http_{status[1]}xx"


@cache
def _kinds() -> dict[str, list[str]]:
    return load_file(dict[str, list[str]], __package__, "failure_kinds.json")
