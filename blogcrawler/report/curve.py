"""A line that grows during a crawl, in bounded memory."""

from __future__ import annotations

MOST_POINTS = 400


class Curve:
    """Points (x, y) of which x never falls; as there are more, those between are left out. O(1) each, amortised."""

    def __init__(self) -> None:
        self._points = [(0, 0)]
        self._last = (0, 0)
        self._step = 1

    def note(self, x: int, y: int) -> None:
        """Take in a point; the last one with the same x counts."""
        self._last = x, y
        if x < self._points[-1][0] + self._step:
            return
        self._points.append(self._last)
        if len(self._points) > MOST_POINTS:
            del self._points[1::2]
            self._step *= 2

    @property
    def points(self) -> list[tuple[int, int]]:
        """What is left of the line, from (0, 0) to where it ends."""
        return [*self._points, self._last] if self._points[-1] != self._last else self._points
