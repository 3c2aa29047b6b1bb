"""Posts a month, and the months of which some seem to be missing."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.report.months import MOST_MONTHS, Month, months_of


def steady(count, months=24, year=2010):
    return [f"{year + at // 12}-{at % 12 + 1:02}" for at in range(months) for _ in range(count)]


def incomplete(published, lost=()):
    return [month.month for month in months_of(published, lost) if month.looks_incomplete]


def test_all_months_from_the_first_post_to_the_last_are_told():
    found = months_of(["2014-11", "2015-02", "2015-02", "", "2015", "soon"])
    assert found == [Month("2014-11", 1), Month("2014-12", 0), Month("2015-01", 0), Month("2015-02", 2)]


def test_a_month_with_far_fewer_posts_than_those_around_looks_incomplete():
    published = [month for month in steady(9) if month != "2010-10"]
    assert incomplete(published) == ["2010-10"]
    assert next(month for month in months_of(published) if month.looks_incomplete).usual == 9


def test_seldom_posts_tell_nothing():
    assert incomplete([month for month in steady(2) if month != "2010-10"]) == []


def test_a_blog_that_falls_silent_or_wakes_up_misses_nothing():
    assert incomplete([*steady(9), *steady(1, 24, 2012)]) == []
    assert incomplete([*steady(1), *steady(9, 24, 2012)]) == []


def test_a_month_of_which_posts_are_lost_is_incomplete():
    assert incomplete(["2014-01", "2014-02"], ["2014-02", "2014-03"]) == ["2014-02", "2014-03"]


def test_a_life_of_impossible_length_is_bounded():
    assert len(months_of(["0001-01", "9999-12"])) == MOST_MONTHS


def test_months_that_are_to_come_are_errors_of_the_blog():
    found = months_of(["2014-01", "2014-02", "9999-12", "2014-04"], ["2098-01"], latest="2014-03")
    assert [(month.month, month.posts, month.lost) for month in found] == [("2014-01", 1, 0), ("2014-02", 1, 0)]


def test_of_the_first_and_last_months_nothing_is_said():
    """They may be cut, and have nothing on one side to be compared with."""
    assert incomplete(["2010-01", *steady(30)[60:-60], "2011-12"]) == []


@given(st.lists(st.dates(date(1950, 1, 1), date(2039, 12, 31)).map(lambda day: f"{day:%Y-%m}")), st.lists(st.text()))
def test_each_post_is_counted_once(published, others):
    found = months_of([*published, *others])
    assert [month.month for month in found] == sorted({month.month for month in found})
    assert sum(month.posts for month in found) == len(published)
