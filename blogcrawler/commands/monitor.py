"""`scrapy monitor`: crawls the blogs of the archive that are due, and returns: for cron, or a timer of systemd.

With `--queue URL` it only makes jobs of them, for workers; with `--every SECONDS` again and again, until it is stopped.

Exit codes: 0 all that was due was done, also where nothing was; 1 a crawl failed, and one sentence for each such blog
on standard error says why; 2 wrong usage. Nothing else is written where there is no terminal.
"""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.crawl import YEAR_S, check_settings
from blogcrawler.commands.metrics import metrics_port, queue_of, telling_prometheus
from blogcrawler.crawl.blog_lease import bounds
from blogcrawler.errors import BackendUnavailable, NoArchive, QueueUnavailable
from blogcrawler.monitor import Monitor, Report, Signals, Starter
from blogcrawler.queue import enqueue_due, open_jobs
from blogcrawler.reporting import FAILED, say, told

if TYPE_CHECKING:
    import argparse


AGAIN_S = 10
"""Seconds after which an archive or a queue that is away is tried again, at most."""
DIGITS = 9
"""Of a number that is read at all."""
LOOK_S = 0.2
SILENT_S = 120
"""Seconds after which a monitor that tells nothing does not live any more: it waits for a database for less."""


class Command(ArchiveCommand):
    """Starts newcrawls and updatecrawls."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        check_settings(self.settings)
        if not self.settings.getint("MONITOR_CRAWLS"):
            raise UsageError("The setting MONITOR_CRAWLS must be 1 or more.")
        opts.queue = queue_of(opts.queue, self.settings)
        opts.metrics = metrics_port(opts.metrics, self.settings)
        if opts.every is not None:
            opts.every = _interval(opts.every, opts.queue)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Crawl what is due, or have it crawled."""
        report = Report()
        with told():
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
        """Until a signal comes; a database that is away is told once, and tried again.

        Raises NoArchive where there has never been one: nobody makes it while the monitor waits.
        """
        signals, trouble, was_there = Signals(), None, False
        with (
            telling_prometheus(
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
                        metrics.lives()
                    time.sleep(LOOK_S)


def _interval(given: str, queue_url: str | None) -> int:
    """Seconds. Raises UsageError."""
    if queue_url is None:
        raise UsageError("--every needs a queue, as in: monitor --queue URL --every 900")
    if not (given.isdecimal() and len(given) <= DIGITS and 1 <= int(given) <= YEAR_S):
        raise UsageError(f"--every must be a whole number of seconds from 1 to {YEAR_S}, and not {given!r}.")
    return int(given)


def enqueue(database_url: str, queue_url: str) -> int:
    """Make jobs of the blogs that are due, and tell a terminal how many.

    The tables of an archive are made where a server has none: its database was made for them, while the name of a file
    may be misspelled.
    """
    is_file = database_url.startswith("sqlite")
    with open_jobs(queue_url) as jobs, Archive.open(database_url, make=not is_file) as archive:
        count = enqueue_due(archive, jobs, now=datetime.now(UTC))
    if sys.stdout.isatty():
        print(f"{count} {'blog is' if count == 1 else 'blogs are'} in the queue that were not before.")
    return count


def passed_on(opts: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The settings and options of a command that hold for the crawls that it starts."""
    level = [f"LOG_LEVEL={opts.loglevel}"] if opts.loglevel else []
    log_format = ["--log-format", opts.log_format] if opts.log_format else []
    return [*opts.set, *level], [*log_format, *(["--nolog"] if opts.nolog else [])]
