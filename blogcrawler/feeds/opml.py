"""OPML, the lists of feeds that feed readers export (OPML 2.0, http://opml.org/spec2.opml)."""

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
"""Subscriptions of one list."""
_MAX_PREAMBLE = 200_000
_ROOT = re.compile(r"<(?:opml|html|body|rss|feed)(?=[\s>/])", re.IGNORECASE)
_EXPORT = "export the list of feeds from a feed reader as OPML."


class Subscription(NamedTuple):
    """A blog of a list."""

    #: its home page, or else its feed; as it is written where neither can be crawled
    url: str
    title: str | None
    #: its feed, as it is written
    feed_url: str


class Subscriptions(NamedTuple):
    """The readable part of a list."""

    #: in their order, each feed once; never empty
    blogs: list[Subscription]
    #: a sentence that says why this may not be all; None where it is
    damage: str | None


def read_opml(body: bytes, name: str = "The file") -> Subscriptions:
    """The blogs of an OPML document. O(n). Bare ampersands are read as they are meant.

    Raises `NotAFeed` for what is no OPML, too large, or without feeds; `name` is what sentences call it.
    """
    if len(body) > MOST_BYTES:
        raise NotAFeed(f"{name} is larger than {MOST_BYTES >> 20} MiB; give the list of feeds in parts.")
    text = decode(body)
    root = _ROOT.search(text, 0, _MAX_PREAMBLE)
    if root is None or root[0].lower() != "<opml":
        raise NotAFeed(f"{name} is no OPML; {_EXPORT}")
    found: dict[tuple[str, str], Subscription] = {}
    document = BytesIO(without_entities(text[root.start() :]).encode())
    elements = etree.iterparse(
        document, events=("start",), recover=True, huge_tree=True, remove_comments=True, remove_pis=True
    )
    with suppress(etree.XMLSyntaxError):  # the log has it
        for one in _subscriptions(element for _, element in elements):
            found.setdefault((one.url, one.feed_url), one)
            if len(found) > MOST:
                break
    damage = _damage(elements, 1 + text.count("\n", 0, root.start()))
    if not found:
        raise NotAFeed(
            f"{name} {damage}, and no feed of it can be read; {_EXPORT}"
            if damage
            else f"{name} has no feeds; {_EXPORT}"
        )
    if damage:
        damage = f"{name} {damage}; what can be read of it is taken in: export it anew for the rest."
    elif len(found) > MOST:
        damage = (
            f"{name} has more than {MOST} feeds; the first of them are taken in: give the rest in lists of their own."
        )
    return Subscriptions(list(found.values())[:MOST], damage)


def _damage(elements: etree.iterparse[Any], line: int) -> str | None:
    """What is wrong with a document that begins at a line, as the end of a sentence."""
    fatal = next((error for error in elements.error_log if error.level == etree.ErrorLevels.FATAL), None)
    if fatal is None:
        return None
    is_too_deep = fatal.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    what = "has folders too deep within each other" if is_too_deep else "is damaged"
    return f"{what} at line {line + fatal.line - 1}"


def _subscriptions(elements: Iterable[etree._Element]) -> Iterator[Subscription]:
    """Those of elements that begin, in memory that does not grow with their number: what is before them goes."""
    for element in elements:
        parent = element.getparent()
        while parent is not None and parent[0] is not element:
            del parent[0]
        told = {str(key).lower(): str(value).strip() for key, value in element.items()}
        feed_url = told.get("xmlurl")
        if feed_url and re.split("[}:]", str(element.tag))[-1].lower() == "outline":
            url = next(filter(_is_usable, (told.get("htmlurl", ""), feed_url)), feed_url)
            yield Subscription(url, told.get("title") or told.get("text") or None, feed_url)


def _is_usable(url: str) -> bool:
    try:
        parse_start_url(url)
    except BadArgument:
        return False
    return True
