"""The content of one comment: its nodes, the path of each, and its texts."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from blogcrawler.wrapper.comments.view import SHORT, day_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

ANYWHERE = "//"
"""Prefix of a path that consists of an element's form alone, and matches this form anywhere in a comment."""
Run = tuple[int, str, str]
"""Position of the node that holds a text, its path, and the text on one line."""


def has_word(text: str) -> bool:
    """True if a text has a letter or digit."""
    return any(map(str.isalnum, text))


class Region:
    """A comment without its answers. O(n) in its nodes and text."""

    def __init__(self, view: View, unit: Unit) -> None:
        self.view, self.unit = view, unit
        self.own = unit.own
        #: for each node, its path below the comment's element
        self.paths: Sequence[str] = view.paths(unit.own, unit.roots, _head(unit), is_run=unit.is_run)
        #: for each node, its text; None if it is long
        self.texts: Sequence[str | None] = view.texts_of(unit.own)

    @cached_property
    def _roots(self) -> frozenset[int]:
        return frozenset(self.unit.roots)

    @cached_property
    def path_at(self) -> dict[int, str]:
        """The path of each node, by the node's position."""
        return dict(zip(self.own, self.paths, strict=True))

    @cached_property
    def number_at(self) -> dict[int, int]:
        """The number of each node in `own`, by the node's position."""
        return {position: number for number, position in enumerate(self.own)}

    @cached_property
    def first_at(self) -> dict[str, int]:
        """The first node (its number in `own`) at each path; for elements with a class, also by their form alone,
        wherever they are."""
        numbers: dict[str, int] = {}
        for number, path in enumerate(self.paths):
            numbers.setdefault(path, number)
            form = path.rpartition(">")[2]
            if "." in form:
                numbers.setdefault(ANYWHERE + form, number)
        return numbers

    @cached_property
    def day(self) -> str:
        """The text with the comment's day; empty if there is none."""
        anchor = self.unit.anchor
        return (self.view.day_at(anchor) or "") if anchor is not None else ""

    @cached_property
    def line(self) -> str | None:
        """The line with the day if it is in the comment's own element; None if it is long."""
        anchor, runs = self.unit.anchor, self.view.runs
        if anchor is None:
            return None
        text = " ".join("".join(runs[run] for run in sorted(day_line(self.view, anchor))).split())
        return text if len(text) <= SHORT else None

    @cached_property
    def runs(self) -> Sequence[Run]:
        """The texts between elements that have a word, in document order."""
        return [run for _, run in self.numbered]

    @cached_property
    def numbered(self) -> Sequence[tuple[int, Run]]:
        """The texts of `runs`, with their numbers in the page."""
        runs = ((run, position, path, self.view.runs[run]) for run, position, path in self.flow())
        return [(run, (position, path, " ".join(text.split()))) for run, position, path, text in runs if has_word(text)]

    def flow(self) -> Iterator[tuple[int, int, str]]:
        """The texts of the comment in document order: number in the page, node that holds the text, and path of this
        node. A text after an element of a run has this element and no path."""
        pending: list[int] = []
        for position in self.own:
            while pending and position >= self.view.ends[pending[-1]]:
                yield from self._behind(pending.pop())
            yield 2 * position, position, self.path_at[position]
            pending.append(position)
        while pending:
            yield from self._behind(pending.pop())

    def above(self, position: int) -> int | None:
        """The parent of a node; None for the comment's own elements."""
        return None if position in self._roots else self.view.parents[position]

    def _behind(self, child: int) -> Iterator[tuple[int, int, str]]:
        parent = self.above(child)
        if parent is not None:
            yield 2 * child + 1, parent, self.path_at[parent]
        elif self.unit.is_run and (self.unit.has_tail or child != self.unit.roots[-1]):
            yield 2 * child + 1, child, ""

    @cached_property
    def away(self) -> set[int]:
        """The nodes of the comment that are links to other pages, or inside of such links."""
        view = self.view
        positions_away: set[int] = set()
        for position in self.own:
            node = view.nodes[position]
            is_link = node.tag == "a" and _leads_away(node.get("href") or "", view.url)
            if is_link or view.parents[position] in positions_away:
                positions_away.add(position)
        return positions_away

    def inside(self, positions: Iterable[int]) -> set[int]:
        """The nodes of the comment among or inside the given positions, without its own element."""
        within: set[int] = set()
        wanted = set(positions) - set(() if self.unit.is_run else self.unit.roots)
        for position in self.own:
            if position in wanted or self.view.parents[position] in within:
                within.add(position)
        return within


def _head(unit: Unit) -> int | None:
    """The last of a run's elements that begins before its day, which is the element around the day."""
    if not unit.is_run or unit.anchor is None:
        return None
    return max((root for root in unit.roots if root <= unit.anchor), default=unit.roots[0])


def _leads_away(href: str, url: str) -> bool:
    return href.startswith(("http://", "https://")) and href.partition("#")[0] != url.partition("#")[0]
