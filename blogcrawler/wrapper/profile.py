"""What learning needs to know of each node of a page, gathered in one post-order traversal (Algorithm 2 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml.etree import iterwalk

from blogcrawler.dom.tags import BLOCKS, SILENT
from blogcrawler.similarity import Alphabet

if TYPE_CHECKING:
    from lxml.html import HtmlElement

__all__ = ["SHORT", "Profile", "following_text", "leading_text"]

SHORT = 400
"""Characters: a node with more text than this is no title, author or date, so its text is not kept."""


def leading_text(node: HtmlElement) -> str:
    """The text of a node before its first child element; comments end no text."""
    return _through_comments(node.text, node[0] if len(node) else None)


def following_text(node: HtmlElement) -> str:
    """The text between a node and the next sibling that is an element; comments end no text."""
    return _through_comments(node.tail, node.getnext())


def _through_comments(text: str | None, sibling: HtmlElement | None) -> str:
    text = text or ""
    while sibling is not None and not isinstance(sibling.tag, str):
        text += sibling.tail or ""
        sibling = sibling.getnext()
    return text


class Profile:
    """The nodes of a page in document order, and for each what its subtree holds.

    All attributes are lists with one value a node. O(n) in the text and nodes of the page: each character is read once,
    and joining two sets of bigrams has a bounded cost.
    """

    def __init__(self, root: HtmlElement, alphabet: Alphabet | None = None) -> None:
        self.alphabet = alphabet or Alphabet()
        self.nodes: list[HtmlElement] = []
        #: position of the parent; -1 for the root
        self.parents: list[int] = []
        #: position after the last descendant
        self.ends: list[int] = []
        #: set of bigrams of the subtree's visible text
        self.bigrams: list[int] = []
        #: characters of visible text, and those of them inside links
        self.sizes: list[int] = []
        self.link_sizes: list[int] = []
        #: visible text of the subtree with white space collapsed; None where it is longer than SHORT
        self.texts: list[str | None] = []
        #: text before the first child element, as it stands in the page; None where there is no child
        self.leads: list[str | None] = []
        #: text pieces that stand in the node itself, not in a child
        self.pieces: list[list[str]] = []
        self._gather(root)

    def __len__(self) -> int:
        return len(self.nodes)

    def subtree(self, position: int) -> range:
        """Positions of a node and its descendants."""
        return range(position, self.ends[position])

    def is_shell(self, position: int) -> bool:
        """Is all text of a node that of its first child?"""
        return position + 1 < self.ends[position] and self.sizes[position + 1] == self.sizes[position]

    def distances(self, position: int) -> list[int]:
        """Number of edges between each node and one of them. O(n)."""
        above: dict[int, int] = {}
        steps, ancestor = 0, position
        while ancestor >= 0:
            above[ancestor] = steps
            steps, ancestor = steps + 1, self.parents[ancestor]
        found: list[int] = []
        for number, parent in enumerate(self.parents):
            found.append(above[number] if number in above else found[parent] + 1)
        return found

    def _gather(self, root: HtmlElement) -> None:
        open_nodes: list[int] = []
        parts: list[list[str]] = []
        silent, text = 0, ""
        for event, node in iterwalk(root, events=("start", "end", "comment", "pi")):
            if event == "start":
                if open_nodes and self.leads[open_nodes[-1]] is None:
                    self.leads[open_nodes[-1]] = text
                if text and not silent:
                    self._read(open_nodes[-1], text, parts[-1])
                tag = node.tag
                self._append(node, open_nodes[-1] if open_nodes else -1)
                open_nodes.append(len(self.nodes) - 1)
                parts.append([])
                silent += tag in SILENT
                text = node.text or ""
            elif event == "end":
                position = open_nodes.pop()
                if text and not silent:
                    self._read(position, text, parts[-1])
                self._end(position, node.tag, parts)
                silent -= node.tag in SILENT
                text = node.tail or ""
            elif node.tail:  # a comment ends no text
                text += node.tail

    def _end(self, position: int, tag: str, parts: list[list[str]]) -> None:
        text = self._close(position, parts.pop())
        if parts:
            self._join(self.parents[position], position, link=tag == "a")
            if tag not in SILENT:
                parts[-1].append(f" {text} " if tag in BLOCKS or tag == "br" else text)

    def _append(self, node: HtmlElement, parent: int) -> None:
        self.nodes.append(node)
        self.parents.append(parent)
        self.ends.append(0)
        self.bigrams.append(0)
        self.sizes.append(0)
        self.link_sizes.append(0)
        self.texts.append(None)
        self.leads.append(None)
        self.pieces.append([])

    def _read(self, position: int, text: str, parts: list[str]) -> None:
        folded, bigrams = self.alphabet.read(text)
        if folded:
            self.bigrams[position] |= bigrams
            self.sizes[position] += len(folded)
            self.pieces[position].append(folded)
        parts.append(text if len(text) <= 4 * SHORT else text[: 4 * SHORT])

    def _close(self, position: int, parts: list[str]) -> str:
        self.ends[position] = len(self.nodes)
        if self.sizes[position] > SHORT:
            return ""
        text = "".join(parts)
        self.texts[position] = " ".join(text.split())
        return text

    def _join(self, parent: int, child: int, *, link: bool) -> None:
        self.bigrams[parent] |= self.bigrams[child]
        self.sizes[parent] += self.sizes[child]
        self.link_sizes[parent] += self.sizes[child] if link else self.link_sizes[child]
