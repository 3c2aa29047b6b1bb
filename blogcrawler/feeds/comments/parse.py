"""Parses a response as a comment feed: RSS, Atom or JSON Feed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from blogcrawler.errors import NotAFeed, PageTooSlow
from blogcrawler.feeds.jsonfeed import json_document, json_entry, json_people, read_json_feed
from blogcrawler.feeds.links import LinkBase
from blogcrawler.feeds.parse import MAX_BYTES
from blogcrawler.feeds.quirks import local_name
from blogcrawler.feeds.repair import FeedTooComplexError, decode
from blogcrawler.feeds.xmlfeed import FeedReader, dated_by_update, open_xml_feed
from blogcrawler.time_limit import time_limit

from .read import FeedComment, Item, comment_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.feeds.model import Feed

MOST_ENTRIES = 5_000
"""Maximum number of entries of a document."""
_ANSWERS = "in-reply-to"
_MOST_ANSWERS = 10


@dataclass(frozen=True)
class CommentFeed:
    """A document parsed as a comment feed; `proof` decides whether it is one, and for which post."""

    #: the document as a feed of any kind
    document: Feed
    #: in feed order
    entries: tuple[FeedComment, ...]


def parse_comments(body: bytes, url: str, content_type: str | None = None) -> CommentFeed:
    """Parse a comment feed.

    `url` is the feed's URL after redirects, `content_type` the value of the HTTP header. O(n) in the body.

    Raises `NotAFeed` for other documents, and for feeds beyond the limits of `parse_feed`.
    """
    found = None
    if len(body) <= MAX_BYTES:
        with suppress(FeedTooComplexError, PageTooSlow), time_limit():
            text = decode(body, content_type)
            found = _read_json(text, url) if text.startswith("{") else _read_xml(text, url)
    if found is None:
        raise NotAFeed(f"{url} is not a comment feed; give the URL of another one.", url=url)
    feed, items = found
    return CommentFeed(feed, tuple(map(comment_of, items)))


def _read_json(text: str, url: str) -> tuple[Feed, list[Item]] | None:
    document = json_document(text)
    feed = read_json_feed(document, url)
    if feed is None:
        return None
    links = LinkBase(url, feed.home)
    items = [item for item in document["items"][:MOST_ENTRIES] if isinstance(item, dict)]
    entries = [(item, entry) for item in items if (entry := json_entry(item, links=links)) is not None]
    return feed, [Item(entry, json_people(item, links), url=entry.url) for item, entry in entries]


def _read_xml(text: str, url: str) -> tuple[Feed, list[Item]] | None:
    reader = open_xml_feed(text, url)
    if reader is None:
        return None
    feed = reader.feed()
    items = reader.items[:MOST_ENTRIES]
    comments = [_item(reader, item, answers) for item, answers in zip(items, _answers(reader, items), strict=True)]
    if feed.kind == "atom":
        dated = dated_by_update(tuple(item.entry for item in comments))
        comments = [replace(item, entry=entry) for item, entry in zip(comments, dated, strict=True)]
    return feed, comments


def _item(reader: FeedReader, item: Any, answers: list[str]) -> Item:  # noqa: ANN401 feedparser is untyped
    url = reader.permalink(item)
    return Item(
        reader.entry_at(url or "", item),
        reader.people(item),
        url=url,
        answers=(*answers, *reader.links(item, "related")),
        own=tuple(reader.links(item, "self", "edit")),
    )


def _answers(reader: FeedReader, items: Sequence[Any]) -> list[list[str]]:
    """The post or comment that each item answers, post first; feedparser keeps only the last one."""
    nodes = [node for node in reader.root.iter(etree.Element) if local_name(node) in ("item", "entry")]
    if len(nodes) < len(items):
        return [[] for _ in items]
    answered: list[list[str]] = []
    for node in nodes[: len(items)]:
        said = [child for child in node if local_name(child) == _ANSWERS][:_MOST_ANSWERS]
        values = [child.get(key) for child in said for key in ("href", "ref")]
        answered.append(list(dict.fromkeys(value.strip() for value in values if value)))
    return answered
