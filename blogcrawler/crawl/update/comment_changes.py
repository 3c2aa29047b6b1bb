"""What the feed of all comments of a blog says that its archive does not know: which are new, edited or gone."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
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

__all__ = ["Said", "Told", "brought_up_to_date", "digest_of"]

Said = Mapping[str, Sequence[str | None]]
"""By the ids of a post's comments: `digest_of` each, empty where it is not known, and when it says it was published."""

NEVER = "9999-12-31"
"""A time after all comments, of feeds that tell none."""
LIKE = 0.9
"""Similarity of two texts that are one in the forms of two sources."""


@dataclass(frozen=True)
class Told:
    """The newest comments of a blog, by the identities of their posts."""

    comments: Mapping[str, list[Comment]] = field(default_factory=dict)
    #: time of the first of them; None where they are all that there are, as the feed says
    start: str | None = None
    #: has the feed as many as such feeds hold, so that others may have been pushed out of it?
    is_full: bool = False

    @classmethod
    def by(cls, feed: CommentFeed) -> Self | None:
        """What a feed tells; None where it is no feed of a blog's comments."""
        pairs = blog_comments(feed)
        if feed.entries and not pairs:
            return None
        found: dict[str, list[Comment]] = defaultdict(list)
        for post, comment in pairs:
            found[identity(post)].append(comment)
        times = sorted(comment.published for _, comment in pairs if comment.published)
        is_full = has_more(feed)
        is_whole = not pairs or (feed.total is not None and not is_full)
        return cls(dict(found), None if is_whole else next(iter(times), NEVER), is_full)

    def has_all_since(self, published: str | None) -> bool:
        """Are all comments told of a post that was published then?"""
        return self.start is None or (published is not None and _is_after(published, self.start))

    def is_newest(self, modified: str | None) -> bool:
        """Is this HTTP date the time of the newest comment?"""
        told = [_time(one.published) for all_of in self.comments.values() for one in all_of]
        times = [time for time in told if time is not None]
        try:
            return bool(times) and parsedate_to_datetime(modified or "") == max(times)
        except ValueError:
            return False

    def reaches_back(self, before: Mapping[str, Said]) -> bool:
        """Is any comment told that was told before, so that none is missing between them?"""
        told = ((post, comment.id) for post, comments in self.comments.items() for comment in comments)
        return self.start is None or any(name in before.get(post, {}) for post, name in told)

    def is_within(self, published: str | None) -> bool:
        """Would a comment of a time be told if it were still there?"""
        return self.start is None or (published is not None and _is_after(published, self.start))

    def said(self) -> dict[str, Said]:
        """What was said, by post, as JSON types: with that a later crawl compares."""
        return {
            post: {comment.id: (digest_of(comment), comment.published) for comment in comments if comment.id}
            for post, comments in self.comments.items()
        }


def digest_of(comment: Comment) -> str:
    """One for all comments that say the same."""
    return hashlib.sha256(fold(comment.content_text or "").encode()).hexdigest()[:16]


def brought_up_to_date(record: Record, told: Told, before: Said) -> bool:
    """Put into a record what was told of its comments; does it say anything else then? O(n).

    `before` is what the feed has told at another time of the record's comments, by their ids (`Told.said`).
    Those that it would still tell, and does not, are gone.
    """
    news = told.comments.get(identity(record.url), [])
    aligned = align(news, record.comments).comments
    now = {comment.id: comment for comment in aligned if comment.id}
    kept = [
        _edited(comment, now.get(comment.id or ""), before.get(comment.id or "", ("",))[0])
        for comment in record.comments
    ]
    left = [comment for comment in kept if not _is_gone(comment, now, before, told)]
    known = {comment.id for comment in record.comments}
    fresh = [comment for comment in aligned if comment.id is None or comment.id not in known]
    if left == record.comments and not fresh:
        return False
    gone, record.comments = len(kept) - len(left), by_time([*left, *fresh])
    if gone or (record.comment_count or 0) < len(record.comments):
        record.comment_count = max(len(record.comments), (record.comment_count or 0) - gone)
    return True


def _edited(comment: Comment, told: Comment | None, before: str | None) -> Comment:
    """A comment as it is told now. Pages and feeds may write the same in two ways, so that the feed is asked what it
    said before."""
    if told is None or fold(told.content_text or "") == fold(comment.content_text or ""):
        return comment
    is_other = (
        digest_of(told) != before if before else similarity(told.content_text or "", comment.content_text or "") < LIKE
    )
    if not is_other:
        return comment
    return replace(comment, content_text=told.content_text, content_html=told.content_html)


def _is_gone(comment: Comment, now: Mapping[str, Comment], before: Said, told: Told) -> bool:
    """Is a comment told no more? The feed's own times say whether it would be: those on pages lack zones."""
    if comment.id is None or comment.id not in before or comment.id in now:
        return False
    return told.is_within(before[comment.id][1])


def _time(text: str | None) -> datetime | None:
    """A time with its zone; None where not all of it is told."""
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def _is_after(text: str, start: str) -> bool:
    moment, first = Moment.parse_iso(text), Moment.parse_iso(start)
    return moment is not None and first is not None and moment.is_after(first)
