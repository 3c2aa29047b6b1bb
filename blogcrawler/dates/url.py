"""Reads the date that many blogs put into the URLs of their posts."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from blogcrawler.dates.lexicon import MONTH, lexicon
from blogcrawler.dates.moment import Moment

_YEARS = range(1990, 2101)
_MAX_LENGTH = 2000
_FOLDERS = re.compile(r"/(\d{4})/(\d{1,2}|[a-z]{3,9})/(\d{1,2})(?=/|$|\.[a-z]{2,5}$)")
_JOINED = re.compile(r"(?<![^\W_])(\d{4})([-_.])(\d{2})\2(\d{2})(?![^\W_])")
_COMPACT = re.compile(r"(?<![^\W_])((?:19|20)\d{2})(\d{2})(\d{2})(?![^\W_])")


def date_in_url(url: str) -> Moment | None:
    """The day in a URL's path: /2014/05/02/slug, /2014/may/02/, 2014-05-02-slug, 20140502. None if there is no day.

    Only years from 1990 to 2100 count, since other numbers are not dates of posts. Folders take precedence over a date
    within a file name. O(n).
    """
    try:
        path = urlsplit(url[:_MAX_LENGTH]).path.lower()
    except ValueError:
        return None
    for pattern, groups in ((_FOLDERS, (1, 2, 3)), (_JOINED, (1, 3, 4)), (_COMPACT, (1, 2, 3))):
        for found in pattern.finditer(path):
            day = _day(*(found[group] for group in groups))
            if day is not None:
                return day
    return None


def _day(year: str, month: str, day: str) -> Moment | None:
    number = int(month) if month.isdecimal() else _month_number(month)
    if int(year) not in _YEARS:
        return None
    try:
        return Moment(int(year), number, int(day))
    except ValueError:
        return None


def _month_number(name: str) -> int:
    """Number of the month with this name; 0 if it is no month's name, or the name of two months."""
    numbers = {month.number for month in lexicon().common.get(name, ()) if month.kind == MONTH}
    return numbers.pop() if len(numbers) == 1 else 0
