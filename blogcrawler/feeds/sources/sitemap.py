"""Reads a sitemap (https://www.sitemaps.org/protocol.html), and finds pages that sitemaps report as changed
(`lastmod`).

A sitemap lists pages or further sitemaps. It is XML with extensions for images, news and videos; plain text; or a web
feed; each may be compressed by gzip. lxml is used since Scrapy's own class corrupts URLs if anything precedes the XML
declaration, and fails for text files.
"""

from __future__ import annotations

import re
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from lxml import etree

from blogcrawler.dates import Moment
from blogcrawler.errors import NotAFeed, PageTooSlow
from blogcrawler.feeds.parse import looks_like_feed, parse_feed
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import resolve, same_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from blogcrawler.feeds.sources.model import Answer

    Find = Callable[[str], str | None]
    """The canonical URL of a sitemap entry; None if it is not a web URL."""

MAX_URLS = 50_000
"""Maximum number of URLs per sitemap in the protocol."""
MAX_BYTES = 50 * 1024 * 1024
"""Maximum size of an uncompressed sitemap in the protocol."""
_GZIP = b"\x1f\x8b"
_ROOT = re.compile(rb"<(?:\?xml|(?:[A-Za-z_][\w.-]{0,40}:)?(?:urlset|sitemapindex)[\s>])", re.IGNORECASE)
_HEAD = 4096
"""Maximum number of bytes that broken servers may send before the root element."""
_LINE = re.compile(r"https?://\S+", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:.]{4,15}(?:Z|[+-]\d\d:?\d\d)?)?")
MOST_DOCUMENTS = 20
"""Maximum number of sitemaps that are read."""
FEW = 5
"""Up to this number, all pages may be new."""
MOST_CHANGED = 0.5
"""If more than this share of a sitemap's pages have changed, the times may be those of the sitemap itself."""
LEAST_DATED = 0.5
"""If fewer than this share of its pages have a time, a sitemap says nothing about changes."""


@dataclass(frozen=True)
class Sitemap:
    """The absolute canonical URLs in a sitemap, in order, each with `lastmod` (ISO 8601) or None."""

    pages: tuple[tuple[str, str | None], ...] = ()
    maps: tuple[tuple[str, str | None], ...] = ()
    #: False if the document is not a sitemap but, for example, a web page
    is_sitemap: bool = True


def read_sitemap(body: bytes, url: str, *, has_routes: bool = False) -> Sitemap:
    """Read the sitemap fetched from `url`.

    Empty if it is not a sitemap or takes too long; the readable part if it is damaged.

    If the blog `has_routes`, fragment routes in URLs are treated as paths (`urls.routed`).
    """
    with suppress(PageTooSlow), time_limit():
        return _read(body, url, partial(resolve, url, has_routes=has_routes))
    return Sitemap(is_sitemap=False)


def _read(body: bytes, url: str, find: Find) -> Sitemap:
    data = _unpacked(body).lstrip(b"\xef\xbb\xbf \t\r\n\0")
    if not data:
        return Sitemap()
    if looks_like_feed(data):
        return _of_feed(data, url, find)
    root = _ROOT.search(data, 0, _HEAD)
    if root is not None:
        return _of_xml(data[root.start() :], find)
    return Sitemap(is_sitemap=False) if data.startswith(b"<") else _of_text(data, find)


def _unpacked(body: bytes) -> bytes:
    """Decompress a file up to the size limit; of a damaged file, the part before the damage."""
    if not body.startswith(_GZIP):
        return body[:MAX_BYTES]
    unpacker, found, size = zlib.decompressobj(wbits=31), [], 0
    for start in range(0, len(body), _HEAD):
        try:
            part = unpacker.decompress(body[start : start + _HEAD], MAX_BYTES - size)
        except zlib.error:
            break
        found.append(part)
        size += len(part)
        if size >= MAX_BYTES:
            break
    return b"".join(found)


def _of_xml(data: bytes, find: Find) -> Sitemap:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=True, huge_tree=False)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError):
        return Sitemap()
    pages: dict[str, str | None] = {}
    maps: dict[str, str | None] = {}
    for node in root.iter("{*}loc") if root is not None else ():
        parent = node.getparent()
        if parent is None or not isinstance(parent.tag, str):
            continue
        kind = etree.QName(parent).localname.lower()
        written = (node.text or "").strip()
        target = find(written) if written and kind in ("url", "sitemap") else None
        if target is not None and len(pages) < MAX_URLS and len(maps) < MAX_URLS:
            (maps if kind == "sitemap" else pages).setdefault(target, _lastmod(parent))
    return Sitemap(tuple(pages.items()), tuple(maps.items()))


def _lastmod(parent: etree._Element) -> str | None:
    match = _DAY.match((parent.findtext("{*}lastmod") or "").strip())
    return match[0] if match else None


def _of_feed(data: bytes, url: str, find: Find) -> Sitemap:
    try:
        feed = parse_feed(data, url)
    except NotAFeed:
        return Sitemap()
    times = {target: entry.updated for entry in feed.entries if (target := find(entry.url))}
    return Sitemap(tuple(times.items()))


def _of_text(data: bytes, find: Find) -> Sitemap:
    lines = data.decode("utf-8", "replace").split("\n")[:MAX_URLS]
    urls = [target for line in lines if _LINE.fullmatch(line.strip()) and (target := find(line.strip()))]
    return Sitemap(tuple((target, None) for target in dict.fromkeys(urls)))


class ChangedPages:
    """Reads sitemaps; of those in an index, only the ones that changed since a given time.

    `is_changed` tests whether a page was read before its new time: if most were, the times are doubtful.
    """

    def __init__(
        self, documents: Iterable[str], since: str, is_changed: Callable[[str, str], bool] | None = None
    ) -> None:
        start = Moment.parse_iso(since)
        if start is None:
            raise ValueError(f"{since!r} is not a time")
        self._start, self._is_changed = start, is_changed
        self._waiting = list(dict.fromkeys(documents))[:MOST_DOCUMENTS]
        self._seen = set(self._waiting)
        self._read = 0
        #: changed pages with their time (ISO 8601)
        self.pages: dict[str, str] = {}
        #: changed pages whose time may be that of the sitemap
        self.doubtful: set[str] = set()
        #: True if documents failed that may be available later
        self.is_cut = False
        #: True if the sitemaps state when pages were changed
        self.is_dated = False
        #: pages in sitemaps without times
        self.undated: tuple[str, ...] = ()

    @property
    def next_url(self) -> str | None:
        return self._waiting[0] if self._waiting and self._read < MOST_DOCUMENTS else None

    def take(self, answer: Answer | None) -> None:
        """Process the requested document. O(n)."""
        url = self._waiting.pop(0)
        self._read += 1
        if answer is None or answer.status != 200:
            self.is_cut |= answer is None or not answer.is_gone
            return
        sitemap = read_sitemap(answer.body, answer.url)
        for one, time in sitemap.maps:
            if one not in self._seen and same_site(one, url) and (time is None or self._is_since(time)):
                self._seen.add(one)
                self._waiting.append(one)
        dated = [(page, time) for page, time in sitemap.pages if time is not None]
        if not dated or len(dated) < LEAST_DATED * len(sitemap.pages):
            self.undated += tuple(page for page, _ in sitemap.pages)
            return
        self.is_dated = True
        changed = {page: time for page, time in dated if self._is_since(time)}
        self.pages |= changed
        read = [page for page, time in changed.items() if self._is_changed is None or self._is_changed(page, time)]
        if len(read) > max(FEW, MOST_CHANGED * len(dated)):
            self.doubtful.update(read)

    def _is_since(self, time: str) -> bool:
        moment = Moment.parse_iso(time)
        return moment is not None and not self._start.is_after(moment)
