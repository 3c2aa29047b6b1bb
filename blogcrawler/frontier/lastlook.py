"""A last look at pages before others like them are given up.

Of those that are told by numbers some are looked at from the first to the last: a blog may have paused for years. Of
those that are told by names, as those of tags are, the ones that most posts link to: these list most posts.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.frontier.kinds import is_numbered, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.frontier.store import Candidate

__all__ = ["LastLook"]

LOOKS = 5
"""Pages that are looked at, from the first to the last number."""
LINKED, MOST_LINKED = 2, 20
"""Posts that must link to a page that is told by a name, since one alone may be all that it lists; such pages."""
EVERYWHERE, ENOUGH = 0.5, 4
"""Share of the posts that link to a page, and how many these are at least, from which no further ones are counted."""
_NUMBER = re.compile(r"\d+")


class LastLook:
    """Chooses, once for each shape, some of the pages that wait. Pages are named by `store.key_of`."""

    def __init__(self) -> None:
        self._done: set[str] = set()
        self._posts = 0
        #: how many posts link to a page
        self._links: Counter[str] = Counter()

    def telling(self, linked: Iterable[str]) -> tuple[str, ...]:
        """Of the pages that a post links to, those of which it is to be counted: what a menu links to, all posts do."""
        most = max(ENOUGH, EVERYWHERE * self._posts)
        return tuple(key for key in linked if self._links[key] < most)

    def note(self, linked: Iterable[str]) -> None:
        """A post links to pages, see `telling`."""
        self._posts += 1
        self._links.update(linked)

    def choose(self, url: str, waiting: Iterable[Candidate]) -> list[str]:
        """Keys of the pages to look at before `url` and its like are given up; none where that was done. O(n)."""
        shape = shape_of(url)
        if shape in self._done:
            return []
        self._done.add(shape)
        alike = [page for page in waiting if shape_of(page.url) == shape]
        return _spread(alike) if is_numbered(shape) else self._most_linked(alike)

    def _most_linked(self, pages: list[Candidate]) -> list[str]:
        linked = [(-self._links[page.key], page.position, page.key) for page in pages]
        return [key for count, _, key in sorted(linked)[:MOST_LINKED] if -count >= LINKED]

    def forget(self, url: str) -> None:
        """A page brought something: others like it deserve another look."""
        self._done.discard(shape_of(url))


def _spread(pages: list[Candidate]) -> list[str]:
    """Some from the first to the last number."""
    found = sorted((_numbers(page.url), page.key) for page in pages)
    last = len(found) - 1
    places = range(len(found)) if last < LOOKS else (round(at * last / (LOOKS - 1)) for at in range(LOOKS))
    return [found[at][1] for at in places]


def _numbers(url: str) -> list[int]:
    return [int(number) for number in _NUMBER.findall(url)]
