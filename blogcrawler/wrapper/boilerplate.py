"""Boilerplate that a feed has in its articles, as the pages have: calls to subscribe, boxes that software puts in.

The same text stands in many entries, word for word. Authors repeat themselves too: headings, and sentences with which
a section begins. So what recurs is boilerplate only where it is more than a few words, and either begins or ends the
entry, or is an element such as no text of the articles is in.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import BLOCKS
from blogcrawler.similarity import units
from blogcrawler.wrapper.recurring import MEDIA, PARTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Outline

__all__ = ["drop_boilerplate", "learn_boilerplate"]

LEAST, SHARE = 4, 0.5
"""Number and share of the entries that have the same text."""
WORDS = 8
"""Words, or characters of a script without spaces, of what recurs at one place: fewer are a heading, or a greeting."""
LONG = 6
"""Characters of a text between two tags, of which such a block has one at least."""

Form = tuple[object, str]


def learn_boilerplate(entries: Sequence[Outline]) -> frozenset[str]:
    """The texts of blocks that are boilerplate, of the articles that a feed brings. O(n)."""
    if len(entries) < LEAST:
        return frozenset()
    minimum = max(LEAST, SHARE * len(entries))
    runs = Counter(run for entry in entries for run in set(entry.runs))
    if not any(count >= minimum and len(run.strip()) >= LONG for run, count in runs.items()):
        return frozenset()  # the quick answer for most feeds
    texts = [_texts(entry) for entry in entries]
    counts = Counter(text for blocks in texts for text in set(blocks.values()))
    recurring = frozenset(text for text, count in counts.items() if count >= minimum)
    if not recurring:
        return recurring
    prepared = [_Entry(entry, blocks, recurring) for entry, blocks in zip(entries, texts, strict=True)]
    own_forms = {form for entry in prepared for form in entry.own_forms()}
    found = Counter(text for entry in prepared for text in entry.boilerplate(own_forms))
    return frozenset(text for text, count in found.items() if count >= minimum)


def drop_boilerplate(entry: Outline, known: Collection[str]) -> bool:
    """Drop from an entry's article, which is changed, the blocks with known texts; is anything dropped?

    An entry that has nothing else is left as it is. O(n).
    """
    texts = _texts(entry) if known else {}
    if known and any(text in known for text in texts.values()):
        return _Entry(entry, texts, known).drop()
    return False


def _texts(outline: Outline) -> dict[int, str]:
    """The text of each block that has any besides that of the blocks in it, in document order."""
    block: list[int] = []
    pieces: dict[int, list[str]] = {}
    for position, (node, parent) in enumerate(zip(outline.nodes, outline.parents, strict=True)):
        block.append(position if parent < 0 or node.tag in BLOCKS else block[parent])
    for number, run in enumerate(outline.runs):
        if run and not run.isspace():
            holder = outline.parents[number // 2] if number % 2 else number // 2
            pieces.setdefault(block[holder], []).append(run)
    return {position: " ".join(" ".join(pieces[position]).split()) for position in sorted(pieces)}


class _Entry:
    """An entry's article, and which of its blocks recur."""

    def __init__(self, outline: Outline, texts: dict[int, str], recurring: Collection[str]) -> None:
        self.outline, self.texts = outline, texts
        count = len(outline.nodes)
        #: do a node and all in it hold nothing but texts that recur?
        self.recurs = [position in texts and texts[position] in recurring for position in range(count)]
        own = [position in texts and not self.recurs[position] for position in range(count)]
        holds = self.recurs.copy()
        inside: list[bool] = []
        for position, (node, parent) in enumerate(zip(outline.nodes, outline.parents, strict=True)):
            inside.append(node.tag == "a" or (parent >= 0 and inside[parent]))
            own[position] |= node.tag in MEDIA and not inside[position]
        own[0] = True
        for position in range(count - 1, 0, -1):
            parent = outline.parents[position]
            own[parent] |= own[position]
            holds[parent] |= holds[position]
        self.holds_own = own
        self.holds_nothing_else = [held and not more for held, more in zip(holds, own, strict=True)]

    def own_forms(self) -> Iterator[Form]:
        """The forms of elements that hold text of the article."""
        for node, is_own in zip(self.outline.nodes, self.holds_own, strict=True):
            if is_own:
                yield _form(node)

    def boilerplate(self, own_forms: Collection[Form]) -> set[str]:
        """The texts that recur here as boilerplate does."""
        found: set[str] = set()
        blocks = list(self.texts)
        for recurs, group in groupby(blocks, key=self._is_whole):
            run = list(group)
            if not recurs or len(run) == len(blocks):
                continue
            if run[0] != blocks[0] and run[-1] != blocks[-1]:
                run = [position for position in run if self._is_set_apart(position, own_forms)]
            texts = [self.texts[position] for position in run]
            if sum(len(units(text)) for text in texts) >= WORDS:
                found.update(texts)
        return found

    def drop(self) -> bool:
        """Drop the outermost elements that hold nothing else; is any dropped?"""
        if not any(not recurs for recurs in map(self._is_whole, self.texts)):
            return False
        parents = self.outline.parents
        gone = [
            position
            for position in range(1, len(parents))
            if self._may_go(position) and not self._may_go(parents[position])
        ]
        for position in gone:
            self.outline.nodes[position].drop_tree()
        return bool(gone)

    def _is_whole(self, position: int) -> bool:
        """Is a block in an element, or one itself, that may go as a whole?"""
        while position > 0 and self.holds_nothing_else[position]:
            if self._may_go(position):
                return True
            position = self.outline.parents[position]
        return False

    def _may_go(self, position: int) -> bool:
        return self.holds_nothing_else[position] and self.outline.nodes[position].tag not in PARTS

    def _is_set_apart(self, position: int, own_forms: Collection[Form]) -> bool:
        """Is a block in an element of a form that no text of the articles has?"""
        while position > 0 and self.holds_nothing_else[position]:
            if self._may_go(position) and _form(self.outline.nodes[position]) not in own_forms:
                return True
            position = self.outline.parents[position]
        return False


def _form(node: HtmlElement) -> Form:
    return node.tag, node.get("class") or ""
