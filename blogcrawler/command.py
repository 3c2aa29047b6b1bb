"""Base class of the program's commands: parses options, checks arguments and settings."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

from blogcrawler.configuration import PRIORITY, GivenSetting, given_settings, problem_of
from blogcrawler.errors import BadArgument
from blogcrawler.reporting import FAILED, exit_on_error
from blogcrawler.settings import LOG_FORMAT
from blogcrawler.urls import is_path, parse_start_url
from blogcrawler.usage import USAGES

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

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
            given = [*configured, *(GivenSetting(name, value) for name, sign, value in _parts(opts.set) if sign)]
            problems = {setting.name: problem_of(setting, allow_unknown=opts.allow_unknown) for setting in given}
            wrong = {name: problem for name, problem in problems.items() if problem is not None}
            self.refuse(wrong.values())
            opts.set = ["".join(parts) for parts in _parts(opts.set) if parts[0] not in wrong]
            self.prepare(args, opts)
            super().process_options(args, opts)
            for setting in configured:
                if setting.name not in wrong:
                    self.settings.set(setting.name, setting.value, PRIORITY)
            if (opts.log_format or self.settings["LOG_FORMAT"]) == "text":
                self.settings.set("LOG_FORMAT", LOG_FORMAT, "cmdline")
            elif opts.log_format:
                self.settings.set("LOG_FORMAT", opts.log_format, "cmdline")
            self.check(args, opts)

    def refuse(self, problems: Iterable[str]) -> None:
        """Raise BadArgument for the first of these problems of settings."""
        for problem in problems:
            raise BadArgument(problem)

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check and adjust the arguments before Scrapy reads them. Raises UsageError or BadArgument."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the checks that need settings or more imports. Raises UsageError or BadArgument."""


def blog_url(address: str) -> str:
    """Return the canonical URL of a blog to add or crawl. Raises BadArgument, also for the name of a file."""
    if os.path.isfile(address):  # noqa: PTH113 - it raises for a long URL
        raise BadArgument(
            f"{address} is a file, not a blog's address. To archive all blogs of an OPML file: "
            f"blogcrawler blogs add --opml {shlex.quote(address)} and then blogcrawler monitor"
        )
    if is_path(address):
        raise BadArgument(f"There is no file {address}. Give the URL of a blog's home page, such as example.org.")
    return parse_start_url(address)


def _parts(settings: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    return (setting.partition("=") for setting in settings)
