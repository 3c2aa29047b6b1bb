"""From post to post: what new posts lead to may be others that no list shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from blogcrawler.crawl.link_places import Places
    from blogcrawler.frontier import Link

__all__ = ["Neighbours"]

MOST_TRIED = 5
"""Pages that are tried of which nobody can tell whether they stand where posts do."""
FEW = 2
"""Links that stand at one place of a page, at most, where it leads on to its neighbours."""


class Neighbours:
    """Remembers what pages of new posts link to and has a post's address, by `urls.identity`."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        #: those that stand alone, or with one other, on the page that links to them
        self._few: set[str] = set()
        self._tried = 0

    def note(self, links: Sequence[Link]) -> None:
        """Take in the links of a page. O(n)."""
        posts = {identity(link.url): link for link in links if link.is_post and not (link.in_menu or link.is_variant)}
        counts = Counter(place for link in links for place in link.places)
        self._waiting |= {key: link.url for key, link in posts.items()}
        self._few |= {key for key, link in posts.items() if any(counts[place] <= FEW for place in link.places)}

    def next_posts(self, places: Places, is_new: Callable[[str], bool]) -> list[str]:
        """What to fetch of that which `is_new`: all that stand where posts do; if none does, one that may. O(n)."""
        self._waiting = {key: url for key, url in self._waiting.items() if is_new(url)}
        chosen = [key for key in self._waiting if places.tell(key)]
        if not chosen and self._tried < MOST_TRIED:
            few = (key for key in self._waiting if key in self._few and places.is_linked(key))
            chosen = [key for key in few if places.tell(key, is_permalink=True) is not False][:1]
            self._tried += len(chosen)
        return [self._waiting.pop(key) for key in chosen]
