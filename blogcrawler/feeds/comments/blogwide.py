"""The feed of all comments of a blog: which are new tells an update which posts to look at."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from blogcrawler.feeds.discover import candidates
from blogcrawler.feeds.links import same_site

from .conventions import conventions
from .proof import of_blog
from .threads import thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lxml.html import HtmlElement

    from blogcrawler.items import Comment

    from .model import CommentFeed, FeedComment

MOST = 3
"""Addresses that are tried."""
LEAST = 0.5
"""Share of a blog's pages that name the feed of all its comments; that of one post's is named on one."""
COMMENTS = "comments:"
"""In the reason why a feed is ranked low."""


def blog_comments(feed: CommentFeed) -> list[tuple[str, Comment]]:
    """Each comment with the address of its post, grouped by posts; [] for a feed of posts. O(n)."""
    by_post: dict[str, list[FeedComment]] = {}
    for post, entry in of_blog(feed):
        by_post.setdefault(post, []).append(entry)
    return [(post, comment) for post, entries in by_post.items() for comment in thread(entries)]


def blog_comment_feeds(home: str, pages: Iterable[tuple[HtmlElement, str, bytes]]) -> list[str]:
    """Where the feed of all comments of a blog may be, the likeliest first, at most 3.

    `pages` are some of its posts' pages, each with its address and source: what most of them name, then what their
    software is known to have (`blog_addresses` in data/comments.json). O(n).
    """
    named: Counter[str] = Counter()
    signs: set[str] = set()
    count = 0
    for tree, url, source in pages:
        count += 1
        named.update({one.url for one in candidates(tree, url) if one.how != "well-known" and COMMENTS in one.reason})
        text = source.lower()
        known = (sign for convention in conventions().blog_addresses for sign in convention.signs)
        signs.update(sign for sign in known if sign.encode() in text)
    declared = [url for url, times in named.most_common() if times >= max(LEAST * count, min(2, count))]
    made = [urljoin(home, one.template) for one in conventions().blog_addresses if signs.intersection(one.signs)]
    return list(dict.fromkeys(url for url in (*declared, *made) if same_site(url, home)))[:MOST]
