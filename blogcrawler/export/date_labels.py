"""Dates of records as text (they may lack day or time), and the times at which posts were archived."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from babel.dates import get_month_names

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from blogcrawler.backend import KeptPost

_TIME = re.compile(
    r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01])(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?)?)?)?(?!\d)",
    re.ASCII,
)


def local_time(published: str | None) -> str:
    """Return a sort key by the blog's local time; empty if the date is unknown."""
    match = _TIME.match(published or "")
    if match is None:
        return ""
    year, month, day, hour, minute, second = (part or "00" for part in match.groups())
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}"


def month_of(published: str | None) -> str:
    """Return year and month, such as `2014-05`; only the year if the month is unknown, empty if the date is."""
    return local_time(published)[:7].removesuffix("-00")


def month_label(month: str) -> str:
    """Return a month of `month_of` in words; a year unchanged."""
    year, _, number = month.partition("-")
    return f"{_months()[int(number)]} {year}" if number else year


def date_label(published: str | None) -> str:
    """Return a date in words, with the time if it is known: `2 May 2014, 10:00`."""
    match = _TIME.match(published or "")
    if match is None:
        return ""
    year, month, day, hour, minute, _ = match.groups()
    words = [str(int(day))] if day else []
    words += [_months()[int(month)]] if month else []
    label = " ".join([*words, year])
    return f"{label}, {hour}:{minute}" if hour else label


def last_moment(post: KeptPost) -> datetime:
    """Return the time of the latest change of a post in the archive."""
    return max(filter(None, (post.first_seen, post.last_changed, post.gone)))


@cache
def _months() -> Mapping[int, str]:
    return get_month_names(locale="en")
