"""Converts years and days of other calendars to Gregorian ones."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

# Range of years that a blog may show, including old letters and diaries that some blogs publish.
_GREGORIAN_YEARS = range(1900, 2101)
_JALALI_YEARS = range(1350, 1450)
_BUDDHIST_YEARS = range(2513, 2644)
_BUDDHIST_EPOCH = 543
# Range of two-digit Solar Hijri years, which stand for the Gregorian years 1990 to 2046.
_SHORT_BUDDHIST_YEARS = range(33, 90)

_JALALI_EPOCH = dt.date(621, 3, 21)


class Customs(NamedTuple):
    """Calendars and notations that a text may use, according to its script and languages."""

    buddhist: bool = False
    jalali: bool = False
    #: a two-digit year may come first, and month and day may have no leading zeros ("22. 9. 8.")
    short_year_first: bool = False
    #: the day may follow the year
    year_day_month: bool = False
    #: "10.05" directly after a date is also a time
    dotted_times: bool = False


_GREGORIAN_ONLY = Customs()


def full_year(value: int, customs: Customs = _GREGORIAN_ONLY) -> int:
    """The Gregorian year for a two-digit year: 1990 to 2049. Returns 0 for other numbers, since blogs are not older.

    With `buddhist` years possible, they are preferred to Gregorian years in the future: "48" is 2548 or 2005, and "12"
    is 2012.
    """
    if customs.buddhist and value in _SHORT_BUDDHIST_YEARS:
        return 2500 + value - _BUDDHIST_EPOCH
    if value >= 90:
        return 1900 + value
    return 2000 + value if value < 50 else 0


def gregorian_day(year: int, month: int, day: int, customs: Customs = _GREGORIAN_ONLY) -> dt.date | None:
    """The Gregorian day for a day with a numeric or Gregorian month; None if there is no such day."""
    if customs.jalali and year in _JALALI_YEARS:
        return jalali_to_gregorian(year, month, day)
    if customs.buddhist and year in _BUDDHIST_YEARS:
        year -= _BUDDHIST_EPOCH
    if year not in _GREGORIAN_YEARS:
        return None
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def jalali_to_gregorian(year: int, month: int, day: int) -> dt.date | None:
    """The Gregorian day of a Solar Hijri day; None if there is no such day.

    Leap years repeat every 33 years. This agrees with the astronomical rule from 1343 to 1472 SH and is at most one day
    off outside of this range. Six months have 31 days, five have 30, and the last month has the remaining days.
    """
    if year not in _JALALI_YEARS or not 1 <= month <= 12 or not 1 <= day <= (31 if month <= 6 else 30):
        return None
    day_found = _jalali_new_year(year) + dt.timedelta(days=30 * (month - 1) + min(month - 1, 6) + day - 1)
    return day_found if day_found < _jalali_new_year(year + 1) else None


def _jalali_new_year(year: int) -> dt.date:
    return _JALALI_EPOCH + dt.timedelta(days=365 * year + (8 * year + 21) // 33)
