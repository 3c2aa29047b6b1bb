"""Ranks several feeds to find the main feed of posts, by what a page says about them and by their content.

Feeds of comments, of a category or of one post differ from the main feed in structure: their URL is longer, their title
is the main feed's title with additional words, and `X/comments/feed` exists beside `X/feed`. Lists of words are only
additional evidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urljoin, urlsplit

from blogcrawler.feeds.address import (
    address_key,
    conventions,
    feed_folder,
    feed_language,
    folder_of,
    is_feed_address,
    segments,
    words,
)
from blogcrawler.feeds.links import is_proxy, same_site
from blogcrawler.feeds.texts import language_tag, same_language

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.feeds.model import Feed, How

Kind = Literal["comments", "section", "files", "longer", ""]
"""Kinds of partial feeds; "longer" means that the title is another feed's title with additional words."""

#: penalty of each kind; usual paths, for which there is no evidence, begin at 100
_ANCHOR = 15.0
_WORDS_ONLY = 20.0
_OTHER_SITE = 40.0
_KINDS: dict[Kind, float] = {"comments": 250.0, "section": 105.0, "files": 60.0, "longer": 20.0, "": 0.0}
_OTHER_LANGUAGE = 30.0
_DEEPER = 8.0
_HIGHER = 5.0
_LATER = 0.25
_MAX_LATER = 10.0
_ALIKE = 0.5
#: first letter of the scripts that have no spaces between words
_WITHOUT_SPACES = "\u0e00"
#: maximum number of entries that are compared with the links of the start page
_ENOUGH = 10


@dataclass(frozen=True)
class Offer:
    """A link of a page that may lead to a feed."""

    url: str
    how: How
    title: str = ""
    hreflang: str = ""
    #: False if only the text of the link indicates a feed
    is_sure: bool = True


@dataclass(frozen=True)
class PageFacts:
    """Facts about the page whose feeds are ranked."""

    url: str
    language: str | None
    #: words of the page's title, since a blog may be called "Comments"
    title_words: frozenset[str]
    folder: tuple[str, ...]
    #: URLs with a comment feed beside them, which are therefore feeds of posts
    mains: frozenset[tuple[str, str, str]]
    comments: frozenset[tuple[str, str, str]]
    #: words of the shortest title of the declared feeds, and the length of that feed's URL
    plain_title: tuple[str, ...]
    plain_length: int

    @classmethod
    def of(cls, tree: HtmlElement, url: str, offers: Sequence[Offer]) -> PageFacts:
        """Collect the facts of a page."""
        mains, comments = _pairs(offers)
        titled = [offer for offer in offers if offer.how == "link" and offer.title]
        plain = min(titled, key=lambda offer: (len(words(offer.title)), len(offer.url)), default=None)
        title = next((node.text or "" for node in tree.iter("title")), "")
        return cls(
            url=url,
            language=_language(tree, url),
            title_words=frozenset(words(title)),
            folder=tuple(folder_of(url)),
            mains=frozenset(mains),
            comments=frozenset(comments),
            plain_title=tuple(words(plain.title)) if plain else (),
            plain_length=len(plain.url) if plain else 0,
        )


def _language(tree: HtmlElement, url: str) -> str | None:
    """The language in the start URL's path, else the one that the page declares."""
    known = conventions().languages
    for part in segments(url)[:2]:
        if part in known:
            return part
    root = tree.getroottree().getroot()
    for node in (tree, root):
        if tag := language_tag(node.get("lang") or node.get("xml:lang")):
            return tag
    for node in tree.iter("meta"):
        if str(node.get("http-equiv", "")).lower() == "content-language" and (tag := language_tag(node.get("content"))):
            return tag
    return None


def _pairs(offers: Sequence[Offer]) -> tuple[list[tuple[str, str, str]], list[tuple[str, str, str]]]:
    """The pairs of a post feed and a comment feed whose URLs differ only by the word for comments."""
    kinds = conventions().narrower["comments"]
    keys = {address_key(offer.url) for offer in offers}
    mains, comments = [], []
    for host, path, query in keys:
        parts = path.split("/")
        for index, part in enumerate(parts):
            without = (host, "/".join(parts[:index] + parts[index + 1 :]), query)
            if part and without in keys and without != (host, path, query) and words(part) and set(words(part)) & kinds:
                mains.append(without)
                comments.append((host, path, query))
        if query.startswith("feed=comments-") and (host, path, query.replace("comments-", "", 1)) in keys:
            mains.append((host, path, query.replace("comments-", "", 1)))
            comments.append((host, path, query))
    return mains, comments


def penalty(offer: Offer, page: PageFacts, position: int) -> float:
    """Penalty of a link: high if it is unlikely to be the main feed. `position` is its position on the page."""
    points = min(position * _LATER, _MAX_LATER) + _KINDS[kind_of(offer, page)] + _distance(offer, page)
    if offer.how == "anchor":
        points += _ANCHOR + _WORDS_ONLY * (not offer.is_sure)
    if not same_site(offer.url, page.url) and not is_proxy(offer.url):
        points += _OTHER_SITE
    language = language_tag(offer.hreflang) or feed_language(offer.url)
    if language and page.language and not same_language(language, page.language):
        points += _OTHER_LANGUAGE
    return points


def kind_of(offer: Offer, page: PageFacts) -> Kind:
    """The kind of feed that a link leads to, by comparison with other links, its title and its URL; "" for the feed
    of posts."""
    key = address_key(offer.url)
    if key in page.comments:
        return "comments"
    if key in page.mains:
        return ""
    if page.mains and _is_of_post(offer, page):
        return "comments"
    parts = urlsplit(offer.url)
    named = set(words(unquote(parts.path + " " + parts.query))) - set(words(" ".join(page.folder)))
    entitled = set(words(offer.title)) - page.title_words
    for kind in ("comments", "section", "files"):
        known = conventions().narrower[kind]
        spoken = entitled & known if kind != "section" else set()
        unspaced = any(word[0] >= _WITHOUT_SPACES and word in offer.title for word in known)
        if spoken or unspaced or named & known:
            return kind
    title = tuple(words(offer.title))
    is_longer = len(offer.url) > page.plain_length and len(title) > len(page.plain_title) > 0
    return "longer" if offer.how == "link" and is_longer and set(page.plain_title) <= set(title) else ""


def _is_of_post(offer: Offer, page: PageFacts) -> bool:
    """True if a feed is in a numbered folder that also contains the page."""
    folder = feed_folder(offer.url) if is_feed_address(offer.url) and not is_proxy(offer.url) else []
    return folder[:1] == list(page.folder[:1]) and any(map(str.isdigit, folder))


def _distance(offer: Offer, page: PageFacts) -> float:
    """Distance from the feed's folder to the start page's folder, counting parent folders or parts of the blog."""
    if is_proxy(offer.url) or not is_feed_address(offer.url):
        return 0.0
    folder = feed_folder(offer.url)
    shared = sum(1 for _ in takewhile(lambda names: names[0] == names[1], zip(folder, page.folder, strict=False)))
    deeper, higher = len(folder) - shared, len(page.folder) - shared
    return _DEEPER * deeper + _HIGHER * (higher if deeper else min(higher, 3))


def rank_feeds(feeds: Sequence[Feed], start_url: str, linked: Collection[str] = ()) -> list[Feed]:
    """Sort feeds, the blog's main feed first; `linked` are the URLs to which the start page links.

    Criteria in this order: posts before comments and before the page that lists them; entries on the start URL's site
    and in its folder; its language; number of entries to which the start page links; latest year; full articles before
    summaries; number of entries. Equal feeds keep the order of the candidates. O(n) in the entries.
    """
    linked_pages = frozenset(map(_address, linked))
    return sorted(feeds, key=lambda feed: _worth(feed, start_url, linked_pages), reverse=True)


def has_posts(feed: Feed, start_url: str) -> bool:
    """True if a feed has an entry other than the home page, the start page and its own folder."""
    homes = {_address(url) for url in (start_url, feed.home, urljoin(feed.url, "/")) if url}
    folder = feed_folder(feed.url)
    return any(
        _address(url) not in homes and (segments(url) != folder or "?" in url or not same_site(url, feed.url))
        for url in (entry.url for entry in feed.entries)
    )


def _worth(feed: Feed, start_url: str, linked_pages: frozenset[str]) -> tuple[bool | int | str, ...]:
    folder = urlsplit(start_url).path.rpartition("/")[0] + "/"
    return (
        bool(feed.entries),
        has_posts(feed, start_url),
        not feed.is_comments,
        _share(same_site(entry.url, start_url) for entry in feed.entries) > _ALIKE,
        _speaks(feed, start_url),
        any(urlsplit(entry.url).path.startswith(folder) for entry in feed.entries),
        min(_ENOUGH, len({_address(entry.url) for entry in feed.entries} & linked_pages)),
        max((entry.published[:4] for entry in feed.entries if entry.published), default=""),
        _share(bool(entry.content_html) and not entry.is_summary for entry in feed.entries) > _ALIKE,
        len(feed.entries),
    )


def _share(values: Iterable[bool]) -> float:
    flags = list(values)
    return sum(flags) / max(1, len(flags))


def _speaks(feed: Feed, start_url: str) -> bool:
    """True if the feed has the language in the start URL, or states none."""
    wanted = next((part for part in segments(start_url)[:2] if part in conventions().languages), None)
    language = feed.language or feed_language(feed.url)
    return wanted is None or language is None or same_language(language, wanted)


def _address(url: str) -> str:
    return url.partition("#")[0].partition("://")[2].rstrip("/")
