"""Metrics of a worker and its crawls, and of a monitor that fills a queue."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector

from blogcrawler.queue import Watcher
from blogcrawler.reporting import Counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.monitor import Child
    from blogcrawler.queue import Outcome

OUTCOMES: tuple[Outcome, ...] = ("done", "failed", "stopped", "put_off")
READ_S = 1.0
"""Minimum seconds between two reads of the crawls' counters."""
LENGTHS_S = (10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
"""Histogram bucket limits for the duration of crawls."""


@dataclass
class _RunningCrawl:
    """A running crawl and its counters at the last read."""

    begin_s: float
    counts: Counts = field(default_factory=Counts)


class WorkMetrics(Watcher):
    """Observes a worker. The worker counts as well if its last heartbeat is at most `silent_s` seconds old."""

    def __init__(self, *, slots: int, silent_s: float) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._silent_s = silent_s
        self._lived_at = self._read_at = time.monotonic()
        self._crawls: dict[str, _RunningCrawl] = {}
        self._make(slots)

    def _make(self, slots: int) -> None:
        def counter(name: str, help_text: str, *labels: str) -> Counter:
            return Counter(f"blogcrawler_worker_{name}", help_text, labels, registry=self.registry)

        def gauge(name: str, help_text: str) -> Gauge:
            return Gauge(f"blogcrawler_worker_{name}", help_text, registry=self.registry)

        gauge("crawl_slots", "Maximum number of parallel crawls.").set(slots)
        self._running = gauge("crawls_running", "Running crawls.")
        self._queue_up = gauge("queue_up", "1 if the queue was available at the last use.")
        self._started = counter("crawls_started", "Started crawls.", "spider")
        self._ended = counter("crawls_ended", "Ended crawls, by outcome.", "outcome")
        self._seconds = Histogram(
            "blogcrawler_worker_crawl_seconds",
            "Duration of ended crawls in seconds.",
            buckets=LENGTHS_S,
            registry=self.registry,
        )
        self._pages = counter("pages", "Fetched pages.")
        self._posts = counter("posts", "Saved posts: new, changed, or the same as before.", "change")
        self._received = counter("received_bytes", "Size of response bodies as transferred, in bytes.")
        self._requests = counter("requests", "Sent requests.")
        self._requests_failed = counter("requests_failed", "Requests without a response.")
        self._responses = counter("responses", "Responses, by HTTP status.", "status")
        self._queue_up.set(1)
        for outcome in OUTCOMES:
            self._ended.labels(outcome)
        for spider in ("newcrawl", "updatecrawl"):
            self._started.labels(spider)
        for change in ("new", "changed", "same"):
            self._posts.labels(change)

    def is_well(self) -> bool:
        """True if the worker sent a recent heartbeat."""
        return time.monotonic() - self._lived_at < self._silent_s

    def note_heartbeat(self, *, is_cut_off: bool) -> None:
        """See `Watcher`."""
        self._lived_at = time.monotonic()
        self._queue_up.set(not is_cut_off)

    def note_crawls(self, children: Sequence[Child]) -> None:
        """See `Watcher`."""
        if time.monotonic() - self._read_at < READ_S:
            return
        self._read_at = time.monotonic()
        for child in children:
            self._count(child)

    def began(self, child: Child) -> None:
        """See `Watcher`."""
        self._crawls[str(child.holder)] = _RunningCrawl(time.monotonic())
        self._started.labels(child.due.spider).inc()
        self._running.inc()

    def ended(self, child: Child, outcome: Outcome) -> None:
        """See `Watcher`."""
        self._count(child)
        crawl = self._crawls.pop(str(child.holder), None)
        if crawl is not None:
            self._seconds.observe(time.monotonic() - crawl.begin_s)
            self._running.dec()
        self._ended.labels(outcome).inc()

    def _count(self, child: Child) -> None:
        """Add what a crawl has counted since the last read."""
        crawl, counts = self._crawls.get(str(child.holder)), child.counts()
        if crawl is None or counts is None:
            return
        before, crawl.counts = crawl.counts, counts
        self._pages.inc(_more(before.pages, counts.pages))
        self._requests.inc(_more(before.requests, counts.requests))
        self._requests_failed.inc(_more(before.requests_failed, counts.requests_failed))
        self._received.inc(_more(before.received_bytes, counts.received_bytes))
        _add(self._posts, before.saved, counts.saved)
        _add(self._responses, before.statuses, counts.statuses)


class RoundMetrics:
    """Metrics of a monitor's rounds. The monitor counts as well if its last heartbeat is at most `silent_s` seconds
    old."""

    def __init__(self, *, silent_s: float) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._silent_s = silent_s
        self._lived_at = time.monotonic()
        self._rounds = Counter(
            "blogcrawler_monitor_rounds", "Searches for due blogs.", ("outcome",), registry=self.registry
        )
        self._jobs = Counter("blogcrawler_monitor_jobs", "Blogs added to the queue.", registry=self.registry)
        self._last = Gauge(
            "blogcrawler_monitor_last_success_timestamp_seconds",
            "Time of the last successful search for due blogs (Unix timestamp).",
            registry=self.registry,
        )
        for outcome in ("done", "failed"):
            self._rounds.labels(outcome)

    def is_well(self) -> bool:
        """True if the monitor sent a recent heartbeat."""
        return time.monotonic() - self._lived_at < self._silent_s

    def note_heartbeat(self) -> None:
        """Record a heartbeat. Called several times per second, also while the monitor waits for its next round."""
        self._lived_at = time.monotonic()

    def done(self, jobs: int) -> None:
        """Record a successful round that added this number of blogs to the queue."""
        self._rounds.labels("done").inc()
        self._jobs.inc(jobs)
        self._last.set_to_current_time()

    def failed(self) -> None:
        """Record a failed round."""
        self._rounds.labels("failed").inc()


def _add(counter: Counter, before: Mapping[str, int], now: Mapping[str, int]) -> None:
    for name, count in now.items():
        counter.labels(name).inc(_more(before.get(name, 0), count))


def _more(before: int, now: int) -> int:
    """The increase of a count; 0 if the count went down, as the number of new posts does when a post turns out to
    have moved."""
    return max(0, now - before)
