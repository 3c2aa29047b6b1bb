"""Lines, indentation, kept lines and rows of plain text: what `readable_text` writes with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Items in more lists than this are not indented further, so that indentation cannot outgrow the text.
_MAX_INDENTED = 8
#: Elements that make the table around them one that lays out a page.
_LAYOUT = frozenset({
    "article", "blockquote", "dl", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "pre", "section",
    "table", "textarea", "ul",
})  # fmt: skip
_PARAGRAPHS = frozenset({"p", "div"})
_CELLS = frozenset({"td", "th"})


class Writer:
    """Puts text on lines. White space collapses but for kept lines; gaps and markers wait until text follows."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        #: line ends that must precede the next text
        self._gap = 0
        self._space = False
        #: markers of the list items that are open, and how many of them need not be written any more
        self._markers: list[str] = []
        self._shown = 0
        #: how many elements that keep lines are open, and their text
        self._keeping = 0
        self._kept: list[str] = []
        #: None outside of rows, else whether the row has a cell already
        self._row: bool | None = None

    def result(self) -> str:
        """All that was written, without white space at the ends of lines."""
        return "\n".join(line.rstrip() for line in "".join(self._parts).split("\n")).strip("\n")

    @property
    def is_keeping(self) -> bool:
        """True inside an element that keeps lines."""
        return self._keeping > 0

    def text(self, text: str) -> None:
        """Write text of the page."""
        if self._keeping:
            self._kept.append(text)
            return
        words = text.split()
        self._space = self._space or text[:1].isspace()
        if words:
            self._write(" ".join(words))
            self._space = text[-1].isspace()

    def gap(self, line_ends: int) -> None:
        """A block begins or ends: at least so many line ends before the next text."""
        if self._keeping:
            if self._kept and not self._kept[-1].endswith("\n"):
                self._kept.append("\n")
        elif self._row is not None:
            self._space = True
        else:
            # The first block of a list item stands beside the marker.
            self._gap = max(self._gap, 1 if self._shown < len(self._markers) else line_ends)

    def line_end(self) -> None:
        """`br`: a line ends; two of them leave a blank line."""
        if self._keeping:
            self._kept.append("\n")
        elif self._row is not None:
            self._space = True
        else:
            self._gap = min(self._gap + 1, 2)

    def start_keeping(self) -> None:
        """From here to `end_keeping` white space is kept as it is."""
        self._keeping += 1

    def end_keeping(self) -> None:
        self._keeping -= 1
        if self._keeping:
            return
        lines = "".join(self._kept).replace("\r\n", "\n").rstrip().split("\n")
        self._kept.clear()
        first = next((number for number, line in enumerate(lines) if line.strip()), None)
        if first is not None:
            margin = "\n" + self._margin(self._markers)
            self._write(margin.join(lines[first:]))

    def start_item(self, marker: str, *, is_first: bool) -> None:
        """An item of a list begins; only the first of a list may have a blank line before it."""
        self.gap(1)
        if not is_first:
            self._gap = 1
        self._markers.append(marker)

    def end_item(self) -> None:
        self._markers.pop()
        self._shown = min(self._shown, len(self._markers))
        self.gap(1)

    def start_row(self) -> None:
        """A row of a table of data begins: all that follows stands on one line."""
        self.gap(1)
        self._row = False

    def cell(self) -> None:
        """A cell of the row begins."""
        if self._row:
            self._space = True
            self._write("|")
            self._space = True
        self._row = True

    def end_row(self) -> None:
        self._row = None
        self.gap(1)

    def _write(self, text: str) -> None:
        if self._gap or not self._parts or self._shown < len(self._markers):
            self._break()
        elif self._space:
            self._parts.append(" ")
        self._space = False
        self._parts.append(text)

    def _break(self) -> None:
        """Begin the line that the next text stands on."""
        if self._parts:
            self._parts.append("\n" * max(self._gap, 1))
        if self._shown < len(self._markers):
            self._parts.append(self._margin(self._markers[:-1]) + self._markers[-1])
            self._shown = len(self._markers)
        else:
            self._parts.append(self._margin(self._markers))
        self._gap = 0

    @staticmethod
    def _margin(markers: list[str]) -> str:
        return " " * sum(map(len, markers[:_MAX_INDENTED]))


def data_tables(node: HtmlElement) -> set[HtmlElement]:
    """The tables below `node` that hold data: rows of several cells, and no blocks in them. O(n)."""
    if next(node.iter("table"), None) is None:
        return set()
    found = set()
    tables: list[_Table] = []
    for event, element in etree.iterwalk(node, events=("start", "end")):
        if event == "start":
            if tables:
                tables[-1].see(element.tag)
            if element.tag == "table":
                tables.append(_Table())
        elif element.tag == "table" and tables.pop().is_data:
            found.add(element)
    return found


class _Table:
    """What was seen of a table, to tell data from layout."""

    def __init__(self) -> None:
        self._is_layout = False
        self._cells = 0
        self._most_cells = 0
        self._paragraphs = 0

    def see(self, tag: object) -> None:
        """Take note of an element in the table, nested tables' content excepted."""
        if tag in _LAYOUT:
            self._is_layout = True
        elif tag == "tr":
            self._cells = 0
        elif tag in _CELLS:
            self._cells += 1
            self._most_cells = max(self._most_cells, self._cells)
            self._paragraphs = 0
        elif tag in _PARAGRAPHS:
            self._paragraphs += 1
            self._is_layout = self._is_layout or self._paragraphs > 1

    @property
    def is_data(self) -> bool:
        return not self._is_layout and self._most_cells > 1
