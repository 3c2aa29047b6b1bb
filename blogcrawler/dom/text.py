"""The text of nodes as a reader sees it: on one line, or laid out in blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from blogcrawler.dom.layout import Writer, data_tables
from blogcrawler.dom.tags import BLOCKS, LINE_KEEPING, SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

#: Blocks that are set off by a blank line; the others only begin a line.
_SPACED = LINE_KEEPING | frozenset({
    "h1", "h2", "h3", "h4", "h5", "h6", "address", "article", "aside", "blockquote", "details", "dialog", "dl",
    "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "hr", "main", "nav", "p", "search", "section",
    "table",
})  # fmt: skip
_LISTS = frozenset({"ol", "ul", "menu", "dir"})
_ROW = frozenset({"tr", "td", "th"})
#: Elements that begin or end a line; all others stand within one.
_LAID_OUT = BLOCKS | {"br"}
#: Elements that `shown_text` speaks for, the texts of a drawing, and what a check box marks.
_DRAWN = frozenset({"svg", "input"})
_WORDS = ".//text//text()|.//foreignobject//text()"
_SAID = f".//title//text()|.//desc//text()|{_WORDS}"
_INTEGER = re.compile(r"\s*(-?\d{1,6})")
_BEGIN = re.compile(r"\s*[\[(]\s?(?:…|\.\.\.)\s?[\])]")
_END = re.compile(r"[\[(]\s?(?:…|\.\.\.)\s?[\])]\s*$")
_AROUND = 40
"""Characters at both ends that are looked at."""
_LONGEST = 2000


class TextNode(NamedTuple):
    """A run of text in a tree."""

    #: the element that contains the text
    parent: HtmlElement
    #: the child of `parent` that the text follows; None for the text before the first child
    after: HtmlElement | None
    #: as it stands in the tree, with its white space
    text: str


def iter_text_nodes(node: HtmlElement) -> Iterator[TextNode]:
    """The texts below `node` that a reader sees, in document order, those of white space alone included. O(n)."""
    if node.tag in SILENT:
        return
    walk = etree.iterwalk(node, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event == "start":
            if element.tag in SILENT and element is not node:
                walk.skip_subtree()
            elif element.text:
                yield TextNode(element, None, element.text)
        elif element is not node and element.tail:
            parent = element.getparent()
            if parent is not None:
                yield TextNode(parent, element, element.tail)


def inline_text(node: HtmlElement, *, most_nodes: int | None = None) -> str:
    """The text of `node` on one line: white space collapsed, a space where a block or a line begins or ends.

    Silent are scripts, styles, templates, `noscript`, drawings, embedded documents and the choices of a `select`; so is
    all of the head but when `node` is itself in it. `most_nodes` stops after so many elements. O(n).
    """
    if not isinstance(node.tag, str):
        return ""
    if not len(node):
        return " ".join((node.text or "").split())
    parts = [node.text or ""]
    walk = etree.iterwalk(node, events=("start", "end", "comment", "pi"))
    for number, (event, element) in enumerate(walk):
        if element is node:
            continue
        if most_nodes is not None and number > 2 * most_nodes:
            break
        tag = element.tag
        if tag in BLOCKS or tag == "br":
            parts.append(" ")
        if event == "start":
            if tag in SILENT:
                walk.skip_subtree()
            else:
                parts.append(element.text or "")
        else:
            parts.append(element.tail or "")
    return " ".join("".join(parts).split())


def readable_text(node: HtmlElement) -> str:
    """The text of `node` laid out: blocks are separated by blank lines, and no word is added that the page has not.

    A list item has a line of its own that begins with "- " or its number, indented by its depth; `pre` keeps its lines
    and its indentation; a row of a table is a line, with " | " between the cells, but tables that lay out a page (with
    blocks in their cells) are read as blocks; `br` ends a line. Drawings and check boxes are read as `shown_text` says;
    else what is silent for `inline_text` is silent here, and so are the alternative texts of images. O(n).
    """
    if not isinstance(node.tag, str):
        return ""
    reader = _Reader(node)
    write = reader.writer.text
    walk = etree.iterwalk(node, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        tag = element.tag
        if event == "start":
            if tag in _DRAWN and (text := shown_text(element)):
                write(f" {text} ")
            if tag in SILENT and element is not node:
                walk.skip_subtree()
                continue
            if tag in _LAID_OUT:
                reader.start(element)
            if text := element.text:
                write(text)
        else:
            if tag in _LAID_OUT:
                reader.end(element)
            if element is not node and (text := element.tail):
                write(text)
    return reader.writer.result()


def shown_text(element: HtmlElement) -> str:
    """What is said by an element without text in the page: the words of a drawing that is no button's and not hidden
    from readers, its label if it is no link's, and "[x]" or "[ ]" for a check box with which a line begins. O(n).
    """
    if element.tag == "input":
        is_box = (element.get("type") or "").strip().lower() == "checkbox" and _begins_line(element)
        return "" if not is_box else "[ ]" if element.get("checked") is None else "[x]"
    if element.get("aria-hidden") == "true" or next(element.iterancestors("button"), None) is not None:
        return ""
    is_link = next(element.iterancestors("a"), None) is not None
    said = element.xpath(_WORDS) if is_link else (element.get("aria-label") or "", *element.xpath(_SAID))
    words = (" ".join(str(text).split()) for text in said)
    return " ".join(dict.fromkeys(filter(None, words)))


def _begins_line(element: HtmlElement) -> bool:
    while element.tag not in BLOCKS:
        parent, before = element.getparent(), element.getprevious()
        text = before.tail if before is not None else parent.text if parent is not None else None
        if (text or "").strip() or (before is not None and before.tag != "br" and before.tag not in BLOCKS):
            return False
        if parent is None or before is not None:
            break
        element = parent
    return element.tag != "form" and next(element.iterancestors("form"), None) is None


class _List:
    """A list that is being read: its next number, None where items have none."""

    def __init__(self, element: HtmlElement) -> None:
        self.items = 0
        self.number: int | None = None
        self.step = 1
        if element.tag == "ol":
            backwards = element.get("reversed") is not None
            self.step = -1 if backwards else 1
            start = _INTEGER.match(element.get("start") or "")
            length = sum(child.tag == "li" for child in element) if backwards and not start else 1
            self.number = int(start[1]) if start else length

    def marker(self, item: HtmlElement) -> str:
        """The marker before the next item."""
        self.items += 1
        if self.number is None:
            return "- "
        value = _INTEGER.match(item.get("value") or "")
        number = int(value[1]) if value else self.number
        self.number = number + self.step
        return f"{number}. "


class _Reader:
    """Turns the beginnings and ends of elements into lines."""

    def __init__(self, node: HtmlElement) -> None:
        self.writer = Writer()
        self._data_tables = data_tables(node)
        self._lists: list[_List] = []
        #: for every open table, True if it holds data
        self._tables: list[bool] = []

    def start(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag == "br":
            self.writer.line_end()
        elif tag == "li" and not self.writer.is_keeping:
            self._start_item(element)
        elif tag in _ROW and self._is_in_data():
            (self.writer.start_row if tag == "tr" else self.writer.cell)()
        elif tag in BLOCKS:
            self.writer.gap(self._gap(tag))
            if tag in _LISTS:
                self._lists.append(_List(element))
            elif tag == "table":
                self._tables.append(element in self._data_tables)
            elif tag in LINE_KEEPING:
                self.writer.start_keeping()

    def end(self, element: HtmlElement) -> None:
        tag = element.tag
        if tag == "li" and not self.writer.is_keeping:
            self.writer.end_item()
        elif tag in _ROW and self._is_in_data():
            if tag == "tr":
                self.writer.end_row()
        elif tag in BLOCKS:
            if tag in LINE_KEEPING:
                self.writer.end_keeping()
            elif tag == "table":
                self._tables.pop()
            elif tag in _LISTS:
                self._lists.pop()
            self.writer.gap(self._gap(tag))

    def _is_in_data(self) -> bool:
        return bool(self._tables and self._tables[-1])

    def _gap(self, tag: str) -> int:
        if tag in _LISTS:
            return 1 if self._lists else 2
        return 2 if tag in _SPACED else 1

    def _start_item(self, element: HtmlElement) -> None:
        if not self._lists:
            self.writer.start_item("- ", is_first=True)
            return
        is_first = not self._lists[-1].items
        self.writer.start_item(self._lists[-1].marker(element), is_first=is_first)


def is_excerpt(text: str) -> bool:
    """True for an excerpt such as "[…] as Ann wrote […]", the form of pingbacks."""
    return len(text) <= _LONGEST and _BEGIN.match(text[:_AROUND]) is not None and ends_cut(text)


def ends_cut(text: str) -> bool:
    """True if a text ends with an ellipsis in brackets."""
    return _END.search(text[-_AROUND:]) is not None
