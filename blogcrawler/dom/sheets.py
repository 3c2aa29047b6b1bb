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
"""Characters of style sheets that are read of a page."""
_LONGEST = 1000
"""Characters of the selectors of a rule, the last of which are read."""
_SIMPLE = re.compile(r"[\w\s.,#>-]{1,200}")


def sheet_rules(page: HtmlElement, declaration: re.Pattern[str], most: int) -> Iterator[tuple[str, str]]:
    """The selectors of the first rules with a declaration, `most` of them, each with the group of that. O(n)."""
    text = "}".join(sheet.text or "" for sheet in page.iter("style"))[:_MOST_TEXT]
    rules = (rule.rpartition("{") for rule in without_comments(text).split("}") if declaration.search(rule))
    for head, _, body in islice(rules, most):
        if found := declaration.search(body):
            yield re.split("[{;/]", head)[-1][-_LONGEST:], found[1]  # what is before it is "@media …"


def selected(root: HtmlElement, selectors: str) -> list[HtmlElement]:
    """The elements of a tree that simple selectors speak of, none for other ones. O(n)."""
    if _SIMPLE.fullmatch(selectors):
        with suppress(SelectorError):
            found: list[HtmlElement] = root.xpath(HTMLTranslator().css_to_xpath(selectors))
            return found
    return []
