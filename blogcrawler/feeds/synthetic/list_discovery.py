"""Finds other lists of posts of a blog: pages that a page links to, and folders in the sitemap."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from blogcrawler.dates import date_in_url
from blogcrawler.dom import links
from blogcrawler.feeds.address import conventions, segments, words
from blogcrawler.items import Entry
from blogcrawler.urls import canonicalise, identity, is_page_like, same_site

from .lists import PostList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.dom import Link

ONWARD = frozenset({"next", "prev", "previous", "archives", "index", "contents"})
"""Link relations that lead to further lists (HTML link types)."""
MAX_WORDS = 4
"""Maximum number of words in the text of a link to a list; longer texts are titles."""
FEWEST = 2
"""Maximum number of posts of a list."""
QUALITY = 0.1
"""Score of a folder in a sitemap, below that of a list on a page; doubled if the URLs contain dates."""

_KEPT = 1 << 11
"""Size of the cache of links, since the pages of a blog have mostly the same links."""


def list_pages(tree: HtmlElement, url: str) -> list[str]:
    """Pages of the site to which a page links; those with a usual name of list pages come first. O(n)."""
    scored: dict[str, tuple[float, int, str]] = {}
    for number, link in enumerate(links(tree, url)):
        if link.kind == "iframe" or not same_site(link.url, url) or not is_page_like(link.url):
            continue
        target = canonicalise(link.url)
        key = identity(target)
        worth = _worth(link, target)
        if key == identity(url) or (link.kind == "link" and worth < 1):
            continue
        if key not in scored or -worth < scored[key][0]:
            scored[key] = (-worth, number, target)
    return [target for _, _, target in sorted(scored.values())]


def is_called_list(url: str, text: str = "", rel: Iterable[str] = ()) -> bool:
    """True if a link leads to a list of posts, by its relation, its text or its URL.

    Numbers in its text, as in "Archive 2004 to 2009", are ignored.
    """
    return not ONWARD.isdisjoint(rel) or _is_called_list(url, text)


@lru_cache(_KEPT)
def _is_called_list(url: str, text: str) -> bool:
    known, called = conventions().lists, [word for word in words(text) if not word.isdecimal()]
    if len(called) <= MAX_WORDS and sum(word in known for word in called) * 2 > len(called):
        return True
    path = segments(url)
    return bool(path) and "?" not in url and path[-1].partition(".")[0] in known


def _worth(link: Link, target: str) -> float:
    path, sections = segments(target), conventions().narrower["section"] - conventions().lists
    is_section = any(part in sections for part in path)
    return 2.0 * is_called_list(target, link.text, link.rel) - 0.5 * is_section - 0.1 * len(path)


def sitemap_lists(urls: Iterable[str], home: str) -> list[PostList]:
    """The pages of a site grouped by folder and depth, the likeliest group first: URLs with dates, then large
    groups."""
    groups: dict[tuple[str, int, bool], list[str]] = defaultdict(list)
    for url in urls:
        path = segments(url)
        if path and same_site(url, home) and is_page_like(url) and not _is_further_page(path):
            groups[path[0] if len(path) > 1 else "", len(path), date_in_url(url) is not None].append(url)
    lists = []
    for (_, _, is_dated), pages in groups.items():
        if len(pages) >= FEWEST:
            quality = QUALITY * (1 + is_dated)
            entries = tuple(Entry(page, is_summary=True, is_synthetic=True) for page in dict.fromkeys(pages))
            lists.append(PostList(entries, quality * len(entries) / (len(entries) + 1), quality, 0.0))
    return sorted(lists, key=lambda listed: -listed.score)


def _is_further_page(path: Sequence[str]) -> bool:
    """True for the second or a later page of a list: `/tag/rain/page/2/`."""
    return len(path) > 1 and path[-1].isdigit() and path[-2] in ("page", "paged")
