"""Settings that hold for every command: of a file, and of the environment.

The file is `blogcrawler.toml` in the folder where a command is given, or else in the user's folder of configurations
(XDG_CONFIG_HOME, `~/.config` by default). Tables in it are for people alone: a setting may stand in any. An environment
variable BLOGCRAWLER_NAME sets NAME, over the file (see `environment`); what is given with -s wins over both.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.settings import default_settings

import blogcrawler.settings as own_settings
from blogcrawler.environment import value_of, variables, with_password
from blogcrawler.errors import BadArgument
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FILE = "blogcrawler.toml"
PRIORITY = 35
"""Scrapy's number between what a spider sets for itself (30) and the command line (40)."""


@dataclass(frozen=True)
class GivenSetting:
    """A setting that a file or the environment gives."""

    name: str
    value: Any
    #: the file, or the variable
    source: str


def given_settings() -> list[GivenSetting]:
    """What the file and the environment give, once each. Raises BadArgument for a file that cannot be read."""
    found = {one.name: one for one in (*_of_file(), *_of_environment())}
    return [replace(one, value=with_password(one.name, one.value)) for one in found.values()]


def refuse_unknown(name: str, source: str = "") -> None:
    """Raise BadArgument for a setting that neither the program nor Scrapy knows or knew; `source` is who names it."""
    known = {name for module in (own_settings, default_settings) for name in dir(module) if name.isupper()}
    if name not in known | removed_settings().keys():
        meant = did_you_mean(name, known) or " --allow-unknown takes it all the same."
        raise BadArgument(f"There is no setting {name!r}{f' ({source})' if source else ''}.{meant}")


def removed_settings() -> dict[str, str]:
    """What has become of settings that are no more, by name."""
    told: dict[str, str] = json.loads(files("blogcrawler").joinpath("data/removed_settings.json").read_text("utf-8"))
    return told


def configuration_file() -> Path | None:
    """The file that holds here, if there is one."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return next((file for file in (Path(FILE), home / "blogcrawler" / FILE) if file.exists()), None)


def _of_file() -> Iterator[GivenSetting]:
    file = configuration_file()
    if file is None:
        return
    import tomllib  # which few need

    try:
        text = file.read_text("utf-8")
        values = tomllib.loads(text)
    except OSError as error:
        raise BadArgument(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:  # no TOML, or no UTF-8
        raise BadArgument(f"{file} is no TOML: {error}. A line is as in: PAGE_LIMIT = 500") from error
    yield from _in_table(values, str(file))


def _in_table(table: Mapping[str, Any], source: str) -> Iterator[GivenSetting]:
    for name, value in table.items():
        if isinstance(value, dict) and not name.isupper():  # a heading
            yield from _in_table(value, source)
        else:
            yield GivenSetting(name, value, source)


def _of_environment() -> Iterator[GivenSetting]:
    for name, variable in variables().items():
        yield GivenSetting(name, value_of(variable), variable)
