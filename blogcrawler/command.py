"""Base class of the program's commands: parses options, checks arguments and settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from blogcrawler.configuration import PRIORITY, given_settings, refuse_misspelt, refuse_unknown
from blogcrawler.reporting import FAILED, JSON, exit_on_error
from blogcrawler.settings import LOG_FORMAT
from blogcrawler.usage import USAGES

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from blogcrawler.usage import Usage


class ArchiveCommand(ScrapyCommand):
    """A command that is named after its module; `usage` holds its arguments and options."""

    requires_project = True
    requires_crawler_process = False
    settings: Settings
    #: the exit code of a temporary failure outside the blog
    temporary = FAILED

    @property
    def usage(self) -> Usage:
        """The arguments and options of this command."""
        return USAGES[type(self).__module__.rpartition(".")[2]]

    def short_desc(self) -> str:
        return self.usage.summary

    def long_desc(self) -> str:
        return self.usage.description

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        self.usage.add_to(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        with exit_on_error(temporary=self.temporary):
            self.usage.check(args, opts)
            configured = given_settings()
            if not opts.allow_unknown:
                for one in configured:
                    refuse_unknown(one.name, one.source)
                refuse_misspelt(opts.set)
            self.prepare(args, opts)
            super().process_options(args, opts)
            for one in configured:
                self.settings.set(one.name, one.value, PRIORITY)
            if opts.log_format:
                self.settings.set("LOG_FORMAT", JSON if opts.log_format == JSON else LOG_FORMAT, "cmdline")
            self.check(args, opts)

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check and adjust the arguments before Scrapy reads them. Raises UsageError or BadArgument."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the checks that need settings or more imports. Raises UsageError or BadArgument."""
