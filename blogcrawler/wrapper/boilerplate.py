"""Boilerplate in a feed's articles, as the pages have it: calls to subscribe, boxes that software puts in.

The same text is in many entries, word for word. Authors repeat themselves too, so what recurs is boilerplate only where
it is more than a few words and marked: it has a link, or a class or id that no text of the articles has. Plain blocks
go with such an element at the very end or beginning of an entry, where it has too few words for itself, as a button.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import BLOCKS, HEADINGS
from blogcrawler.similarity import units
from blogcrawler.wrapper.recurring import MEDIA, PARTS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.profile import Outline

LEAST, NEARLY_ALL = 4, 0.8
"""Number and share of the entries that have the same text: what fewer have, an author may repeat in a series."""
WORDS = 8
"""Words, or characters of a script without spaces, of what recurs at one place: fewer are a heading, or a greeting."""
LONG = 6
"""Characters of a text between two tags, of which such a block has one at least."""

CONTROLS = frozenset(["a", "button", "form", "input"])


def learn_boilerplate(entries: Sequence[Outline]) -> frozenset[str]:
    """The texts of blocks that are boilerplate, of the articles that a feed brings. O(n)."""
    if len(entries) < LEAST:
        return frozenset()
    minimum = max(LEAST, NEARLY_ALL * len(entries))
    runs = Counter(run for entry in entries for run in set(entry.runs))
    if not any(count >= minimum and len(run.strip()) >= LONG for run, count in runs.items()):
        return frozenset()  # the quick answer for most feeds
    texts = [block_texts(entry) for entry in entries]
    counts = Counter(text for blocks in texts for text in set(blocks.values()))
    recurring = frozenset(text for text, count in counts.items() if count >= minimum)
    if not recurring:
        return recurring
    prepared = [_Entry(entry, blocks, recurring) for entry, blocks in zip(entries, texts, strict=True)]
    names = Counter(name for entry in prepared for name in entry.names_of_recurring)
    own = {name for entry in prepared for name in entry.own_names()}
    marks = {name for name, count in names.items() if count >= minimum and name not in own}
    found = Counter(text for entry in prepared for text in entry.boilerplate(marks))
    refrains = {text for entry in prepared for text in entry.refrains()}
    return frozenset(text for text, count in found.items() if count >= minimum and text not in refrains)


def drop_boilerplate(entry: Outline, known: Collection[str]) -> bool:
    """Drop from an entry's article, in place, the blocks with known texts; True if any is dropped. O(n).

    An entry that has nothing else is left as it is.
    """
    texts = block_texts(entry) if known else {}
    if known and any(text in known for text in texts.values()):
        return _Entry(entry, texts, known).drop()
    return False


def block_texts(outline: Outline) -> dict[int, str]:
    """The text of each block that has any besides that of the blocks in it, in document order."""
    block: list[int] = []
    pieces: dict[int, list[str]] = {}
    for position, (node, parent) in enumerate(zip(outline.nodes, outline.parents, strict=True)):
        block.append(position if parent < 0 or node.tag in BLOCKS else block[parent])
    for number, run in enumerate(outline.runs):
        if run and not run.isspace():
            pieces.setdefault(block[outline.holder(number)], []).append(run)
    return {position: " ".join(" ".join(pieces[position]).split()) for position in sorted(pieces)}


class _Entry:
    """An entry's article, and which of its blocks recur."""

    def __init__(self, outline: Outline, texts: dict[int, str], recurring: Collection[str]) -> None:
        self.outline, self.texts = outline, texts
        count = len(outline.nodes)
        #: whether a node and all in it hold nothing but texts that recur
        self.recurs = [position in texts and texts[position] in recurring for position in range(count)]
        own = [position in texts and not self.recurs[position] for position in range(count)]
        holds = self.recurs.copy()
        for position, (node, in_link) in enumerate(zip(outline.nodes, outline.in_links(), strict=True)):
            own[position] |= node.tag in MEDIA and not in_link
        own[0] = True
        #: whether a node has a link or a button, or a block in it
        self.has_control = [node.tag in CONTROLS for node in outline.nodes]
        self.has_block = [False] * count
        for position in range(count - 1, 0, -1):
            parent = outline.parents[position]
            own[parent] |= own[position]
            holds[parent] |= holds[position]
            self.has_control[parent] |= self.has_control[position]
            self.has_block[parent] |= self.has_block[position] or outline.nodes[position].tag in BLOCKS
        self.holds_own = own
        self.holds_nothing_else = [held and not more for held, more in zip(holds, own, strict=True)]
        #: whether the outermost element around a node that holds nothing else has a link or a button
        self.is_controlled = self.has_control.copy()
        for position, parent in enumerate(outline.parents):
            if parent >= 0 and self.holds_nothing_else[parent]:
                self.is_controlled[position] = self.is_controlled[parent]

    @cached_property
    def names_of_recurring(self) -> frozenset[str]:
        """The classes and ids of elements that hold nothing but texts that recur."""
        nodes = zip(self.outline.nodes, self.holds_nothing_else, strict=True)
        return frozenset(name for node, is_it in nodes if is_it for name in _element_names(node))

    def own_names(self) -> set[str]:
        """The classes and ids of elements with text of the article, and of plain ones that an entry has several of.

        Questions of an interview are such: the author's, of a class though they are.
        """
        found: set[str] = set()
        several: Counter[str] = Counter()
        for position, node in enumerate(self.outline.nodes):
            if self.holds_own[position]:
                found.update(_element_names(node))
            elif self.holds_nothing_else[position] and not self.is_controlled[position]:
                several.update(_element_names(node))
        return found | {name for name, count in several.items() if count > 1}

    def refrains(self) -> set[str]:
        """The texts that stand here several times, in no element with a link or a button."""
        counts = Counter(text for position, text in self.texts.items() if not self.is_controlled[position])
        return {text for text, count in counts.items() if count > 1}

    def boilerplate(self, marks: Collection[str] | None) -> set[str]:
        """The texts that recur here as boilerplate does."""
        return {self.texts[position] for position in self._found(marks)}

    def drop(self) -> bool:
        """Drop the outermost elements that hold nothing else; True if any is dropped."""
        found = self._found(None) | self._copies()
        if not found or len(found) == len(self.texts):
            return False
        parents = self.outline.parents
        #: nodes with a text in them that stays
        stays = [position in self.texts and position not in found for position in range(len(parents))]
        for position in range(len(parents) - 1, 0, -1):
            stays[parents[position]] |= stays[position]
        may_go = [self._may_go(position) and not stays[position] for position in range(len(parents))]
        gone = [position for position in range(1, len(parents)) if may_go[position] and not may_go[parents[position]]]
        for position in gone:
            self.outline.nodes[position].drop_tree()
        return bool(gone)

    def _found(self, marks: Collection[str] | None) -> set[int]:
        """The blocks that are boilerplate; any class or id is a mark where the marks are not told."""
        found: set[int] = set()
        blocks = list(self.texts)
        for recurs, group in groupby(blocks, key=self._is_whole):
            run = list(group)
            if not recurs or len(run) == len(blocks):
                continue
            if run[-1] == blocks[-1]:
                found.update(self._at_end(run[::-1], marks))
            elif run[0] == blocks[0]:
                found.update(self._at_beginning(run, marks))
            else:
                found.update(self._amid(run, marks))
        return found

    def _copies(self) -> set[int]:
        """The blocks with a link or a button, wherever they stand: an entry may say amid what it says at its end."""
        return {
            position
            for position in self.texts
            if self.is_controlled[position] and self._is_whole(position) and not self._is_heading(position)
            if self._words([position]) >= WORDS
        }

    def _at_end(self, run: Sequence[int], marks: Collection[str] | None) -> Sequence[int]:
        """Of blocks, the last first, those that are marked, the text above a mere button, and a heading above all."""
        count = self._marked(run, marks)
        if not count or self._is_heading(run[0]):
            return ()
        is_button = self._words(run[:count]) < WORDS
        if is_button and count < len(run) and not self._is_heading(run[count]):
            count += 1
        if self._words(run[:count]) < WORDS:
            return ()
        if count < len(run) and self._is_heading(run[count]):
            count += 1
        return run[:count]

    def _at_beginning(self, run: Sequence[int], marks: Collection[str] | None) -> Sequence[int]:
        """Of blocks, the first first, those that are marked; headings below them are what follows'."""
        count = self._marked(run, marks)
        while count and self._is_heading(run[count - 1]):
            count -= 1
        return run[:count] if self._words(run[:count]) >= WORDS else ()

    def _amid(self, run: Sequence[int], marks: Collection[str] | None) -> Sequence[int]:
        found = [position for position in run if self._is_marked(position, marks, is_amid=True)]
        return found if self._words(found) >= WORDS else ()

    def _marked(self, run: Sequence[int], marks: Collection[str] | None) -> int:
        """How many blocks are marked before the first that is not."""
        return next((number for number, block in enumerate(run) if not self._is_marked(block, marks)), len(run))

    def _is_marked(self, position: int, marks: Collection[str] | None, *, is_amid: bool = False) -> bool:
        """True if a block is in an element with a link or mark; amid the text, with a mark and more than a line."""
        nodes = self.outline.nodes
        while position > 0 and self.holds_nothing_else[position]:
            if self._may_go(position):
                names = _element_names(nodes[position])
                has_mark = bool(names) if marks is None else not names.isdisjoint(marks)
                has_more = self.has_control[position] or self.has_block[position]
                if (
                    (has_mark and has_more and nodes[position].tag not in HEADINGS)
                    if is_amid
                    else (has_mark or self.has_control[position])
                ):
                    return True
            position = self.outline.parents[position]
        return False

    def _is_heading(self, position: int) -> bool:
        return self.outline.nodes[position].tag in HEADINGS

    def _words(self, blocks: Sequence[int]) -> int:
        return sum(len(units(self.texts[position])) for position in blocks)

    def _is_whole(self, position: int) -> bool:
        """True if a block is in an element, or one itself, that may go as a whole."""
        while position > 0 and self.holds_nothing_else[position]:
            if self._may_go(position):
                return True
            position = self.outline.parents[position]
        return False

    def _may_go(self, position: int) -> bool:
        return self.holds_nothing_else[position] and self.outline.nodes[position].tag not in PARTS


def _element_names(node: HtmlElement) -> frozenset[str]:
    """The classes of an element, and its id after "#"."""
    names = (node.get("class") or "").split()
    return frozenset([*names, f"#{node.get('id')}"] if node.get("id") else names)
