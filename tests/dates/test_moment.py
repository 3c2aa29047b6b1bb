from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dates import Moment

_OFFSETS = st.none() | st.integers(-18 * 60, 18 * 60)


@st.composite
def moments(draw: st.DrawFn) -> Moment:
    day = draw(st.dates())
    if draw(st.booleans()):
        return Moment(day.year, day.month, day.day)
    time = draw(st.times())
    return Moment(
        *(day.year, day.month, day.day),
        hour=time.hour,
        minute=time.minute,
        second=time.second,
        offset_minutes=draw(_OFFSETS),
    )


@given(moments())
def test_iso_round_trip(moment: Moment) -> None:
    assert Moment.parse_iso(moment.isoformat()) == moment


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2014-05-02", "2014-05-02"),
        ("2014-05", "2014-05"),
        ("2014-05-02T10:00", "2014-05-02T10:00:00"),
        ("2014-05-02 10:00:07.123456", "2014-05-02T10:00:07"),
        (" 2014-05-02T10:00:00Z ", "2014-05-02T10:00:00+00:00"),
        ("2014-05-02T10:00:00-0330", "2014-05-02T10:00:00-03:30"),
        ("2014-05-02T10:00:00+02", "2014-05-02T10:00:00+02:00"),
    ],
)
def test_iso_as_precise_as_written(text: str, written: str) -> None:
    moment = Moment.parse_iso(text)
    assert moment is not None
    assert moment.isoformat() == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2014",
        "2014-13",
        "2014-05T10:00",
        "2014-02-30",
        "2014-05-02T25:00",
        "2014-05-02T10:00+99:00",
        "٢٠١٤-٠٥-٠٢",
        "0000-01-01",
    ],
)
def test_not_iso(text: str) -> None:
    assert Moment.parse_iso(text) is None


@given(st.text(max_size=40))
def test_iso_never_raises(text: str) -> None:
    moment = Moment.parse_iso(text)
    assert moment is None or isinstance(moment.date, dt.date)


@pytest.mark.parametrize(
    "fields", [{"hour": 10}, {"minute": 3}, {"second": 3}, {"offset_minutes": 60}, {"hour": 24, "minute": 0}]
)
def test_no_holes_in_precision(fields: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"."):
        Moment(2014, 5, 2, **fields)


@pytest.mark.parametrize(
    ("one", "other", "same", "may_be"),
    [
        ("2014-05-02", "2014-05-02", True, True),
        ("2014-05-02", "2014-05-02T23:00:00Z", True, True),
        ("2014-05-02T23:00:00Z", "2014-05-03T01:00:00+02:00", True, True),
        ("2014-05-02T23:00:00Z", "2014-05-03T22:59:00Z", True, True),
        ("2014-05-02T23:00:00Z", "2014-05-04T00:00:00Z", False, False),
        ("2006-09-28T05:12:14Z", "2006-09-27T21:12:00", True, True),
        ("2006-09-28T05:12:14Z", "2006-09-27T21:19:00", False, True),
        ("2006-09-28T05:12:14Z", "2006-09-27", False, True),
        ("2006-09-28T05:12:14Z", "2006-09-26", False, False),
        ("2006-09-28T15:12:14Z", "2006-09-29", False, True),
        ("2006-09-28T05:12:14", "2006-09-27T21:12:00", False, False),
        ("2006-09-28", "2006-09-27", False, False),
        ("2006-09", "2006-09-27", True, True),
        ("2006-09", "2006-10-01T05:12:14Z", False, False),
        ("2006-09", "2006-09", True, True),
        ("2006-09", "2007-09", False, False),
    ],
)
def test_same_day(one: str, other: str, same: bool, may_be: bool) -> None:
    first, second = Moment.parse_iso(one), Moment.parse_iso(other)
    assert first is not None
    assert second is not None
    assert (first.same_day(second), second.same_day(first)) == (same, same)
    assert (first.may_be_same_day(second), second.may_be_same_day(first)) == (may_be, may_be)


@given(moments(), moments())
def test_same_day_is_symmetric(one: Moment, other: Moment) -> None:
    assert one.same_day(other) == other.same_day(one)
    assert one.may_be_same_day(other) == other.may_be_same_day(one)
    assert one.same_day(one)
