"""Settings from the configuration file and from environment variables, which every command uses.

The file is `blogcrawler.toml` in the working directory, or else in the user's configuration folder (XDG_CONFIG_HOME,
`~/.config` by default). Tables in it only group settings for readers. An environment variable BLOGCRAWLER_NAME sets
NAME and takes precedence over the file (see `environment`); -s takes precedence over both.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import blogcrawler.settings as own_settings
from blogcrawler import advanced_settings, setting_types
from blogcrawler.environment import value_of, variables, with_password
from blogcrawler.errors import BadArgument
from blogcrawler.setting_types import type_of
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blogcrawler.setting_types import ValueType

FILE = "blogcrawler.toml"
UNLISTED = ("MEDIA_ALLOW_REDIRECTS", "FILES_EXPIRES", "FILES_URLS_FIELD", "FILES_RESULT_FIELD")
"""Settings that Scrapy documents, but that have no default in its module of defaults."""
PRIORITY = 35
"""Scrapy's priority of these settings, between that of a spider's own settings (30) and that of the command line
(40)."""
LONGEST = 80
"""Maximum length of a wrong value in a message, in characters."""


@dataclass(frozen=True)
class GivenSetting:
    """A setting from the configuration file, the environment or the command line."""

    name: str
    value: Any
    #: path of the file, or name of the variable; empty for the command line
    source: str = ""

    @property
    def place(self) -> str:
        """The source in brackets, for messages."""
        return f" ({self.source})" if self.source else ""


def given_settings() -> list[GivenSetting]:
    """The settings from the file and the environment, each once. Raises BadArgument for an unreadable file."""
    settings = {setting.name: setting for setting in (*_of_file(), *_of_environment())}
    return [replace(setting, value=with_password(setting.name, setting.value)) for setting in settings.values()]


def problem_of(given: GivenSetting, *, allow_unknown: bool = False) -> str | None:
    """Return an error message if a setting is unknown or its value has the wrong type; else None."""
    if not allow_unknown and (problem := unknown_setting(given)):
        return problem
    expected = setting_type(given.name)
    if expected is None or expected.accepts(given.value):
        return None
    return f"The setting {given.name}{given.place} must be {expected.words}, not {repr(given.value)[:LONGEST]}."


def unknown_setting(given: GivenSetting) -> str | None:
    """Return an error message if there is no setting of this name; else None. Imports no library."""
    known = known_settings()
    if given.name in known:
        return None
    meant = did_you_mean(given.name, known) or " --allow-unknown accepts it."
    return f"There is no setting {given.name!r}{given.place}.{meant}"


def setting_type(name: str) -> ValueType | None:
    """Return the type of a setting as annotated, or else by its default; the program's own numbers are 0 or more."""
    if name in _annotations():
        return _annotations()[name]
    if hasattr(own_settings, name):
        return type_of(getattr(own_settings, name), least=0)
    from scrapy.settings import default_settings  # imports all of Scrapy

    return type_of(getattr(default_settings, name, None))


@cache
def _annotations() -> dict[str, ValueType]:
    modules = (own_settings, advanced_settings)
    hints = [get_type_hints(module, localns={"types": setting_types}, include_extras=True) for module in modules]
    return {name: hint.__metadata__[0] for found in hints for name, hint in found.items() if name.isupper()}


@cache
def known_settings() -> frozenset[str]:
    """The names of all settings of the program and of Scrapy, including removed ones."""
    own = filter(str.isupper, dir(own_settings))
    return frozenset((*own, *_names_of_scrapy(), *UNLISTED, *removed_settings()))


def _names_of_scrapy() -> list[str]:
    """The names of Scrapy's settings, read from the source of its module, since importing that imports all of
    Scrapy."""
    scrapy = find_spec("scrapy")
    places = (scrapy and scrapy.submodule_search_locations) or []
    texts = (Path(place, "settings/default_settings.py").read_text("utf-8") for place in places)
    return [name for text in texts for name in re.findall(r"^([A-Z][A-Z\d_]*)\b.* = ", text, re.MULTILINE)]


def removed_settings() -> dict[str, str]:
    """For each removed setting, what to use instead."""
    replacements: dict[str, str] = json.loads(
        files("blogcrawler").joinpath("data/removed_settings.json").read_text("utf-8")
    )
    return replacements


def configuration_file() -> Path | None:
    """The configuration file in effect; None if there is none."""
    folders = [Path()]
    with suppress(RuntimeError):  # a user without a home
        folders.append(Path(os.environ.get("XDG_CONFIG_HOME") or "~/.config").expanduser() / "blogcrawler")
    return next((folder / FILE for folder in folders if os.path.isfile(folder / FILE)), None)  # noqa: PTH113 - it raises


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
        raise BadArgument(f"{file} is not valid TOML: {error}. Write a setting as in: PAGE_LIMIT = 500") from error
    given = list(_in_table(values, str(file)))
    first = {setting.name: setting.value for setting in reversed(given)}
    for setting in given:
        if setting.value != first[setting.name]:
            raise BadArgument(
                f"{file} gives {setting.name} two different values, under two headings. Keep one of them."
            )
    yield from given


def _in_table(table: Mapping[str, Any], source: str) -> Iterator[GivenSetting]:
    for name, value in table.items():
        if isinstance(value, dict) and not name.isupper():  # a heading
            yield from _in_table(value, source)
        else:
            yield GivenSetting(name, value, source)


def _of_environment() -> Iterator[GivenSetting]:
    known = known_settings()
    for name, variable in variables().items():
        yield GivenSetting(name, value_of(variable) if name in known else os.environ[variable], variable)
