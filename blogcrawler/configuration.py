"""Settings that hold for every command: of a file, and of the environment.

The file is `blogcrawler.toml` in the folder where a command is given, or else in the user's folder of configurations
(XDG_CONFIG_HOME, `~/.config` by default). Tables in it are for people alone: a setting may stand in any. An environment
variable BLOGCRAWLER_NAME sets NAME, over the file (see `environment`); what is given with -s wins over both.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import blogcrawler.settings as own_settings
from blogcrawler.environment import value_of, variables, with_password
from blogcrawler.errors import BadArgument
from blogcrawler.usage.suggestion import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILE = "blogcrawler.toml"
UNLISTED = ("MEDIA_ALLOW_REDIRECTS", "FILES_EXPIRES", "FILES_URLS_FIELD", "FILES_RESULT_FIELD")
"""Settings that Scrapy documents, and has no default of."""
KINDS: dict[type | tuple[type, ...], str] = {
    (bool, int, float): "a number, true or false",
    str: "a text",
    (list, tuple): "a list",
    dict: "a table",
}
"""What values of the kinds of defaults are called."""
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
    known = known_settings()
    if name not in known:
        meant = did_you_mean(name, known) or " --allow-unknown takes it all the same."
        raise BadArgument(f"There is no setting {name!r}{f' ({source})' if source else ''}.{meant}")


def refuse_misspelt(given: Iterable[str]) -> None:
    """Raise BadArgument for the name of an unknown setting among these of the command line (NAME=VALUE)."""
    for name, sign, _ in (setting.partition("=") for setting in given):
        if sign:
            refuse_unknown(name)


def known_settings() -> frozenset[str]:
    """The names of settings that the program or Scrapy has, or had."""
    own = filter(str.isupper, dir(own_settings))
    return frozenset((*own, *_names_of_scrapy(), *UNLISTED, *removed_settings()))


def _names_of_scrapy() -> list[str]:
    """The names of Scrapy's settings, read from the text of its module: importing it imports all of Scrapy."""
    scrapy = find_spec("scrapy")
    places = (scrapy and scrapy.submodule_search_locations) or []
    texts = (Path(place, "settings/default_settings.py").read_text("utf-8") for place in places)
    return [name for text in texts for name in re.findall(r"^([A-Z][A-Z\d_]*)\b.* = ", text, re.MULTILINE)]


def removed_settings() -> dict[str, str]:
    """What has become of settings that are no more, by name."""
    told: dict[str, str] = json.loads(files("blogcrawler").joinpath("data/removed_settings.json").read_text("utf-8"))
    return told


def configuration_file() -> Path | None:
    """The file that holds here, if there is one."""
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
        raise BadArgument(f"{file} is no TOML: {error}. A line is as in: PAGE_LIMIT = 500") from error
    yield from _in_table(values, str(file))


def _in_table(table: Mapping[str, Any], source: str) -> Iterator[GivenSetting]:
    for name, value in table.items():
        if isinstance(value, dict) and not name.isupper():  # a heading
            yield from _in_table(value, source)
        else:
            _refuse_type(name, value, source)
            yield GivenSetting(name, value, source)


def _refuse_type(name: str, value: object, source: str) -> None:
    """Raise BadArgument for a value of a kind that the setting cannot have."""
    from scrapy.settings import default_settings  # imports all of Scrapy, and only a file needs the values

    default = getattr(own_settings, name, getattr(default_settings, name, None))
    kinds = next((kinds for kinds in KINDS if isinstance(default, kinds)), None)
    if kinds is not None and not isinstance(value, kinds):
        raise BadArgument(f"The setting {name} ({source}) must be {KINDS[kinds]}, and not {value!r}.")


def _of_environment() -> Iterator[GivenSetting]:
    for name, variable in variables(known_settings()).items():
        yield GivenSetting(name, value_of(variable), variable)
