"""The time that `-a since=` gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.crawl.update.since import parse_since
from blogcrawler.errors import BadArgument

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", datetime(1970, 1, 1, tzinfo=UTC)),
        ("86400", datetime(1970, 1, 2, tzinfo=UTC)),
        ("1793440800", datetime(2026, 10, 31, 10, tzinfo=UTC)),
        (" 1793440800.5 ", datetime(2026, 10, 31, 10, 0, 0, 500_000, tzinfo=UTC)),
        ("99999999", datetime(1973, 3, 3, 9, 46, 39, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-11", datetime(2026, 11, 1, tzinfo=UTC)),
        ("20261101", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T10:00+01:00", datetime(2026, 11, 1, 9, tzinfo=UTC)),
        ("2026-11-21T12:00Z", NOW),
    ],
)
def test_dates_times_and_unix_times(text, expected):
    assert parse_since(text, now=NOW) == expected


@pytest.mark.parametrize(
    "text", ["", " ", "yesterday", "-1", "1e9", "٠", "0000", "0001-01-01T00:00+14:00", "2026-13-01", "nan"]
)
def test_what_is_no_time(text):
    with pytest.raises(BadArgument, match="give a date such as 2026-11-01"):
        parse_since(text, now=NOW)


@pytest.mark.parametrize(
    "text", ["2026-11-21T12:00:01Z", "2027", "20270101", "2026-11-22", "1893456000", "99999999999"]
)
def test_a_time_to_come_is_none_to_look_back_to(text):
    with pytest.raises(BadArgument, match=r"is in the future; give an earlier time"):
        parse_since(text, now=NOW)


@given(st.integers(10**8, int(NOW.timestamp())) | st.integers(0, 999))
def test_every_unix_time_is_read(seconds):
    assert parse_since(str(seconds), now=NOW) == datetime.fromtimestamp(seconds, UTC)


@given(st.datetimes(max_value=NOW.replace(tzinfo=None) - timedelta(days=2), timezones=st.just(UTC)))
def test_what_is_written_is_read(moment):
    assert parse_since(moment.isoformat(), now=NOW) == moment


@given(st.text(max_size=30))
def test_any_text_ends_well(text):
    try:
        assert parse_since(text, now=NOW) <= NOW
    except BadArgument:
        return
