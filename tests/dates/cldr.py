"""Names of months, days and halves of a day from Unicode's CLDR, as Babel carries it.

Reading them through `babel.Locale` is not safe: an alias that Babel resolves for one locale stays in the data that
other locales share, so that after Hebrew the months of Azerbaijani are Hebrew
(https://github.com/python-babel/babel/issues/1234). These functions resolve aliases in a copy.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from babel import localedata

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["half_names", "names"]

_TABLES = ("months", "days", "day_periods")
_CONTEXTS = ("format", "stand-alone")
_WIDTHS = ("wide", "abbreviated")


def names(identifier: str, table: str) -> Iterator[tuple[str, str, int, str]]:
    """Context, width, number and name of each of a locale's "months" (from 1) or "days" (from 0, Monday)."""
    data = _private_copy(identifier)
    for context in _CONTEXTS:
        for width in _WIDTHS:
            for number, name in data[table][context][width].items():
                yield context, width, number, name


def half_names(identifier: str, half: str) -> set[str]:
    """What a locale writes for "am" or "pm"."""
    data = _private_copy(identifier)["day_periods"]
    found = (data.get(context, {}).get(width, {}).get(half) for context in _CONTEXTS for width in _WIDTHS)
    return {name for name in found if name}


def _private_copy(identifier: str) -> localedata.LocaleDataDict:
    data = localedata.load(identifier)
    return localedata.LocaleDataDict({table: copy.deepcopy(data[table]) for table in _TABLES})
