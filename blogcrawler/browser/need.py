"""Decides whether a blog needs a browser, by a test on its own pages.

A page that contains the feed's text of its post needs no browser, unless the text is a summary and the page has a
control for the rest. If most pages lack text, a few are rendered: the blog needs a browser if they contain the text
then. A blog without a feed, or whose home page links to none of its posts, is tested in the same way if the home page
has almost no text of its own, but scripts.
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
"""Maximum number of pieces of a text that are searched in a page; each has `PIECE` characters."""
LEAST = 0.3
"""Smallest share of pieces found in a page that contains the text; markup, quotes or truncation may change some."""
ENOUGH, MOST, HARDLY_ANY = 16, 0.7, 0.1
"""A text is truncated in a page if it has at least `ENOUGH` pieces, `MOST` of those of its first quarter are in the
page, and at most `HARDLY_ANY` of those of its second half."""
FEW_CHARACTERS = 500
"""Maximum text length of a page that waits for scripts to fill it."""
PLACES = frozenset({"div", "main", "section", "article", "ul", "ol"})
WORD = 40
"""Maximum text length of an element that waits for scripts to fill it; it may say "please wait"."""
SCRIPTS = 8
"""Maximum number of a page's own scripts that are examined."""
FEW_ELEMENTS = 12
"""An element with at least this many descendants does not wait for scripts to fill it."""
HOLD = frozenset({"a", "img", "input", "iframe", "picture", "video", "h1", "h2", "table"})
"""Elements with content of their own: an element that contains one of them does not wait for scripts to fill it."""
SILENT = frozenset({"script", "noscript", "style", "template", "link"})


@dataclass(frozen=True)
class Rendering:
    """Pages of a blog that are rendered before extraction."""

    #: True for all pages
    of_posts: bool = False
    #: True for pages whose URLs do not have the form of posts'
    of_lists: bool = False


async def needs_browser(pages: Sequence[tuple[Page, Entry]], render: Render) -> bool:
    """True if the posts' pages contain the feed's texts only after rendering. A synthetic entry may be no post, so its
    page is tested only if it is empty except for scripts. O(n)."""
    looked_at = [(page, entry, tree) for page, entry in pages[:LOOKED_AT] if (tree := tree_of(page)) is not None]
    incomplete = [(page, entry, tree) for page, entry, tree in looked_at if _lacks(tree, entry)]
    if not incomplete or 2 * len(incomplete) < len(looked_at):
        return False
    tried = incomplete[:TRIED]
    renditions = await asyncio.gather(*(render(page) for page, _, _ in tried))
    improved = [
        rendered
        for (_, entry, tree), rendered in zip(tried, renditions, strict=True)
        if rendered is not None and (after := tree_of(rendered)) is not None and _is_better(tree, after, entry)
    ]
    return 2 * len(improved) >= len(tried)


def _lacks(tree: HtmlElement, entry: Entry) -> bool:
    """True if rendering may add the feed's text, or the rest of a summary, to a page."""
    if not shows(tree, entry):
        return is_shell(tree) if entry.is_synthetic else has_scripts(tree)
    is_begun = entry.is_summary and not entry.is_synthetic
    return is_begun and has_scripts(tree) and waits_unfolded(tree, _feed_text(entry))


def _is_better(before: HtmlElement, after: HtmlElement, entry: Entry) -> bool:
    """True if the rendered page has the text that the page lacked."""
    if shows(before, entry):
        return unfolds(before, after, _feed_text(entry))
    return shows(after, entry)


def shows(tree: HtmlElement, entry: Entry) -> bool:
    """True if a page contains most of its post's text in the feed, or its title if the text is short or a summary.

    If the page only has the beginning, the rest is behind a control.
    """
    body = tree.find("body")
    page_text = squeezed(inline_text(body)) if body is not None else ""
    feed_text = _feed_text(entry)
    if len(feed_text) >= SHORT:
        starts = range(0, len(feed_text) - PIECE, max(PIECE, len(feed_text) // PIECES))
        pieces_found = [feed_text[start : start + PIECE] in page_text for start in starts]
        if _is_begun(pieces_found):
            return False
        if sum(pieces_found) >= LEAST * len(pieces_found):
            return True
        if not entry.is_summary:
            return False
    return bool(entry.title) and squeezed(entry.title or "") in page_text


def _is_begun(pieces_found: Sequence[bool]) -> bool:
    """True if a page has the first pieces of a text and almost none of its second half."""
    first, last = pieces_found[: len(pieces_found) // 4], pieces_found[len(pieces_found) // 2 :]
    return len(pieces_found) >= ENOUGH and sum(first) >= MOST * len(first) and sum(last) <= HARDLY_ANY * len(last)


def _feed_text(entry: Entry) -> str:
    """Return the feed's text of a post without white space."""
    return squeezed(inline_text(fragment(entry.content_html)) if entry.content_html else "")


def is_shell(tree: HtmlElement) -> bool:
    """True if a page has almost no text, but scripts and an element for their output."""
    body = tree.find("body")
    if body is None or not has_scripts(tree) or len(inline_text(body)) >= FEW_CHARACTERS:
        return False
    return any(map(_is_place, body.iter(etree.Element)))


def _is_place(element: HtmlElement) -> bool:
    """True if an element with an ID has no text, except a request to wait."""
    is_named = "-" in element.tag or element.tag == "body" or (element.tag in PLACES and bool(element.get("id")))
    if not is_named:
        return False
    inside = list(
        islice(
            (
                element_inside
                for element_inside in element.iterdescendants(etree.Element)
                if element_inside.tag not in SILENT
            ),
            FEW_ELEMENTS,
        )
    )
    is_small = len(inside) < FEW_ELEMENTS and HOLD.isdisjoint(element_inside.tag for element_inside in inside)
    return is_small and len(inline_text(element)) <= WORD


def own_scripts(tree: HtmlElement, url: str) -> list[str]:
    """The URLs of the site's own scripts in a page without a link to a next page; at most a few. O(n)."""
    if tree.xpath("//*[(self::a or self::link) and contains(concat(' ', @rel, ' '), ' next ')]"):
        return []
    urls = (resolve(url, script.get("src")) for script in tree.iter("script") if script.get("src"))
    return [script_url for script_url in dict.fromkeys(urls) if script_url is not None and same_site(script_url, url)][
        :SCRIPTS
    ]


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
