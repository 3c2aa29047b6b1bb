"""What a page says of its post in standard vocabularies: microformats, microdata, link types, meta elements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml.etree import XPath

from blogcrawler.dom import inline_text
from blogcrawler.wrapper.rules import select

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.html import HtmlElement

__all__ = ["metadata_author"]

MAX_NAME = 60
"""Characters of a name; more is a biography."""
ADDRESS = re.compile(r"^\w+://|^www\.|@")


def _has(token: str, attribute: str = "class") -> str:
    return f'contains(concat(" ",normalize-space(@{attribute})," ")," {token} ")'


AUTHOR_PLACES: tuple[tuple[str, str], ...] = (
    ('//*[@itemprop="author"]//*[@itemprop="name"]', ""),
    (f"//*[{_has('p-author')}]", ""),
    (f"//*[{_has('author')} and {_has('vcard')}]//*[{_has('fn')}]", ""),
    (f"//*[{_has('author')} and {_has('vcard')}]/a", ""),
    (f"//body//*[{_has('author', 'rel')}]", ""),
    ('//body//*[@itemprop="author"]', ""),
    ('/html/head/meta[@name="author"]', "content"),
    ('/html/head/meta[@property="article:author"]', "content"),
    ('/html/head/meta[@name="dc.creator" or @name="DC.creator"]', "content"),
)
"""Where microdata (schema.org), h-entry, hCard, HTML link types, HTML, Open Graph and Dublin Core put an author."""


HINTS = {name: XPath(f'boolean(//@{name}[contains(.,"author")])') for name in ("class", "itemprop", "rel")}
"""Is there any such attribute? To ask this takes less time than to look for one element."""


def _places(tree: HtmlElement) -> Iterator[tuple[str, str]]:
    """The expressions that might find something in a page."""
    held = {name for name, hint in HINTS.items() if hint(tree)}
    for expression, attribute in AUTHOR_PLACES:
        if attribute or any(f"@{name}" in expression for name in held):
            yield expression, attribute


def metadata_author(tree: HtmlElement) -> tuple[str, str] | None:
    """The author that a page names by a standard vocabulary, and the expression that found it. O(n)."""
    for expression, attribute in _places(tree):
        for node in select(tree, expression)[:1]:
            name = " ".join(str(node.get(attribute) or "").split()) if attribute else inline_text(node)
            if 0 < len(name) <= MAX_NAME and not ADDRESS.search(name):
                return name, f"{expression}/@{attribute}" if attribute else expression
    return None
