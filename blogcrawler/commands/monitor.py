"""`scrapy monitor`: crawls the blogs of the archive that are due, and returns: for cron, or a timer of systemd.

With `--queue URL` it only makes jobs of them, for workers.

Exit codes: 0 all that was due was done, also where nothing was; 1 a crawl failed, and one sentence for each such blog
on standard error says why; 2 wrong usage. Nothing else is written where there is no terminal.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.commands.crawl import check_settings
from blogcrawler.monitor import Monitor, Report, Starter
from blogcrawler.queue import ask_for_due, open_jobs
from blogcrawler.reporting import FAILED, told
from blogcrawler.spiders.standing import bounds

if TYPE_CHECKING:
    import argparse

__all__ = ["Command", "passed_on"]


class Command(ScrapyCommand):
    """Starts newcrawls and updatecrawls."""

    requires_project = True
    requires_crawler_process = False

    def syntax(self) -> str:
        """The arguments."""
        return "[options]"

    def short_desc(self) -> str:
        """One line of help."""
        return "Crawl the blogs that are due, and return: for cron, as in */15 * * * * blogcrawler monitor"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's options, under our name."""
        super().add_options(parser)
        parser.usage = f"blogcrawler monitor {self.syntax()}"
        parser.add_argument("--queue", metavar="URL", help="leave the crawls to the workers of this queue")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check what was given."""
        assert self.settings is not None
        with told():
            super().process_options(args, opts)
            if args:
                raise UsageError(
                    "The monitor crawls what is due, and takes no arguments; blogs are taken in by: blogs add URL",
                    print_help=False,
                )
            check_settings(self.settings)
            if not self.settings.getint("MONITOR_CRAWLS"):
                raise UsageError("The setting MONITOR_CRAWLS must be 1 or more.", print_help=False)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        """Crawl what is due, or have it crawled."""
        assert self.settings is not None
        report = Report()
        with told():
            if opts.queue is None:
                self._crawl(opts, report)
            else:
                enqueue(self.settings["DATABASE_URL"], opts.queue)
        if report.failures:
            raise SystemExit(FAILED)

    def _crawl(self, opts: argparse.Namespace, report: Report) -> None:
        assert self.settings is not None
        starter = Starter(self.settings["ARCHIVE"], *passed_on(opts))
        with Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            most = self.settings.getint("MONITOR_CRAWLS")
            Monitor(archive, starter, report, most=most, bounds=bounds(self.settings)).run()


def enqueue(database_url: str, queue_url: str) -> None:
    """Make jobs of the blogs that are due, and tell a terminal how many."""
    with open_jobs(queue_url) as jobs, Archive.open(database_url, make=False) as archive:
        count = ask_for_due(archive, jobs, now=datetime.now(UTC))
    if sys.stdout.isatty():
        print(f"{count} {'blog is' if count == 1 else 'blogs are'} in the queue that were not before.")


def passed_on(opts: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The settings and options of a command that hold for the crawls that it starts."""
    level = [f"LOG_LEVEL={opts.loglevel}"] if opts.loglevel else []
    return [*opts.set, *level], ["--nolog"] if opts.nolog else []
