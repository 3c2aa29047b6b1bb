"""Parses a response body as a `Feed`: RSS, RDF, Atom or JSON Feed, also if it is damaged or has a wrong media type."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.errors import NotAFeed, PageTooSlow
from blogcrawler.people import known_names, separate
from blogcrawler.routes import is_routed
from blogcrawler.time_limit import time_limit
from blogcrawler.urls import identity, is_http, routed

from .jsonfeed import json_document, read_json_feed
from .repair import FeedTooComplexError, decode, find_root
from .xmlfeed import open_xml_feed

if TYPE_CHECKING:
    from .model import Feed

MAX_BYTES = 32 * 1024 * 1024
_SNIFFED_BYTES = 8 * 1024
_JSON_KEYS = re.compile(r'"version"\s{0,9}:\s{0,9}"https?:(?:\\?/){2}(?:www\.)?jsonfeed\.org')


def parse_feed(body: bytes, url: str, content_type: str | None = None) -> Feed:
    """Parse a feed.

    `url` is the feed's URL after redirects, `content_type` the value of the HTTP header. Entries without a permalink
    and duplicates are dropped and counted in `Feed.dropped`. A feed may have no entries. O(n) in the body.

    Raises `NotAFeed` for other documents, and beyond the limits of 32 MB and 400,000 tags.
    """
    if len(body) > MAX_BYTES:
        raise NotAFeed(f"{url} is larger than any feed ({len(body)} bytes); give the URL of another feed.", url=url)
    try:
        with time_limit():
            text = decode(body, content_type)
            feed = read_json_feed(json_document(text), url) if text.startswith("{") else _read_xml_feed(text, url)
    except (FeedTooComplexError, PageTooSlow):
        raise NotAFeed(f"{url} contains too much markup for a feed; give the URL of another feed.", url=url) from None
    if feed is None:
        raise NotAFeed(
            f"{url} is not a web feed but {_description(text)}; give the URL of the blog or of its feed.", url=url
        )
    return _with_routes(_with_each_author(feed))


def _read_xml_feed(text: str, url: str) -> Feed | None:
    reader = open_xml_feed(text, url)
    return reader.feed() if reader is not None else None


def _with_routes(feed: Feed) -> Feed:
    """Treat the fragments of entry URLs as paths if most entries are routes of one page. O(n).

    In other feeds the fragment is irrelevant, since each entry has its own page.
    """
    urls = [routed(entry.url) if "#" in entry.url and is_http(entry.url) else entry.url for entry in feed.entries]
    pages = Counter(identity(entry.url) for entry, url in zip(feed.entries, urls, strict=True) if is_routed(url))
    if not pages or 2 * max(pages.values()) <= len(urls):
        return feed
    entries = zip(feed.entries, urls, strict=True)
    return replace(feed, entries=tuple(replace(entry, url=url) for entry, url in entries))


def _with_each_author(feed: Feed) -> Feed:
    """Split joint authors ("Ann Lee and Bo Okafor"). O(n)."""
    known = known_names(name for entry in feed.entries for name in entry.authors)
    apart = {
        entry.authors: tuple(dict.fromkeys(part for name in entry.authors for part in separate(name, known)))
        for entry in feed.entries
    }
    return replace(feed, entries=tuple(replace(entry, authors=apart[entry.authors]) for entry in feed.entries))


def looks_like_feed(body: bytes, content_type: str | None = None) -> bool:
    """True if a body begins like a feed, whatever its media type; `parse_feed` decides. Fast."""
    text = decode(body[:_SNIFFED_BYTES], content_type)
    if text.startswith("{"):
        return any(map(_JSON_KEYS.search, (text, decode(body[-_SNIFFED_BYTES:], content_type))))
    return find_root(text) is not None


def _description(text: str) -> str:
    if not text:
        return "an empty document"
    head = text[:2000].lower()
    if "<html" in head or "<!doctype html" in head:
        return "a page"
    return "JSON of another kind" if head.startswith(("{", "[")) else "something else"
