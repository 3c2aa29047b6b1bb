"""A page prepared for finding comments: its nodes with their forms and paths, and which of them hold a day."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from blogcrawler.dates import could_be_date
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.profile import LINES, Outline
from blogcrawler.wrapper.core.rules import steady

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.training import DateReader

MOSTLY = 0.5
"""Share of comments, or of pages, at or above which a common feature is the rule, since markup has exceptions."""
SHORT = 120
"""Maximum length, in characters, of a line with the date of a comment, and perhaps its author's name."""
STATED = ("datetime", "title")
"""Attributes in which an element states a day for machines, and these elements."""
STATING = frozenset(["time", "abbr", "span", "a"])
HEAD = "*"
"""Replaces the classes of the element with the day in a path."""
SOURCES = frozenset(["pre", "code", "samp", "kbd", "textarea", "xmp"])
"""Elements whose lines are no comments: no comment begins inside of one, though comments may contain them."""
COUNTED = 40
"""Maximum length, in characters, of a text such as "3 days ago"."""
ANSWER = re.compile(r"(?:[^\W\d_]{1,10}(?:\s?[\[(]\d+[\])])?\s?[:：]\s*)+")
"""Prefix of an answer's subject ("Re:", "AW:", "Re[2]:"), in any language."""
BREAKS = LINES | {"hr"}
DEEPEST = 24
"""Maximum number of steps of a path; deeper nodes have the path of the last step."""
HIGHEST = 16
"""Maximum number of levels that are searched for the name of a list."""
SPACE = re.compile(r"[ \t\n\r\f]+")
MOST_TOKENS = 12
PLACED = frozenset(["div", "section", "span", "font", "small", "table", "tr", "td", "dt", "dd"])
"""Elements that are distinguished by their place if they have no class."""
MOST_COUNTED = 4


class View:
    """A post's page. O(n) in its nodes and text, whatever its depth."""

    def __init__(self, tree: HtmlElement, url: str, reader: DateReader, fetched: datetime | None = None) -> None:
        outline = Outline(tree)
        self.tree, self.url, self.reader, self.fetched = tree, url, reader, fetched
        self._days: dict[tuple[int, bool], str | None] = {}
        self.nodes, self.parents, self.positions = outline.nodes, outline.parents, outline.positions
        #: text 2n is the text before the first child of node n, text 2n + 1 the text behind node n
        self.runs = outline.runs
        #: whether a node is in a listing or a closed dialog, such as one with the page's own source
        self._is_source: list[bool] = []
        for node, parent in zip(self.nodes, self.parents, strict=True):
            is_shut = node.tag in SOURCES or (node.tag == "dialog" and node.get("open") is None)
            self._is_source.append(is_shut or (parent >= 0 and self._is_source[parent]))
        #: position after the last descendant
        self.ends = outline.ends

    def __len__(self) -> int:
        return len(self.nodes)

    def around(self, position: int) -> Iterator[int]:
        """Positions of a node and of the nodes around it, innermost first."""
        while position >= 0:
            yield position
            position = self.parents[position]

    @cached_property
    def texts(self) -> Sequence[str | None]:
        """The text of each node on one line, with white space collapsed; None if it is longer than SHORT."""
        return self.texts_of(range(len(self.nodes)))

    @cached_property
    def children(self) -> Sequence[Sequence[int]]:
        """Positions of each node's children."""
        children: list[list[int]] = [[] for _ in self.nodes]
        for position in range(1, len(self.nodes)):
            children[self.parents[position]].append(position)
        return children

    @cached_property
    def tagged(self) -> Mapping[str, Sequence[int]]:
        """Positions of the nodes with each tag."""
        positions: dict[str, list[int]] = defaultdict(list)
        for position, node in enumerate(self.nodes):
            positions[node.tag].append(position)
        return positions

    @cached_property
    def names(self) -> frozenset[str]:
        """The places of the page that links may lead to."""
        return frozenset(name for node in self.nodes for name in (node.get("id"), node.get("name")) if name)

    @cached_property
    def titles(self) -> frozenset[str]:
        """The page's title, and its headings that are part of the title, folded: the possible titles of the post."""
        title = fold(" ".join((self.tree.findtext(".//title") or "").split()))
        headings = {
            fold(text) for node, text in zip(self.nodes, self.texts, strict=True) if text and node.tag in HEADINGS
        }
        return frozenset(text for text in (title, *headings) if text and text in title)

    def own_runs(self, position: int) -> Iterator[int]:
        """The numbers of the texts directly in a node, in document order."""
        yield 2 * position
        for child in self.children[position]:
            yield 2 * child + 1

    def texts_of(self, positions: Sequence[int]) -> list[str | None]:
        """The texts of nodes, given in document order, without the text of nodes that are not given. O(n)."""
        rest: dict[int, list[str]] = {}
        texts: list[str | None] = [None] * len(positions)
        too_long: set[int] = set()
        for index in range(len(positions) - 1, -1, -1):
            position = positions[index]
            parent = self.parents[position]
            if position in too_long:
                too_long.add(parent)
                continue
            raw = self.runs[2 * position]
            if position in rest:
                raw += "".join(reversed(rest.pop(position)))
            text = " ".join(raw.split())
            if len(text) > SHORT:
                too_long.add(parent)
                rest.pop(parent, None)
                continue
            texts[index] = text
            if parent >= 0 and parent not in too_long:
                line = f" {text} " if self.nodes[position].tag in LINES else self._in_line(raw, text)
                rest.setdefault(parent, []).extend((self.runs[2 * position + 1], line))
        return texts

    @staticmethod
    def _in_line(raw: str, text: str) -> str:
        if not text:
            return " " if raw else ""
        return f"{' ' * raw[0].isspace()}{text}{' ' * raw[-1].isspace()}"

    @cached_property
    def anchors(self) -> dict[int, str]:
        """The innermost nodes with a day, in document order, each with the text of the day."""
        anchors: dict[int, str] = {}
        holds: set[int] = set()
        for position in range(len(self.nodes) - 1, -1, -1):
            text = self.day_at(position, alone=position not in holds)
            if text is not None:
                anchors[position] = text
            if (text is not None or position in holds) and self.parents[position] >= 0:
                holds.add(self.parents[position])
        return {position: anchors[position] for position in sorted(anchors)}

    @cached_property
    def _own_days(self) -> dict[int, str]:
        """The first text of each node itself with a date."""
        days: dict[int, str] = {}
        for number, run in enumerate(self.runs):
            if run and (text := " ".join(run.split())) and self.states_day(text):
                days.setdefault(self.parents[number // 2] if number % 2 else number // 2, text)
        return days

    def day_at(self, position: int, *, alone: bool = True) -> str | None:
        """The attribute or text of a node that states a day; with `alone`, its whole text; None if there is none."""
        key = (position, alone)
        if key not in self._days:
            self._days[key] = self._day_at(position, alone=alone)
        return self._days[key]

    def _day_at(self, position: int, *, alone: bool) -> str | None:
        node = self.nodes[position]
        if self._is_source[position]:
            return None
        if node.tag in STATING:
            for name in STATED:
                value = " ".join(value.split()) if (value := node.get(name)) else ""
                if value and len(value) <= SHORT and could_be_date(value) and self.reader.spans(value):
                    return value
        if position in self._own_days:
            return self._own_days[position]
        whole = self.texts[position] if alone else None
        return whole if whole and self.states_day(whole) else None

    def states_day_alone(self, position: int) -> bool:
        """True if a node states a day and none of its descendants does. O(n) in its content, which is a short text at
        most."""
        if self.day_at(position, alone=False) is not None:
            return True
        if self.day_at(position) is None:
            return False
        return all(self.day_at(inner) is None for inner in range(position + 1, self.ends[position]))

    def is_subject(self, text: str) -> bool:
        """True if a text is the title of the post, or the subject of an answer to it."""
        folded = fold(text)
        return folded in self.titles or ANSWER.sub("", folded, count=1) in self.titles

    def states_day(self, text: str) -> bool:
        """True if a short text states a day, or a time relative to today."""
        if len(text) > SHORT:
            return False
        if could_be_date(text):
            return bool(self.reader.spans(text))
        return len(text) <= COUNTED and self.reader.counted(text) is not None

    def paths(
        self, positions: Sequence[int], roots: Sequence[int], head: int | None = None, *, is_run: bool = False
    ) -> list[str]:
        """For nodes in document order, the path of each below the roots of a comment; several roots if `is_run`. O(n).
        `head` is the root with the day, whose classes may differ between comments."""
        known = dict.fromkeys(roots, "")
        before: dict[int, Counter[str]] = defaultdict(Counter)
        paths = []
        for position in positions:
            if position in known and not is_run:
                path = ""
            elif position == head:
                path = f">{self.nodes[position].tag}.{HEAD}"
            else:
                above = known.get(self.parents[position], "") if position not in known else ""
                path = path_below(above, self.nodes[position], before[self.parents[position]])
            known[position] = path
            paths.append(path)
        return paths


def day_line(view: View, anchor: int) -> frozenset[int]:
    """The numbers of the texts in the line with a node's day; all of its texts if an attribute states the day. O(n)."""
    whole: list[int] = []
    for line in _lines(view, anchor):
        if any(view.states_day(" ".join(view.runs[run].split())) for run in line if view.runs[run]):
            return frozenset(line)
        whole += line
    return frozenset(whole)


def _lines(view: View, top: int) -> Iterator[list[int]]:
    line: list[int] = []
    around: list[int] = []
    for position in range(top, view.ends[top] + 1):
        while around and (position == view.ends[top] or position >= view.ends[around[-1]]):
            closed = around.pop()
            if closed == top:
                break
            if view.nodes[closed].tag in BREAKS:
                yield line
                line = []
            line.append(2 * closed + 1)
        if position == view.ends[top]:
            break
        if view.nodes[position].tag in BREAKS:
            yield line
            line = []
        line.append(2 * position)
        around.append(position)
    yield line


@lru_cache(maxsize=1 << 12)
def _tokens(classes: str) -> frozenset[str]:
    return frozenset([token for token in SPACE.split(classes) if steady(token)][:MOST_TOKENS])


def tokens_of(node: HtmlElement) -> frozenset[str]:
    """The classes of an element that other pages may have, too."""
    classes = node.get("class")
    return _tokens(classes) if classes else frozenset()


@lru_cache(maxsize=1 << 12)
def _form(tag: str, classes: str) -> str:
    first = next((token for token in SPACE.split(classes) if steady(token)), "")
    return f"{tag}.{first}" if first else tag


def form_of(node: HtmlElement) -> str:
    """Tag and first class, as in CSS."""
    return _form(node.tag, node.get("class") or "")


def path_below(above: str, node: HtmlElement, before: Counter[str]) -> str:
    """The path of a node, from the path of its parent and the number of earlier siblings of each form."""
    if above.count(">") >= DEEPEST:
        return above
    form = form_of(node)
    if form not in PLACED:
        return f"{above}>{form}"
    before[form] += 1
    return f"{above}>{form}" if before[form] == 1 else f"{above}>{form}[{min(before[form], MOST_COUNTED)}]"


def context_of(view: View, position: int) -> str:
    """The context of a list: the tags up to the next element with a class or id, and that name; or up to the root."""
    steps: list[str] = []
    for level, above in enumerate(view.around(position)):
        node = view.nodes[above]
        name = node.get("id") or ""
        if steady(name):
            return ">".join([f"{node.tag}#{name}", *reversed(steps)])
        if tokens_of(node) or level >= HIGHEST:
            return ">".join([form_of(node), *reversed(steps)])
        steps.append(node.tag)
    return ">".join(reversed(steps))
