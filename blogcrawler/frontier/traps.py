"""Bounds that keep a crawl out of endless spaces of URLs: calendars, filters, paths that grow, tags without end.

No names of sites, folders or parameters: a URL is refused for its form, and a shape of URL for what its pages have
(not) brought.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from blogcrawler.urls import MAX_URL_LENGTH

__all__ = ["BarrenShapes", "TrapBounds", "shape_of"]

_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class TrapBounds:
    """Bounds on the form of a URL."""

    #: segments of the path
    max_depth: int = 12
    #: how often the same segment may stand in a path, numbers apart
    max_repeats: int = 2
    max_parameters: int = 6
    #: characters
    max_length: int = MAX_URL_LENGTH

    def refusal(self, url: str) -> str | None:
        """Why a canonical URL is out of bounds; None for what may be fetched. Linear."""
        if len(url) > self.max_length:
            return f"longer than {self.max_length} characters"
        address, _, query = url.partition("?")
        segments = [segment for segment in address.split("/")[3:] if segment]
        if len(segments) > self.max_depth:
            return f"deeper than {self.max_depth} folders"
        folders = Counter(segment for segment in segments if not segment.isdigit())
        if folders and max(folders.values()) > self.max_repeats:
            return f"a folder more than {self.max_repeats} times in the path"
        if query.count("&") >= self.max_parameters:
            return f"more than {self.max_parameters} parameters"
        return None


def shape_of(url: str) -> str:
    """What the URLs of one endless space share: the first folder, the form of what follows, the parameters' names.

    /tag/anything, /2014/05 and /2015/06, ?page=2 and ?page=3 are one shape each; pages at the root are one each by
    their names.
    """
    address, _, query = url.partition("?")
    segments = [_DIGITS.sub("#", segment) for segment in address.split("/")[2:]]
    forms = [segment if set(segment) <= {"#", ""} else "*" for segment in segments[2:]]
    names = sorted({_DIGITS.sub("#", parameter.partition("=")[0]) for parameter in query.split("&")}) if query else []
    return "/".join([*segments[:2], *forms]) + (f"?{'&'.join(names)}" if query else "")


class BarrenShapes:
    """Counts, for each shape of URL, the pages fetched in a row that brought no new post.

    A barren shape goes to the end of the queue (`is_poor`), later out of it (`is_barren`), unless a page brings
    something.
    """

    def __init__(self, *, patience: int = 20, last_chance: int = 40) -> None:
        self.patience = patience
        self.last_chance = last_chance
        self._in_vain: Counter[str] = Counter()
        self._of_posts: set[str] = set()

    def record(self, url: str, new_posts: int, *, was_post: bool = False) -> bool:
        """Count a page that was fetched. True when its shape has just become poor, barren, or neither again."""
        shape = shape_of(url)
        if was_post:
            self._of_posts.add(shape)
        before = self._in_vain[shape]
        self._in_vain[shape] = 0 if new_posts or was_post else before + 1
        after = self._in_vain[shape]
        return after in (self.patience, self.last_chance) or (not after and before >= self.patience)

    def is_poor(self, url: str) -> bool:
        """Have `patience` pages of this shape in a row brought nothing?"""
        return self._in_vain[shape_of(url)] >= self.patience

    def is_barren(self, url: str) -> bool:
        """Have `last_chance` pages of this shape in a row brought nothing?"""
        return self._in_vain[shape_of(url)] >= self.last_chance

    def is_tried(self, url: str) -> bool:
        """Was a page of this shape fetched?"""
        return shape_of(url) in self._in_vain

    def has_posts(self, url: str) -> bool:
        """Was a page of this shape a post?"""
        return shape_of(url) in self._of_posts
