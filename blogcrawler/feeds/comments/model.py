"""What the feeds of comments tell, as typed values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blogcrawler.feeds.model import FeedKind
    from blogcrawler.items import Comment


@dataclass(frozen=True)
class FeedComment:
    """An entry of a feed of comments. Its `comment` has no parent yet: `threads.thread` finds it among the others."""

    comment: Comment
    #: by which other entries may name it: guid, addresses
    names: tuple[str, ...] = ()
    #: what it says that it answers (RFC 4685): the post, a comment, or both
    answers: tuple[str, ...] = ()
    #: of the post that it stands below, as far as its links tell
    post: str | None = None
    #: plain text
    title: str | None = None


@dataclass(frozen=True)
class CommentFeed:
    """A document that was read as a feed of comments; whether it is one, and of which post, `proof` tells."""

    #: where it was got from
    url: str
    kind: FeedKind
    title: str | None = None
    #: the page that it says it is of
    home: str | None = None
    generator: str | None = None
    #: in the order of the feed
    entries: tuple[FeedComment, ...] = ()
    #: the next page (RFC 5005, section 3; JSON Feed's next_url)
    next_url: str | None = None
    #: comments on all its pages, as it claims (OpenSearch totalResults)
    total: int | None = None
