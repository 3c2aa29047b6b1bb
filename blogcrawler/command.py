"""What all commands of the program have in common: they are called as their usage says, and refuse the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from blogcrawler.reporting import FAILED, told
from blogcrawler.usage import USAGES

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from blogcrawler.usage import Usage


class ArchiveCommand(ScrapyCommand):
    """A command with the name of its module, called as `usage` says."""

    requires_project = True
    requires_crawler_process = False
    settings: Settings
    #: the exit code where something outside is at fault for a while
    temporary = FAILED

    @property
    def usage(self) -> Usage:
        """How it is called."""
        return USAGES[type(self).__module__.rpartition(".")[2]]

    def short_desc(self) -> str:
        return self.usage.summary

    def long_desc(self) -> str:
        return self.usage.description

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        self.usage.add_to(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        with told(temporary=self.temporary):
            self.usage.check(args, opts)
            super().process_options(args, opts)
            self.check(args, opts)

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check what was given, as far as that needs settings or more imports. Raises UsageError or BadArgument."""
