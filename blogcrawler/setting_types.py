"""Types of settings: which values a setting accepts, and how messages and docs/settings.md call them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf
from os import PathLike
from typing import Annotated, Any


@dataclass(frozen=True)
class ValueType:
    """A type of value, such as a whole number from 0 to 65535."""

    #: as in "PAGE_LIMIT must be …"
    words: str
    accepts: Callable[[Any], bool]


def number(least: float = 0, most: float = inf, *, unit: str = "", is_whole: bool = False) -> ValueType:
    """Return the type of numbers within bounds, given as texts or numbers."""

    def accepts(value: Any) -> bool:  # noqa: ANN401
        try:
            read = float(value)
            is_fit = least <= read <= most and abs(read) < inf and not isinstance(value, bool)
            return is_fit and (not is_whole or int(value) == read)
        except (TypeError, ValueError, OverflowError):
            return False

    bounds = f" from {least} to {most}" if most < inf else f", {least} or more" if least > -inf else ""
    return ValueType(f"a {'whole ' if is_whole else ''}number{f' of {unit}' if unit else ''}{bounds}", accepts)


def one_of(*names: str) -> ValueType:
    """Return the type of a name in a list, in upper or lower case."""
    return ValueType(f"one of {', '.join(names)}", lambda value: str(value).strip().lower() in map(str.lower, names))


def _is_log_format(value: object) -> bool:
    try:
        logging.Formatter(str(value))
    except ValueError:
        return value in ("text", "json")
    return True


def _is_table(value: object) -> bool:
    try:
        return isinstance(json.loads(value) if isinstance(value, str) else value, Mapping)
    except ValueError:
        return False


FLAG = ValueType("True or False", lambda value: value in [True, False, "0", "1", "True", "False", "true", "false"])
TEXT = ValueType("a text", lambda value: value is None or isinstance(value, str | PathLike))
LIST = ValueType("a list", lambda value: value is None or isinstance(value, str | list | tuple | set | frozenset))
TABLE = ValueType("a table", _is_table)
_LEVELS = one_of("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def type_of(default: object, *, least: float = -inf) -> ValueType | None:
    """Return the type of values that may replace a default; None if the default does not determine it."""
    match default:
        case bool():
            return FLAG
        case int() | float():
            return number(least, is_whole=least > -inf and isinstance(default, int))
        case str():
            return TEXT
        case list() | tuple():
            return LIST
        case dict():
            return TABLE
    return None


DAY_S = 24 * 60 * 60
YEAR_S = 365 * DAY_S
Flag = Annotated[bool, FLAG]
Text = Annotated[str, TEXT]
Texts = Annotated[list[str], LIST]
Count = Annotated[int, number(is_whole=True)]
PositiveCount = Annotated[int, number(1, is_whole=True)]
Processes = Annotated[int, number(1, 1000, is_whole=True)]
Port = Annotated[int, number(0, 65_535, is_whole=True)]
Probability = Annotated[float, number(0, 1)]
Seconds = Annotated[float, number(unit="seconds")]
PositiveSeconds = Annotated[float, number(1, unit="seconds")]
SecondsOfADay = Annotated[float, number(0, DAY_S, unit="seconds")]
SecondsOfAYear = Annotated[float, number(1, YEAR_S, unit="seconds")]
Interval = Annotated[float, number(0, 100 * YEAR_S, unit="seconds")]
Rendering = Annotated[str, one_of("auto", "always", "never")]
LogLevel = Annotated[str | int, ValueType(_LEVELS.words, lambda value: _LEVELS.accepts(value) or str(value).isdigit())]
LogFormat = Annotated[str, ValueType("one of text, json, or a format such as '%(message)s'", _is_log_format)]
