"""Results of finding and reading feeds, as frozen data classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from blogcrawler.items import Entry  # noqa: TC001  (serialise)

FeedKind = Literal["rss", "atom", "rdf", "json", "synthetic"]
How = Literal["link", "anchor", "well-known"]


@dataclass(frozen=True)
class FeedCandidate:
    """A URL that may be a feed of the blog."""

    #: absolute URL with scheme http or https
    url: str
    #: where it comes from: a link element or header, a link in the page's body, or a usual path of blog software
    how: How
    #: a lower value means more likely the main feed of posts; only comparable within one page
    penalty: float = 0.0
    #: True if it is declared as a feed of comments
    is_of_comments: bool = False


@dataclass(frozen=True)
class Feed:
    """A parsed feed. Unknown values are None."""

    #: the feed's URL
    url: str
    kind: FeedKind
    #: title as plain text
    title: str | None = None
    #: absolute URL of the page that the feed belongs to
    home: str | None = None
    #: language tag (BCP 47)
    language: str | None = None
    generator: str | None = None
    #: in feed order
    entries: tuple[Entry, ...] = ()
    #: next page of this feed (RFC 5005 section 3, or JSON Feed's next_url)
    next_url: str | None = None
    #: archive document with older entries (RFC 5005 section 4)
    prev_archive: str | None = None
    #: True if it holds comments and not posts
    is_comments: bool = False
    #: number of entries on all its pages, as the feed states (OpenSearch totalResults)
    total: int | None = None
    #: True if the feed states that it has all entries (RFC 5005, section 2)
    is_complete: bool = False
    #: number of entries that were dropped as duplicates or for lack of a link
    dropped: int = 0
