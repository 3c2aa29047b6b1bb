from __future__ import annotations

import datetime as dt
from itertools import pairwise

import pytest

from blogcrawler.dates.calendars import jalali_to_gregorian


@pytest.mark.parametrize(
    ("jalali", "gregorian"),
    [
        ((1375, 12, 30), dt.date(1997, 3, 20)),
        ((1378, 10, 11), dt.date(2000, 1, 1)),
        ((1393, 1, 1), dt.date(2014, 3, 21)),
        ((1393, 2, 12), dt.date(2014, 5, 2)),
        ((1399, 12, 30), dt.date(2021, 3, 20)),
        ((1400, 1, 1), dt.date(2021, 3, 21)),
        ((1403, 12, 30), dt.date(2025, 3, 20)),
        ((1404, 1, 1), dt.date(2025, 3, 21)),
        ((1357, 11, 22), dt.date(1979, 2, 11)),
        ((1352, 1, 1), dt.date(1973, 3, 21)),
    ],
)
def test_known_days(jalali: tuple[int, int, int], gregorian: dt.date) -> None:
    assert jalali_to_gregorian(*jalali) == gregorian


@pytest.mark.parametrize("jalali", [(1400, 12, 30), (1393, 7, 31), (1393, 13, 1), (1393, 1, 0), (999, 1, 1)])
def test_no_such_day(jalali: tuple[int, int, int]) -> None:
    assert jalali_to_gregorian(*jalali) is None


def test_every_day_of_a_century_follows_the_one_before() -> None:
    days = [
        day
        for year in range(1350, 1450)
        for month in range(1, 13)
        for number in range(1, 32)
        if (day := jalali_to_gregorian(year, month, number))
    ]
    assert {(later - earlier).days for earlier, later in pairwise(days)} == {1}
