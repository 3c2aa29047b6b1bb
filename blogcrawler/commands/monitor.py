"""`blogcrawler monitor`: crawl all blogs that are due, then exit: for cron or a systemd timer. With `--queue URL` it
only adds jobs for workers to the queue; with `--every SECONDS` it repeats until stopped.

Exit codes: 0 success, also if nothing was due; 1 a crawl failed, with one sentence for each such blog on standard
error; 2 wrong usage. Without a terminal, nothing else is written."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.metrics import metrics_port, queue_of, serving_metrics
from blogcrawler.crawl.blog_lease import bounds
from blogcrawler.errors import BackendUnavailable, NoArchive, QueueUnavailable
from blogcrawler.monitor import Monitor, Report, Signals, Starter
from blogcrawler.queue import enqueue_due, open_jobs
from blogcrawler.reporting import FAILED, exit_on_error, say
from blogcrawler.setting_checks import check_settings
from blogcrawler.setting_types import YEAR_S

if TYPE_CHECKING:
    import argparse


AGAIN_S = 10
"""Longest interval between two attempts while the archive or the queue is unavailable, in seconds."""
DIGITS = 9
"""Longest number that is accepted, in digits."""
LOOK_S = 0.2
SILENT_S = 120
"""Seconds without a sign of life after which a monitor counts as dead; longer than it waits for a database."""


class Command(ArchiveCommand):
    """Crawls the blogs that are due, or queues them for workers."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        check_settings(self.settings)
        opts.queue = queue_of(opts.queue, self.settings)
        opts.metrics = metrics_port(opts.metrics, self.settings)
        if opts.every is not None:
            opts.every = _interval(opts.every, opts.queue)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Crawl the blogs that are due, or add jobs for them to the queue."""
        report = Report()
        with exit_on_error():
            if opts.queue is None:
                self._crawl(opts, report)
            elif opts.every is None:
                enqueue(self.settings["DATABASE_URL"], opts.queue)
            else:
                self._enqueue_again_and_again(opts)
        if report.failures:
            raise SystemExit(FAILED)

    def _crawl(self, opts: argparse.Namespace, report: Report) -> None:
        with (
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
            Starter(self.settings["ARCHIVE"], *passed_on(opts)) as starter,
        ):
            most = self.settings.getint("MONITOR_CRAWLS")
            Monitor(archive, starter, report, most=most, bounds=bounds(self.settings)).run()

    def _enqueue_again_and_again(self, opts: argparse.Namespace) -> None:
        """Queue due blogs at each interval until a signal comes. An unavailable database is reported once and retried.
        Raises NoArchive if there was no archive at the start, since none would be created while the monitor waits."""
        signals, trouble, was_there = Signals(), None, False
        with (
            serving_metrics(
                lambda exposed: exposed.RoundMetrics(silent_s=SILENT_S), self.settings, opts.metrics
            ) as metrics,
            signals.heeding(),
        ):
            while not signals.count:
                begin = time.monotonic()
                try:
                    count = enqueue(self.settings["DATABASE_URL"], opts.queue)
                except (BackendUnavailable, QueueUnavailable) as error:
                    if isinstance(error, NoArchive) and not was_there:
                        raise
                    if type(error) is not trouble:
                        say(f"{error} The monitor tries again.")
                    trouble = type(error)
                    if metrics is not None:
                        metrics.failed()
                else:
                    trouble, was_there = None, True
                    if metrics is not None:
                        metrics.done(count)
                end = begin + (opts.every if trouble is None else min(opts.every, AGAIN_S))
                while time.monotonic() < end and not signals.count:
                    if metrics is not None:
                        metrics.note_heartbeat()
                    time.sleep(LOOK_S)


def _interval(given: str, queue_url: str | None) -> int:
    """Return the value of --every in seconds. Raises UsageError."""
    if queue_url is None:
        raise UsageError("--every needs a queue, as in: blogcrawler monitor --queue URL --every 900")
    if not (given.isdecimal() and len(given) <= DIGITS and 1 <= int(given) <= YEAR_S):
        raise UsageError(f"--every must be a whole number of seconds from 1 to {YEAR_S}, not {given!r}.")
    return int(given)


def enqueue(database_url: str, queue_url: str) -> int:
    """Add jobs for the blogs that are due; on a terminal, print their number. On a database server, missing tables are
    created; for SQLite they are not, since the file name may be misspelled."""
    is_file = database_url.startswith("sqlite")
    with open_jobs(queue_url) as jobs, Archive.open(database_url, make=not is_file) as archive:
        count = enqueue_due(archive, jobs, now=datetime.now(UTC))
    if sys.stdout.isatty():
        print(f"{count} {'blog' if count == 1 else 'blogs'} added to the queue.")
    return count


def passed_on(opts: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Return the settings and options that a command passes on to the crawls that it starts."""
    level = [f"LOG_LEVEL={opts.loglevel}"] if opts.loglevel else []
    log_format = ["--log-format", opts.log_format] if opts.log_format else []
    return [*opts.set, *level], [*log_format, *(["--nolog"] if opts.nolog else [])]
