"""The posts' own text in the blocks of a list: without titles, dates, links and what stands in other blocks too."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from blogcrawler.dates import could_be_date, find_dates
from blogcrawler.dom.tags import BLOCKS, HEADINGS, SILENT
from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

NUMBER = re.compile(r"\d+")
RECURS = 0.2
"""Share of a list's blocks in which a piece of text stands that is the template's."""
BYLINE = 80
"""Characters of a piece of text that says when and by whom a post was written."""
NAMES = 60
"""Characters of a piece that is made of links: tags, the number of comments."""


class Piece(NamedTuple):
    """A run of text that no block interrupts."""

    text: str
    #: characters of it in links
    linked: int
    in_heading: bool = False


def pieces(nodes: Iterable[HtmlElement]) -> list[Piece]:
    """The text of some elements, cut where blocks and lines begin or end. O(n)."""
    reader = _Reader()
    for node in nodes:
        reader.read(node)
    return reader.found


class _Reader:
    def __init__(self) -> None:
        self.found: list[Piece] = []
        self._run: list[str] = []
        self._linked = 0
        self._links = 0
        self._headings = 0

    def read(self, root: HtmlElement) -> None:
        walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
        for event, node in walk:
            is_break = node.tag in BLOCKS or node.tag == "br"
            if is_break:
                self._flush()
            if event == "start":
                self._links += node.tag == "a"
                self._headings += node.tag in HEADINGS
                if node.tag in SILENT:
                    walk.skip_subtree()
                else:
                    self._add(node.text)
                continue
            self._links -= node.tag == "a"
            self._headings -= node.tag in HEADINGS
            if node is not root:
                self._add(node.tail)
        self._flush()

    def _add(self, text: str | None) -> None:
        if text:
            self._run.append(text)
            self._linked += len(text.strip()) if self._links > 0 else 0

    def _flush(self) -> None:
        text = " ".join("".join(self._run).split())
        if text:
            self.found.append(Piece(text, self._linked, self._headings > 0))
        self._run.clear()
        self._linked = 0


def posts_text(blocks: Sequence[Sequence[Piece]], titles: Sequence[str]) -> list[str | None]:
    """For each block the post's text as paragraphs of HTML; None where it has none. O(n) in the text."""
    counts = Counter(form for block in blocks for form in {_form(piece.text) for piece in block})
    most = max(1, RECURS * len(blocks))
    known = frozenset(map(fold, titles))
    found = []
    for block in blocks:
        kept = [piece.text for piece in block if counts[_form(piece.text)] <= most and _is_text(piece, known)]
        found.append("".join(f"<p>{html.escape(text, quote=False)}</p>" for text in kept) or None)
    return found


def _form(text: str) -> str:
    """A text with all numbers alike: "3 comments" and "12 comments" are one of the template."""
    return NUMBER.sub("0", fold(text))


def _is_text(piece: Piece, titles: frozenset[str]) -> bool:
    text = piece.text
    if fold(text) in titles or (2 * piece.linked > len(text) and (piece.in_heading or len(text) <= NAMES)):
        return False
    return not (len(text) <= BYLINE and could_be_date(text) and find_dates(text))
