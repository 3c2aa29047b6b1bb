"""What a command takes: its arguments and options, their help, and what is wrong with them at first sight."""

from __future__ import annotations

import re
from argparse import ArgumentParser, HelpFormatter, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blogcrawler.errors import BadArgument
from blogcrawler.sentences import WRONG_USAGE, end
from blogcrawler.settings import LOG_LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Option = tuple[tuple[str, ...], dict[str, Any]]
"""The names of an option, and what argparse takes for it."""
NO_ARGUMENTS = "[options]"


def option(*names: str, **how: Any) -> Option:  # noqa: ANN401
    """An option of a command, as `add_argument` takes it."""
    return names, how


SCRAPY_OPTIONS = (
    option("--logfile", metavar="FILE", help="log file. if omitted stderr will be used"),
    option("-L", "--loglevel", metavar="LEVEL", help=f"log level (default: {LOG_LEVEL})"),
    option("--nolog", action="store_true", help="disable logging completely"),
    option("--profile", metavar="FILE", help="write python cProfile stats to FILE"),
    option("--pidfile", metavar="FILE", help="write process ID to FILE"),
    option(
        "-s", "--set", metavar="NAME=VALUE", action="append", default=[], help="set/override setting (may be repeated)"
    ),
    option("--pdb", action="store_true", help="enable pdb on failure (uses ipdb if installed)"),
)
"""Those of all its commands, which Scrapy cannot be asked for before it is imported."""


class _HelpFormatter(HelpFormatter):
    """Underlines headings, as the help of Scrapy's own commands does."""

    def format_help(self) -> str:
        text = super().format_help().replace("usage: ", "Usage\n=====\n  ", 1)
        return re.sub(r"^(\w[\w ]*):$", _underlined, text, flags=re.MULTILINE)


def _underlined(heading: re.Match[str]) -> str:
    title = heading[1].title()
    return f"{title}\n{('-' if title == 'Global Options' else '=') * len(title)}"


class _Parser(ArgumentParser):
    """Takes `-o -:json` as Scrapy does."""

    def _parse_optional(self, arg_string: str) -> Any:  # noqa: ANN401
        return None if arg_string.startswith("-:") else super()._parse_optional(arg_string)


@dataclass(frozen=True)
class Usage:
    """How a command is called."""

    name: str
    #: one line of help, and all of it where there is more to say
    summary: str
    #: what may be given with it
    arguments: str = NO_ARGUMENTS
    details: str = ""
    #: its options besides Scrapy's
    options: Sequence[Option] = ()
    #: raises BadArgument for what shows to be wrong without settings, an archive or the web
    refuse: Callable[[list[str], Namespace], None] = lambda _args, _opts: None

    @property
    def description(self) -> str:
        """All of its help."""
        return self.details or self.summary

    def add_to(self, parser: ArgumentParser) -> None:
        """Add Scrapy's options, under our name, and those of the command."""
        group = parser.add_argument_group(title="Global Options")
        for names, how in SCRAPY_OPTIONS:
            group.add_argument(*names, **how)
        for names, how in self.options:
            parser.add_argument(*names, **how)
        parser.usage = f"blogcrawler {self.name} {self.arguments}"

    def check(self, args: list[str], opts: Namespace) -> None:
        """Raise BadArgument for what can be known to be wrong at first sight."""
        self.refuse(args, opts)
        if args and self.arguments == NO_ARGUMENTS:
            raise BadArgument(f"{self.name} takes no argument, and not {args[0]!r}.")

    def heed(self, given: Sequence[str]) -> None:
        """Print the help where it was asked for, refuse what is wrong at first sight, and end the process then."""
        parser = _Parser(description=self.description, formatter_class=_HelpFormatter)
        self.add_to(parser)
        opts, args = parser.parse_known_args(given)
        try:
            self.check(args, opts)
        except BadArgument as error:
            end(str(error), WRONG_USAGE)
