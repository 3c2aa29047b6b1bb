"""`scrapy monitor`: crawls the blogs of the archive that are due, and returns: for cron, or a timer of systemd.

Exit codes: 0 all that was due was done, also where nothing was; 1 a crawl failed, and one sentence for each such blog
on standard error says why; 2 wrong usage. Nothing else is written where there is no terminal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.commands.crawl import check_settings
from blogcrawler.monitor import Monitor, Report, Starter
from blogcrawler.reporting import FAILED, told
from blogcrawler.spiders.standing import bounds

if TYPE_CHECKING:
    import argparse

__all__ = ["Command"]


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
        """Crawl what is due."""
        assert self.settings is not None
        level = [f"LOG_LEVEL={opts.loglevel}"] if opts.loglevel else []
        starter = Starter(self.settings["ARCHIVE"], [*opts.set, *level], ["--nolog"] if opts.nolog else [])
        report = Report()
        with told(), Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            most = self.settings.getint("MONITOR_CRAWLS")
            Monitor(archive, starter, report, most=most, bounds=bounds(self.settings)).run()
        if report.failures:
            raise SystemExit(FAILED)
