"""Addresses at which the comments of a post, or of a whole blog, may have a feed.

They come from the post's feed entry, from pages, from the form that other posts' addresses have, and from the
conventions of blog software (data/comments.json).
"""

from __future__ import annotations

import re  # noqa: TC003  (serialise)
from collections import Counter
from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin, urlsplit

from blogcrawler.feeds.address import address_key as feed_key
from blogcrawler.feeds.candidates import candidates, declared_feeds
from blogcrawler.feeds.links import same_site
from blogcrawler.routes import is_routed
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from lxml.html import HtmlElement

__all__ = ["CommentFeedAddress", "FeedKey", "How", "comment_feed_addresses", "feed_key", "form_of", "page_feeds"]

FeedKey = tuple[str, str, str]
"""Of `feed_key`."""
How = Literal["entry", "page", "learned", "convention"]
MOST_ADDRESSES = 6
MOST_BLOG_ADDRESSES = 3
LEAST_NAMED = 0.5
"""Share of a blog's pages that must name a feed for it to be that of all comments."""
_MOST_SOURCE = 2_000_000
_LEAST_NAME = 4


@dataclass(frozen=True)
class CommentFeedAddress:
    """An address that may answer with the feed of a post's comments."""

    url: str
    #: the post's feed entry, the post's page, the form that the blog's entries have in common, or a convention
    how: How


def comment_feed_addresses(
    url: str,
    *,
    named: str | None = None,
    guid: str | None = None,
    offered: Sequence[str] = (),
    shared: Collection[FeedKey] | None = None,
    form: str | None = None,
    source: bytes = b"",
) -> list[CommentFeedAddress]:
    """The addresses for the post at `url`, the likeliest first, each once, at most 6, all on the post's own
    site or its platform's.

    `named` is what its entry names, `offered` are the feeds that its page names (`page_feeds`), `shared` the keys
    (`feed_key`) of feeds that other pages name, too: those are the blog's. None says that no other page is known:
    then only addresses count that name the post. `form` is what `form_of` has learned, `source` the page. O(n).
    """
    can_add = not is_routed(url)  # what is added to a route is not sent to any server
    found = [
        *([CommentFeedAddress(named, "entry")] if named else []),
        *(CommentFeedAddress(feed, "page") for feed in _own(offered, url, shared)),
        *([CommentFeedAddress(url + form, "learned")] if form and can_add and not urlsplit(url).query else []),
        *(CommentFeedAddress(address, "convention") for address in _conventional(url, guid, source) if can_add),
    ]
    kept: dict[tuple[str, str, str], CommentFeedAddress] = {}
    for address in found:
        if same_site(address.url, url) or _is_platform(address.url):
            kept.setdefault(feed_key(address.url), address)
    return list(kept.values())[:MOST_ADDRESSES]


def page_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The feeds that a page names in its head, on its own site."""
    return [feed for feed in declared_feeds(tree, url) if same_site(feed, url)]


def _is_platform(url: str) -> bool:
    """True for a host that has the comment feeds of blogs on other hosts."""
    host = urlsplit(url).hostname or ""
    return host.removeprefix("www.") in conventions().platforms


def form_of(post: str, feed: str | None) -> str | None:
    """The suffix that makes the address of a post that of its comments' feed; None where none does."""
    if not feed or "?" in post or not feed.startswith(post) or not 0 < len(feed) - len(post) <= 60:
        return None
    return feed.removeprefix(post)


def _own(offered: Sequence[str], url: str, shared: Collection[FeedKey] | None) -> Iterator[str]:
    """Those of a page's feeds that are its own, those first that name the post."""
    naming = [feed for feed in offered if _names(feed, url)]
    yield from naming
    if shared is not None:
        yield from (feed for feed in offered if feed not in naming and feed_key(feed) not in shared)


def _names(feed: str, url: str) -> bool:
    """True if a feed's address contains that of the post, or its name."""
    if feed.startswith(url) and feed != url:
        return urlsplit(url).path.strip("/") != "" or bool(urlsplit(url).query)
    segments = [part for part in unquote(urlsplit(url).path).split("/") if part]
    name = segments[-1].rpartition(".")[0] or segments[-1] if segments else ""
    return len(name) >= _LEAST_NAME and name in unquote(feed)


def _conventional(url: str, guid: str | None, source: bytes) -> Iterator[str]:
    text = source[:_MOST_SOURCE].decode("utf-8", "replace")
    lower = text.lower()
    for convention in conventions().addresses:
        is_known = any(sign in lower for sign in convention.signs) or (convention.parts and guid)
        if not is_known or (convention.of is not None and convention.of.search(url) is None):
            continue
        parts = _parts(convention, guid or "", text)
        if parts is not None:
            folder = url if url.endswith("/") else f"{url}/"
            yield urljoin(url, convention.template.format(url=folder, permalink=url, **parts))


def _parts(convention: Convention, guid: str, text: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for name, patterns in convention.parts.items():
        match = next((hit for pattern in patterns for where in (guid, text) if (hit := pattern.search(where))), None)
        if match is None:
            return None
        found[name] = match[1]
    return found


def blog_comment_feeds(home: str, pages: Iterable[tuple[HtmlElement, str, bytes]]) -> list[str]:
    """Addresses of the feed of all comments of a blog, the likeliest first, at most 3.

    `pages` are some of its posts' pages, each with its address and source. Feeds that most of them name come before
    those that their software is known to have (`blog_addresses` in data/comments.json). O(n).
    """
    pages = list(pages)
    named = Counter(
        feed for tree, url, _ in pages for feed in {one.url for one in candidates(tree, url) if one.is_of_comments}
    )
    least = max(LEAST_NAMED * len(pages), min(2, len(pages)))
    declared = [url for url, times in named.most_common() if times >= least]
    sources = [source.lower() for _, _, source in pages]
    made = [
        urljoin(home, one.template)
        for one in conventions().blog_addresses
        if any(sign.encode() in source for sign in one.signs for source in sources)
    ]
    return list(dict.fromkeys(url for url in (*declared, *made) if same_site(url, home)))[:MOST_BLOG_ADDRESSES]


@dataclass(frozen=True)
class Convention:
    """How one software forms the address of the feed of a post's comments."""

    #: what its pages' sources hold, in small letters
    signs: tuple[str, ...]
    #: the address, with {parts}
    template: str
    #: pattern of the permalinks that it holds for
    of: re.Pattern[str] | None = None
    #: the groups of expressions over a page's source or the entry's guid, by name of a part
    parts: Mapping[str, tuple[re.Pattern[str], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Conventions:
    """All of them."""

    addresses: tuple[Convention, ...]
    #: where software has the feed of all comments of a blog, below its home page
    blog_addresses: tuple[Convention, ...]
    #: hosts that have the feeds of comments of blogs on other hosts
    platforms: frozenset[str]
    #: parameters of posts' addresses that choose a comment
    comment_parameters: frozenset[str]
    #: folders that hold feeds
    feed_folders: frozenset[str]
    #: entries of a full feed, by a word of the generator's name
    sizes: Mapping[str, int]


@cache
def conventions() -> Conventions:
    """The conventions; read once."""
    return load_file(Conventions, "blogcrawler.feeds", "comments.json")
