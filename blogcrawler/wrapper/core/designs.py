"""The design of pages: the ids and classes that all pages of one design have.

Pages of another design may have elements that rules select by chance, such as the first heading. So rules are only
applied to pages of a design that they were learned from.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from lxml.etree import XPath

from blogcrawler.wrapper.core.rules import HTML_SPACE, steady

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from lxml.html import HtmlElement

_T = TypeVar("_T")

FEWEST_NAMES = 5
"""Number of names below which they identify no design."""
MOST_NAMES = 200
"""Maximum number of names that are stored."""
SHARED = 0.5
"""Minimum share of the names of a design, or of the page if it has fewer, that its pages have. Pages of one theme share
nearly all, those of two themes a few that are usual everywhere, such as `content`."""
_NAMES = XPath("//@id|//@class", smart_strings=False)
_NUMBERED = re.compile(r"\d")  # of grids, widgets and posts


@dataclass(frozen=True)
class Design:
    """The names that all pages of a design have, sorted; none if they have too few."""

    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, names: Iterable[frozenset[str]]) -> Design:
        """The design of pages with these names."""
        common = sorted(frozenset.intersection(*names))
        return cls(tuple(common[:: 1 + len(common) // MOST_NAMES]) if len(common) >= FEWEST_NAMES else ())

    def fits(self, names: frozenset[str]) -> bool:
        """True if a page with these names may be of the design."""
        return not self.names or _are_alike(self.names, names)


def names_in(tree: HtmlElement) -> frozenset[str]:
    """The ids and classes of a page without digits. O(n)."""
    values: Iterable[str] = _NAMES(tree)  # type: ignore[assignment]
    names = {name for value in values for name in HTML_SPACE.split(value)}
    return frozenset(name for name in names if steady(name) and not _NUMBERED.search(name))


def by_design(pages: Sequence[_T], names_of: Callable[[_T], frozenset[str]]) -> list[list[_T]]:
    """The pages of each design in their order, the design with most names first. O(n) with few designs."""
    names = [names_of(page) for page in pages]
    groups: list[tuple[frozenset[str], list[int]]] = []
    for number in sorted(range(len(pages)), key=lambda number: -len(names[number])):
        for place, (common, members) in enumerate(groups):
            if _are_alike(common, names[number]):
                groups[place] = common & names[number], [*members, number]
                break
        else:
            groups.append((names[number], [number]))
    return [[pages[number] for number in sorted(members)] for _, members in groups]


def _are_alike(common: Collection[str], names: frozenset[str]) -> bool:
    fewer = min(len(common), len(names))
    return len(names.intersection(common)) >= SHARED * fewer if fewer else len(common) == len(names)
