"""The feed of all comments of a blog: which are new tells an update which posts to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .proof import of_blog
from .threads import thread

if TYPE_CHECKING:
    from blogcrawler.items import Comment

    from .model import CommentFeed, FeedComment

__all__ = ["blog_comments"]


def blog_comments(feed: CommentFeed) -> list[tuple[str, Comment]]:
    """Each comment with the address of its post, grouped by posts; [] for a feed of posts. O(n)."""
    by_post: dict[str, list[FeedComment]] = {}
    for post, entry in of_blog(feed):
        by_post.setdefault(post, []).append(entry)
    return [(post, comment) for post, entries in by_post.items() for comment in thread(entries)]
