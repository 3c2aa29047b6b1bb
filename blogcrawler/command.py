"""What all commands of the program have in common: they are called as their usage says, and refuse the rest."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand
from scrapy.settings import default_settings

import blogcrawler.settings as own_settings
from blogcrawler.errors import BadArgument
from blogcrawler.reporting import FAILED, told
from blogcrawler.usage import USAGES
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

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
            if not opts.allow_unknown:
                _refuse_unknown_settings(opts.set)
            self.prepare(args, opts)
            super().process_options(args, opts)
            self.check(args, opts)

    def prepare(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check and change what was given before Scrapy reads it. Raises UsageError or BadArgument."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check what was given, as far as that needs settings or more imports. Raises UsageError or BadArgument."""


def removed_settings() -> dict[str, str]:
    """What has become of settings that are no more, by name."""
    told: dict[str, str] = json.loads(files("blogcrawler").joinpath("data/removed_settings.json").read_text("utf-8"))
    return told


def _refuse_unknown_settings(given: Iterable[str]) -> None:
    """Raise BadArgument for a setting (NAME=VALUE) that neither the program nor Scrapy knows or knew."""
    known = {name for module in (own_settings, default_settings) for name in dir(module) if name.isupper()}
    for name in (one.partition("=")[0] for one in given):
        if name not in known | removed_settings().keys():
            meant = did_you_mean(name, known) or " --allow-unknown takes it all the same."
            raise BadArgument(f"There is no setting {name!r}.{meant}")
