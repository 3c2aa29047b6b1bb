"""Where a blog that shows no list of its posts on a page may show one: the pages to look at next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom import links
from blogcrawler.feeds.address import segments, words
from blogcrawler.feeds.conventions import conventions
from blogcrawler.urls import canonicalise, identity, is_page_like, same_site

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from blogcrawler.dom import Link

ONWARD = frozenset({"next", "prev", "previous", "archives", "index", "contents"})
"""Relations of links that lead to further lists (HTML link types)."""
MAX_WORDS = 4
"""Words of a link's text that names a list; more is a title."""


def list_pages(tree: HtmlElement, url: str) -> list[str]:
    """Pages of the site that a page links to, those first that are called as lists of posts are; each once. O(n)."""
    found: dict[str, tuple[float, int, str]] = {}
    for number, link in enumerate(links(tree, url)):
        if link.kind == "iframe" or not same_site(link.url, url) or not is_page_like(link.url):
            continue
        target = canonicalise(link.url)
        key = identity(target)
        worth = _worth(link, target)
        if key == identity(url) or (link.kind == "link" and worth < 1):
            continue
        if key not in found or -worth < found[key][0]:
            found[key] = (-worth, number, target)
    return [target for _, _, target in sorted(found.values())]


def is_called_list(url: str, text: str = "", rel: Iterable[str] = ()) -> bool:
    """Does a link to a page say that it leads to a list of posts, by its relation, its text or its address?

    Numbers in its text, as in "Archive 2004 to 2009", say nothing of that.
    """
    if not ONWARD.isdisjoint(rel):
        return True
    known, called = conventions().lists, [word for word in words(text) if not word.isdecimal()]
    if len(called) <= MAX_WORDS and sum(word in known for word in called) * 2 > len(called):
        return True
    path = segments(url)
    return bool(path) and "?" not in url and path[-1].partition(".")[0] in known


def _worth(link: Link, target: str) -> float:
    known, path, text = conventions(), segments(target), words(link.text)
    worth = 0.0
    if ONWARD & set(link.rel):
        worth += 2
    if len(text) <= MAX_WORDS and known.lists & set(text):
        worth += 1
    if path and path[-1].partition(".")[0] in known.lists:
        worth += 1
    if any(part in known.narrower["section"] - known.lists for part in path):
        worth -= 0.5
    return worth - 0.1 * len(path)
