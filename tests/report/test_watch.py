"""The line of a harvest, in bounded memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.report.watch import MOST_POINTS, Curve


def line(points):
    curve = Curve()
    for point in points:
        curve.note(*point)
    return curve.points


def test_a_short_line_is_kept_whole():
    assert line([(1, 0), (2, 1), (2, 2), (3, 2)]) == [(0, 0), (1, 0), (2, 1), (3, 2)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=3000))
def test_a_long_line_is_bounded_begins_at_nothing_and_ends_where_it_ends(steps):
    x = y = 0
    points = []
    for right, up in steps:
        x, y = x + right, y + up
        points.append((x, y))
    found = line(points)
    assert len(found) <= MOST_POINTS + 2
    assert found[0] == (0, 0)
    assert found[-1] == (points[-1] if points else (0, 0))
    assert found == sorted(found)
    assert set(found) <= {(0, 0), *points}
