"""Comments as parts of a page: one element (which may hold answers), or a run of siblings, as of `dt` and `dd`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.wrapper.comments.view import context_of, form_of, tokens_of
from blogcrawler.wrapper.core.rules import has_token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.view import View

ANY_CONTEXT = "*"
"""A context that matches any place of a page."""

TEXT = "#text"
"""The form of a text between elements."""
BLOCKS = frozenset(["p", "blockquote", "pre"])
"""Elements that texts consist of: if comments have one of these between their heads, some may have another."""
MOST = 20_000
"""Maximum number of comments of a page."""


@dataclass
class Unit:
    """One comment in a page."""

    #: position of the node with its day; None if there is none
    anchor: int | None
    #: positions of its elements, which are siblings in document order
    roots: list[int]
    #: number of the unit that it is nested in as an answer; None at the top
    inside: int | None = None
    #: whether it is a run of siblings, including the texts between them; whether it includes the text behind the last
    is_run: bool = False
    has_tail: bool = False
    #: whether it is only a link to another page, with a label
    is_bare: bool = False
    #: positions of its nodes, without those of its answers, in document order
    own: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Form:
    """The form of comments in the pages of a blog."""

    #: tags, from the node with the date up to the comment's element
    chain: tuple[str, ...]
    #: contexts of the lists that are not inside comments
    contexts: frozenset[str]
    #: classes that each element of the chain must have
    tokens: tuple[frozenset[str], ...]
    #: forms of the siblings between two dates; empty if a comment is one element
    between: frozenset[str] = frozenset()
    #: whether siblings of these forms belong to the comment if they are before its date, or behind its date
    before: bool = False
    behind: bool = False
    #: form of the sibling that a comment begins with, if siblings on both sides belong to it
    first: str = ""
    #: "first" or "last" if this element of each page is no comment
    skips: str = ""
    #: whether elements in the comments' own lists may have other classes (pingbacks, the blogger's answers)
    is_open: bool = False
    #: whether the elements hold a date
    is_dated: bool = True

    @property
    def xpath(self) -> str:
        """An XPath expression for the comments' elements, as far as class names identify them."""
        names = "".join(f"[{has_token('class', name)}]" for name in sorted(self.tokens[-1]))
        return f"//{self.chain[-1]}{names}"

    def select(self, view: View) -> list[Unit]:
        """The comments of a page, in document order. O(n)."""
        heads: dict[int, int | None] = {}
        for position, anchor in self.places(view):
            heads.setdefault(position, anchor)
        if not heads:
            return []
        day_nodes: dict[int, int | None] = {}
        lists: set[int] = set()
        is_within = [False] * len(view)
        for position in range(min(heads), max(heads) + 1):
            parent = view.parents[position]
            is_within[position] = is_within[parent] or parent in lists
            if position not in heads or len(day_nodes) >= MOST:
                continue
            is_answer = is_within[position] and (self.is_dated or bool(self.tokens[-1]))
            if is_answer or self._is_list(view, parent, position):
                day_nodes[position] = heads[position]
                is_within[position] = True
                lists.add(parent)
        units = [Unit(anchor, [position]) for position, anchor in day_nodes.items()]
        if self.between:
            self._widen(view, units)
        if self.skips:
            units = units[1:] if self.skips == "first" else units[:-1]
        own_nodes(view, units)
        return units

    def _is_list(self, view: View, parent: int, position: int) -> bool:
        is_named = self.tokens[-1] <= tokens_of(view.nodes[position])
        return (is_named and ANY_CONTEXT in self.contexts) or context_of(view, parent) in self.contexts

    def places(self, view: View) -> Iterator[tuple[int, int | None]]:
        """Elements of the form, each with the node of its day if the form is dated."""
        for position in view.tagged.get(self.chain[0], ()):
            element = self._element(view, position)
            if element >= 0 and view.parents[element] >= 0 and (not self.is_dated or view.states_day_alone(position)):
                yield element, position if self.is_dated else None

    def _element(self, view: View, position: int) -> int:
        """The element of the form around a node that may hold its day; -1 if other elements are around it."""
        element, above = -1, position
        for level, (tag, tokens) in enumerate(zip(self.chain, self.tokens, strict=True), 1):
            if above < 0 or view.nodes[above].tag != tag:
                return -1
            is_free = self.is_open and level == len(self.chain)
            if tokens and not is_free and not tokens <= tokens_of(view.nodes[above]):
                return -1
            element, above = above, view.parents[above]
        return element

    def _widen(self, view: View, units: Sequence[Unit]) -> None:
        """Give each comment the siblings that belong to it. O(n)."""
        by_parent: dict[int, list[Unit]] = {}
        for unit in units:
            by_parent.setdefault(view.parents[unit.roots[0]], []).append(unit)
        for parent, members in by_parent.items():
            siblings = view.children[parent]
            places = {position: number for number, position in enumerate(siblings)}
            at = [places[unit.roots[0]] for unit in members]
            for number, unit in enumerate(members):
                low = at[number - 1] + 1 if number else 0
                high = at[number + 1] if number + 1 < len(at) else len(siblings)
                start, end = self._span(view, siblings, low, at[number], high)
                unit.roots = list(siblings[start:end])
                unit.is_run, unit.has_tail = True, self.behind

    def _span(self, view: View, siblings: Sequence[int], low: int, at: int, high: int) -> tuple[int, int]:
        start, end = at, at + 1
        if self.before:
            while start > low and self._is_between(view, siblings[start - 1]):
                start -= 1
                if self.first and form_of(view.nodes[siblings[start]]) == self.first:
                    break
        if self.behind:
            while end < high and self._is_between(view, siblings[end]):
                if self.first and form_of(view.nodes[siblings[end]]) == self.first:
                    break
                end += 1
        return start, end

    def _is_between(self, view: View, position: int) -> bool:
        form = form_of(view.nodes[position])
        return form in self.between or (form in BLOCKS and not BLOCKS.isdisjoint(self.between))


def own_nodes(view: View, units: Sequence[Unit]) -> None:
    """Assign the nodes of the page to comments, and find the comment that each comment is nested in. O(n)."""
    roots = {root: number for number, unit in enumerate(units) for root in unit.roots}
    owner = [-1] * len(view)
    for unit in units:
        unit.own = []
    for position in range(min(roots, default=0), max((view.ends[root] for root in roots), default=0)):
        parent = view.parents[position]
        around = owner[parent] if parent >= 0 else -1
        mine = owner[position] = roots.get(position, around)
        if mine >= 0:
            units[mine].own.append(position)
            if position == units[mine].roots[0] and around != mine:
                units[mine].inside = around if around >= 0 else None
