"""`blogcrawler worker --queue URL`: crawl the blogs of a queue until stopped; with `--burst`, until the queue is idle.
A burst also waits for jobs that return soon: those of killed workers, and those postponed for a reason outside their
blogs.

Exit codes: 0 stopped by a signal or, with `--burst`, all jobs done; 1 the queue or the archive cannot be used or, with
`--burst`, a crawl failed or was postponed to the end; 2 wrong usage. Without a terminal, only errors are written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.commands.metrics import metrics_port, queue_of, serving_metrics
from blogcrawler.commands.monitor import passed_on
from blogcrawler.crawl.blog_lease import bounds
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.monitor import Report, Starter
from blogcrawler.queue import Worker, given_up, open_jobs, put_back
from blogcrawler.reporting import FAILED, exit_on_error, say
from blogcrawler.setting_checks import check_settings
from blogcrawler.urls import parse_start_url
from blogcrawler.usage.commands import WORKER_EXAMPLE

if TYPE_CHECKING:
    import argparse


NEXT = "the next worker will continue"
MOST_JOBS = 1000
"""Largest number of concurrent crawls of one worker; more than a machine has memory for."""
DIGITS = 9
"""Longest number that is accepted, in digits."""


class Command(ArchiveCommand):
    """Crawls the blogs of a queue."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        opts.queue = queue_of(opts.queue, self.settings)
        if not opts.queue:
            raise UsageError(WORKER_EXAMPLE)
        check_settings(self.settings)
        opts.jobs = self.settings.getint("MONITOR_CRAWLS") if opts.jobs is None else jobs_at_once(opts.jobs)
        opts.metrics = metrics_port(opts.metrics, self.settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Crawl the blogs of the queue, or requeue blogs that were given up."""
        with exit_on_error():
            if opts.retry:
                has_failed = retry(self.settings["DATABASE_URL"], opts.queue, opts.retry)
            else:
                has_failed = self._work(opts) and opts.burst
        if has_failed:
            raise SystemExit(FAILED)

    def _work(self, opts: argparse.Namespace) -> bool:
        """Crawl until stopped or idle; return True if a crawl failed or was postponed to the end."""
        report = Report(next_one=NEXT)
        silent_s = self.settings.getfloat("WORKER_LOST_AFTER")
        with (
            open_jobs(opts.queue) as jobs,
            Archive.open(self.settings["DATABASE_URL"], make=False) as archive,
            serving_metrics(
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


def jobs_at_once(jobs: str) -> int:
    """Return the number of concurrent crawls of --jobs. Raises UsageError if it is out of range."""
    if jobs.isdecimal() and len(jobs) <= DIGITS and 1 <= int(jobs) <= MOST_JOBS:
        return int(jobs)
    raise UsageError(f"--jobs must be a whole number from 1 to {MOST_JOBS}, not {jobs!r}.")


def retry(database_url: str, queue_url: str, addresses: list[str]) -> bool:
    """Requeue blogs that were given up; return True if one of them was not given up. Raises BadArgument for an invalid
    URL, before any blog is requeued."""
    urls, has_failed = [parse_start_url(address) for address in addresses], False
    with open_jobs(queue_url) as jobs, Archive.open(database_url, make=False) as archive:
        known = given_up(archive, jobs)
        if not known:
            raise BlogcrawlerError("No blog was given up. To list failing blogs: status --failed")
        for url in urls:
            keys = {archive.key_of(url), archive.key_of(archive.find_blog(url) or url)}
            found = [job for job in known if keys & {job.key, archive.key_of(job.url)}]
            was_put_back = [put_back(archive, jobs, job, now=datetime.now(UTC)) for job in found]
            if not any(was_put_back):
                say(f"{url} was not given up. To list failing blogs: status --failed")
                has_failed = True
    return has_failed
