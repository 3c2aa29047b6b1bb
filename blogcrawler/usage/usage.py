"""The arguments and options of a command, their help, and the checks that need no settings or archive."""

from __future__ import annotations

import re
from argparse import SUPPRESS, Action, ArgumentParser, HelpFormatter, Namespace
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from blogcrawler import settings
from blogcrawler.errors import BadArgument
from blogcrawler.sentences import WRONG_USAGE, end
from blogcrawler.settings import LOG_LEVEL
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import NoReturn

Option = tuple[tuple[str, ...], dict[str, Any]]
"""The names of an option, and its keyword arguments for `add_argument`."""
NO_ARGUMENTS = "[options]"


def option(*names: str, **how: Any) -> Option:  # noqa: ANN401
    """Return an option of a command, given the arguments of `add_argument`."""
    return names, how


GLOBAL_OPTIONS = (
    option(
        "-s",
        "--set",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="set a setting, such as RENDER=never; may be repeated",
    ),
    option("--allow-unknown", action="store_true", help="accept unknown settings and spider arguments"),
    option("--logfile", metavar="FILE", help="write the log to FILE"),
    option(
        "-L",
        "--loglevel",
        metavar="LEVEL",
        help=f"lowest level that is logged: DEBUG, INFO, WARNING or ERROR (default: {LOG_LEVEL})",
    ),
    option("--log-format", choices=("text", "json"), help="write the log as text (the default) or as JSON Lines"),
    option("--nolog", action="store_true", help="write no log"),
)
"""Options of all commands. Most are Scrapy's; they are repeated here because importing Scrapy takes time."""
DEVELOPER_OPTIONS = (
    option("--profile", metavar="FILE", help="write a profile of the run (Python's cProfile) to FILE"),
    option("--pidfile", metavar="FILE", help="write the process ID to FILE"),
    option("--pdb", action="store_true", help="start Python's debugger when the program fails"),
)
"""Options of Scrapy for developers; --help-all shows them."""
_SETTINGS = frozenset(name for name in vars(settings) if name.isupper())
MEANT = {"--format": "-O", "--output-format": "-O", "--outfile": "-O"}
"""Options by other words for what they do."""
_SINCE = "crawl updatecrawl -a url=URL -a since=DATE"
MEANT_FOR_CRAWLS = {"--limit": "-s PAGE_LIMIT=N", "--since": _SINCE, "-a": _SINCE}
"""Options of crawls that have another form."""


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
    """Prints the help with the options that --help leaves out."""

    def __init__(self, option_strings: Sequence[str], dest: str, *, hidden: Sequence[tuple[Action, str]]) -> None:
        super().__init__(
            option_strings, dest, nargs=0, default=SUPPRESS, help="show all options, including those for developers"
        )
        self._hidden = hidden

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        for action, text in self._hidden:
            action.help = text
        parser.print_help()
        parser.exit()


class _Parser(ArgumentParser):
    """Accepts `-o -:json`, as Scrapy does, and reports errors in one sentence."""

    def error(self, message: str) -> NoReturn:
        """Print the error that argparse found, and exit."""
        command = self.usage.split()[1] if self.usage else ""
        message = message.replace("invalid int value:", "must be a whole number, not")
        end(
            f"{command}: {message.removeprefix('argument ')}. See blogcrawler {command} --help.",
            WRONG_USAGE,
        )

    def _parse_optional(self, arg_string: str) -> Any:  # noqa: ANN401
        return None if arg_string.startswith("-:") else super()._parse_optional(arg_string)


def _refuse_without_value(given: str) -> None:
    """Raise BadArgument for a value of -s that is not NAME=VALUE."""
    name, sign, _ = given.partition("=")
    if not name:
        raise BadArgument(f"-s {given} names no setting. Write NAME=VALUE, as in: -s RENDER=never")
    if not sign:
        raise BadArgument(f"Give {name} a value, as in: -s {name}={getattr(settings, name, '') or 'VALUE'}")


@dataclass(frozen=True)
class Usage:
    """How a command is called."""

    name: str
    #: the help in one line; `details` is the whole help if one line is not enough
    summary: str
    #: complete command lines
    examples: tuple[str, ...]
    #: its arguments, as the usage line shows them
    arguments: str = NO_ARGUMENTS
    details: str = ""
    #: its own options
    options: Sequence[Option] = ()
    #: raises BadArgument for errors that can be found without settings, an archive or the web
    refuse: Callable[[list[str], Namespace], None] = lambda _args, _opts: None

    @property
    def description(self) -> str:
        """The whole help text."""
        return self.details or self.summary

    def add_to(self, parser: ArgumentParser) -> None:
        """Add the options of this command and those of all commands."""
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
        """Raise BadArgument for errors that can be found without settings, an archive or the web."""
        self._refuse_unknown(args)
        for given in args:
            if "=" in given and given.partition("=")[0] in _SETTINGS:
                raise BadArgument(f"Give settings with -s, as in: -s {given}")
        for given in opts.set:
            _refuse_without_value(given)
        self.refuse(args, opts)
        if args and self.arguments == NO_ARGUMENTS:
            raise BadArgument(f"{self.name} takes no arguments such as {args[0]!r}.{self._shown_by_help}")

    def _refuse_unknown(self, args: list[str]) -> None:
        unknown = next((argument for argument in args if argument.startswith("-") and argument != "-"), None)
        if unknown is not None:
            name = unknown.partition("=")[0]
            if name in {"--url", "--blog"} and "URL" in self.arguments:
                raise BadArgument(f"Give the URL without an option, as in: {self.examples[0]}")
            if name in MEANT and "FORMAT" in self.arguments:
                raise BadArgument(f"Give the format without an option, as in: {self.examples[0]}")
            if other := self._other_form(unknown):
                raise BadArgument(f"{self.name} has no option {name}. Did you mean {other}?")
            known = [name for names, _ in (*self.options, *GLOBAL_OPTIONS, *DEVELOPER_OPTIONS) for name in names]
            name_meant = MEANT.get(name, "")
            meant = did_you_mean(name_meant if name_meant in known else name, [*known, "--help", "--help-all"])
            raise BadArgument(f"{self.name} has no option {name}.{meant or self._shown_by_help}")

    def _other_form(self, unknown: str) -> str | None:
        """What an option stands for that is named like a setting or belongs to another command."""
        name, _, value = unknown.partition("=")
        setting = name.removeprefix("--").replace("-", "_").upper()
        if setting in _SETTINGS:
            return f"-s {setting}={value or 'VALUE'}"
        return MEANT_FOR_CRAWLS.get(name) if self.name in {"archive", "crawl"} else None

    @property
    def _shown_by_help(self) -> str:
        return f" See blogcrawler {self.name} --help."

    def heed(self, given: Sequence[str]) -> tuple[list[str], list[str]]:
        """Print the help if it is asked for, or check the arguments; exit after either the help or an error. Return the
        arguments, and the settings to be checked."""
        parser = _Parser(description=self.description, formatter_class=_HelpFormatter)
        self.add_to(parser)
        opts, args = parser.parse_known_args(given)
        try:
            self.check(args, opts)
        except BadArgument as error:
            end(str(error), WRONG_USAGE)
        return args, [] if opts.allow_unknown else opts.set
