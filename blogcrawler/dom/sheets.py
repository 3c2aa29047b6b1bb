"""Rules of a page's own style sheets (`style` elements)."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from cssselect import HTMLTranslator, SelectorError

from blogcrawler.dom.elements import without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

_MOST_TEXT = 500_000
"""Maximum number of characters of a page's style sheets that are read."""
_LONGEST = 1000
"""Maximum number of characters of a rule's selectors that are read, from their end."""
_SIMPLE = re.compile(r"[\w\s.,#>-]{1,200}")


def sheet_rules(page: HtmlElement, declaration: re.Pattern[str], most: int) -> Iterator[tuple[str, str]]:
    """The selectors of the first `most` rules with a declaration, each with the declaration's first group. O(n)."""
    text = "}".join(sheet.text or "" for sheet in page.iter("style"))[:_MOST_TEXT]
    rules = (rule.rpartition("{") for rule in without_comments(text).split("}") if declaration.search(rule))
    for head, _, body in islice(rules, most):
        if match := declaration.search(body):
            yield re.split("[{;/]", head)[-1][-_LONGEST:], match[1]  # the text before is "@media …"


def selected(root: HtmlElement, selectors: str) -> list[HtmlElement]:
    """The elements of a tree that simple selectors match; none for complex selectors. O(n)."""
    if _SIMPLE.fullmatch(selectors):
        with suppress(SelectorError):
            elements: list[HtmlElement] = root.xpath(HTMLTranslator().css_to_xpath(selectors))
            return elements
    return []
