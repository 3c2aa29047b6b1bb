"""What all commands of the program have in common: their help, and how they refuse what they cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from blogcrawler.reporting import FAILED, told

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from scrapy.settings import Settings


Option = tuple[tuple[str, ...], dict[str, Any]]
"""The names of an option, and what argparse takes for it."""


def option(*names: str, **how: Any) -> Option:  # noqa: ANN401
    """An option of a command, as `add_argument` takes it."""
    return names, how


class ArchiveCommand(ScrapyCommand):
    """A command with the name of its module, described by the attributes of its class."""

    requires_project = True
    requires_crawler_process = False
    settings: Settings
    #: what may be given with it
    arguments = "[options]"
    #: one line of help, and all of it where there is more to say
    summary = ""
    details = ""
    #: its options besides Scrapy's
    options: Sequence[Option] = ()
    #: the exit code where something outside is at fault for a while
    temporary = FAILED

    def syntax(self) -> str:
        return self.arguments

    def short_desc(self) -> str:
        return self.summary

    def long_desc(self) -> str:
        return self.details or self.summary

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add Scrapy's options, under our name, and those of the command."""
        super().add_options(parser)
        for names, how in self.options:
            parser.add_argument(*names, **how)
        parser.usage = f"blogcrawler {self._name} {self.arguments}"

    @property
    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        with told(temporary=self.temporary):
            super().process_options(args, opts)
            self.check(args, opts)
            if args and self.arguments == ArchiveCommand.arguments:
                raise UsageError(f"{self._name} takes no argument, and not {args[0]!r}.")

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check what was given, but for arguments where `arguments` names none. Raises UsageError."""
