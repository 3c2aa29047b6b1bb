"""Rules of a page's own style sheets (`style` elements): of these only such with simple selectors are read."""

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
_MOST_RULES = 64
"""Rules of a page that declare what is looked for."""
_SIMPLE = re.compile(r"[\w\s.,#>-]{1,200}")


def sheet_rules(page: HtmlElement, declaration: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The selectors of the rules with a declaration, each with the group of that. O(n)."""
    text = "}".join(sheet.text or "" for sheet in page.iter("style"))[:_MOST_TEXT]
    rules = (rule.rpartition("{") for rule in without_comments(text).split("}") if declaration.search(rule))
    for head, _, body in islice(rules, _MOST_RULES):
        selectors = re.split("[{;/]", head)[-1]  # what is before it is "@media …"
        if (found := declaration.search(body)) and _SIMPLE.fullmatch(selectors):
            yield from ((selector.strip(), found[1]) for selector in selectors.split(","))


def selected(root: HtmlElement, selector: str) -> list[HtmlElement]:
    """The elements inside of another one that a selector speaks of. O(n)."""
    with suppress(SelectorError):
        found: list[HtmlElement] = root.xpath(HTMLTranslator().css_to_xpath(selector, prefix="descendant::"))
        return found
    return []
