"""OPML, the lists of feeds that feed readers export (OPML 2.0, http://opml.org/spec2.opml)."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from lxml import etree

from blogcrawler.errors import BadArgument, NotAFeed
from blogcrawler.feeds.repair import decode, without_entities
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    outlines = _Outlines()
    damage = _parse(text[root.start() :], outlines, 1 + text.count("\n", 0, root.start()))
    if not outlines.found:
        raise NotAFeed(
            f"{name} {damage}, and no feed of it can be read; {_EXPORT}"
            if damage
            else f"{name} has no feeds; {_EXPORT}"
        )
    if damage:
        damage = f"{name} {damage}; what can be read of it is taken in: export it anew for the rest."
    elif outlines.are_more:
        damage = (
            f"{name} has more than {MOST} feeds; the first of them are taken in: give the rest in lists of their own."
        )
    return Subscriptions(outlines.found, damage)


def _parse(text: str, outlines: _Outlines, line: int) -> str | None:
    """Read the elements of a document that begins at a line; what is wrong with it, as the end of a sentence."""
    # targets are told "&#38;" for "&amp;" unless entities are resolved; the text has none of its own, and no DTD
    parser = etree.XMLParser(target=cast("Any", outlines), recover=True, huge_tree=True, resolve_entities=True)
    with suppress(etree.XMLSyntaxError):  # the log has it
        etree.fromstring(without_entities(text).encode(), parser)
    fatal = next((error for error in parser.error_log if error.level == etree.ErrorLevels.FATAL), None)
    if fatal is None:
        return None
    is_too_deep = fatal.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    what = "has folders too deep within each other" if is_too_deep else "is damaged"
    return f"{what} at line {line + fatal.line - 1}"


class _Outlines:
    """A parser's target: it keeps what is read before an error, and no tree, so that folders may be deep."""

    def __init__(self) -> None:
        self.found: list[Subscription] = []
        self.are_more = False
        self._known: set[tuple[str, str]] = set()

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if tag.rpartition("}")[2].lower() != "outline":
            return
        told = {key.lower(): value.strip() for key, value in attributes.items()}
        feed_url = told.get("xmlurl")
        if not feed_url:
            return
        url = next(filter(_is_usable, (told.get("htmlurl", ""), feed_url)), feed_url)
        if (url, feed_url) in self._known:
            return
        if len(self._known) == MOST:
            self.are_more = True
            return
        self._known.add((url, feed_url))
        self.found.append(Subscription(url, told.get("title") or told.get("text") or None, feed_url))

    def close(self) -> None:
        """The document ends."""


def _is_usable(url: str) -> bool:
    try:
        parse_start_url(url)
    except BadArgument:
        return False
    return True
