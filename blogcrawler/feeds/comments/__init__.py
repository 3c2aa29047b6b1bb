"""Comment feeds: their URLs, their content, whether they belong to a post, and whether they are complete.

No I/O here.
"""

from __future__ import annotations

from .addresses import CommentFeedAddress, blog_comment_feeds, comment_feed_addresses, form_of, page_feeds
from .pages import CommentPages, further_page, has_more
from .parse import CommentFeed, parse_comments
from .proof import Post, blog_comments
from .read import permalink
from .threads import by_time, merge

__all__ = [
    "CommentFeed",
    "CommentFeedAddress",
    "CommentPages",
    "Post",
    "blog_comment_feeds",
    "blog_comments",
    "by_time",
    "comment_feed_addresses",
    "form_of",
    "further_page",
    "has_more",
    "merge",
    "page_feeds",
    "parse_comments",
    "permalink",
]
