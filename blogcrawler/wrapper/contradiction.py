"""Tells a feed that mixes its posts up from one whose post was edited since, or is shown otherwise.

What an entry says is another post's if nothing of it is on the page, and if the page says something else where its
rule, which agrees with the feed on other pages, finds it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.similarity import fold, pairs, similarity
from blogcrawler.urls import identity, resolve, same_site

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from lxml.html import HtmlElement

    from blogcrawler.items import FieldSource

PROVEN = 0.75
"""Confidence from which a rule that disagrees with the feed on one page agrees with it on most others."""
ALIKE = 0.5
"""Similarity of titles from which one may be the other, edited."""
ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?+(?:\[?(?:(?<!\.)\.\.++|…)\]?)\s*+$")
TEXTS = "//text()[not(ancestor::a or ancestor::script or ancestor::style)]"
NAMED = "//title|//h1|//h2|//h3|//h4|//h5|//h6"
MOST_SHARED = 0.2
"""Share of an article's pairs of words that may stand on the page of another one: prefaces, names of series."""
SHORTEST = 0.25
"""Of a page's article, to that of the feed: what is shorter says that readers have to pay, or to log in."""


def is_proven(source: FieldSource | None) -> bool:
    """True for a rule whose value agrees with the feed on most other pages."""
    return source is not None and source.source == "rule" and source.confidence >= PROVEN


def is_other_title(told: str, found: str, tree: HtmlElement, url: str) -> bool:
    """True if a feed's title is another post's than the one which a proven rule found on the page. O(n) in the page.

    It is unlike that, and the page says it nowhere but in links to other pages of the site, while the other is in the
    page's headings or metadata.
    """
    wanted, shown = _packed(ELLIPSIS.sub("", told)), _packed(found)
    if are_alike(told, found):
        return False
    metadata = [_packed(text) for text in tree.xpath("//meta/@content")]
    headings = [_packed(inline_text(node)) for node in tree.xpath(NAMED)]
    if not any(shown in text for text in (*metadata, *headings)):
        return False
    return not any(wanted in text for text in (_packed("".join(_texts(tree, url))), *metadata))


def are_alike(told: str, found: str) -> bool:
    """True if one of a feed's title and a page's holds the other, or may be it, edited."""
    wanted, shown = _packed(ELLIPSIS.sub("", told)), _packed(found)
    return wanted in shown or shown in wanted or similarity(told, found) >= ALIKE


def is_cut_title(told: str, found: str) -> bool:
    """True if a feed's title is the beginning of the page's, with an ellipsis in place of the rest. O(n)."""
    mark = ELLIPSIS.search(told)
    begun = _packed(told[: mark.start()]) if mark else ""
    return bool(begun) and _packed(found).startswith(begun) and not fold(found).startswith(fold(told))


def is_of_other_post(told: Counter[tuple[str, str]], found: Counter[tuple[str, str]], tree: HtmlElement) -> bool:
    """True if a feed's article, as pairs of words, is another post's than the one which a proven rule found. O(n).
    Hardly any of it is on the page, and the page's is not just a notice."""
    if found.total() < SHORTEST * told.total():
        return False
    return (told & pairs(inline_text(tree))).total() < MOST_SHARED * told.total()


def _texts(tree: HtmlElement, url: str) -> Iterator[str]:
    yield from tree.xpath(TEXTS)
    for link in tree.iter("a"):
        target = resolve(url, link.get("href") or "")
        if target is None or not same_site(target, url) or identity(target) == identity(url):
            yield inline_text(link)


def _packed(text: str) -> str:
    """A text as it is compared: without spaces, which markup may hide."""
    return "".join(fold(text).split())
