"""When a blog is due again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.backend.schedule import Bounds, after_failure, next_due, times_of

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BOUNDS = Bounds(HOUR, 7 * DAY)


@pytest.mark.parametrize(
    ("days", "hours"),
    [
        ([0, 1, 2, 3], 12),
        ([0, 4, 8, 12], 48),
        ([0, 0.02, 0.04], 1),
        ([0, 30, 60], 7 * 24),
        ([20, 21, 22, 23], 48),
        ([400, 401, 402], 7 * 24),
        ([0], 7 * 24),
        ([], 7 * 24),
    ],
)
def test_a_blog_is_due_by_its_own_rhythm(days, hours):
    published = [NOW - day * DAY for day in days]
    assert next_due(published, NOW, BOUNDS) == NOW + hours * HOUR


@given(st.lists(st.integers(-2_000, 20_000).map(lambda day: NOW - day * DAY), max_size=40))
def test_it_is_due_between_the_bounds(published):
    due = next_due(published, NOW, BOUNDS)
    assert NOW + HOUR <= due <= NOW + 7 * DAY
    assert due == next_due(reversed(published), NOW, BOUNDS)


@pytest.mark.parametrize(("failures", "hours"), [(1, 1), (2, 2), (3, 4), (7, 64), (8, 128), (9, 168), (10_000, 168)])
def test_after_failures_it_is_tried_later_and_later(failures, hours):
    assert after_failure(failures, NOW, BOUNDS) == NOW + hours * HOUR


def test_what_is_no_time_tells_no_rhythm():
    assert times_of(["2024-05-02", "soon", "", "2024-05-03T10:00:00+02:00", "2024-13-01"]) == [
        datetime(2024, 5, 2),  # noqa: DTZ001 - as a post without a time
        datetime.fromisoformat("2024-05-03T10:00:00+02:00"),
    ]
