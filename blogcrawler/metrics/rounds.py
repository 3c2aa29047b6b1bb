"""What Prometheus is told of a monitor that looks again and again for blogs that are due."""

from __future__ import annotations

import time

from prometheus_client import CollectorRegistry, Counter, Gauge, ProcessCollector


class RoundMetrics:
    """Counts rounds. It is well as long as it has told within `silent_s` seconds that it lives."""

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
        """Does the monitor do its work?"""
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
