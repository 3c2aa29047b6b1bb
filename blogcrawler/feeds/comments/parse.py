"""From the body of an answer to a `CommentFeed`: RSS, Atom, Blogger's JSON or JSON Feed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from blogcrawler.errors import NotAFeed, PageTooSlow
from blogcrawler.feeds.encoding import decode
from blogcrawler.feeds.jsonfeed import json_document, json_entry, json_people, read_json_feed
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.parse import MAX_BYTES
from blogcrawler.feeds.quirks import local_name
from blogcrawler.feeds.repair import FeedTooComplexError
from blogcrawler.feeds.xmlfeed import FeedReader, dated_by_update, open_xml_feed
from blogcrawler.time_limit import time_limit

from .gdata import as_atom
from .model import CommentFeed, FeedComment
from .read import Item, comment_of, named_by_titles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.feeds.model import Feed

MOST_ENTRIES = 5_000
"""Of a document."""
_ANSWERS = "in-reply-to"
_MOST_ANSWERS = 10


def parse_comments(body: bytes, url: str, content_type: str | None = None) -> CommentFeed:
    """Read a feed of comments.

    `url` is where it was got from, after redirects; `content_type` the HTTP header's value. O(n) in the body.

    Raises `NotAFeed` for anything else than a feed, and for one past the bounds of `parse_feed`.
    """
    found = None
    if len(body) <= MAX_BYTES:
        with suppress(FeedTooComplexError, PageTooSlow), time_limit():
            text = decode(body, content_type)
            found = _read_json(text, url) if text.lstrip("\ufeff \t\r\n").startswith("{") else _read_xml(text, url)
    if found is None:
        raise NotAFeed(f"{url} is no feed of comments; give the address of another one.", url=url)
    return found


def _read_json(text: str, url: str) -> CommentFeed | None:
    document = json_document(text)
    if document is None:
        return None
    feed = read_json_feed(text, url)
    if feed is None:
        atom = as_atom(document)
        return _read_xml(atom, url) if atom is not None else None
    links = LinkBase(url, feed.home)
    items = [item for item in document["items"][:MOST_ENTRIES] if isinstance(item, dict)]
    told = [(item, entry) for item in items if (entry := json_entry(item, links=links)) is not None]
    return _feed(feed, [Item(entry, json_people(item, links), url=entry.url) for item, entry in told])


def _read_xml(text: str, url: str) -> CommentFeed | None:
    reader = open_xml_feed(text, url)
    if reader is None:
        return None
    feed = reader.feed()
    items = reader.items[:MOST_ENTRIES]
    found = [_item(reader, item, answers) for item, answers in zip(items, _answers(reader, items), strict=True)]
    if feed.kind == "atom":
        dated = dated_by_update(tuple(item.entry for item in found))
        found = [replace(item, entry=entry) for item, entry in zip(found, dated, strict=True)]
    return _feed(feed, found)


def _item(reader: FeedReader, item: Any, answers: list[str]) -> Item:  # noqa: ANN401 feedparser is untyped
    url = reader.permalink(item)
    related = reader.links(item, "related")
    own = reader.links(item, "self", "edit")
    return Item(
        reader.told(item, url or ""), reader.people(item), url=url, answers=(*answers, *related), own=tuple(own)
    )


def _answers(reader: FeedReader, items: Sequence[Any]) -> list[list[str]]:
    """What each item says that it answers, post first where it names both. feedparser keeps the last alone."""
    nodes = [node for node in reader.root.iter(etree.Element) if local_name(node) in ("item", "entry")]
    if len(nodes) < len(items):
        return [[] for _ in items]
    found: list[list[str]] = []
    for node in nodes[: len(items)]:
        said = [child for child in node if local_name(child) == _ANSWERS][:_MOST_ANSWERS]
        values = [child.get(key) for child in said for key in ("href", "ref")]
        found.append(list(dict.fromkeys(value.strip() for value in values if value)))
    return found


def _feed(feed: Feed, items: list[Item]) -> CommentFeed:
    comments: list[FeedComment] = [comment_of(item) for item in named_by_titles(items)]
    return CommentFeed(
        url=feed.url,
        kind=feed.kind,
        title=feed.title,
        home=feed.home,
        generator=feed.generator,
        entries=tuple(comments),
        next_url=feed.next_url,
        total=feed.total,
    )
