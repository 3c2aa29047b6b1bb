"""Finds lists of possible posts on the pages of a blog without a feed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.dom import parse_page
from blogcrawler.errors import NotAWebPage
from blogcrawler.feeds.fetch import page_at
from blogcrawler.feeds.sources import read_sitemap, sitemap_guesses
from blogcrawler.feeds.synthetic import (
    Candidate,
    confirm,
    list_pages,
    loose_links,
    post_lists,
    sitemap_lists,
)
from blogcrawler.urls import identity

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from blogcrawler.feeds.fetch import Fetch
    from blogcrawler.feeds.synthetic import PostList
    from blogcrawler.items import Page

GOOD = 0.5
"""Score from which a list consists almost only of posts."""
WANTED = 20
"""Number of posts in such lists after which the search ends."""
MAX_PAGES = 8
"""Maximum number of pages that are fetched in search of lists."""
MAX_PAGES_WITHOUT = 24
"""Maximum number of pages that are fetched in search of lists while no good list has been found."""
MAX_FOLDERS = 3
"""Maximum number of folders above a start page that are searched for a list with this page."""
MAX_SITEMAPS = 8
"""Maximum number of sitemap requests if the pages have no good list."""
ONWARDS = 10
"""Maximum number of pages taken from each sitemap."""
WORST = 0.05
"""Lists with a lower score are not worth a request."""


async def find_lists(
    start: Page, tree: HtmlElement, fetch: Fetch, now: dt.datetime
) -> tuple[list[PostList], list[Page]]:
    """Lists of possible posts, the likeliest first, each URL in only one list; and the fetched pages.

    The lists are searched on the start page; if it has few posts, on the pages that it links to as lists of posts; if
    these have none, in the sitemap; and finally among all links of the start page. Pages outside of the start page's
    folder may belong to another blog, so they are searched only while there is no good list.
    """
    lists = post_lists(tree, start.url, now)
    seen = {identity(start.url)}
    fetched: list[Page] = []
    folder = start.url.partition("?")[0].rpartition("/")[0] + "/"
    waiting = sorted(list_pages(tree, start.url), key=lambda url: not url.startswith(folder))
    while waiting and _good(lists) < WANTED and len(seen) <= (MAX_PAGES if _good(lists) else MAX_PAGES_WITHOUT):
        url = waiting.pop(0)
        if identity(url) in seen or (_good(lists) and not url.startswith(folder)):
            continue
        seen.add(identity(url))
        page = await _fetch_page(url, fetch)
        if page is None or (identity(page[1].url) in seen and identity(page[1].url) != identity(url)):
            continue
        seen.add(identity(page[1].url))
        fetched.append(page[1])
        lists += post_lists(page[0], page[1].url, now)
        waiting += list_pages(page[0], page[1].url)[:ONWARDS]
    lists = sorted((one for one in lists if one.score >= WORST), key=lambda listed: -listed.score)
    if not _good(lists):
        lists += await lists_of_sitemap(start.url, fetch)
    loose = loose_links(tree, start.url)
    return _distinct([*lists, *filter(None, [loose])]), fetched


async def lists_of_sitemap(home: str, fetch: Fetch) -> list[PostList]:
    """Lists of possible posts in the sitemap of the start page's folder, or of its site."""
    return sitemap_lists(await _sitemap_urls(home, fetch), home)


async def home_of(start: Page, tree: HtmlElement, fetch: Fetch) -> tuple[HtmlElement, Page] | None:
    """The page above the start page that lists it as a post, if there is one: it is the home page."""
    for url in _folders_above(start.url):
        page = await _fetch_page(url, fetch)
        if page is not None and _is_listed(start, tree, post_lists(page[0], page[1].url)):
            return page
    return None


def _is_listed(start: Page, tree: HtmlElement, lists: Iterable[PostList]) -> bool:
    """True if a list shows the start page as a post with the page's own title and day."""
    own = identity(start.url)
    entries = [entry for listed in lists for entry in listed.entries if identity(entry.url) == own]
    confirmed = [confirm([Candidate(tree, start.url, entry)])[0] for entry in entries[:1]]
    return any(entry is not None and entry.published is not None for entry in confirmed)


def _folders_above(url: str) -> list[str]:
    """The first folders on the path from the top of a site to a page, without the page itself."""
    site, path = "/".join(url.split("/", 3)[:3]), url.split("?")[0].rstrip("/").split("/")[3:-1]
    if not urlsplit(url).path.strip("/"):
        return []
    return ["/".join([site, *path[:depth], ""]) for depth in range(min(len(path) + 1, MAX_FOLDERS))]


async def _sitemap_urls(home: str, fetch: Fetch) -> list[str]:
    """The pages in the sitemaps at the usual URLs, and the first further sitemaps that these name."""
    waiting, pages = sitemap_guesses(home), list[str]()
    for _ in range(MAX_SITEMAPS):
        if not waiting:
            break
        url = waiting.pop(0)
        page = await page_at(url, fetch)
        if page is not None:
            sitemap = read_sitemap(page.body, page.url)
            pages += [named for named, _ in sitemap.pages]
            waiting += [further for further, _ in sitemap.maps]
    return pages


def _good(lists: Iterable[PostList]) -> int:
    return len({entry.url for listed in lists if listed.score >= GOOD for entry in listed.entries})


def _distinct(found: Iterable[PostList]) -> list[PostList]:
    seen: set[str] = set()
    lists = []
    for listed in found:
        fresh = [entry for entry in listed.entries if identity(entry.url) not in seen]
        seen.update(identity(entry.url) for entry in fresh)
        if fresh:
            lists.append(replace(listed, entries=tuple(fresh)))
    return lists


async def _fetch_page(url: str, fetch: Fetch) -> tuple[HtmlElement, Page] | None:
    page = await page_at(url, fetch)
    try:
        return None if page is None else (parse_page(page), page)
    except NotAWebPage:
        return None
