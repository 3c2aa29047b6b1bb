"""Reads the export of Blogger: Atom, from Google Takeout (`feed.atom`) or as the single XML file of older versions.

Posts and comments are entries of one feed. Each is read as a feed of posts or a feed of comments.
"""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from lxml import etree

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.comments.parse import parse_comments
from blogcrawler.feeds.comments.threads import thread
from blogcrawler.feeds.parse import parse_feed
from blogcrawler.feeds.quirks import local_name
from blogcrawler.urls import identity

from .wordpress import child_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.feeds.comments.read import FeedComment
    from blogcrawler.items import Entry

_KIND = "http://schemas.google.com/blogger/2008/kind#"
_ANSWER = "{http://purl.org/syndication/thread/1.0}in-reply-to"
_LINK = "{http://www.w3.org/2005/Atom}link"
_FEED = b'<feed xmlns="http://www.w3.org/2005/Atom">%s</feed>'


def read_blogger(elements: Iterable[etree._Element], home: str) -> Iterator[Entry | None]:
    """The posts of a document, None for each that is not public; pages, templates and settings are ignored. Addresses
    without a host are the blog's. O(n)."""
    posts: list[Entry] = []
    comments: list[FeedComment] = []
    for element in elements:
        values, terms = child_texts(element), [node.get("term") or "" for node in element]
        stated = next((term.removeprefix(_KIND) for term in terms if term.startswith(_KIND)), "")
        kind = values.get("type", stated).lower()
        is_draft = values.get("control") == "yes" or values.get("status", "LIVE") != "LIVE"
        if kind not in ("post", "comment") or local_name(element) != "entry":
            continue
        if is_draft or values.get("trashed"):
            yield from [None] if kind == "post" else []
            continue
        with suppress(NotAFeed):  # an entry that no parser can read
            posts += parse_feed(_as_atom(element, values, home), home).entries if kind == "post" else ()
            comments += parse_comments(_as_atom(element, values, home), home).entries if kind == "comment" else ()
    keys = {entry.guid: identity(entry.url) for entry in posts}
    threads: defaultdict[str, list[FeedComment]] = defaultdict(list)
    for comment in comments:
        key = next((keys[name] for name in comment.answers if name in keys), None)
        threads[key or identity(comment.post or home)].append(comment)
    for entry in posts:
        yield replace(entry, comments=tuple(thread(threads[identity(entry.url)])))


def _as_atom(entry: etree._Element, values: dict[str, str], home: str) -> bytes:
    """A feed with an entry, whose permalink and answered comments are in Atom's terms, also if it is from Takeout."""
    has_link = any(local_name(node) == "link" and node.get("rel") == "alternate" for node in entry)
    if values.get("filename") and not has_link:
        etree.SubElement(entry, _LINK, rel="alternate", href=urljoin(home, values["filename"]))
    for answered in filter(None, (values.get("inreplyto"), values.get("parent"))):
        etree.SubElement(entry, _ANSWER, ref=answered)
    return _FEED % etree.tostring(entry, with_tail=False)
