"""How many comments a page says that its post has ("12 comments", "Kommentare (3)")."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.wrapper.comments.forms import form_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.view import View

NUMBER = re.compile(r"(?<![\d.,:/-])\d{1,6}(?![\d.,:/-])")
LONGEST = 100
"""Characters of a line with a count."""
LEVELS = 6
AGREED = 0.9
"""Share of the pages with such a line on which it tells the number of comments."""
PAGES = 3
"""Pages that must agree, with two numbers at least."""


@dataclass(frozen=True)
class CountRule:
    """Where the number stands: the forms of the elements around it, and which number of the text it is."""

    chain: tuple[str, ...]
    place: int

    def extract(self, view: View) -> int | None:
        """The number that a page tells; None where there is none, or where several are told."""
        found = {number for chain, place, number in _numbers(view) if (chain, place) == (self.chain, self.place)}
        return found.pop() if len(found) == 1 else None


def learn_count(views: Sequence[View], counts: Sequence[int]) -> CountRule | None:
    """The rule by which pages tell the number of comments that were found in them, if there is one. O(n)."""
    told: dict[tuple[tuple[str, ...], int], dict[int, set[int]]] = defaultdict(lambda: defaultdict(set))
    for page, view in enumerate(views):
        for chain, place, number in _numbers(view):
            told[chain, place][page].add(number)
    best, rule = 0, None
    for (chain, place), pages in told.items():
        right = {page for page, numbers in pages.items() if numbers == {counts[page]}}
        if (
            len(right) > best
            and len(right) >= max(PAGES, AGREED * len(pages))
            and len({counts[at] for at in right}) > 1
        ):
            best, rule = len(right), CountRule(chain, place)
    return rule


def _numbers(view: View) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """Whole numbers in the short texts of a page, each with the forms of the elements around it."""
    for position in range(len(view)):
        for run in (2 * position, 2 * position + 1):
            text = view.runs[run]
            if not text or len(text) > 2 * LONGEST or not NUMBER.search(text):
                continue
            holder = position if run % 2 == 0 else view.parents[position]
            chain = tuple(form_of(view.nodes[at]) for at, _ in zip(view.around(holder), range(LEVELS), strict=False))
            for place, match in enumerate(NUMBER.finditer(" ".join(text.split())[:LONGEST])):
                if place > 2:
                    break
                yield chain, place, int(match[0])
