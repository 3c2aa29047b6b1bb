"""What a page says of its post in standard vocabularies: microformats, microdata, link types, meta elements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.wrapper.rules import select

if TYPE_CHECKING:
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
    ('//head/meta[@name="author"]', "content"),
    ('//head/meta[@property="article:author"]', "content"),
    ('//head/meta[@name="dc.creator" or @name="DC.creator"]', "content"),
)
"""Where microdata (schema.org), h-entry, hCard, HTML link types, HTML, Open Graph and Dublin Core put an author."""


def metadata_author(tree: HtmlElement) -> tuple[str, str] | None:
    """The author that a page names by a standard vocabulary, and the expression that found it. O(n)."""
    for expression, attribute in AUTHOR_PLACES:
        for node in select(tree, expression)[:1]:
            name = " ".join(str(node.get(attribute) or "").split()) if attribute else inline_text(node)
            if 0 < len(name) <= MAX_NAME and not ADDRESS.search(name):
                return name, f"{expression}/@{attribute}" if attribute else expression
    return None
