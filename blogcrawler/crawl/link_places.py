"""Learn where the pages of a blog link to posts: lists and links from one post to the next do; menus do not.

For each place of links (chain of elements, `dom.Link.place`) the pages linked there are counted: those that turned out
to be posts, and others. Links in running text prove nothing, since they lead anywhere.

An archive may list its months where each month lists its posts. So pages at other addresses than posts' say nothing
about pages at posts' addresses.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MOST_PLACES = 6
"""Maximum number of places that are remembered for a page."""
ENOUGH = 2
"""Minimum number of posts that show a place to be one of posts."""
SHARE = 0.8
"""Share of the pages linked at a place that must be posts."""


class Places:
    """Counts, for each place, the posts and the other pages that are linked there."""

    def __init__(self) -> None:
        self._of: dict[str, tuple[int, ...]] = {}
        #: shared tuples of places, since many pages are linked at the same places
        self._alike: dict[tuple[int, ...], tuple[int, ...]] = {}
        self._judged: dict[str, bool] = {}
        self._posts: Counter[int] = Counter()
        self._others: Counter[int] = Counter()
        #: other pages that have a post's address
        self._posing: Counter[int] = Counter()
        self._at_permalinks: set[str] = set()

    def note(self, links: Iterable[tuple[str, int]], url: str) -> None:
        """Record the links of a page, each with its place; links to the page itself are ignored. O(n)."""
        own = identity(url)
        for target, place in links:
            if not place:
                continue
            key = identity(target)
            known = self._of.setdefault(key, ())
            if key == own or place in known or len(known) >= MOST_PLACES:
                continue
            self._of[key] = self._alike.setdefault((*known, place), (*known, place))
            if key in self._judged:
                self._count(key, [place])

    def judge(self, key: str, *, is_post: bool, is_permalink: bool = False) -> None:
        """Note whether a page, written as by `identity`, is a post.

        `is_permalink`: it has a post's address.
        """
        if key in self._judged:
            return
        self._judged[key] = is_post
        if is_permalink:
            self._at_permalinks.add(key)
        self._count(key, self._of.get(key, ()))

    def _count(self, key: str, places: Collection[int]) -> None:
        (self._posts if self._judged[key] else self._others).update(places)
        if key in self._at_permalinks and not self._judged[key]:
            self._posing.update(places)

    def is_among_posts(self, key: str, *, is_permalink: bool = False) -> bool | None:
        """True if a page is linked among posts, False if it is linked among other pages only, None if unknown.

        With `is_permalink`, for a page at a post's address, only other pages at such addresses count.
        """
        places = self._of.get(key, ())
        others = self._posing if is_permalink else self._others
        if any(_is_of_posts(self._posts[place], others[place]) for place in places):
            return True
        return False if any(others[place] > self._posts[place] for place in places) else None

    def is_linked(self, key: str) -> bool:
        """True if a page is linked anywhere outside of running text."""
        return key in self._of


def _is_of_posts(posts: int, others: int) -> bool:
    return posts >= ENOUGH and posts >= SHARE * (posts + others)
