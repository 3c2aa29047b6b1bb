"""The data of each node that learning needs, gathered in one post-order traversal (Algorithm 2 of the paper)."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import BLOCKS, SILENT
from blogcrawler.similarity import Alphabet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

    Form = tuple[str, str, str, str]

SHORT = 400
"""Maximum length, in characters, of a title, author or date; longer texts of nodes are not kept."""
LINES = BLOCKS | {"br"}
"""Elements with a space before and behind them in a text."""


def leading_text(node: HtmlElement) -> str:
    """The text of a node before its first child element; comments are skipped."""
    return _through_comments(node.text, node[0] if len(node) else None)


def following_text(node: HtmlElement) -> str:
    """The text between a node and the next sibling element; comments are skipped."""
    return _through_comments(node.tail, node.getnext())


def _through_comments(text: str | None, sibling: HtmlElement | None) -> str:
    text = text or ""
    while sibling is not None and not isinstance(sibling.tag, str):
        text += sibling.tail or ""
        sibling = sibling.getnext()
    return text


class Outline:
    """The nodes of a tree in document order, and the visible texts between them. O(n)."""

    def __init__(self, root: HtmlElement) -> None:
        self.nodes: list[HtmlElement] = []
        #: position of the parent; -1 for the root
        self.parents: list[int] = []
        self.positions: dict[HtmlElement, int] = {}
        #: text 2n is the text before the first child of node n, text 2n + 1 the text behind node n; invisible texts are
        #: empty
        self.runs: list[str] = []
        nodes, parents, positions, runs = self.nodes, self.parents, self.positions, self.runs
        seen: list[bool] = []
        #: for each node, the number of its last text
        latest: list[int] = []
        longer: dict[int, list[str]] = defaultdict(list)
        for node in root.iter():
            parent = positions.get(node.getparent(), -1)
            beside = parent >= 0 and seen[parent]
            if isinstance(node.tag, str):
                position = positions[node] = len(nodes)
                nodes.append(node)
                parents.append(parent)
                seen.append((beside or parent < 0) and node.tag not in SILENT)
                runs.append((seen[position] and node.text) or "")
                runs.append((beside and node.tail) or "")
                latest.append(2 * position)
                if beside:
                    latest[parent] = 2 * position + 1
            elif beside and node.tail:  # a comment does not end a text
                longer[latest[parent]].append(node.tail)
        for run, parts in longer.items():
            runs[run] += "".join(parts)

    @cached_property
    def ends(self) -> list[int]:
        """The position after the last descendant of each node."""
        ends = list(range(1, len(self.nodes) + 1))
        for position in range(len(ends) - 1, 0, -1):
            parent = self.parents[position]
            ends[parent] = max(ends[parent], ends[position])
        return ends

    def holder(self, run: int) -> int:
        """The position of the node that holds a text, given by its number."""
        return self.parents[run // 2] if run % 2 else run // 2

    def in_links(self) -> list[bool]:
        """For each node, True if it is a link or inside of one."""
        inside: list[bool] = []
        for node, parent in zip(self.nodes, self.parents, strict=True):
            inside.append(node.tag == "a" or (parent >= 0 and inside[parent]))
        return inside


class Profile:
    """The nodes of a page in document order, and for each the content of its subtree.

    All attributes are lists with one value for each node. O(n) in the text and nodes of the page: each character is
    read once, and joining two sets of bigrams has a bounded cost.
    """

    def __init__(self, root: HtmlElement, alphabet: Alphabet | None = None) -> None:
        outline = Outline(root)
        count = len(outline.nodes)
        self.alphabet = alphabet or Alphabet()
        self.nodes = outline.nodes
        #: place of each node in these lists
        self.positions = outline.positions
        #: position of the parent; -1 for the root
        self.parents = outline.parents
        #: position after the last descendant
        self.ends = outline.ends
        #: set of bigrams of the subtree's visible text
        self.bigrams = [0] * count
        #: characters of visible text, and of visible text in links
        self.sizes = [0] * count
        self.link_sizes = [0] * count
        #: texts directly in the node, not in a child
        self.pieces: list[list[str]] = [[] for _ in range(count)]
        self._read(outline)
        self._join()
        #: text before the first child element, as on the page; None without a child
        self.leads = [
            text if end > position else None
            for position, (text, end) in enumerate(zip(outline.runs[::2], self.ends, strict=True), start=1)
        ]
        #: visible text of the subtree with white space collapsed; None if it is longer than SHORT
        self.texts = self._texts(outline.runs)

    def __len__(self) -> int:
        return len(self.nodes)

    def subtree(self, position: int) -> range:
        """Positions of a node and its descendants."""
        return range(position, self.ends[position])

    def around(self, position: int) -> Iterator[int]:
        """Positions of a node and of the nodes around it, innermost first."""
        while position >= 0:
            yield position
            position = self.parents[position]

    def form_of(self, position: int) -> Form:
        """The form that similar siblings share: tag and class of the parent, own tag and first class."""
        parent, child = self.nodes[self.parents[position]], self.nodes[position]
        return parent.tag, parent.get("class") or "", child.tag, (child.get("class") or "").partition(" ")[0]

    def is_shell(self, position: int) -> bool:
        """True if all text of a node is in its first child."""
        return position + 1 < self.ends[position] and self.sizes[position + 1] == self.sizes[position]

    def distances(self, position: int) -> list[int]:
        """Number of edges between each node and the given one. O(n)."""
        above: dict[int, int] = {}
        steps, ancestor = 0, position
        while ancestor >= 0:
            above[ancestor] = steps
            steps, ancestor = steps + 1, self.parents[ancestor]
        steps_from: list[int] = []
        for number, parent in enumerate(self.parents):
            steps_from.append(above[number] if number in above else steps_from[parent] + 1)
        return steps_from

    def _read(self, outline: Outline) -> None:
        for number, run in enumerate(outline.runs):
            folded, bigrams = self.alphabet.read(run) if run else ("", 0)
            if folded:
                position = outline.holder(number)
                self.pieces[position].append(folded)
                self.sizes[position] += len(folded)
                self.bigrams[position] |= bigrams

    def _join(self) -> None:
        sets, sizes, link_sizes = self.bigrams, self.sizes, self.link_sizes
        for position in range(len(self.nodes) - 1, 0, -1):
            parent, size = self.parents[position], sizes[position]
            if size:
                sets[parent] |= sets[position]
                sizes[parent] += size
                link_sizes[parent] += size if self.nodes[position].tag == "a" else link_sizes[position]

    def _texts(self, runs: Sequence[str]) -> list[str | None]:
        sizes, parents = self.sizes, self.parents
        texts: list[str | None] = [None] * len(sizes)
        #: texts behind the first text of each node with a short text, the last one first
        rest: dict[int, list[str]] = defaultdict(list)
        for position in range(len(sizes) - 1, -1, -1):
            raw = ""
            if sizes[position] <= SHORT:
                raw = runs[2 * position]
                if position in rest:
                    raw += "".join(reversed(rest.pop(position)))
                text = texts[position] = " ".join(raw.split())
                if len(raw) > 2 * SHORT:
                    raw = f" {text} "  # mostly white space, which must not be carried up repeatedly
            parent = parents[position]
            if parent >= 0 and sizes[parent] <= SHORT:
                rest[parent] += runs[2 * position + 1], self._in_line(position, raw)
        return texts

    def _in_line(self, position: int, text: str) -> str:
        """The text of a node as it appears among its siblings."""
        tag = self.nodes[position].tag
        return f" {text} " if tag in LINES else "" if tag in SILENT else text
