"""Sites that show crawlers one page in place of all: a check of the browser, a question for consent, a login."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, starmap
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.errors import Unreachable
from blogcrawler.similarity import similarity, units
from blogcrawler.spiders.fit import LIKE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

__all__ = ["are_one", "blocked"]

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
