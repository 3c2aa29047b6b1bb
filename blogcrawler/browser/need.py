"""Whether a blog needs a browser, measured on its own pages.

A page that holds what the feed tells of its post needs none, unless that is a summary and a control behind it says that
it shows the rest. Where most lack something, a few are shown in the browser: the blog needs it if they hold it then.
A blog without a feed, or whose home page leads to none of its posts, is tried in the same way where the home page has
hardly any text of its own, but scripts.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.browser import has_scripts
from blogcrawler.browser.read_more import unfolds, waits_unfolded
from blogcrawler.dom import fragment, inline_text, links, parse_page
from blogcrawler.errors import NotAWebPage
from blogcrawler.routes import is_routed
from blogcrawler.similarity import squeezed
from blogcrawler.urls import identity, resolve, same_site

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry, Page

    Render = Callable[[Page], Awaitable[Page | None]]

LOOKED_AT = 10
"""Number of pages that are examined."""
TRIED = 3
"""Number of pages that are rendered to see whether that helps."""
SHORT = 60
"""Shortest text, in characters, that is compared."""
PIECE = 10
PIECES = 40
"""Number and length (in characters) of the pieces of a text that are searched in a page."""
LEAST = 0.3
"""Smallest share of pieces found in a page that contains the text; markup, quotes or truncation may change some."""
ENOUGH, MOST, HARDLY_ANY = 16, 0.7, 0.1
"""Pieces that tell whether a text is but begun, and which shares of its beginning and its end are there then."""
FEW_CHARACTERS = 500
"""Of a page that waits for scripts to fill it."""
PLACES = frozenset({"div", "main", "section", "article", "ul", "ol"})
WORD = 40
SCRIPTS = 8
"""Of a page that are looked at."""
FEW_ELEMENTS = 12
"""Of a place that waits to be filled, and shows that one has to wait."""
HOLD = frozenset({"a", "img", "input", "iframe", "picture", "video", "h1", "h2", "table"})
"""Elements of what is filled."""
SILENT = frozenset({"script", "noscript", "style", "template", "link"})


@dataclass(frozen=True)
class Rendering:
    """Which pages of a blog are rendered before extraction."""

    #: all of them
    of_posts: bool = False
    #: pages whose URLs do not have the form of posts'
    of_lists: bool = False


async def needs_browser(pages: Sequence[tuple[Page, Entry]], render: Render) -> bool:
    """True if the posts' pages hold what is known of them only in a browser.

    Of synthetic entries, which may be of anything, only pages are tried that are empty but for scripts. O(n).
    """
    looked_at = [(page, entry, tree) for page, entry in pages[:LOOKED_AT] if (tree := tree_of(page)) is not None]
    lacking = [(page, entry, tree) for page, entry, tree in looked_at if _lacks(tree, entry)]
    if not lacking or 2 * len(lacking) < len(looked_at):
        return False
    tried = lacking[:TRIED]
    shown = await asyncio.gather(*(render(page) for page, _, _ in tried))
    found = [
        other
        for (_, entry, tree), other in zip(tried, shown, strict=True)
        if other is not None and (after := tree_of(other)) is not None and _is_better(tree, after, entry)
    ]
    return 2 * len(found) >= len(tried)


def _lacks(tree: HtmlElement, entry: Entry) -> bool:
    """True if rendering may add the feed's text, or the rest of a summary, to a page."""
    if not shows(tree, entry):
        return is_shell(tree) if entry.is_synthetic else has_scripts(tree)
    is_begun = entry.is_summary and not entry.is_synthetic
    return is_begun and has_scripts(tree) and waits_unfolded(tree, _told(entry))


def _is_better(before: HtmlElement, after: HtmlElement, entry: Entry) -> bool:
    """True if the rendered page has the text that the page lacked."""
    if shows(before, entry):
        return unfolds(before, after, _told(entry))
    return shows(after, entry)


def shows(tree: HtmlElement, entry: Entry) -> bool:
    """True if a page holds most of what is known of its post's text, or its title where that is short or a summary.

    One that holds but the beginning has the rest behind a control.
    """
    body = tree.find("body")
    text = squeezed(inline_text(body)) if body is not None else ""
    told = _told(entry)
    if len(told) >= SHORT:
        starts = range(0, len(told) - PIECE, max(PIECE, len(told) // PIECES))
        held = [told[start : start + PIECE] in text for start in starts]
        if _is_begun(held):
            return False
        if sum(held) >= LEAST * len(held):
            return True
        if not entry.is_summary:
            return False
    return bool(entry.title) and squeezed(entry.title or "") in text


def _is_begun(held: Sequence[bool]) -> bool:
    """True if a page has the first pieces of a text and almost none of its second half."""
    first, last = held[: len(held) // 4], held[len(held) // 2 :]
    return len(held) >= ENOUGH and sum(first) >= MOST * len(first) and sum(last) <= HARDLY_ANY * len(last)


def _told(entry: Entry) -> str:
    """Return the feed's text of a post without white space."""
    return squeezed(inline_text(fragment(entry.content_html)) if entry.content_html else "")


def is_shell(tree: HtmlElement) -> bool:
    """True if a page has almost no text, but scripts and an element for their output."""
    body = tree.find("body")
    if body is None or not has_scripts(tree) or len(inline_text(body)) >= FEW_CHARACTERS:
        return False
    return any(map(_is_place, body.iter(etree.Element)))


def _is_place(element: HtmlElement) -> bool:
    """True if an element with an ID or class has no text except a request to wait."""
    is_named = "-" in element.tag or element.tag == "body" or (element.tag in PLACES and bool(element.get("id")))
    if not is_named:
        return False
    inside = list(
        islice((one for one in element.iterdescendants(etree.Element) if one.tag not in SILENT), FEW_ELEMENTS)
    )
    is_small = len(inside) < FEW_ELEMENTS and HOLD.isdisjoint(one.tag for one in inside)
    return is_small and len(inline_text(element)) <= WORD


def own_scripts(tree: HtmlElement, url: str) -> list[str]:
    """The addresses of the site's own scripts in a page that does not link to a page after it; the first few. O(n)."""
    if tree.xpath("//*[(self::a or self::link) and contains(concat(' ', @rel, ' '), ' next ')]"):
        return []
    found = (resolve(url, script.get("src")) for script in tree.iter("script") if script.get("src"))
    return [one for one in dict.fromkeys(found) if one is not None and same_site(one, url)][:SCRIPTS]


def leads_to(tree: HtmlElement, url: str, entries: Iterable[Entry]) -> bool:
    """True if a page links to one of the posts."""
    posts = {identity(entry.url): entry.url for entry in entries}
    has_routes = any(map(is_routed, posts.values()))
    targets = (resolve(url, link.url, has_routes=has_routes) for link in links(tree, url) if link.kind == "a")
    return any(target is not None and identity(target) in posts for target in targets)


def titles_in(tree: HtmlElement, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the titles of posts that a page contains, with single spaces."""
    body = tree.find("body")
    text = inline_text(body) if body is not None else ""
    titles = (" ".join((entry.title or "").split()) for entry in entries)
    return tuple(dict.fromkeys(title for title in titles if title and title in text))


def tree_of(page: Page) -> HtmlElement | None:
    """Return the parsed tree of a page (cached in the page); None if it cannot be parsed."""
    try:
        page.tree = parse_page(page)
    except NotAWebPage:
        return None
    return page.tree
