"""Extracts the posts' own text from the blocks of a list: without titles, dates, and texts that several blocks
share."""

from __future__ import annotations

import html
import re
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.dates import could_be_date, find_dates
from blogcrawler.dom import readable_text
from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

NUMBER = re.compile(r"\d+")
RECURS = 0.2
"""A line in more than this share of the blocks belongs to the template."""
BYLINE = 80
"""Maximum length of a line that states date and author of a post."""


def posts_text(blocks: Sequence[Sequence[HtmlElement]], titles: Sequence[str]) -> list[str | None]:
    """For each block, the post's text as HTML paragraphs; None if it has none. O(n) in the text."""
    lines = [[line.strip() for node in block for line in readable_text(node).splitlines()] for block in blocks]
    counts = Counter(form for block in lines for form in set(map(_form, block)))
    most = max(1, RECURS * len(blocks))
    known = {"", *map(fold, titles)}
    own_lines = [
        [line for line in block if counts[_form(line)] <= most and fold(line) not in known and not _is_byline(line)]
        for block in lines
    ]
    return ["".join(f"<p>{html.escape(line, quote=False)}</p>" for line in block) or None for block in own_lines]


def _form(text: str) -> str:
    """A text with its numbers replaced: "3 comments" and "12 comments" are the same template text."""
    return NUMBER.sub("0", fold(text))


def _is_byline(text: str) -> bool:
    return len(text) <= BYLINE and could_be_date(text) and bool(find_dates(text))
