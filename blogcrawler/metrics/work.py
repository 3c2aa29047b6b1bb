"""Metrics of a worker, with its crawls and what they count; and of a monitor that fills a queue."""

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
"""Seconds between two looks at what crawls count."""
LENGTHS_S = (10, 30, 60, 300, 900, 3600, 4 * 3600, 24 * 3600)
"""Bounds of the buckets of lengths of crawls."""


@dataclass
class _Seen:
    """A crawl that is under way, and what it had counted when it was looked at."""

    begin_s: float
    counts: Counts = field(default_factory=Counts)


class WorkMetrics(Watcher):
    """Watches a worker. It is well if its last sign of life came within `silent_s` seconds."""

    def __init__(self, *, slots: int, silent_s: float) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._silent_s = silent_s
        self._lived_at = self._read_at = time.monotonic()
        self._seen: dict[str, _Seen] = {}
        self._make(slots)

    def _make(self, slots: int) -> None:
        def counter(name: str, what: str, *labels: str) -> Counter:
            return Counter(f"blogcrawler_worker_{name}", what, labels, registry=self.registry)

        def gauge(name: str, what: str) -> Gauge:
            return Gauge(f"blogcrawler_worker_{name}", what, registry=self.registry)

        gauge("crawl_slots", "Crawls that the worker may have under way at once.").set(slots)
        self._running = gauge("crawls_running", "Crawls under way.")
        self._queue_up = gauge("queue_up", "Whether the worker could use its queue when it last tried.")
        self._started = counter("crawls_started", "Crawls that were started.", "spider")
        self._ended = counter("crawls_ended", "Crawls that are over, by what became of them.", "outcome")
        self._seconds = Histogram(
            "blogcrawler_worker_crawl_seconds",
            "How long crawls took that are over.",
            buckets=LENGTHS_S,
            registry=self.registry,
        )
        self._pages = counter("pages", "Pages that crawls have fetched.")
        self._posts = counter("posts", "Posts that crawls have saved, by what that did to the archive.", "change")
        self._received = counter("received_bytes", "Bytes of the bodies of answers, as they came.")
        self._requests = counter("requests", "Requests that crawls have sent.")
        self._requests_failed = counter("requests_failed", "Requests that were not answered.")
        self._responses = counter("responses", "Answers, by their HTTP status.", "status")
        self._queue_up.set(1)
        for outcome in OUTCOMES:
            self._ended.labels(outcome)
        for spider in ("newcrawl", "updatecrawl"):
            self._started.labels(spider)
        for change in ("new", "changed", "same"):
            self._posts.labels(change)

    def is_well(self) -> bool:
        """True if the worker does its work."""
        return time.monotonic() - self._lived_at < self._silent_s

    def lives(self, *, is_cut_off: bool) -> None:
        """See `Watcher`."""
        self._lived_at = time.monotonic()
        self._queue_up.set(not is_cut_off)

    def sees(self, children: Sequence[Child]) -> None:
        """See `Watcher`."""
        if time.monotonic() - self._read_at < READ_S:
            return
        self._read_at = time.monotonic()
        for child in children:
            self._count(child)

    def began(self, child: Child) -> None:
        """See `Watcher`."""
        self._seen[str(child.holder)] = _Seen(time.monotonic())
        self._started.labels(child.due.spider).inc()
        self._running.inc()

    def ended(self, child: Child, outcome: Outcome) -> None:
        """See `Watcher`."""
        self._count(child)
        seen = self._seen.pop(str(child.holder), None)
        if seen is not None:
            self._seconds.observe(time.monotonic() - seen.begin_s)
            self._running.dec()
        self._ended.labels(outcome).inc()

    def _count(self, child: Child) -> None:
        """Add what a crawl has counted since it was looked at."""
        seen, counts = self._seen.get(str(child.holder)), child.counts()
        if seen is None or counts is None:
            return
        before, seen.counts = seen.counts, counts
        self._pages.inc(_more(before.pages, counts.pages))
        self._requests.inc(_more(before.requests, counts.requests))
        self._requests_failed.inc(_more(before.requests_failed, counts.requests_failed))
        self._received.inc(_more(before.received_bytes, counts.received_bytes))
        _add(self._posts, before.saved, counts.saved)
        _add(self._responses, before.statuses, counts.statuses)


class RoundMetrics:
    """Counts rounds. It is well if its last sign of life came within `silent_s` seconds."""

    def __init__(self, *, silent_s: float) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._silent_s = silent_s
        self._lived_at = time.monotonic()
        self._rounds = Counter(
            "blogcrawler_monitor_rounds", "Looks for blogs that are due.", ("outcome",), registry=self.registry
        )
        self._jobs = Counter("blogcrawler_monitor_jobs", "Blogs that were put into the queue.", registry=self.registry)
        self._last = Gauge(
            "blogcrawler_monitor_last_success_timestamp_seconds",
            "When the last look for blogs that are due was successful, in seconds since 1970.",
            registry=self.registry,
        )
        for outcome in ("done", "failed"):
            self._rounds.labels(outcome)

    def is_well(self) -> bool:
        """True if the monitor does its work."""
        return time.monotonic() - self._lived_at < self._silent_s

    def lives(self) -> None:
        """The monitor is at work, or waits for its next round; several times a second."""
        self._lived_at = time.monotonic()

    def done(self, jobs: int) -> None:
        """A round has put so many blogs into the queue."""
        self._rounds.labels("done").inc()
        self._jobs.inc(jobs)
        self._last.set_to_current_time()

    def failed(self) -> None:
        """A round could not be made."""
        self._rounds.labels("failed").inc()


def _add(counter: Counter, before: Mapping[str, int], now: Mapping[str, int]) -> None:
    for name, count in now.items():
        counter.labels(name).inc(_more(before.get(name, 0), count))


def _more(before: int, now: int) -> int:
    """What has been added; a count may go down, as that of new posts does when one turns out to have moved."""
    return max(0, now - before)
