"""Find new, edited and removed comments in the feed of all comments of a blog."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

from blogcrawler.dates import Moment
from blogcrawler.feeds.comments import blog_comments, by_time, has_more
from blogcrawler.similarity import fold, similarity
from blogcrawler.urls import identity
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from blogcrawler.feeds.comments import CommentFeed
    from blogcrawler.items import Comment, Record

Seen = Mapping[str, Sequence[str | None]]
"""The comments that a feed had, by post and id: `comment_digest` (empty if unknown) and time of publication."""

NEVER = "9999-12-31"
"""A time after all comments, for feeds without times."""
LIKE = 0.9
"""Minimum similarity of one text as two sources write it."""


@dataclass(frozen=True)
class FeedComments:
    """The newest comments of a blog, by the identities of their posts."""

    comments: Mapping[str, list[Comment]] = field(default_factory=dict)
    #: time of the oldest of them; None if the feed has all comments of the blog
    start: str | None = None
    #: whether the feed is as long as such feeds may be, so that comments may have been pushed out of it
    is_full: bool = False

    @classmethod
    def of(cls, feed: CommentFeed, is_removed: Callable[[str | None], bool] = lambda _: False) -> Self | None:
        """The comments in a feed without those by removed authors; None if it is no feed of a blog's comments."""
        pairs = blog_comments(feed)
        if feed.entries and not pairs:
            return None
        by_post: dict[str, list[Comment]] = defaultdict(list)
        for post, comment in pairs:
            if not is_removed(comment.author):
                by_post[identity(post)].append(comment)
        times = sorted(comment.published for _, comment in pairs if comment.published)
        is_full = has_more(feed)
        is_whole = not pairs or (feed.document.total is not None and not is_full)
        return cls(dict(by_post), None if is_whole else next(iter(times), NEVER), is_full)

    def covers(self, published: str | None) -> bool:
        """True if the feed would contain a comment of this time, or all comments on a post of this time."""
        if self.start is None:
            return True
        moment, first = (Moment.parse_iso(time) if time is not None else None for time in (published, self.start))
        return moment is not None and first is not None and moment.is_after(first)

    def is_newest(self, modified: str | None) -> bool:
        """True if this HTTP date is the time of the newest comment."""
        listed = [_time(comment.published) for comments in self.comments.values() for comment in comments]
        times = [time for time in listed if time is not None]
        try:
            return bool(times) and parsedate_to_datetime(modified or "") == max(times)
        except ValueError:
            return False

    def reaches_back(self, before: Mapping[str, Seen]) -> bool:
        """True if the feed has a comment that it had `before`, so that no comment in between is missing."""
        names = ((post, comment.id) for post, comments in self.comments.items() for comment in comments)
        return self.start is None or any(name in before.get(post, {}) for post, name in names)

    def seen(self) -> dict[str, Seen]:
        """What a later crawl compares with, by post, as JSON types."""
        return {
            post: {comment.id: (comment_digest(comment), comment.published) for comment in comments if comment.id}
            for post, comments in self.comments.items()
        }


def comment_digest(comment: Comment) -> str:
    """A hash that is equal for comments with the same text."""
    return hashlib.sha256(fold(comment.content_text or "").encode()).hexdigest()[:16]


def update_comments(record: Record, feed: FeedComments, before: Seen) -> bool:
    """Update a record's comments from a feed; True if this changes the record. O(n).

    `before` is what the feed had of the record's comments earlier, by id (`FeedComments.seen`). Comments that the feed
    would still have, but has not, are gone.
    """
    aligned = align(feed.comments.get(identity(record.url), []), record.comments).comments
    now = {comment.id: comment for comment in aligned if comment.id}
    updated = [
        _edited(comment, now.get(comment.id or ""), before.get(comment.id or "", ("",))[0])
        for comment in record.comments
    ]
    remaining = [comment for comment in updated if not _is_gone(comment, now, before, feed)]
    known_ids = {comment.id for comment in record.comments}
    fresh = [comment for comment in aligned if comment.id is None or comment.id not in known_ids]
    if remaining == record.comments and not fresh:
        return False
    gone, record.comments = len(updated) - len(remaining), by_time([*remaining, *fresh])
    if gone or (record.comment_count or 0) < len(record.comments):
        record.comment_count = max(len(record.comments), (record.comment_count or 0) - gone)
    return True


def _edited(comment: Comment, now: Comment | None, before: str | None) -> Comment:
    """The comment with the feed's present text, if the feed's text has changed; pages may write the same text
    differently."""
    old, new = comment.content_text or "", (now.content_text if now is not None else None) or ""
    if now is None or fold(new) == fold(old):
        return comment
    is_other = comment_digest(now) != before if before else similarity(new, old) < LIKE
    return replace(comment, content_text=now.content_text, content_html=now.content_html) if is_other else comment


def _is_gone(comment: Comment, now: Mapping[str, Comment], before: Seen, feed: FeedComments) -> bool:
    """True if the feed would still have the comment, but lacks it. Uses the feed's own times, since times on pages lack
    zones."""
    if comment.id is None or comment.id not in before or comment.id in now:
        return False
    return feed.covers(before[comment.id][1])


def _time(text: str | None) -> datetime | None:
    """A time with its zone; None if the zone or a part is unknown."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo is not None else None
