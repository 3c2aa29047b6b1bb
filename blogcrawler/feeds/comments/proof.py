"""Distinguishes the comment feed of a post from feeds of posts and from the feed of all comments, by the links in
it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from blogcrawler.similarity import fold
from blogcrawler.urls import identities, identity, is_http

from .read import anchor_of
from .threads import thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.items import Comment

    from .parse import CommentFeed
    from .read import FeedComment


class Post:
    """The post whose comments are wanted: its URLs, guid and title."""

    def __init__(self, urls: Sequence[str], guid: str | None = None, title: str | None = None) -> None:
        self.url = urls[0]
        self.guid = guid
        self.title = title
        self._keys = set(identities(urls))

    def is_at(self, url: str) -> bool:
        """True if this is the post's own URL."""
        return _key(url) in self._keys

    def holds(self, url: str | None) -> bool:
        """True for the post's URL and for URLs of parts of its page: in its folder, or with more query parameters."""
        key = _key(url) if url else None
        return key is not None and any(_is_within(key, own) for own in self._keys)


def leads_to(entry: FeedComment, post: Post) -> bool:
    """True if an entry states that it is on the post's page."""
    return post.holds(entry.post) or post.holds(entry.comment.url) or post.guid in entry.answers


def of_post(feed: CommentFeed, post: Post) -> list[FeedComment] | None:
    """The comments of a post in a feed; None if it is not the post's comment feed.

    A feed without entries must name the post's page. If a feed also has comments on other posts, it is rejected, since
    it would not have all comments of the post. O(n).
    """
    is_of_page = post.holds(feed.document.home)
    if not feed.entries:
        return [] if is_of_page else None
    entries = [entry for entry in feed.entries if leads_to(entry, post) or (is_of_page and not entry.comment.url)]
    if len(entries) < len(feed.entries):
        return None
    comments = [entry for entry in entries if is_comment(entry, post, is_of_page=is_of_page)]
    return comments if 2 * len(comments) > len(entries) else None


def is_comment(entry: FeedComment, post: Post | None = None, *, is_of_page: bool = False) -> bool:
    """True if an entry is a comment, and not a post.

    A comment's URL points into a page; or it answers something; or it is in the feed of the post's page, has no page of
    its own and is not the post itself.
    """
    url = entry.comment.url or ""
    if entry.answers or anchor_of(url) or (entry.post is not None and _key(url) != _key(entry.post)):
        return True
    if post is not None and url and not post.is_at(url) and not urlsplit(url).query:
        return False  # a page below the post's URL, as in the lists of a section
    is_same_title = post is not None and post.title is not None and fold(entry.title or "") == fold(post.title)
    return post is not None and is_of_page and not is_same_title and post.guid not in entry.names


def blog_comments(feed: CommentFeed) -> list[tuple[str, Comment]]:
    """The comments of a feed with the URLs of their posts, grouped by post; [] for a feed of posts."""
    by_post: dict[str, list[FeedComment]] = {}
    for entry in feed.entries:
        if entry.post is not None and is_comment(entry):
            by_post.setdefault(entry.post, []).append(entry)
    if 2 * sum(map(len, by_post.values())) <= len(feed.entries):
        return []
    return [(post, comment) for post, entries in by_post.items() for comment in thread(entries)]


def _key(url: str) -> str | None:
    return identity(url) if is_http(url) else None


def _is_within(key: str, own: str) -> bool:
    """True if a URL (as identity) is in the folder of a post's URL, or has additional query parameters."""
    inner, outer = urlsplit(f"//{key}"), urlsplit(f"//{own}")
    if inner.netloc != outer.netloc:
        return False
    wanted = set(filter(None, outer.query.split("&")))
    if not wanted <= set(inner.query.split("&")):
        return False
    folder, path = outer.path.rstrip("/"), inner.path.rstrip("/")
    if path == folder:
        return bool(folder or wanted) or inner.query == outer.query
    return bool(folder) and path.startswith(f"{folder}/")
