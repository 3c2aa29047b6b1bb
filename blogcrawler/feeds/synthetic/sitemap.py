"""Sitemaps (sitemaps.org): they name all pages of a site, in folders of which one may be the posts'."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.dates import date_in_url
from blogcrawler.feeds.address import segments
from blogcrawler.items import Entry
from blogcrawler.urls import is_page_like, resolve, same_site

from .lists import PostList

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_URLS = 50_000
"""The protocol's own bound for one sitemap."""
FEWEST = 2
QUALITY = 0.1
"""Below that of a list on a page; twice as much where the addresses hold dates."""


def read_sitemap(body: bytes, url: str) -> tuple[list[str], list[str]]:
    """The pages and the further sitemaps that a sitemap names; both empty for what is none. O(n)."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True)
    try:
        root = etree.fromstring(body.strip(), parser)
    except (etree.XMLSyntaxError, ValueError):
        root = None
    pages: list[str] = []
    maps: list[str] = []
    if root is None:
        return pages, maps
    for place in root.iter("{*}loc"):
        parent = place.getparent()
        target = resolve(url, place.text or "")
        if target is None or parent is None or len(pages) >= MAX_URLS:
            continue
        (maps if etree.QName(parent).localname == "sitemap" else pages).append(target)
    return pages, maps


def _is_further_page(path: Sequence[str]) -> bool:
    """Is a path that of a list's second or later page: `/tag/rain/page/2/`?"""
    return len(path) > 1 and path[-1].isdigit() and path[-2].lower() in ("page", "paged")


def sitemap_lists(urls: Iterable[str], home: str) -> list[PostList]:
    """The pages of a site by folder and depth, the likeliest folder first: dated addresses, then many."""
    groups: dict[tuple[str, int, bool], list[str]] = defaultdict(list)
    for url in urls:
        path = segments(url)
        if path and same_site(url, home) and is_page_like(url) and not _is_further_page(path):
            groups[path[0] if len(path) > 1 else "", len(path), date_in_url(url) is not None].append(url)
    found = []
    for (_, _, is_dated), pages in groups.items():
        if len(pages) >= FEWEST:
            quality = QUALITY * (1 + is_dated)
            entries = tuple(Entry(page, is_summary=True, is_synthetic=True) for page in dict.fromkeys(pages))
            found.append(PostList(entries, quality * len(entries) / (len(entries) + 1), quality, 0.0))
    return sorted(found, key=lambda listed: -listed.score)
