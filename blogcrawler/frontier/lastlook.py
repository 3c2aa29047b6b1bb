"""A last look at pages that are told by numbers, before they are given up: a blog may have paused for years."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.frontier.traps import is_numbered, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.frontier.store import Candidate

__all__ = ["LastLook"]

LOOKS = 5
"""Pages that are looked at, from the first to the last number."""
_NUMBER = re.compile(r"\d+")


class LastLook:
    """Chooses, once for each shape whose pages end with a number, some of those that wait."""

    def __init__(self) -> None:
        self._done: set[str] = set()

    def choose(self, url: str, waiting: Iterable[Candidate]) -> list[str]:
        """Keys of the pages to look at before `url` and its like are given up; none where that was done. O(n)."""
        shape = shape_of(url)
        if not is_numbered(shape) or shape in self._done:
            return []
        self._done.add(shape)
        alike = sorted((_numbers(page.url), page.key) for page in waiting if shape_of(page.url) == shape)
        last = len(alike) - 1
        places = range(len(alike)) if last < LOOKS else (round(at * last / (LOOKS - 1)) for at in range(LOOKS))
        return [alike[at][1] for at in places]

    def forget(self, url: str) -> None:
        """A page brought something: others like it deserve another look."""
        self._done.discard(shape_of(url))


def _numbers(url: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(url)]
