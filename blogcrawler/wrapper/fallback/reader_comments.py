"""Recognise readers' comments on a page that no rule fits: siblings of one form that begin with a name and a day."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from blogcrawler.dates import count_back, find_dates
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.lazy import LazyModule
from blogcrawler.wrapper.core.bylines import is_called_box
from blogcrawler.wrapper.core.lists import ITEMS, form_of_item
from blogcrawler.wrapper.fallback.features import LONG

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Block, Lines
else:
    np = LazyModule("numpy")

HEAD = 4
"""Number of lines at the start of a comment that state its author and date."""
ADDRESS = ".//input[@type='email' or contains(@name, 'email') or contains(@name, 'EMAIL')]"


def comments_of(page: Lines, languages: Sequence[str]) -> set[HtmlElement]:
    """The elements of comment lists on a page in these languages; most of the comments in such a list are
    long. O(n)."""
    groups: dict[tuple[int, str, str], list[Block]] = defaultdict(list)
    for block in page.blocks:
        if block.element.tag in ITEMS and block.end > block.start:
            groups[block.parent, block.element.tag, form_of_item(block.element)].append(block)
    elements: set[HtmlElement] = set()
    for (parent, tag, form), blocks in groups.items():
        if len(blocks) < 2 or not all(_is_headed(page, block, form, languages) for block in blocks):
            continue
        ends = [*(block.start for block in blocks[1:]), page.blocks[parent].end] if tag == "dt" else None
        spans = zip(blocks, ends or (block.end for block in blocks), strict=True)
        long = sum(any(len(line.text) >= LONG for line in page.lines[block.start : end]) for block, end in spans)
        if 2 * long > len(blocks):
            elements.update(block.element for block in blocks)
            elements.update(after for block in blocks if tag == "dt" for after in block.element.itersiblings("dd"))
    return elements


def outside_boxes(page: Lines) -> NDArray[np.bool_]:
    """For each line, False if it is in an element named as a box about the author, a newsletter or comments, or in a
    form for an address. An element with the first heading or half of all text is no such box: whole pages may be in a
    form. O(n)."""
    sizes = [0, *accumulate(len(line.text) for line in page.lines)]
    headings = sorted(block.start for block in page.blocks if block.element.tag == "h1")
    is_outside = np.ones(len(page.lines), bool)
    for block in page.blocks:
        is_part = 2 * (sizes[block.end] - sizes[block.start]) < sizes[-1]
        if is_part and bisect_left(headings, block.start) == bisect_left(headings, block.end):
            is_form = block.element.tag == "form" and bool(block.element.xpath(ADDRESS))
            is_outside[block.start : block.end] &= not (is_form or is_called_box(block.element))
    return is_outside


def _is_headed(page: Lines, block: Block, form: str, languages: Sequence[str]) -> bool:
    """True if a block begins with a name and a day. Blocks with a heading are excluded: they are sections or, if their
    form has a number, posts."""
    lines = page.lines[block.start : min(block.end, block.start + HEAD)]
    head = [*takewhile(lambda line: len(line.text) < LONG, lines)]
    sections = HEADINGS & {"h1", "h2"} if form.startswith("#") else HEADINGS
    if any(page.blocks[line.block].element.tag in sections for line in head):
        return False
    parts = sum(bool(text.strip()) for line in head for text in line.texts)
    texts = (line.text for line in head)
    return parts > 1 and any(find_dates(text, languages) or count_back(text, languages) for text in texts)
