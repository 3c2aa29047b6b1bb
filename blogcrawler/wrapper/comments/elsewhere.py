"""Do parts of a page belong to other posts? In lists of the newest comments each links to its place in another page."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

MOST_LINKS = 20
"""Links of a part of a page that are looked at."""
MOST_UNITS = 200
"""Parts of a page that are looked at."""


def share_elsewhere(pages: Iterable[tuple[View, Sequence[Unit]]]) -> float:
    """The share of parts of pages that link each to a place in another page of the site. O(n) in their nodes.

    What several parts of a page link to is their own post, under whatever address.
    """
    strange = total = 0
    for view, units in pages:
        told = [_pages_elsewhere(view, unit) for unit in units[:MOST_UNITS]]
        shown = Counter(page for found in told for page in found)
        total += len(told)
        strange += sum(any(shown[page] == 1 for page in found) for found in told)
    return strange / total if total else 0.0


def _pages_elsewhere(view: View, unit: Unit) -> set[str]:
    """The pages of the site, this one aside, to places in which a part of a page links."""
    links = (view.nodes[at].get("href") for at in unit.own if view.nodes[at].tag == "a")
    places = (_place(view.url, href) for href in islice((href for href in links if href and "#" in href), MOST_LINKS))
    return {page for page, name in places if page and name not in view.names}


@lru_cache(maxsize=1 << 12)
def _place(url: str, href: str) -> tuple[str, str]:
    """The page to which a link leads, and the place in it; no page where it is this one, another site's, or whole."""
    try:
        page, _, place = urljoin(url, href).partition("#")
        one, other = urlsplit(page), urlsplit(url)
    except ValueError:
        return "", ""
    is_site = one.scheme in ("http", "https") and one.netloc.lower() == other.netloc.lower()
    is_here = one.path.rstrip("/") == other.path.rstrip("/") and _adds(one, other)
    return (page, place.rstrip("/")) if is_site and not is_here and place else ("", "")


def _adds(one: SplitResult, other: SplitResult) -> bool:
    """Has an address at most parameters more than another that is told by its path, or by its own parameters?"""
    if one.query == other.query:
        return True
    mine, theirs = (set(filter(None, it.query.split("&"))) for it in (one, other))
    return bool(theirs or other.path.strip("/")) and theirs <= mine
