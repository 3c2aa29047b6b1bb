"""What a command takes: its arguments and options, their help, and what is wrong with them at first sight."""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser, HelpFormatter, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blogcrawler.errors import BadArgument
from blogcrawler.sentences import WRONG_USAGE, end
from blogcrawler.settings import LOG_LEVEL
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

Option = tuple[tuple[str, ...], dict[str, Any]]
"""The names of an option, and what argparse takes for it."""
NO_ARGUMENTS = "[options]"


def option(*names: str, **how: Any) -> Option:  # noqa: ANN401
    """An option of a command, as `add_argument` takes it."""
    return names, how


GLOBAL_OPTIONS = (
    option(
        "-s",
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a setting, such as RENDER=never; may be given again",
    ),
    option("--allow-unknown", action="store_true", help="take settings that nothing here knows"),
    option("--logfile", metavar="FILE", help="write the log to FILE"),
    option(
        "-L", "--loglevel", metavar="LEVEL", help=f"log from this level on: DEBUG, INFO, WARNING or ERROR ({LOG_LEVEL})"
    ),
    option("--log-format", choices=("text", "json"), help="write the log as text (the default) or as JSON Lines"),
    option("--nolog", action="store_true", help="write no log"),
)
"""Of all commands; all but two are Scrapy's, which cannot be asked for them before it is imported."""
DEVELOPER_OPTIONS = (
    option("--profile", metavar="FILE", help="write what Python's cProfile measures to FILE"),
    option("--pidfile", metavar="FILE", help="write the number of the process to FILE"),
    option("--pdb", action="store_true", help="start Python's debugger where the program fails"),
)
"""Scrapy's as well, for those who work on the program."""


class _HelpFormatter(HelpFormatter):
    """Underlines headings, as the help of Scrapy's own commands does."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)

    def format_help(self) -> str:
        text = super().format_help().replace("usage: ", "Usage\n=====\n  ", 1)
        return re.sub(r"^(\w[\w ]*):$", _underlined, text, flags=re.MULTILINE)


def _underlined(heading: re.Match[str]) -> str:
    title = heading[1].title()
    return f"{title}\n{('-' if title == 'Global Options' else '=') * len(title)}"


class _HelpWithAll(Action):
    """Prints the help, with the options that it else leaves out."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, hidden: Sequence[tuple[Action, str]]) -> None:
        super().__init__(
            option_strings, dest, nargs=0, default=SUPPRESS, help="show all options, also those for developers"
        )
        self._hidden = hidden

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        for action, text in self._hidden:
            action.help = text
        parser.print_help()
        parser.exit()


class _Parser(ArgumentParser):
    """Takes `-o -:json` as Scrapy does, and refuses in one sentence."""

    def error(self, message: str) -> NoReturn:
        """End with what argparse found to be wrong."""
        command = self.usage.split()[1] if self.usage else ""
        end(
            f"{command}: {message.removeprefix('argument ')}; blogcrawler {command} --help shows what there is.",
            WRONG_USAGE,
        )

    def _parse_optional(self, arg_string: str) -> Any:  # noqa: ANN401
        return None if arg_string.startswith("-:") else super()._parse_optional(arg_string)


@dataclass(frozen=True)
class Usage:
    """How a command is called."""

    name: str
    #: one line of help, and all of it where there is more to say
    summary: str
    #: whole calls of it
    examples: tuple[str, ...]
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
        """Add the options of all commands, and those of this one."""
        for names, how in self.options:
            parser.add_argument(*names, **how)
        group = parser.add_argument_group(title="Options of all commands")
        for names, how in GLOBAL_OPTIONS:
            group.add_argument(*names, **how)
        hidden = [
            (group.add_argument(*names, **how | {"help": SUPPRESS}), how["help"]) for names, how in DEVELOPER_OPTIONS
        ]
        group.add_argument("--help-all", action=_HelpWithAll, hidden=hidden)
        parser.usage = f"blogcrawler {self.name} {self.arguments}"
        parser.epilog = "\n".join(["Examples:", *(f"  {example}" for example in self.examples)])

    def check(self, args: list[str], opts: Namespace) -> None:
        """Raise BadArgument for what can be known to be wrong at first sight."""
        self._refuse_unknown(args)
        self.refuse(args, opts)
        if args and self.arguments == NO_ARGUMENTS:
            raise BadArgument(f"{self.name} takes no argument, and not {args[0]!r}.")

    def _refuse_unknown(self, args: list[str]) -> None:
        unknown = next((argument for argument in args if argument.startswith("-") and argument != "-"), None)
        if unknown is not None:
            name = unknown.partition("=")[0]
            known = [name for names, _ in (*self.options, *GLOBAL_OPTIONS, *DEVELOPER_OPTIONS) for name in names]
            meant = did_you_mean(name, [*known, "--help", "--help-all"])
            raise BadArgument(f"{self.name} has no option {name}.{meant or self._shown_by_help}")

    @property
    def _shown_by_help(self) -> str:
        return f" blogcrawler {self.name} --help shows its options."

    def heed(self, given: Sequence[str]) -> None:
        """Print the help where it was asked for, refuse what is wrong at first sight, and end the process then."""
        parser = _Parser(description=self.description, formatter_class=_HelpFormatter)
        self.add_to(parser)
        opts, args = parser.parse_known_args(given)
        try:
            self.check(args, opts)
        except BadArgument as error:
            end(str(error), WRONG_USAGE)
