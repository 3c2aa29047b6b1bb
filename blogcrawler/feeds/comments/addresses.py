"""Candidate URLs of the comment feed of a post or of a whole blog.

They come from the post's feed entry, from pages, from the URL pattern of other posts, and from the conventions of blog
software (data/comments.json).
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
"""The result of `feed_key`."""
How = Literal["entry", "page", "learned", "convention"]
MOST_ADDRESSES = 6
MOST_BLOG_ADDRESSES = 3
LEAST_NAMED = 0.5
"""Share of a blog's pages that must link to a feed for it to be the feed of all comments."""
_MOST_SOURCE = 2_000_000
_LEAST_NAME = 4


@dataclass(frozen=True)
class CommentFeedAddress:
    """A URL that may be the comment feed of a post."""

    url: str
    #: where the URL comes from: the post's feed entry, its page, the pattern of the blog's entries, or a convention
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
    """Candidate URLs for the post at `url`, the likeliest first, at most 6, all on the post's own site or its platform.

    `named` is the URL in its feed entry; `offered` are the feeds that its page links to (`page_feeds`); `shared` are
    keys (`feed_key`) of feeds that other pages link to as well, which belong to the whole blog. If `shared` is None, no
    other page is known, and only URLs that contain the post's URL or name count. `form` is the result of `form_of`,
    `source` the page. O(n).
    """
    can_add = not is_routed(url)  # the suffix is added to a fragment route, which is not sent to any server
    candidates = [
        *([CommentFeedAddress(named, "entry")] if named else []),
        *(CommentFeedAddress(feed, "page") for feed in _own(offered, url, shared)),
        *([CommentFeedAddress(url + form, "learned")] if form and can_add and not urlsplit(url).query else []),
        *(CommentFeedAddress(address, "convention") for address in _conventional(url, guid, source) if can_add),
    ]
    distinct: dict[tuple[str, str, str], CommentFeedAddress] = {}
    for address in candidates:
        if same_site(address.url, url) or _is_platform(address.url):
            distinct.setdefault(feed_key(address.url), address)
    return list(distinct.values())[:MOST_ADDRESSES]


def page_feeds(tree: HtmlElement, url: str) -> list[str]:
    """The feeds in a page's head that are on its own site."""
    return [feed for feed in declared_feeds(tree, url) if same_site(feed, url)]


def _is_platform(url: str) -> bool:
    """True for a host that serves comment feeds of blogs on other hosts."""
    host = urlsplit(url).hostname or ""
    return host.removeprefix("www.") in conventions().platforms


def form_of(post: str, feed: str | None) -> str | None:
    """The suffix that turns a post's URL into that of its comment feed; None if no suffix does."""
    if not feed or "?" in post or not feed.startswith(post) or not 0 < len(feed) - len(post) <= 60:
        return None
    return feed.removeprefix(post)


def _own(offered: Sequence[str], url: str, shared: Collection[FeedKey] | None) -> Iterator[str]:
    """A page's feeds that are not shared with other pages; feeds that name the post come first."""
    naming = [feed for feed in offered if _names(feed, url)]
    yield from naming
    if shared is not None:
        yield from (feed for feed in offered if feed not in naming and feed_key(feed) not in shared)


def _names(feed: str, url: str) -> bool:
    """True if a feed's URL contains the URL of the post, or its name."""
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
    parts: dict[str, str] = {}
    for name, patterns in convention.parts.items():
        match = next((hit for pattern in patterns for where in (guid, text) if (hit := pattern.search(where))), None)
        if match is None:
            return None
        parts[name] = match[1]
    return parts


def blog_comment_feeds(home: str, pages: Iterable[tuple[HtmlElement, str, bytes]]) -> list[str]:
    """Candidate URLs of the feed of all comments of a blog, the likeliest first, at most 3.

    `pages` are some post pages with their URL and source. Feeds that most of them link to come before the conventions
    of their software (`blog_addresses` in data/comments.json). O(n).
    """
    pages = list(pages)
    named = Counter(
        feed for tree, url, _ in pages for feed in {one.url for one in candidates(tree, url) if one.is_of_comments}
    )
    least = max(LEAST_NAMED * len(pages), min(2, len(pages)))
    declared = [url for url, times in named.most_common() if times >= least]
    sources = [source.lower() for _, _, source in pages]
    conventional = [
        urljoin(home, one.template)
        for one in conventions().blog_addresses
        if any(sign.encode() in source for sign in one.signs for source in sources)
    ]
    return list(dict.fromkeys(url for url in (*declared, *conventional) if same_site(url, home)))[:MOST_BLOG_ADDRESSES]


@dataclass(frozen=True)
class Convention:
    """How a blog software builds the URL of a post's comment feed."""

    #: text that its pages' sources contain, in lower case
    signs: tuple[str, ...]
    #: the URL, with {parts}
    template: str
    #: pattern of the permalinks to which it applies
    of: re.Pattern[str] | None = None
    #: regular expressions with one group over a page's source or the entry's guid, by the name of the part
    parts: Mapping[str, tuple[re.Pattern[str], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Conventions:
    addresses: tuple[Convention, ...]
    #: paths of the feed of all comments, below the home page
    blog_addresses: tuple[Convention, ...]
    #: hosts that serve comment feeds of blogs on other hosts
    platforms: frozenset[str]
    #: query parameters in post URLs that select a comment
    comment_parameters: frozenset[str]
    #: folders that contain feeds
    feed_folders: frozenset[str]
    #: maximum number of entries of a feed, by a word in the generator's name
    sizes: Mapping[str, int]


@cache
def conventions() -> Conventions:
    """Load the conventions, once per process."""
    return load_file(Conventions, "blogcrawler.feeds", "comments.json")
