"""Distinguish a feed that mixes up its posts from one whose posts were edited, or are shown differently on pages.

An entry's value belongs to another post if nothing of it is on the page, and if a rule for this value, which agrees
with the feed on other pages, finds another value on this page.
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
"""Confidence at or above which a rule that contradicts the feed on one page agrees with it on most others."""
ALIKE = 0.5
"""Similarity of titles at or above which one may be an edited form of the other."""
ELLIPSIS = re.compile(r"(?:(?<!\s)\s++)?+(?:\[?(?:(?<!\.)\.\.++|…)\]?)\s*+$")
TEXTS = "//text()[not(ancestor::a or ancestor::script or ancestor::style)]"
NAMED = "//title|//h1|//h2|//h3|//h4|//h5|//h6"
MOST_SHARED = 0.2
"""Maximum share of an article's pairs of words that may be on the page of another post, as those of prefaces and names
of series are."""
SHORTEST = 0.25
"""Share of the feed's article below which the article of a page may be only a notice to pay or to log in."""


def is_proven(source: FieldSource | None) -> bool:
    """True for a rule that agrees with the feed on most other pages."""
    return source is not None and source.source == "rule" and source.confidence >= PROVEN


def is_other_title(feed_text: str, page_text: str, tree: HtmlElement, url: str) -> bool:
    """True if a feed's title belongs to another post than the title that a proven rule found on the page. O(n) in the
    page.

    It differs from the page's title and is nowhere on the page except in links to other pages of the site, while the
    page's title is in headings or metadata.
    """
    wanted, shown = _packed(ELLIPSIS.sub("", feed_text)), _packed(page_text)
    if are_similar_titles(feed_text, page_text):
        return False
    metadata = [_packed(text) for text in tree.xpath("//meta/@content")]
    headings = [_packed(inline_text(node)) for node in tree.xpath(NAMED)]
    if not any(shown in text for text in (*metadata, *headings)):
        return False
    return not any(wanted in text for text in (_packed("".join(_texts(tree, url))), *metadata))


def are_similar_titles(feed_text: str, page_text: str) -> bool:
    """True if the feed's title and the page's contain each other, or may be edited forms of each other."""
    wanted, shown = _packed(ELLIPSIS.sub("", feed_text)), _packed(page_text)
    return wanted in shown or shown in wanted or similarity(feed_text, page_text) >= ALIKE


def is_cut_title(feed_text: str, page_text: str) -> bool:
    """True if a feed's title is the beginning of the page's title, with an ellipsis in place of the rest. O(n)."""
    mark = ELLIPSIS.search(feed_text)
    begun = _packed(feed_text[: mark.start()]) if mark else ""
    return bool(begun) and _packed(page_text).startswith(begun) and not fold(page_text).startswith(fold(feed_text))


def is_of_other_post(
    feed_text: Counter[tuple[str, str]], page_text: Counter[tuple[str, str]], tree: HtmlElement
) -> bool:
    """True if a feed's article, given as pairs of words, belongs to another post than the one that a proven rule found.
    O(n). Hardly any of it is on the page, and the page's article is more than a notice."""
    if page_text.total() < SHORTEST * feed_text.total():
        return False
    return (feed_text & pairs(inline_text(tree))).total() < MOST_SHARED * feed_text.total()


def _texts(tree: HtmlElement, url: str) -> Iterator[str]:
    yield from tree.xpath(TEXTS)
    for link in tree.iter("a"):
        target = resolve(url, link.get("href") or "")
        if target is None or not same_site(target, url) or identity(target) == identity(url):
            yield inline_text(link)


def _packed(text: str) -> str:
    """A text in the form for comparison: without spaces, which markup may hide."""
    return "".join(fold(text).split())
