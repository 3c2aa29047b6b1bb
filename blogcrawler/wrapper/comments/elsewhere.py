"""Do parts of a page belong to other posts? In lists of posts, and of their comments, each links to one."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

__all__ = ["Addresses", "share_elsewhere"]

COMMON = 0.5
"""Share of the posts' addresses with a folder from which its name tells posts."""
MOST_LINKS = 20
"""Links of a part of a page that are looked at."""
MOST_UNITS = 200
"""Parts of a page that are looked at."""

Shape = tuple[tuple[str, ...], tuple[str, ...]]


class Addresses:
    """Which form the addresses of a blog's posts have."""

    def __init__(self, urls: Sequence[str]) -> None:
        folders = Counter(name for url in urls for name in set(_folders(url)))
        self._common = frozenset(name for name, count in folders.items() if count > max(1, COMMON * len(urls)))
        self._shapes = {self._shape(url) for url in urls}

    def fit(self, url: str) -> bool:
        """Could an address be a post's?"""
        return self._shape(url) in self._shapes

    def _shape(self, url: str) -> Shape:
        """The folders, as far as they recur, and the names of the parameters."""
        folders = ("0" if name.isdecimal() else name if name in self._common else "*" for name in _folders(url))
        return tuple(folders), tuple(name for name, _ in parse_qsl(urlsplit(url).query))


def _folders(url: str) -> list[str]:
    return [name for name in urlsplit(url).path.split("/") if name]


def share_elsewhere(pages: Iterable[tuple[View, Sequence[Unit]]], addresses: Addresses) -> float:
    """The share of parts of pages that link each to another post. O(n) in their nodes.

    What several parts of a page link to is their own post, under whatever address.
    """
    strange = total = 0
    for view, units in pages:
        told = [_targets(view, unit, addresses) for unit in units[:MOST_UNITS]]
        shown = Counter(target for targets in told for target in targets)
        total += len(told)
        strange += sum(any(shown[target] == 1 for target in targets) for targets in told)
    return strange / total if total else 0.0


def _targets(view: View, unit: Unit, addresses: Addresses) -> set[str]:
    """The posts of the site, this one aside, to which a part of a page links."""
    found: set[str] = set()
    links = 0
    for position in unit.own:
        href = view.nodes[position].get("href") if view.nodes[position].tag == "a" else None
        if href and not href.startswith("#"):
            links += 1
            page, place = _resolved(view.url, href.strip())
            is_here = not page or place in view.names
            if not is_here and (addresses.fit(page) or any(map(str.isdigit, place))):
                found.add(page)
        if links >= MOST_LINKS:
            break
    return found


@lru_cache(maxsize=1 << 14)
def _resolved(url: str, href: str) -> tuple[str, str]:
    """The page to which a link leads, and the place in it; no page where it is this one, or another site's."""
    try:
        page, _, place = urljoin(url, href).partition("#")
        one, other = urlsplit(page), urlsplit(url)
    except ValueError:
        return "", ""
    is_site = one.scheme in ("http", "https") and one.netloc.lower() == other.netloc.lower()
    is_here = (one.path.rstrip("/"), one.query) == (other.path.rstrip("/"), other.query)
    return (page, place.rstrip("/")) if is_site and not is_here else ("", "")
