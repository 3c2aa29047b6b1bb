"""The posts that wait, in the order in which they were found; those that may be others at another address come last."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.frontier.store import Candidate

__all__ = ["WaitingPosts"]

LATE = 2**40
"""Added to the place of a post that comes after all others."""


class WaitingPosts:
    """Candidates that are posts for sure, by key."""

    def __init__(self) -> None:
        self._waiting: dict[str, Candidate] = {}
        self._order: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._waiting.values())

    def get(self, key: str) -> Candidate | None:
        """The candidate that waits under this key."""
        return self._waiting.get(key)

    def add(self, candidate: Candidate) -> None:
        """Let a candidate wait at its place, that of its discovery."""
        self._waiting[candidate.key] = candidate
        heapq.heappush(self._order, (candidate.position, candidate.key))

    def update(self, candidate: Candidate) -> None:
        """Something else is known of one that waits; it keeps its place."""
        self._waiting[candidate.key] = candidate

    def remove(self, key: str) -> Candidate | None:
        """Let a candidate go; None when it does not wait."""
        return self._waiting.pop(key, None)

    def first(self) -> tuple[Candidate, bool] | None:
        """The next candidate, which goes on waiting, and whether it was put off; None when there is none."""
        while self._order:
            place, key = self._order[0]
            if (candidate := self._waiting.get(key)) is not None:
                return candidate, place >= LATE
            heapq.heappop(self._order)
        return None

    def put_off_first(self) -> None:
        """Let the next candidate come after all others."""
        place, key = self._order[0]
        heapq.heapreplace(self._order, (place + LATE, key))
