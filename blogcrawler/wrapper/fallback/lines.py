"""The lines of a page: the texts between two line breaks as a browser shows them, in document order.

DGWC ("two-stage main-text extraction", section III) uses the lines of the HTML source. A minified page has a single
one, and an indented page has one for each tag; lines in blocks are the same for both.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.dom import is_hidden
from blogcrawler.dom.tags import BLOCKS, SILENT

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement

BRACKETS = 2
CLOSING = 3
ATTRIBUTE = 4
"""Number of characters of markup besides names and values: `<>`, `</>`, and the space, equals sign and quotes of an
attribute."""
VOIDS = frozenset(["br", "col", "embed", "hr", "img", "input", "source", "track", "wbr"])
"""Elements without an end tag."""


@dataclass(slots=True)
class Line:
    """A line of a page. Sizes are in characters, with white space collapsed."""

    #: index of its innermost block among the page's blocks
    block: int
    #: places of its texts: an element, and False for its text before the first child, or True for the text behind it
    runs: list[tuple[HtmlElement, bool]] = field(default_factory=list)
    #: its texts, as on the page
    texts: list[str] = field(default_factory=list)
    #: characters of text in links
    link_size: int = 0
    #: characters of the source, tags included
    html_size: int = 0
    links: int = 0
    images: int = 0
    #: its whole text, once it has ended
    text: str = ""


@dataclass(slots=True)
class Block:
    """A block-level element, and the lines in it."""

    element: HtmlElement
    #: index of the block around it; -1 for the root
    parent: int
    #: index of its first line, and the index after its last line
    start: int
    end: int = 0


class Lines:
    """The lines and blocks of a page without the elements in `left_out`. O(n) in its nodes and text."""

    def __init__(self, root: HtmlElement, left_out: Collection[HtmlElement] = ()) -> None:
        self.left_out = left_out
        self.lines: list[Line] = []
        #: in document order
        self.blocks: list[Block] = []
        self._open: list[int] = []
        self._line = Line(-1)
        self._links = 0
        #: elements that no reader sees
        self._skipped: set[HtmlElement] = set()
        self._read(root)

    def _read(self, root: HtmlElement) -> None:
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            if event == "start":
                if element.tag in SILENT or element in self.left_out or is_hidden(element):
                    self._skipped.add(element)
                    walk.skip_subtree()
                else:
                    self._start(element)
                continue
            if event == "end" and element not in self._skipped:
                self._end(element)
            if element.tail and element is not root:
                self._add(element, element.tail, is_tail=True)
        self._break()

    def _start(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag in BLOCKS:
            self._break()
            parent = self._open[-1] if self._open else -1
            self._open.append(len(self.blocks))
            self.blocks.append(Block(element, parent, len(self.lines)))
            self._line.block = self._open[-1]
        elif tag == "br":
            self._break()
        elif tag == "a":
            self._links += 1
            self._line.links += 1
        elif tag == "img":
            self._line.images += 1
        self._line.html_size += BRACKETS + len(tag)
        for name, value in element.items():
            self._line.html_size += ATTRIBUTE + len(name) + len(value)
        if element.text:
            self._add(element, element.text, is_tail=False)

    def _end(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag not in VOIDS:
            self._line.html_size += CLOSING + len(tag)
        if tag in BLOCKS:
            self._break()
            self.blocks[self._open.pop()].end = len(self.lines)
            self._line.block = self._open[-1] if self._open else -1
        elif tag == "a":
            self._links -= 1

    def _add(self, element: HtmlElement, text: str, *, is_tail: bool) -> None:
        line = self._line
        line.runs.append((element, is_tail))
        line.texts.append(text)
        size = len(" ".join(text.split()))
        line.html_size += size
        if self._links:
            line.link_size += size

    def _break(self) -> None:
        """End a line; a line without text is dropped, with its counted markup."""
        line = self._line
        line.text = " ".join("".join(line.texts).split())
        if line.text:
            self.lines.append(line)
        self._line = Line(self._open[-1] if self._open else -1)
