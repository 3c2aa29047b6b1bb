"""Results of reading and discovering feeds: plain frozen data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blogcrawler.items import Entry  # noqa: TC001  (serialise)

FeedKind = Literal["rss", "atom", "rdf", "json", "synthetic"]
How = Literal["link", "anchor", "well-known"]


@dataclass(frozen=True)
class FeedCandidate:
    """An address that may answer with a feed of the blog."""

    #: absolute, http or https
    url: str
    #: declared by a link element or header, linked from the page's body, or a path that blog software is known to use
    how: How
    #: the lower, the more likely it is the posts' main feed; comparable within one page only
    penalty: float = 0.0
    #: True if it is named as one of comments
    is_of_comments: bool = False


@dataclass(frozen=True)
class Feed:
    """A feed that was read. Unknown is None."""

    #: where it was got from
    url: str
    kind: FeedKind
    #: plain text
    title: str | None = None
    #: the page that the feed is of, absolute
    home: str | None = None
    #: BCP 47
    language: str | None = None
    generator: str | None = None
    #: in the order of the feed
    entries: tuple[Entry, ...] = ()
    #: next page of this feed: RFC 5005 section 3, or JSON Feed's next_url
    next_url: str | None = None
    #: archive document with older entries: RFC 5005 section 4
    prev_archive: str | None = None
    #: True if it holds comments, not posts
    is_comments: bool = False
    #: entries that the feed claims to have on all its pages (OpenSearch totalResults)
    total: int | None = None
    #: True if it says that it has all entries (RFC 5005, section 2)
    is_complete: bool = False
    #: entries that were left out, for want of a link or as duplicates
    dropped: int = 0
