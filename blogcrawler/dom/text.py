"""The visible text of nodes: on one line, or in lines and blocks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from blogcrawler.dom.layout import Writer, data_tables
from blogcrawler.dom.tags import BLOCKS, LINE_KEEPING, SILENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

#: Blocks that are separated by a blank line; other blocks only start a new line.
_SPACED = LINE_KEEPING | frozenset({
    "h1", "h2", "h3", "h4", "h5", "h6", "address", "article", "aside", "blockquote", "details", "dialog", "dl",
    "fieldset", "figcaption", "figure", "footer", "header", "hgroup", "hr", "main", "nav", "p", "search", "section",
    "table",
})  # fmt: skip
_LISTS = frozenset({"ol", "ul", "menu", "dir"})
_ROW = frozenset({"tr", "td", "th"})
#: Elements that start or end a line; all others are inline.
_LAID_OUT = BLOCKS | {"br"}
#: Elements whose text `shown_text` returns; XPaths of the texts in a drawing.
_DRAWN = frozenset({"svg", "input"})
_WORDS = ".//text//text()|.//foreignobject//text()"
_SAID = f".//title//text()|.//desc//text()|{_WORDS}"
_INTEGER = re.compile(r"\s*(-?\d{1,6})")
_BEGIN = re.compile(r"\s*[\[(]\s?(?:…|\.\.\.)\s?[\])]")
_END = re.compile(r"[\[(]\s?(?:…|\.\.\.)\s?[\])]\s*$")
_AROUND = 40
"""Characters at both ends that are searched for an ellipsis."""
_LONGEST = 2000


class TextNode(NamedTuple):
    """A run of text in a tree."""

    #: the element that contains the text
    parent: HtmlElement
    #: the child of `parent` that the text follows; None for the text before the first child
    after: HtmlElement | None
    #: unchanged, with its white space
    text: str


def iter_text_nodes(node: HtmlElement) -> Iterator[TextNode]:
    """The visible texts in `node`, in document order, including those of white space only. O(n)."""
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
    """The text of `node` on one line: white space is collapsed, and blocks and lines are separated by a space.

    Left out are scripts, styles, templates, `noscript`, drawings, embedded documents, the options of a `select`, and
    the head, unless `node` is in the head. Reading stops after `most_nodes` elements. O(n).
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
    """The text of `node` in lines: blocks are separated by blank lines; no word is added.

    A list item starts a line with "- " or its number, indented by its depth. `pre` keeps its lines and indentation. A
    row of a data table is one line, with " | " between the cells; tables that lay out a page (with blocks in their
    cells) are read as blocks. `br` ends a line. Drawings and check boxes are replaced by their `shown_text`. Otherwise
    the same elements as in `inline_text` are left out, and alternative texts of images. O(n).
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
    """The text for a drawing or a check box. A drawing gives its words, and its label and titles unless it is in a
    link; no text if it is hidden or in a button. A check box at the start of a line gives "[x]" or "[ ]". O(n).
    """
    if element.tag == "input":
        is_box = (element.get("type") or "").strip().lower() == "checkbox" and _begins_line(element)
        return "" if not is_box else "[ ]" if element.get("checked") is None else "[x]"
    if element.get("aria-hidden") == "true" or next(element.iterancestors("button"), None) is not None:
        return ""
    is_link = next(element.iterancestors("a"), None) is not None
    texts = element.xpath(_WORDS) if is_link else (element.get("aria-label") or "", *element.xpath(_SAID))
    words = (" ".join(str(text).split()) for text in texts)
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
    """An open list with its next number; None for unnumbered lists."""

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
    """Converts the starts and ends of elements to lines."""

    def __init__(self, node: HtmlElement) -> None:
        self.writer = Writer()
        self._data_tables = data_tables(node)
        self._lists: list[_List] = []
        #: for each open table, True for a data table
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
