"""Reads OPML, the format in which feed readers export lists of feeds (OPML 2.0, http://opml.org/spec2.opml)."""

from __future__ import annotations

import re
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from blogcrawler.errors import BadArgument, NotAFeed
from blogcrawler.feeds.repair import decode, without_entities
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MOST_BYTES = 32 * 1024 * 1024
MOST = 100_000
"""Maximum number of subscriptions in a list."""
_MAX_PREAMBLE = 200_000
_ROOT = re.compile(r"<(?:opml|html|body|rss|feed)(?=[\s>/])", re.IGNORECASE)
_EXPORT = "export the list of feeds from a feed reader as OPML."


class Subscription(NamedTuple):
    """A blog in a list."""

    #: its home page, or else its feed; unchanged if neither can be crawled
    url: str
    title: str | None
    #: URL of its feed, as written in the list
    feed_url: str


class Subscriptions(NamedTuple):
    """The readable part of a list."""

    #: in list order, each feed once; never empty
    blogs: list[Subscription]
    #: a message if the list is incomplete; else None
    damage: str | None


def read_opml(body: bytes, name: str = "The file") -> Subscriptions:
    """Read the blogs of an OPML document. O(n). Bare ampersands are accepted.

    Raises `NotAFeed` for other documents, too large documents and lists without feeds; `name` is the name of the
    document in messages.
    """
    if len(body) > MOST_BYTES:
        raise NotAFeed(f"{name} is larger than {MOST_BYTES >> 20} MiB; split the list of feeds.")
    text = decode(body)
    root = _ROOT.search(text, 0, _MAX_PREAMBLE)
    if root is None or root[0].lower() != "<opml":
        raise NotAFeed(f"{name} is not OPML; {_EXPORT}")
    subscriptions: dict[tuple[str, str], Subscription] = {}
    document = BytesIO(without_entities(text[root.start() :]).encode())
    elements = etree.iterparse(
        document, events=("start",), recover=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    with suppress(etree.XMLSyntaxError):  # the error is in the log
        for subscription in _subscriptions(element for _, element in elements):
            subscriptions.setdefault((subscription.url, subscription.feed_url), subscription)
            if len(subscriptions) > MOST:
                break
    damage = _damage(elements, 1 + text.count("\n", 0, root.start()))
    if not subscriptions:
        raise NotAFeed(
            f"{name} {damage} and contains no readable feed; {_EXPORT}" if damage else f"{name} has no feeds; {_EXPORT}"
        )
    if damage:
        damage = f"{name} {damage}. The readable feeds were added; export the list again for the others."
    elif len(subscriptions) > MOST:
        damage = f"{name} has more than {MOST} feeds. The first ones were added; split the list to add the others."
    return Subscriptions(list(subscriptions.values())[:MOST], damage)


def _damage(elements: etree.iterparse[Any], line: int) -> str | None:
    """The damage in a document that begins at this line, as the end of a sentence."""
    fatal = next((error for error in elements.error_log if error.level == etree.ErrorLevels.FATAL), None)
    if fatal is None:
        return None
    is_too_deep = fatal.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    damage = "has too deeply nested folders" if is_too_deep else "is damaged"
    return f"{damage} at line {line + fatal.line - 1}"


def _subscriptions(elements: Iterable[etree._Element]) -> Iterator[Subscription]:
    """Yield the subscriptions while parsing; elements that were read are freed, so memory stays constant."""
    for element in elements:
        parent = element.getparent()
        while parent is not None and parent[0] is not element:
            del parent[0]
        attributes = {str(key).lower(): str(value).strip() for key, value in element.items()}
        feed_url = attributes.get("xmlurl")
        if feed_url and re.split("[}:]", str(element.tag))[-1].lower() == "outline":
            url = next(filter(_is_usable, (attributes.get("htmlurl", ""), feed_url)), feed_url)
            yield Subscription(url, attributes.get("title") or attributes.get("text") or None, feed_url)


def _is_usable(url: str) -> bool:
    try:
        parse_start_url(url)
    except BadArgument:
        return False
    return True
