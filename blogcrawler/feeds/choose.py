"""Of several feeds that answered, which one is the blog's."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from .address import conventions, feed_folder, feed_language, segments
from .links import same_site
from .texts import same_language

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .model import Feed

_ALIKE = 0.5


def rank_feeds(feeds: Sequence[Feed], start_url: str, linked: Collection[str] = ()) -> list[Feed]:
    """The feeds, the blog's main feed first. `linked` are the addresses that the start page links to.

    Posts come before comments and before the page that lists them; entries on the start URL's site and in its folder
    before others; its language before others. Of feeds with the same posts, one that holds the articles comes before
    one with summaries; else the one with more entries. Of feeds with different posts, the one comes first of which the
    start page shows more; else one all of whose posts are newer. What is equal stays in the order given, which is that
    of the candidates. O(f²·e) for f feeds of e entries: meant for a handful.
    """
    by_worth = sorted(feeds, key=lambda feed: _worth(feed, start_url), reverse=True)
    shown = frozenset(map(_address, linked))
    ranked: list[Feed] = []
    for feed in by_worth:
        places = (index for index, other in enumerate(ranked) if _is_better(feed, other, start_url, shown))
        ranked.insert(next(places, len(ranked)), feed)
    return ranked


def tells_posts(feed: Feed, start_url: str) -> bool:
    """True if a feed has an entry besides the home page of its blog or site, the start page, and its own folder."""
    homes = {_address(url) for url in (start_url, feed.home, urljoin(feed.url, "/")) if url}
    folder = feed_folder(feed.url)
    return any(
        _address(url) not in homes and (segments(url) != folder or "?" in url or not same_site(url, feed.url))
        for url in (entry.url for entry in feed.entries)
    )


def _worth(feed: Feed, start_url: str) -> tuple[bool, bool, bool, bool, bool]:
    return (
        bool(feed.entries),
        tells_posts(feed, start_url),
        not feed.is_comments,
        _share(feed, start_url) > _ALIKE,
        _speaks(feed, start_url),
    )


def _share(feed: Feed, start_url: str) -> float:
    """The share of a feed's entries that stand on the start URL's site; of a language's folder, within that folder."""
    if not feed.entries:
        return 0.0
    return sum(same_site(entry.url, start_url) for entry in feed.entries) / len(feed.entries)


def _speaks(feed: Feed, start_url: str) -> bool:
    """True if it is in the language that the start URL's folder names, or that names none."""
    wanted = next((part for part in segments(start_url)[:2] if part in conventions().languages), None)
    language = feed.language or feed_language(feed.url)
    return wanted is None or language is None or same_language(language, wanted)


def _is_better(feed: Feed, other: Feed, start_url: str, shown: frozenset[str]) -> bool:
    """True if `feed` is worth as much as `other` and comes before it."""
    if _worth(feed, start_url) != _worth(other, start_url):
        return False
    own, others = _addresses(feed), _addresses(other)
    shared = len(own & others)
    if not shared or shared < _ALIKE * min(len(own), len(others)):
        if abs(_inside(feed, start_url) - _inside(other, start_url)) > _ALIKE:
            return _inside(feed, start_url) > _inside(other, start_url)
        if len(own & shown) != len(others & shown):
            return len(own & shown) > len(others & shown)
        return _is_newer(feed, other)
    if _full(feed) != _full(other):
        return _full(feed)
    return len(own) > len(others)


def _inside(feed: Feed, start_url: str) -> float:
    """The share of entries below the start URL's folder."""
    folder = urlsplit(start_url).path.rpartition("/")[0] + "/"
    return sum(urlsplit(entry.url).path.startswith(folder) for entry in feed.entries) / max(len(feed.entries), 1)


def _is_newer(feed: Feed, other: Feed) -> bool:
    """True if all dated entries of a feed are newer than all of the other's."""
    days, others = ([entry.published[:10] for entry in one.entries if entry.published] for one in (feed, other))
    return bool(days and others) and min(days) > max(others)


def _addresses(feed: Feed) -> set[str]:
    return {_address(entry.url) for entry in feed.entries}


def _address(url: str) -> str:
    return url.partition("#")[0].partition("://")[2].rstrip("/")


def _full(feed: Feed) -> bool:
    """True if most entries bring their article."""
    return sum(bool(entry.content_html) and not entry.is_summary for entry in feed.entries) > _ALIKE * len(feed.entries)
