"""What a page lists, told from what stands around every page: side bars and links to neighbours are no lists."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Frames"]

FREQUENT = 0.5
"""Share of the pages at which a place links to posts, above which it is a part of their frame."""
ENOUGH = 4
"""Pages, below which nothing is taken for a frame."""


class Frames:
    """Counts the places at which pages link to posts. Places are any marks; see `features.marks_of`."""

    def __init__(self) -> None:
        self._pages = 0
        self._at: Counter[str] = Counter()

    def note(self, places: Iterable[str]) -> None:
        """Take in the places at which one page links to posts."""
        self._pages += 1
        self._at.update(set(places))

    def is_frame(self, place: str) -> bool:
        """Do most pages link to posts there?"""
        return self._pages >= ENOUGH and self._at[place] > FREQUENT * self._pages

    def listed(self, posts: Mapping[str, Iterable[str]]) -> set[str]:
        """Those posts, by name with their places, that are linked outside of the frame. Without places they are."""
        found = set()
        for name, places in posts.items():
            told = list(places)
            if not told or not all(map(self.is_frame, told)):
                found.add(name)
        return found
