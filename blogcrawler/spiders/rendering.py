"""Whether a blog needs a browser, measured on its own pages.

A page that holds what the feed tells of its post needs none. Where most do not, a few are shown in the browser: the
blog needs it if they hold it then. A blog without a feed, or whose home page leads to none of its posts, is tried in
the same way where the home page has hardly any text of its own, but scripts.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.dom import fragment, inline_text, links, parse
from blogcrawler.errors import NotAWebPage
from blogcrawler.similarity import fold, pairs
from blogcrawler.urls import identity, resolve

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry, Page

    Render = Callable[[Page], Awaitable[Page | None]]

__all__ = ["Rendering", "is_shell", "leads_to", "needs_browser", "shows", "tree_of"]

LOOKED_AT = 10
"""Pages that are looked at."""
TRIED = 3
"""Pages that are shown in the browser to see whether that helps."""
HALF = 0.5
FEW_PAIRS = 10
"""Pairs of words below which a text proves nothing."""
FEW_CHARACTERS = 500
"""Of a page that waits for scripts to fill it."""
DATA = ("json", "template", "x-")
"""In the type of a script element that is no script."""


@dataclass(frozen=True)
class Rendering:
    """Which pages of a blog are shown in the browser before they are read."""

    #: all of them
    of_posts: bool = False
    #: those that do not have a post's address
    of_lists: bool = False

    def to_dict(self) -> dict[str, bool]:
        """As JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The reader of `to_dict`."""
        return cls(bool(data.get("of_posts")), bool(data.get("of_lists")))


async def needs_browser(pages: Sequence[tuple[Page, Entry]], render: Render) -> bool:
    """Do the posts' pages hold what is known of them only in a browser?

    Of synthetic entries, which may be of anything, only pages are tried that are empty but for scripts. O(n).
    """
    looked_at = [(page, entry, tree) for page, entry in pages[:LOOKED_AT] if (tree := tree_of(page)) is not None]
    lacking = [page for page, entry, tree in looked_at if not shows(tree, entry) and _may_be_filled(tree, entry)]
    if not lacking or 2 * len(lacking) < len(looked_at):
        return False
    entries = {page.url: entry for page, entry in pages}
    tried = lacking[:TRIED]
    shown = await asyncio.gather(*(render(page) for page in tried))
    found = [
        page
        for page, other in zip(tried, shown, strict=True)
        if other is not None and (tree := tree_of(other)) is not None and shows(tree, entries[page.url])
    ]
    return 2 * len(found) >= len(tried)


def shows(tree: HtmlElement, entry: Entry) -> bool:
    """Does a page hold what is known of its post: most of its text, or its title where that is short or a summary?"""
    body = tree.find("body")
    text = inline_text(body) if body is not None else ""
    told = pairs(inline_text(fragment(entry.content_html)) if entry.content_html else "")
    if told.total() >= FEW_PAIRS:
        if (pairs(text) & told).total() >= HALF * told.total():
            return True
        if not entry.is_summary:
            return False
    return bool(entry.title) and fold(entry.title or "") in fold(text)


def _may_be_filled(tree: HtmlElement, entry: Entry) -> bool:
    return is_shell(tree) if entry.is_synthetic else has_scripts(tree)


def is_shell(tree: HtmlElement) -> bool:
    """Has a page hardly any text, but scripts that may bring it?"""
    body = tree.find("body")
    return body is not None and has_scripts(tree) and len(inline_text(body)) < FEW_CHARACTERS


def has_scripts(tree: HtmlElement) -> bool:
    """Does a page run scripts?"""
    kinds = ((script.get("type") or "").lower() for script in tree.iter("script"))
    return any(not any(sign in kind for sign in DATA) for kind in kinds)


def leads_to(tree: HtmlElement, url: str, entries: Iterable[Entry]) -> bool:
    """Does a page link to one of the posts?"""
    posts = {identity(entry.url) for entry in entries}
    targets = (resolve(url, link.url) for link in links(tree, url) if link.kind == "a")
    return any(target is not None and identity(target) in posts for target in targets)


def tree_of(page: Page) -> HtmlElement | None:
    """The tree of a page, which keeps it; None for one that cannot be read."""
    try:
        page.tree = parse(page.body, content_type=page.content_type) if page.tree is None else page.tree
    except NotAWebPage:
        return None
    return page.tree
