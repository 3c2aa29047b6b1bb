"""Reads the export of Blogger: Atom, from Google Takeout (`feed.atom`) or as the single XML file of older versions.

Posts and comments are entries of one feed. They are read as feeds of posts and feeds of comments.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urljoin

from lxml import etree

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.comments.parse import parse_comments
from blogcrawler.feeds.comments.threads import thread
from blogcrawler.feeds.dates import iso_date
from blogcrawler.feeds.parse import parse_feed
from blogcrawler.feeds.quirks import local_name
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.feeds.comments.read import FeedComment
    from blogcrawler.items import Comment, Entry

    from .model import BlogExport

T = TypeVar("T")

_SPACE = "schemas.google.com"
_KIND = "http://schemas.google.com/blogger/2008/kind#"
_ANSWER = "{http://purl.org/syndication/thread/1.0}in-reply-to"
_LINK = "{http://www.w3.org/2005/Atom}link"
_FEED = b'<feed xmlns="http://www.w3.org/2005/Atom">%s</feed>'
_TOGETHER = 200
"""Number of entries that are read as one feed."""
_MOST_BYTES = 16 * 1024 * 1024
"""Size from which a feed gets no further entry."""

logger = logging.getLogger(__name__)


def is_blogger(root: etree._Element) -> bool:
    """True for the root of a document that may be an export of Blogger."""
    return local_name(root) == "feed" and any(_SPACE in uri for uri in root.nsmap.values())


def read_blogger(elements: Iterable[etree._Element], home: str, export: BlogExport) -> bool:
    """Add the posts of a document, with their comments; pages, templates and settings are ignored.

    Addresses without a host are the blog's; True if there are any. O(n).
    """
    posts, comments, has_relative = _Batches(), _Batches(), False
    for element in elements:
        kind = _kind(element)
        if local_name(element) == "updated":
            export.stated_time = iso_date(element.text)
        elif kind == "post" and _is_public(element):
            has_relative |= _complete(element, home)
            posts.take(element)
        elif kind == "post":
            export.left_out += 1
        elif kind == "comment" and _is_public(element):
            _complete(element, home)
            comments.take(element)
    entries = [entry for feed in posts.read(parse_feed, home) for entry in feed.entries]
    threads = _threads(entries, (one for feed in comments.read(parse_comments, home) for one in feed.entries))
    export.entries += [replace(entry, comments=threads.get(identity(entry.url), ())) for entry in entries]
    return has_relative


class _Batches:
    """Entries as feeds of bounded size."""

    def __init__(self) -> None:
        self._full: list[bytes] = []
        self._waiting: list[bytes] = []

    def take(self, entry: etree._Element) -> None:
        """Add an entry."""
        self._waiting.append(etree.tostring(entry, with_tail=False))
        if len(self._waiting) >= _TOGETHER or sum(map(len, self._waiting)) >= _MOST_BYTES:
            self._end()

    def _end(self) -> None:
        self._full.append(_FEED % b"".join(self._waiting))
        self._waiting = []

    def read(self, parse: Callable[[bytes, str], T], home: str) -> Iterator[T]:
        """The parsed feeds; those that cannot be read are lost."""
        if self._waiting:
            self._end()
        for body in self._full:
            try:
                yield parse(body, home)
            except NotAFeed:
                logger.warning("Up to %d posts or comments of the export cannot be read.", _TOGETHER)


def _kind(entry: etree._Element) -> str:
    """What an entry is: "post", "comment", "page", "template" or "settings"; empty for other elements."""
    terms = (node.get("term") or "" for node in entry if local_name(node) == "category")
    stated = next((term.removeprefix(_KIND) for term in terms if term.startswith(_KIND)), "")
    return (_text(entry, "type") or stated).lower() if local_name(entry) == "entry" else ""


def _is_public(entry: etree._Element) -> bool:
    """False for drafts, spam, and what is in the trash."""
    is_draft = any(local_name(node) == "draft" and node.text == "yes" for node in entry.iter(etree.Element))
    return not is_draft and _text(entry, "status") in ("", "LIVE") and not _text(entry, "trashed")


def _complete(entry: etree._Element, home: str) -> bool:
    """Say in Atom's terms what Takeout has in Blogger's: the permalink, and what a comment answers. True if the
    permalink was relative."""
    file = _text(entry, "filename")
    has_link = any(local_name(node) == "link" and node.get("rel") == "alternate" for node in entry)
    if file and not has_link:
        etree.SubElement(entry, _LINK, rel="alternate", href=urljoin(home, file))
    for name in ("inreplyto", "parent"):
        if answered := _text(entry, name):
            etree.SubElement(entry, _ANSWER, ref=answered)
    return bool(file) and not has_link


def _threads(entries: Iterable[Entry], comments: Iterable[FeedComment]) -> dict[str, tuple[Comment, ...]]:
    """The comments of posts, by `urls.identity` of these."""
    posts = {entry.guid: identity(entry.url) for entry in entries if entry.guid}
    found: defaultdict[str, list[FeedComment]] = defaultdict(list)
    for comment in comments:
        post = next((posts[name] for name in comment.answers if name in posts), None)
        if post or comment.post:
            found[post or identity(comment.post or "")].append(comment)
    return {post: tuple(thread(answers)) for post, answers in found.items()}


def _text(entry: etree._Element, name: str) -> str:
    """The text of the first child with a local name."""
    return next(((node.text or "").strip() for node in entry if local_name(node) == name), "")
