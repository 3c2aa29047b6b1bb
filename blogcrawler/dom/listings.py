"""Clean listings of program code: drop line numbers and buttons that pages show beside them.

Line numbers are recognised by their texts, in two forms: one element with only consecutive integers, beside an element
with as many lines; or elements of one form within a listing, one for each line, whose texts are consecutive integers.
If a page has a listing twice, once in a text field for copying, one of them is dropped.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.dom.tags import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.html import HtmlElement

_INTEGER = re.compile(r"\d{1,5}[.:|]?")
_MAY_COUNT = re.compile(r"\s*(?:\d|\Z)")
"""Start of a text that may be a line number, or that precedes elements with line numbers."""
_COLUMNS = ("td", "th", "div", "pre", "span", "code", "ul", "ol", "figure")
_CODE = ("pre", "code")
_CELLS = ("td", "th")
_BUTTON = 30
"""Maximum number of characters of a button beside a listing."""
_LEVELS = 3
"""Maximum number of levels between the numbers and the sibling of their listing."""
_EMPTY = 4
"""Maximum number of siblings that are searched for one with text."""
_LEAST = 3
"""Minimum number of lines with a gutter, if no element marks them as code."""


def clean_listings(root: HtmlElement) -> None:
    """Drop gutters, buttons and second copies of listings, in place; tables with code become a `pre`.

    O(n) in the nodes and text.
    """
    if next(root.iter("button", "table", "textarea", *_CODE), None) is None:
        return
    buttons = [button for button in root.iter("button") if len("".join(button.itertext())) <= _BUTTON]
    beside_code = {parent for parent in {button.getparent() for button in buttons} if _holds_code(parent)}
    for button in buttons:
        if button.getparent() in beside_code:
            button.drop_tree()
    for column in _number_columns(root):
        listing = _neighbour(column, root)
        if listing is not None and _is_aligned(column, listing):
            _drop_column(column, listing, root)
    for listing in list(root.iter(*_CODE)):
        if not any(above.tag in _CODE for above in listing.iterancestors()):
            _drop_numbers(listing)
    for table in list(root.iter("table")):
        if next(table.iter(*_CODE), None) is not None:
            _drop_numbers(table)
            _to_listing(table)
    for field in list(root.iter("textarea")):
        _drop_copy(field, root)


def _drop_copy(field: HtmlElement, root: HtmlElement) -> None:
    """Merge a text field and an element beside it with the same text into one listing."""
    letters = "".join("".join(field.itertext()).split())
    node = field
    for _ in range(_LEVELS if letters else 0):
        for backwards in (False, True):
            copy = _beside(node, backwards=backwards)
            if copy is not None and _has_text(copy, letters):
                if _holds_code(copy):
                    node.drop_tree()
                else:
                    field.tag = "pre"
                    copy.drop_tree()
                return
        parent = node.getparent()
        if parent is None or parent is root or not _has_text(parent, letters):
            return
        node = parent


def _beside(node: HtmlElement, *, backwards: bool) -> HtmlElement | None:
    """The next sibling with text, if there is no text between; None after a few empty siblings."""
    for beside in islice(node.itersiblings(preceding=backwards), _EMPTY):
        if ((beside if backwards else beside.getprevious()).tail or "").strip():
            return None
        if isinstance(beside.tag, str) and not _has_text(beside, ""):
            return beside
    return None


def _has_text(node: HtmlElement, letters: str) -> bool:
    """True if `letters` is the text of a node without white space; reads no more of it than needed."""
    position = 0
    for text in node.itertext():
        piece = "".join(text.split())
        if not letters.startswith(piece, position):
            return False
        position += len(piece)
    return position == len(letters)


def _holds_code(element: HtmlElement | None) -> bool:
    return element is not None and (element.tag in _CODE or next(element.iter("pre"), None) is not None)


def _number_columns(root: HtmlElement) -> list[HtmlElement]:
    """The outermost elements with only consecutive integers."""
    columns: list[HtmlElement] = []
    inside: set[HtmlElement] = set()
    for element in root.iter(*_COLUMNS):
        if element not in inside and element is not root and _numbers(element):
            columns.append(element)
            inside.update(element.iter())
    return columns


def _numbers(element: HtmlElement) -> int:
    """Number of consecutive integers in an element; 0 if it contains anything else."""
    if not _MAY_COUNT.match(element.text or ""):
        return 0
    count = first = 0
    for text in element.itertext() if len(element) else (element.text or "",):
        for word in text.split():
            if not _INTEGER.fullmatch(word):
                return 0
            number = int(word.rstrip(".:|"))
            first = number if not count else first
            if number != first + count:
                return 0
            count += 1
    return count


def _neighbour(column: HtmlElement, root: HtmlElement) -> HtmlElement | None:
    """The element after a column, or after an ancestor that contains only the column."""
    for _ in range(_LEVELS):
        following = column.getnext()
        if following is not None and isinstance(following.tag, str) and not (column.tail or "").strip():
            return following
        parent = column.getparent()
        if parent is None or parent is root or len(parent) > 1 or (parent.text or "").strip():
            return None
        column = parent
    return None


def _is_aligned(column: HtmlElement, listing: HtmlElement) -> bool:
    numbers, lines = _numbers(column), _lines(listing)
    if numbers == 1 and column.tag not in _CELLS:
        return False
    has_code = listing.tag in _CODE or next(listing.iter(*_CODE), None) is not None
    is_code = has_code or any(above.tag in _CODE for above in listing.iterancestors())
    tolerance = max(1, numbers // 20) if is_code else 0
    return abs(numbers - lines) <= tolerance and (is_code or numbers >= _LEAST)


def _lines(listing: HtmlElement) -> int:
    """Number of lines of a listing: the greatest of its text lines, blocks, and line breaks."""
    text = "".join(listing.itertext()).strip("\n").count("\n") + 1
    blocks = sum(
        1 for node in listing.iter(*BLOCKS) if (node is not listing and node.find("./*") is None) or _is_line(node)
    )
    return max(text, blocks, 1 + sum(1 for _ in listing.iter("br")))


def _is_line(node: HtmlElement) -> bool:
    """True if a block is one line: it contains elements, but no blocks."""
    return len(node) > 0 and not any(child.tag in BLOCKS or child.tag == "br" for child in node)


def _drop_column(column: HtmlElement, listing: HtmlElement, root: HtmlElement) -> None:
    table = next((above for above in column.iterancestors("table")), None)
    column.drop_tree()
    if table is not None and table is not root and table.getparent() is not None:
        cells = [cell for cell in table.iter("td", "th") if "".join(cell.itertext()).strip()]
        if len(cells) == 1:
            _replace(table, _as_pre(cells[0], listing))


def _as_pre(cell: HtmlElement, listing: HtmlElement) -> HtmlElement:
    """The listing of a cell: its `pre` with the whole text, or a new `pre` with its lines."""
    whole = "".join(cell.itertext()).strip()
    for pre in cell.iter("pre"):
        if "".join(pre.itertext()).strip() == whole:
            return pre
    made: HtmlElement = listing.makeelement("pre")
    made.text = "\n".join(_texts_of_lines(cell)).strip("\n")
    return made


def _texts_of_lines(cell: HtmlElement) -> Iterator[str]:
    lines = [node for node in cell.iter(*BLOCKS) if node is not cell and (_is_line(node) or not len(node))]
    if not lines:
        yield "".join(cell.itertext()).replace("\xa0", " ")
    for line in lines:
        yield "".join(line.itertext()).replace("\xa0", " ").rstrip()


def _drop_numbers(listing: HtmlElement) -> None:
    numbers: dict[tuple[str, str], list[HtmlElement]] = defaultdict(list)
    for node in listing.iter("span", "td", "th", "a", "div", "i", "b", "em", "code"):
        text = node.text
        if text and _INTEGER.fullmatch(text.strip()) and not len(node):
            numbers[node.tag, (node.get("class") or "").strip()].append(node)
    for nodes in numbers.values():
        if len(nodes) > 1 and _count_up(nodes) and abs(len(nodes) - _lines(listing)) <= max(1, len(nodes) // 20):
            for node in nodes:
                node.drop_tree()


def _count_up(nodes: Sequence[HtmlElement]) -> bool:
    values = [int((node.text or "").strip().rstrip(".:|")) for node in nodes]
    return all(after == before + 1 for before, after in zip(values, islice(values, 1, None), strict=False))


def _to_listing(table: HtmlElement) -> None:
    """Replace a table with only one line of code in each row by a `pre`."""
    if table.getparent() is None:
        return
    lines = []
    for row in table.iter("tr"):
        cells = [cell for cell in row if "".join(cell.itertext()).strip()]
        if len(cells) > 1 or any(child.tag not in _CODE for cell in cells for child in cell):
            return
        text = "".join(cells[0].itertext()) if cells else ""
        if any((cell.text or "").strip() for cell in cells) or "\n" in text.strip("\n"):
            return
        lines.append(text.strip("\n").rstrip())
    if len(lines) > 1:
        pre = table.makeelement("pre")
        pre.text = "\n".join(lines)
        _replace(table, pre)


def _replace(old: HtmlElement, new: HtmlElement) -> None:
    parent = old.getparent()
    if parent is None:
        return
    tail = old.tail
    parent.replace(old, new)
    new.tail = tail
