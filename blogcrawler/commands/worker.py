"""`scrapy worker --queue URL`: crawls the blogs that a queue has jobs for, until it is stopped; `--burst`: until idle.

A burst waits for jobs that come back soon: of workers that were killed, and those put off for no fault of their blogs.

Exit codes: 0 it was stopped, or, with `--burst`, all that could be done was done; 1 the queue or the archive cannot be
used, or, with `--burst`, a crawl failed, or was put off until the end; 2 wrong usage. Where there is no terminal, it
writes only what went wrong.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.crawl import check_settings
from blogcrawler.commands.metrics import metrics_port, queue_of, telling_prometheus
from blogcrawler.commands.monitor import passed_on
from blogcrawler.crawl.blog_lease import bounds
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.monitor import Report, Starter
from blogcrawler.queue import Worker, given_up, open_jobs, put_back
from blogcrawler.reporting import FAILED, say, told
from blogcrawler.urls import parse_start_url
from blogcrawler.usage.commands import WORKER_EXAMPLE

if TYPE_CHECKING:
    import argparse


NEXT = "the next worker goes on"
MOST_JOBS = 1000
"""Crawls of one worker, more than a machine has memory for."""
DIGITS = 9
"""Of a number that is read at all."""


class Command(ArchiveCommand):
    """Starts newcrawls and updatecrawls."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        opts.queue = queue_of(opts.queue, self.settings)
        if not opts.queue:
            raise UsageError(WORKER_EXAMPLE)
        check_settings(self.settings)
        opts.jobs = jobs_at_once(opts.jobs, self.settings.getint("MONITOR_CRAWLS"))
        opts.metrics = metrics_port(opts.metrics, self.settings)
        if self.settings.getint("QUEUE_ATTEMPTS") < 1:
            raise UsageError("The setting QUEUE_ATTEMPTS must be 1 or more.")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Work, or put blogs back."""
        with told():
            if opts.retry:
                has_failed = retry(self.settings["DATABASE_URL"], opts.queue, opts.retry)
            else:
                has_failed = self._work(opts) and opts.burst
        if has_failed:
            raise SystemExit(FAILED)

    def _work(self, opts: argparse.Namespace) -> bool:
        """Work until it is over; return True if a crawl has failed, or was put off until the end."""
        report = Report(next_one=NEXT)
        silent_s = self.settings.getfloat("WORKER_LOST_AFTER")
        with (
            open_jobs(opts.queue) as jobs,
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
            telling_prometheus(
                lambda exposed: exposed.WorkMetrics(slots=opts.jobs, silent_s=silent_s), self.settings, opts.metrics
            ) as watcher,
            Starter(
                self.settings["ARCHIVE"], *passed_on(opts), with_us=True, is_counting=watcher is not None
            ) as starter,
        ):
            Worker(
                archive,
                jobs,
                starter,
                report,
                most=opts.jobs,
                attempts=self.settings.getint("QUEUE_ATTEMPTS"),
                bounds=bounds(self.settings),
                lease_s=silent_s,
                watcher=watcher,
            ).run(is_burst=opts.burst)
        return report.failures > 0


def jobs_at_once(given: str | None, usual: int) -> int:
    """How many crawls may be under way at once. Raises UsageError for a number that cannot be used."""
    jobs = str(usual) if given is None else given
    if jobs.isdecimal() and len(jobs) <= DIGITS and 1 <= int(jobs) <= MOST_JOBS:
        return int(jobs)
    name = "The setting MONITOR_CRAWLS" if given is None else "--jobs"
    raise UsageError(f"{name} must be a whole number from 1 to {MOST_JOBS}, and not {jobs!r}.")


def retry(database_url: str, queue_url: str, addresses: list[str]) -> bool:
    """Put back blogs that were given up, by their addresses; return True if one of them was not given up.

    Raises BadArgument for an address that cannot be used, before any is put back.
    """
    urls, has_failed = [parse_start_url(address) for address in addresses], False
    with open_jobs(queue_url) as jobs, Archive.open(database_url, make=False) as archive:
        known = given_up(archive, jobs)
        if not known:
            raise BlogcrawlerError("No blog was given up; see: status --failed")
        for url in urls:
            keys = {archive.key_of(url), archive.key_of(archive.find_blog(url) or url)}
            found = [job for job in known if keys & {job.key, archive.key_of(job.url)}]
            was_put_back = [put_back(archive, jobs, job, now=datetime.now(UTC)) for job in found]
            if not any(was_put_back):
                say(f"{url} was not given up; see: status --failed")
                has_failed = True
    return has_failed
