"""Prepares a page for finding lists: its elements in document order, its dates, and its repeated blocks.

A page is segmented by lowest common ancestors: from anchors, one in each post, to the posts' blocks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from blogcrawler.dates import Reading, find_dates, read_date, shown_rather
from blogcrawler.dom import inline_text
from blogcrawler.dom.tags import SILENT
from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Iterator, Sequence

    import networkx as nx
    from lxml.html import HtmlElement
else:
    nx = LazyModule("networkx")

MAX_TEXT = 100
"""Maximum length of a text that is a date and little else."""
MAX_RUN = 400
"""Maximum length of such a text including white space."""
MAX_DATE_NODES = 40
"""Maximum number of elements over which a date may be split."""
MAX_RELATIVE = 200
"""Maximum number of texts per page that are tried as relative dates ("3 days ago"), which is slow."""
DIGIT = re.compile(r"\d")
DATA = (("time", "datetime"), ("abbr", "title"), ("time", "title"), ("span", "title"))
"""Elements and their attributes with machine-readable dates (HTML, the hAtom microformat)."""


class DatePlace(NamedTuple):
    """A date on a page."""

    position: int
    #: possible readings: several if day and month are both numbers
    readings: tuple[Reading, ...]


class Outline:
    """The elements of a page's body. Built in one pass, O(n)."""

    def __init__(self, tree: HtmlElement, now: dt.datetime | None = None) -> None:
        self.languages = tuple(filter(None, [tree.get("lang")]))
        self._now = now
        self.nodes: list[HtmlElement] = []
        self.parents: list[int] = []
        #: a number for each tag path from the root
        self.forms: list[int] = []
        #: position after the subtree
        self.ends: list[int] = []
        #: number of text characters in the subtree
        self.sizes: list[int] = []
        self._number(tree)

    def _number(self, tree: HtmlElement) -> None:
        body = next(tree.iter("body"), tree)
        ways: dict[tuple[int, str], int] = {}
        open_: list[int] = []
        walk = etree.iterwalk(body, events=("start", "end"))
        for event, node in walk:
            if event == "end":
                if node.tag not in SILENT or node is body:
                    self._end(open_)
                continue
            if node.tag in SILENT and node is not body:
                walk.skip_subtree()
                continue
            parent = open_[-1] if open_ else -1
            way = (self.forms[parent] if open_ else -1, node.tag)
            open_.append(len(self.nodes))
            self.nodes.append(node)
            self.parents.append(parent)
            self.forms.append(ways.setdefault(way, len(ways)))
            self.ends.append(0)
            self.sizes.append(len((node.text or "").strip()))

    def _end(self, open_: list[int]) -> None:
        position = open_.pop()
        self.ends[position] = len(self.nodes)
        if open_:
            tail = (self.nodes[position].tail or "").strip()
            self.sizes[open_[-1]] += self.sizes[position] + len(tail)

    @cached_property
    def positions(self) -> dict[HtmlElement, int]:
        """The number of each element."""
        return {node: position for position, node in enumerate(self.nodes)}

    def ancestors(self, position: int) -> Iterator[int]:
        """The ancestors of an element, the nearest first."""
        while (position := self.parents[position]) >= 0:
            yield position

    def subtree(self, position: int) -> range:
        """An element and all its descendants."""
        return range(position, self.ends[position])

    @cached_property
    def dates(self) -> list[DatePlace]:
        """The innermost elements that contain a date and little else, in document order."""
        places: list[DatePlace] = []
        covered: set[int] = set()
        self._relative = MAX_RELATIVE
        for position in range(len(self.nodes) - 1, -1, -1):
            if position in covered:
                covered.add(self.parents[position])
                continue
            readings = self._readings(position)
            if readings:
                places.append(DatePlace(position, readings))
                covered.add(self.parents[position])
        return places[::-1]

    def _readings(self, position: int) -> tuple[Reading, ...]:
        node = self.nodes[position]
        stated = next((value for tag, name in DATA if node.tag == tag and (value := node.get(name))), None)
        if stated is not None:
            stated = shown_rather(stated[:MAX_TEXT], inline_text(node)[:MAX_TEXT], self.languages)
            if found := find_dates(stated, self.languages):
                return found[0].readings
        if self.sizes[position] > MAX_TEXT or self.ends[position] - position > MAX_DATE_NODES:
            return self._loose_reading(node)
        text = inline_text(node)
        if not text:
            return ()
        for form in self._spellings(position, text):
            if found := find_dates(form, self.languages):
                return found[0].readings
        return self._relative_reading(position, text)

    def _loose_reading(self, node: HtmlElement) -> tuple[Reading, ...]:
        """A date among the children of a large element, with few other words."""
        for run in (node.text, *(child.tail for child in node)):
            text = " ".join((run or "").split()) if run and len(run) <= MAX_RUN and DIGIT.search(run) else ""
            for found in find_dates(text, self.languages) if text else ():
                if 2 * (found.end - found.start) >= len(text):
                    return found.readings
        return ()

    def _spellings(self, position: int, text: str) -> Iterator[str]:
        """The text as shown, and the text with blanks between the elements over which a theme splits a date."""
        if DIGIT.search(text) or not text.isascii():
            yield text
            if self.ends[position] - position > 2:
                yield " ".join(" ".join(self.nodes[position].itertext()).split())

    def _relative_reading(self, position: int, text: str) -> tuple[Reading, ...]:
        is_leaf = self.ends[position] - position == 1
        if self._now is None or not is_leaf or not DIGIT.search(text) or len(text.split()) > 4 or self._relative <= 0:
            return ()
        self._relative -= 1
        moment = read_date(text, self.languages, now=self._now)
        return (Reading(moment, "YMD", False),) if moment is not None else ()


def common_order(places: Sequence[DatePlace]) -> str | None:
    """The order of day and month in which every date of a list can be read; None unless there is exactly one."""
    orders = {"DMY", "MDY"}
    for place in places:
        if any(reading.numeric for reading in place.readings):
            orders &= {reading.order for reading in place.readings}
    return orders.pop() if len(orders) == 1 else None


@dataclass(frozen=True)
class Segment:
    """A list: the lowest common ancestor of anchors of the same form, and its blocks with one anchor each."""

    ancestor: int
    #: each block: its anchor, and the positions of the ancestor's children that form it
    blocks: tuple[tuple[int, tuple[int, ...]], ...]


def segment(outline: Outline, anchors: Iterable[int]) -> Iterator[Segment]:
    """The lists among a page's anchors; anchors of the same form are combined, since lists repeat one template.

    The paths from the root to the anchors form a tree. A node of it with several children is the lowest common ancestor
    of two anchors, that is a list; a child that leads to a single anchor is a block. O(n·d) for n anchors at depth d.
    """
    by_form: dict[int, list[int]] = defaultdict(list)
    for anchor in anchors:
        by_form[outline.forms[anchor]].append(anchor)
    for alike in by_form.values():
        if len(alike) > 1:
            yield from _lists(outline, alike)


def _lists(outline: Outline, anchors: Sequence[int]) -> Iterator[Segment]:
    graph = nx.DiGraph()
    for anchor in anchors:
        below = anchor
        for above in outline.ancestors(anchor):
            known = above in graph
            graph.add_edge(above, below)
            if known:
                break
            below = above
    blocks: dict[int, dict[int, int]] = defaultdict(dict)
    for anchor in anchors:
        block = anchor
        above = outline.parents[block]
        while graph.out_degree(above) == 1 and outline.parents[above] >= 0:
            block, above = above, outline.parents[above]
        if graph.out_degree(above) > 1:
            blocks[above][block] = anchor
    for ancestor, children in sorted(blocks.items()):
        if len(children) > 1:
            runs = _runs(outline, ancestor, sorted(children))
            yield Segment(ancestor, tuple((children[run[0]], run) for run in runs))


def _runs(outline: Outline, ancestor: int, children: Sequence[int]) -> list[tuple[int, ...]]:
    """Extend each block by its following siblings: if posts have no element of their own, these belong to them.

    The last block gets as many siblings as the longest other block, since the end of the list is unknown.
    """
    siblings = [outline.positions[node] for node in outline.nodes[ancestor] if node in outline.positions]
    place = {position: number for number, position in enumerate(siblings)}
    starts = [place[child] for child in children]
    longest = max(after - before for before, after in pairwise(starts))
    ends = [*starts[1:], min(len(siblings), starts[-1] + longest)]
    return [tuple(siblings[start:end]) for start, end in zip(starts, ends, strict=True)]
