"""Do parts of a page belong to other posts? In lists of posts, and of their comments, each links to one."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qsl, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

__all__ = ["Addresses", "share_elsewhere"]

COMMON = 0.5
"""Share of the posts' addresses with a folder from which its name tells posts."""
MOST_LINKS = 20
"""Links of a part of a page that are looked at."""
TITLE = 4
"""Words of a link that is a title, at least."""
ALIKE = 0.3
"""Share of links that begin alike from which they are no titles."""
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
    shown_on = [(view, units[:MOST_UNITS]) for view, units in pages]
    first_words = Counter(text.split()[0] for view, units in shown_on for unit in units for text in _texts(view, unit))
    for view, units in shown_on:
        told = [_targets(view, unit, addresses) | _titled(view, unit, first_words) for unit in units]
        shown = Counter(target for targets in told for target in targets)
        total += len(told)
        strange += sum(any(shown[target] == 1 for target in targets) for targets in told)
    return strange / total if total else 0.0


def _targets(view: View, unit: Unit, addresses: Addresses) -> set[str]:
    """The posts of the site, this one aside, to which a part of a page links."""
    found: set[str] = set()
    for _, href in _links(view, unit):
        page, place = _resolved(view.url, href)
        is_here = not page or place in view.names
        if not is_here and (addresses.fit(page) or any(map(str.isdigit, place))):
            found.add(page)
    return found


def _links(view: View, unit: Unit) -> Iterator[tuple[int, str]]:
    """The first links of a part of a page that do not lead to a place in it."""
    found = ((at, view.nodes[at].get("href")) for at in unit.own if view.nodes[at].tag == "a")
    return islice(((at, href.strip()) for at, href in found if href and not href.startswith("#")), MOST_LINKS)


def _texts(view: View, unit: Unit) -> Iterator[str]:
    """What links say that have as many words as titles."""
    for position, _ in _links(view, unit):
        text = view.texts[position] or ""
        if len(text.split()) >= TITLE:
            yield text


def _titled(view: View, unit: Unit, first_words: Counter[str]) -> set[str]:
    """The pages of the site to which titles link; links that begin alike ("Reply to …") have none."""
    found: set[str] = set()
    for position, href in _links(view, unit):
        page, place = _resolved(view.url, href)
        words = (view.texts[position] or "").split()
        is_title = len(words) >= TITLE and first_words[words[0]] <= max(1, ALIKE * first_words.total())
        if page and not place and is_title and urlsplit(page).path != urlsplit(view.url).path:
            found.add(page)
    return found


@lru_cache(maxsize=1 << 12)
def _resolved(url: str, href: str) -> tuple[str, str]:
    """The page to which a link leads, and the place in it; no page where it is this one, or another site's."""
    try:
        page, _, place = urljoin(url, href).partition("#")
        one, other = urlsplit(page), urlsplit(url)
    except ValueError:
        return "", ""
    is_site = one.scheme in ("http", "https") and one.netloc.lower() == other.netloc.lower()
    is_here = one.path.rstrip("/") == other.path.rstrip("/") and _adds(one, other)
    return (page, place.rstrip("/")) if is_site and not is_here else ("", "")


def _adds(one: SplitResult, other: SplitResult) -> bool:
    """Has an address at most parameters more than another that is told by its path, or by its own parameters?"""
    if one.query == other.query:
        return True
    mine, theirs = (set(filter(None, it.query.split("&"))) for it in (one, other))
    return bool(theirs or other.path.strip("/")) and theirs <= mine
