"""`blogcrawler metrics [--queue URL]`: serve metrics of the archive and its queue to Prometheus until stopped. Exit
codes: 0 stopped by a signal; 1 it cannot listen, or a package is not installed; 2 wrong usage. The command keeps
running while a database is unavailable: `blogcrawler_up` is 0 then."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from scrapy.exceptions import UsageError

from blogcrawler.command import ArchiveCommand
from blogcrawler.metrics import PORT, library
from blogcrawler.monitor import Signals
from blogcrawler.queue import check_queue
from blogcrawler.reporting import exit_on_error, say
from blogcrawler.setting_checks import check_settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from scrapy.settings import BaseSettings

    from blogcrawler.metrics.exposed import RoundMetrics, WorkMetrics

LAST_PORT = 65_535
Metrics = TypeVar("Metrics", "RoundMetrics", "WorkMetrics")
LOOK_S = 0.2
CONNECT_S = "5"
"""Timeout of a connection to PostgreSQL, in seconds: shorter than Prometheus's own."""


class Command(ArchiveCommand):
    """Serves metrics."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        check_settings(self.settings)
        opts.queue = queue_of(opts.queue, self.settings)
        if opts.queue is not None:
            check_queue(opts.queue)
        opts.host = opts.host or self.settings["METRICS_ADDRESS"]
        if opts.port is None:
            opts.port = metrics_port(None, self.settings) or PORT
        if not 0 <= opts.port <= LAST_PORT:
            raise UsageError(f"--port must be a number from 0 to {LAST_PORT}, not {opts.port}.")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Serve until a signal comes."""
        os.environ.setdefault("PGCONNECT_TIMEOUT", CONNECT_S)
        signals = Signals(ends_at_once=True)
        with exit_on_error():
            exposed = library()
            lost_after_s = self.settings.getfloat("WORKER_LOST_AFTER")
            with exposed.StatusCollector(
                self.settings["DATABASE_URL"], opts.queue, lost_after_s=lost_after_s, note=say
            ) as collector:
                endpoint = exposed.Endpoint(collector.registry, lambda: True)
                with signals.heeding(), endpoint.serving(opts.host, opts.port) as address:
                    print(f"Metrics are at {address}metrics; press Ctrl-C to stop.")
                    sys.stdout.flush()
                    while not signals.count:
                        time.sleep(LOOK_S)


def queue_of(given: str | None, settings: BaseSettings) -> str | None:
    """Return the URL of the queue, or None if there is none. Raises UsageError for an empty --queue."""
    if given is not None and not given.strip():
        raise UsageError("--queue is empty. Give a URL such as postgresql://me@localhost/archive, or leave it out.")
    return given or settings["QUEUE_URL"] or None


def metrics_port(given: str | None, settings: BaseSettings) -> int:
    """Return the port of the metrics of a worker or monitor; 0 for none. Raises UsageError."""
    if given is None:
        return settings.getint("METRICS_PORT")
    if not (given.isdecimal() and 0 < int(given) <= LAST_PORT):
        raise UsageError(f"--metrics must be a port from 1 to {LAST_PORT}, not {given!r}.")
    return int(given)


@contextmanager
def serving_metrics(
    make: Callable[[ModuleType], Metrics], settings: BaseSettings, port: int
) -> Iterator[Metrics | None]:
    """Serve metrics of this process at a port. Yields the metrics; None if the port is 0."""
    if not port:
        yield None
        return
    exposed = library()
    metrics = make(exposed)
    with exposed.Endpoint(metrics.registry, metrics.is_well).serving(settings["METRICS_ADDRESS"], port):
        yield metrics
