"""Write plain text with lines, indentation, preformatted lines and table rows, for `readable_text`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.html import HtmlElement

#: Maximum depth of lists that is indented, so that indentation cannot exceed the text.
_MAX_INDENTED = 8
#: Elements in a table that show that the table lays out a page.
_LAYOUT = frozenset({
    "article", "blockquote", "dl", "figure", "form", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "ol", "pre", "section",
    "table", "textarea", "ul",
})  # fmt: skip
_PARAGRAPHS = frozenset({"p", "div"})
_CELLS = frozenset({"td", "th"})


class Writer:
    """Writes text in lines. White space is collapsed except in preformatted text. Gaps and list markers are written
    when text follows."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        #: line ends that must precede the next text
        self._gap = 0
        self._space = False
        #: markers of the open list items, and the number of them that are already written
        self._markers: list[str] = []
        self._shown = 0
        #: number of open elements with preformatted text, and that text
        self._keeping = 0
        self._kept: list[str] = []
        #: None outside of rows, otherwise True if the row already has a cell
        self._row: bool | None = None

    def result(self) -> str:
        """The written text, without white space at the ends of lines."""
        return "\n".join(line.rstrip() for line in "".join(self._parts).split("\n")).strip("\n")

    @property
    def is_keeping(self) -> bool:
        """True inside preformatted text."""
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
        """Begin or end a block: put at least this many line ends before the next text."""
        if self._keeping:
            if self._kept and not self._kept[-1].endswith("\n"):
                self._kept.append("\n")
        elif self._row is not None:
            self._space = True
        else:
            # The first block of a list item is on the marker's line.
            self._gap = max(self._gap, 1 if self._shown < len(self._markers) else line_ends)

    def line_end(self) -> None:
        """End a line at a `br`; two of them make a blank line."""
        if self._keeping:
            self._kept.append("\n")
        elif self._row is not None:
            self._space = True
        else:
            self._gap = min(self._gap + 1, 2)

    def start_keeping(self) -> None:
        """Keep white space unchanged until `end_keeping`."""
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
        """Begin a list item; only the first of a list may have a blank line before it."""
        self.gap(1)
        if not is_first:
            self._gap = 1
        self._markers.append(marker)

    def end_item(self) -> None:
        self._markers.pop()
        self._shown = min(self._shown, len(self._markers))
        self.gap(1)

    def start_row(self) -> None:
        """Begin a row of a data table, which is one line."""
        self.gap(1)
        self._row = False

    def cell(self) -> None:
        """Begin a cell of the row."""
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
        """Begin the line of the next text."""
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
    """The data tables in `node`: their rows have several cells, and the cells have no blocks. O(n)."""
    if next(node.iter("table"), None) is None:
        return set()
    data = set()
    tables: list[_Table] = []
    for event, element in etree.iterwalk(node, events=("start", "end")):
        if event == "start":
            if tables:
                tables[-1].see(element.tag)
            if element.tag == "table":
                tables.append(_Table())
        elif element.tag == "table" and tables.pop().is_data:
            data.add(element)
    return data


class _Table:
    """Features of a table that distinguish data from layout."""

    def __init__(self) -> None:
        self._is_layout = False
        self._cells = 0
        self._most_cells = 0
        self._paragraphs = 0

    def see(self, tag: object) -> None:
        """Note an element of the table; elements of nested tables are not passed."""
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
