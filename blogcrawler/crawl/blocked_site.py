"""Sites that show crawlers one page in place of all: a check of the browser, a question for consent, a login."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, starmap
from typing import TYPE_CHECKING

from blogcrawler.crawl.wrapper_fit import LIKE
from blogcrawler.dom import asks_for_password, inline_text
from blogcrawler.errors import Unreachable
from blogcrawler.similarity import similarity, units
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Page

__all__ = ["are_one", "blocked", "locked", "without_content"]

SHOWN = 60
"""Characters of a page that are quoted."""


def blocked(url: str, trees: Sequence[HtmlElement]) -> Unreachable | None:
    """The error of a site all of whose pages are one; None where they differ. O(n) in their text."""
    if not are_one(trees):
        return None
    shown = (trees[0].findtext(".//title") or inline_text(trees[0])).strip()[:SHOWN]
    return Unreachable(
        f'{url} shows one and the same page at every address, which begins with "{shown}", as '
        "where a site checks the browser, asks for consent or wants a login. Nothing but what its feed tells could be "
        "kept. Open it in a web browser to see what it asks for; ask its owner to let the crawler in (set CONTACT), or "
        "try RENDER=always or COOKIES_ENABLED=True.",
        url=url,
    )


def locked(start_url: str, page: Page) -> Unreachable | None:
    """The error of an address without a feed where a page asks for a password; None where it does not."""
    if page.tree is None or not asks_for_password(page.tree):
        return None
    leads = "" if identity(page.url) == identity(start_url) else f" leads to {page.url}, which"
    return Unreachable(
        f"{start_url}{leads} asks for a password, which the crawler does not have, and names no feed. Give the address "
        "of pages that need none, or of the blog's feed, with -a url=, or ask its owner to let the crawler in.",
        url=start_url,
    )


def without_content(page: Page) -> Page:
    """A page as it is read where nothing that it shows is of a post."""
    return replace(page, body=b"<p>", content_type=None, tree=None)


def are_one(trees: Sequence[HtmlElement]) -> bool:
    """True if several pages say the same, but for a few words. O(n) in their text.

    Words with signs or digits are left out: tokens and addresses change from page to page.
    """
    texts = [[word for word in units(inline_text(tree)) if word.isalpha()] for tree in trees]
    return len(texts) > 1 and all(starmap(_are_alike, pairwise(texts)))


def _are_alike(one: list[str], other: list[str]) -> bool:
    """True if two texts have most words in common, or most pairs of letters."""
    common = (Counter(one) & Counter(other)).total()
    return 2 * common >= LIKE * (len(one) + len(other)) or similarity(" ".join(one), " ".join(other)) >= LIKE
