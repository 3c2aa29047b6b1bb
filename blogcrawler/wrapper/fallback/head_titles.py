"""Find what recurs in the titles in the heads of a blog's pages: the blog's name. The rest is a page's own title."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ENOUGH = 4
"""Number of pages with different titles that must share a part."""
SHARE = 0.2
"""Share of the titles with a separator that must have the part, since the blog may have had several names."""
OWN = 0.8
"""Share of the pages whose titles must differ for each title to belong to its page."""
MOST_TITLES = 200
"""Maximum number of titles that are remembered."""
MOST_PLACES = 8
"""Maximum number of separators of a title, from either end, at which the blog's name may begin or end."""
LONGEST = 300
MARK = re.compile(r"(?<!\s)\s++[-~–—]\s++|(?:(?<!\s)\s++)?+(?:[|·•»«:：｜・_/【】\[\]()（）]++|--++)\s*+")
"""A separator between a page's title and the blog's name. Many characters are allowed, since only recurring parts
count."""


@dataclass(frozen=True)
class Ends:
    """The recurring parts of the titles of a blog's pages, with separators, longest first."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    #: whether nearly each page has a title of its own
    differ: bool = False

    def cut(self, title: str) -> str:
        """A title without its recurring parts; the whole title if nothing else is left."""
        start = next((len(part) for part in self.before if title.startswith(part)), 0)
        end = next((len(title) - len(part) for part in self.after if title.endswith(part)), len(title))
        return title[start:end].strip() or title

    def names(self) -> set[str]:
        """The recurring parts without separators, folded: names of the blog."""
        return {fold(MARK.sub(" ", part)).strip() for part in (*self.before, *self.after)}


NO_ENDS = Ends()


def head_title(tree: HtmlElement) -> str:
    """The title in the head of a page; empty if there is none."""
    node = tree.find(".//title")
    return " ".join((node.text or "").split())[:LONGEST] if node is not None else ""


class Heads:
    """Counts the beginnings and ends of the titles in the heads of pages."""

    def __init__(self) -> None:
        self._titles: set[str] = set()
        self._before: Counter[str] = Counter()
        self._after: Counter[str] = Counter()
        self._marked = 0
        self._pages = 0

    def note(self, title: str) -> bool:
        """Count the title of a page; True if it may change the recurring parts. O(1) in the number of counted pages."""
        if not title or len(self._titles) >= MOST_TITLES:
            return False
        self._pages += 1
        if title in self._titles:
            return False
        self._titles.add(title)
        marks = list(MARK.finditer(title))
        self._marked += bool(marks)
        self._before.update(title[: mark.end()] for mark in islice(marks, MOST_PLACES) if mark.start())
        self._after.update(
            title[mark.start() :] for mark in islice(reversed(marks), MOST_PLACES) if mark.end() < len(title)
        )
        return True

    def ends(self) -> Ends:
        """The parts that recur at either end of enough titles. O(1): at most `MOST_TITLES` are remembered."""
        least = max(ENOUGH, SHARE * self._marked)
        differ = len(self._titles) >= max(ENOUGH, OWN * self._pages)
        return Ends(_recurring(self._before, least), _recurring(self._after, least), differ)


def _recurring(parts: Counter[str], least: float) -> tuple[str, ...]:
    return tuple(sorted((part for part, count in parts.items() if count >= least), key=lambda part: (-len(part), part)))
