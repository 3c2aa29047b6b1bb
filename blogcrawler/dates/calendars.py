"""Years and days of other calendars as Gregorian ones."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

# Years that a blog may show: its own ones, and those of the letters and diaries that some blogs publish.
_GREGORIAN_YEARS = range(1900, 2101)
_JALALI_YEARS = range(1350, 1450)
_BUDDHIST_YEARS = range(2513, 2644)
_BUDDHIST_EPOCH = 543
# Two digits of them, as of 1990 to 2046 in Gregorian years.
_SHORT_BUDDHIST_YEARS = range(33, 90)

#: East Asian eras, by the year before their first
ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "民國": 1911, "民国": 1911}

# Solar Hijri leap years repeat every 33 years, which agrees with the astronomical rule from 1343 to 1472 SH and is one
# day off at most before and after.
_LEAP_YEARS_OF_33 = frozenset({1, 5, 9, 13, 17, 22, 26, 30})
_EPOCH_YEAR = 1353
_EPOCH = dt.date(1974, 3, 21)


class Customs(NamedTuple):
    """Which years a text may count by, as its letters and languages tell."""

    buddhist: bool = False
    jalali: bool = False
    #: two digits of a year may come first, and month and day without zeros ("22. 9. 8.")
    short_year_first: bool = False
    #: the day may follow the year
    year_day_month: bool = False
    #: "10.05" directly behind a date is a time, too
    dotted_times: bool = False


_GREGORIAN_ONLY = Customs()


def full_year(value: int, customs: Customs = _GREGORIAN_ONLY) -> int:
    """The Gregorian year of two digits: 1990 to 2049; 0 for others, since no blog is older.

    Where years may be Buddhist, they go before Gregorian ones that have not come yet: "48" is 2548,
    or 2005, and "12" is 2012.
    """
    if customs.buddhist and value in _SHORT_BUDDHIST_YEARS:
        return 2500 + value - _BUDDHIST_EPOCH
    if value >= 90:
        return 1900 + value
    return 2000 + value if value < 50 else 0


def gregorian_day(year: int, month: int, day: int, customs: Customs = _GREGORIAN_ONLY) -> dt.date | None:
    """The Gregorian day of a day whose month is a number or has a Gregorian name; None when there is none."""
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
    """Gregorian day of a Solar Hijri one; None when there is no such day. O(years since 1353 SH)."""
    if year not in _JALALI_YEARS or not 1 <= month <= 12 or not 1 <= day <= _jalali_month_days(year, month):
        return None
    if year >= _EPOCH_YEAR:
        years = sum(_jalali_year_days(past) for past in range(_EPOCH_YEAR, year))
    else:
        years = -sum(_jalali_year_days(past) for past in range(year, _EPOCH_YEAR))
    months = sum(_jalali_month_days(year, past) for past in range(1, month))
    return _EPOCH + dt.timedelta(days=years + months + day - 1)


def _is_jalali_leap(year: int) -> bool:
    return year % 33 in _LEAP_YEARS_OF_33


def _jalali_year_days(year: int) -> int:
    return 366 if _is_jalali_leap(year) else 365


def _jalali_month_days(year: int, month: int) -> int:
    if month <= 6:
        return 31
    return 30 if month < 12 or _is_jalali_leap(year) else 29
