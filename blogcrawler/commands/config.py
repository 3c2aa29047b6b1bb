"""`blogcrawler config`: show the settings in effect and their sources; `config check` validates them."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

from rich.text import Text

import blogcrawler.settings as own_settings
from blogcrawler.addresses import without_password
from blogcrawler.command import ArchiveCommand
from blogcrawler.configuration import configuration_file, given_settings
from blogcrawler.reporting import WRONG_USAGE, plain_console, printable, say, table
from blogcrawler.setting_checks import setting_problems

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

HEADINGS = ("setting", "value", "from")
SECRET = re.compile("SECRET|PASSWORD|TOKEN|ACCESS_KEY")
"""Parts of the names of settings whose values are hidden."""


class Command(ArchiveCommand):
    """Shows the settings."""

    def __init__(self) -> None:
        super().__init__()
        self._problems: list[str] = []

    def refuse(self, problems: Iterable[str]) -> None:
        """Collect problems; `check` reports all of them."""
        self._problems += problems

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        problems = dict.fromkeys([*self._problems, *(setting_problems(self.settings) if args else ())])
        if problems and args:
            for problem in problems:
                say(problem)
            raise SystemExit(WRONG_USAGE)
        super().refuse(problems)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the settings that users choose and all others that were given; or report that all are valid (`config
        check`)."""
        console = plain_console()
        if args:
            where = configuration_file() or "defaults, no file"
            console.print(Text(f"All settings are valid ({where})."))
        else:
            sources = {setting.name: setting.source for setting in given_settings()}
            sources |= {given.partition("=")[0]: "-s" for given in opts.set}
            settings_table = table(HEADINGS, [])
            for heading, names in _groups(sources).items():
                settings_table.add_row(Text(heading, style="bold"))
                for row in self._rows(names, sources):
                    settings_table.add_row(*map(Text, row))
                settings_table.add_section()
            console.print(settings_table)

    def _rows(self, names: Iterable[str], sources: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
        for name in names:
            value = str(self.settings[name])
            value = without_password(value) if "://" in value else value
            value = "***" if SECRET.search(name) and value else value
            yield name, printable(value), sources.get(name, "default")


def _groups(given: Iterable[str]) -> dict[str, list[str]]:
    """The names of the settings that users choose, by their headings in settings.py, and of other settings that were
    given."""
    groups: dict[str, list[str]] = {}
    for line in inspect.getsource(own_settings).splitlines():
        if heading := re.fullmatch(r"# --- (.*?) -+", line):
            names = groups.setdefault(heading[1], [])
        elif setting := re.match(r"([A-Z][A-Z_]*)\b.* = ", line):
            names.append(setting[1])
    others = sorted(set(given).difference(*groups.values()))
    return groups | ({"Others": others} if others else {})
