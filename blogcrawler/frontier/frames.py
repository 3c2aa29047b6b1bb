"""The links that a page lists, apart from its boilerplate: side bars and links to neighbours are no lists."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FREQUENT = 0.5
"""Share of the pages that have links at a place, above which it is a part of their frame."""
ENOUGH = 4
"""Pages, below which nothing is taken for a frame."""


class Frames:
    """Counts the places at which pages link to others, and those others, by name.

    Places are any marks; see `features.marks_of`.
    """

    def __init__(self) -> None:
        self._pages = 0
        self._at: Counter[str] = Counter()
        self._to: Counter[str] = Counter()

    def note(self, linked: Mapping[str, Iterable[str]]) -> None:
        """Take in the links of a page, by name with their places."""
        self._pages += 1
        self._to.update(linked.keys())
        self._at.update({place for places in linked.values() for place in places})

    def is_frame(self, place: str) -> bool:
        """True if most pages have links at a place."""
        return self._is_frequent(self._at[place])

    def _is_frequent(self, count: int) -> bool:
        return self._pages >= ENOUGH and count > FREQUENT * self._pages

    def not_everywhere(self, names: Iterable[str]) -> Iterator[str]:
        """The names that most pages do not link to, at whatever place."""
        return (name for name in names if not self._is_frequent(self._to[name]))

    def listed(self, posts: Mapping[str, Iterable[str]]) -> set[str]:
        """The posts, by name with their places, that are linked outside of the frame, or at no known place."""
        kept = {name: list(places) for name, places in posts.items()}
        return {name for name, places in kept.items() if not places or not all(map(self.is_frame, places))}
