"""Rules for short texts: a node, and the marks around the value in its text.

The texts before and behind the value in "Posted on 2 May 2014 by Ann in News", " by " and " in ", are its marks: a
left-right wrapper (Kushmerick, "Wrapper induction", 2000) inside the node that the rule finds.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.people import is_joint
from blogcrawler.serialise import INLINE
from blogcrawler.wrapper.core.induce import Learned  # noqa: TC001  (serialise)
from blogcrawler.wrapper.core.json_ld import unescaped
from blogcrawler.wrapper.core.nearness import Place, nearest_first
from blogcrawler.wrapper.core.rules import LINKED, OWN_TEXT, select
from blogcrawler.wrapper.core.values import value_at, values_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from lxml.html import HtmlElement

NEXT_WORD = re.compile(r"\s*(?:[^\W\d]+(?!\w)|[^\w\s]+)\s?")
LAST_WORD = re.compile(r"\s?(?:(?<!\w)[^\W\d]+|[^\w\s]+)\s*\Z")
PARTING = re.compile(r"[\s/|·•]*")
"""Separators between the items of a line."""
JOINING = ("&", "+")
"""Characters that replace a word, such as &: the text behind them belongs to the value."""
MARK_WORDS = 4
"""Maximum number of words and signs of a mark."""
AGREE = 0.8
"""Share of the texts that continue behind the value in which the mark must end it."""
MAX_NODES = 5
"""Maximum number of selected nodes that are tried until one has a value; more are a list."""


@dataclass(frozen=True)
class TextRule:
    """A learned rule, and the marks around the value in the text that it extracts."""

    learned: Learned = field(metadata=INLINE)
    #: the value begins after the first occurrence of this mark
    before: str = ""
    #: the value ends before this mark at the text's end, or else before its next occurrence
    after: str = ""
    #: whether a page may have several values side by side, though training pages have one
    several: bool = False
    #: which of several selected nodes it uses
    place: Place = "first"
    #: folded texts that it finds on pages without the value: the blog's name
    of_site: tuple[str, ...] = ()

    def extract(self, tree: HtmlElement, article: HtmlElement | None = None) -> str | None:
        """The value in a page, chosen with the help of the article's container; None if the rule finds none."""
        for node in self._nodes(tree, article):
            text = self.trim(value_at(node, self.learned.rule.attribute))
            if text:
                return text
        return None

    def extract_all(self, tree: HtmlElement, article: HtmlElement | None = None) -> list[str]:
        """The distinct values in a page: of the first node with a value, and of nodes joined to it by "and" or the
        like."""
        nodes = self._nodes(tree, article)
        if self.learned.rule.attribute.startswith(LINKED):
            texts = values_at(nodes, self.learned.rule.attribute)
        else:
            first = next((node for node in nodes if self.trim(value_at(node, self.learned.rule.attribute))), None)
            beside = [node for node in nodes if _are_beside(node, first)]
            if first is not None and len(beside) > 1 and self.learned.rule.attribute in {"", OWN_TEXT}:
                beside = _joined(beside, first)
            texts = [value_at(node, self.learned.rule.attribute) for node in beside]
        values = list(dict.fromkeys(filter(None, map(self.trim, texts))))
        return values if self.several else values[:1]

    def _nodes(self, tree: HtmlElement, article: HtmlElement | None) -> list[HtmlElement]:
        return nearest_first(select(tree, self.learned.rule.xpath), article, self.place)[:MAX_NODES]

    def trim(self, text: str) -> str:
        """The text between the marks, unescaped; empty if the first mark is missing."""
        text = unescaped(text)
        if self.before:
            _, mark, text = text.partition(self.before)
            if not mark:
                return ""
        return _cut(text, self.after).strip()


def _are_beside(node: HtmlElement, first: HtmlElement | None) -> bool:
    """True for the first node, for its siblings, and for nodes that are alone in items of the same list."""
    if first is None or node is first:
        return node is first
    item, other = node.getparent(), first.getparent()
    if item is None or other is None or item is other:
        return item is other
    return len(item) == len(other) == 1 and item.getparent() is other.getparent()


def _joined(beside: Sequence[HtmlElement], first: HtmlElement) -> list[HtmlElement]:
    """The nodes that are joined to the first one without other words between: a name after "edited by" is no
    author's."""
    box = first.getparent()
    if box is not None and any(node.getparent() is not box for node in beside):
        box = box.getparent()
    runs: list[list[HtmlElement]] = []
    between: list[str] = []
    walk = etree.iterwalk(box, events=("start", "end", "comment"))
    for event, node in walk:
        if event != "start":
            between.append(node.tail or "")
        elif node not in beside:
            between.append(node.text or "")
        else:
            walk.skip_subtree()
            if not runs or not _is_between_names(" ".join(between)):
                runs.append([])
            runs[-1].append(node)
            between.clear()
    run = next(run for run in runs if first in run)
    return [node for node in beside if node in run]


def _is_between_names(text: str) -> bool:
    return PARTING.fullmatch(text) is not None or is_joint(text)


def learn_marks(pairs: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """Learn the texts before and behind the values from (text, value) pairs.

    Marks are as short as possible, and one word or sign if that locates the value: " at" and not " at January", which
    is true in this month only. The first mark is in all texts, since a text without it has no value, and in nearly all
    of them before the value. The other mark is in nearly all texts that continue behind the value.
    """
    parts = [
        parts_of_text
        for text, value in pairs
        if (parts_of_text := _split(unescaped(text), unescaped(value))) is not None
    ]
    goes_on = [after for _, _, after in parts if after]
    first = _agreed([marks_before(before) for before, _, _ in parts], AGREE * len(parts))
    last = _agreed([_marks_after(after) for after in goes_on], max(AGREE * len(goes_on), len(parts) / 2))
    return (
        next((mark for mark in first if all(_begins(mark, part) for part in parts)), ""),
        _first_right(last, parts),
    )


def _split(text: str, value: str) -> tuple[str, str, str] | None:
    """A text in three parts: before the value, the value, and behind it. None if the value is not in it."""
    plain = re.escape(value)
    match = re.search(rf"(?<!\w){plain}(?!\w)", text, re.IGNORECASE) or re.search(plain, text, re.IGNORECASE)
    return (text[: match.start()], match[0], text[match.end() :]) if match else None


def _agreed(proposals: Sequence[Collection[str]], votes: float) -> list[str]:
    """The marks with enough votes, the shortest first."""
    count = Counter(mark for proposed in proposals for mark in proposed)
    return sorted((mark for mark, number in count.items() if number >= votes), key=lambda mark: (len(mark), mark))


def marks_before(text: str) -> list[str]:
    """The possible marks at the end of a text: of one word or sign, of two and so on."""
    marks: list[str] = []
    end = len(text)
    while len(marks) < MARK_WORDS and (match := LAST_WORD.search(text, 0, end)):
        end = match.start()
        marks.append(text[end:])
    return marks


def _marks_after(text: str) -> set[str]:
    """The possible marks at the start of a text, and the whole text."""
    marks: set[str] = set()
    end = 0
    if text.lstrip().startswith(JOINING):
        return marks
    while len(marks) < MARK_WORDS and (match := NEXT_WORD.match(text, end)):
        end = match.end()
        marks.add(text[:end])
    return marks | {text}


def _begins(mark: str, part: tuple[str, str, str]) -> bool:
    """True if a value begins behind the first occurrence of a mark, or with the mark if nothing precedes the value."""
    before, value, _ = part
    return before.find(mark) == len(before) - len(mark) if before else value.startswith(mark)


def _first_right(marks: Sequence[str], parts: Sequence[tuple[str, str, str]]) -> str:
    """The first mark that removes no part of the value from any text, or else from nearly all texts."""
    uncut = {mark: sum(len(_cut(value + after, mark)) >= len(value) for _, value, after in parts) for mark in marks}
    return next((mark for share in (1.0, AGREE) for mark in marks if uncut[mark] >= share * len(parts)), "")


def _cut(text: str, mark: str) -> str:
    """A text without the mark at its end; a text that continues behind the mark is cut at its first occurrence."""
    return text.removesuffix(mark) if not mark or text.endswith(mark) else text.partition(mark)[0]
