"""Interface of sources of older posts: each returns the URL to fetch next, and processes the response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from blogcrawler.urls import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from blogcrawler.items import Entry

Outcome = Literal["reading", "whole", "partial", "absent"]
"""States: still reading; complete; interrupted by an error or a limit; no such source."""


@dataclass(frozen=True)
class Answer:
    """A server's response."""

    #: URL after redirects
    url: str
    #: HTTP status; 0 if there was no response
    status: int
    body: bytes = b""
    content_type: str | None = None
    #: headers by lower-case name
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_gone(self) -> bool:
        """True if the document does not exist, as opposed to a temporary failure."""
        return 400 <= self.status < 500 and self.status not in (408, 429)

    @property
    def is_late(self) -> bool:
        """True if a later attempt may succeed."""
        return self.status == 0 or self.status >= 500 or self.status in (408, 429)


@dataclass(frozen=True)
class Found:
    """New posts and pages in a document."""

    #: posts with the blog's own data
    entries: tuple[Entry, ...] = ()
    #: pages that include posts, newest first if that is known
    urls: tuple[str, ...] = ()


class Source(Protocol):
    """A list of a blog's posts.

    Fetch `next_url` and pass the response to `take`, until `next_url` is None. `state` is JSON data from which a source
    can continue after a restart; it stays small however much was read.
    """

    #: name of the source in the summary
    name: str
    outcome: Outcome
    #: number of posts that the source states
    total: int | None

    @property
    def next_url(self) -> str | None:
        """URL of the document to fetch; None when the source has been read."""

    def take(self, answer: Answer | None) -> Found:
        """Process the response for `next_url`; None if there was no response."""

    @property
    def state(self) -> dict[str, Any]:
        """The state for `resume`."""

    def resume(self, state: Mapping[str, Any]) -> None:
        """Continue from a `state`. Raises KeyError, TypeError or ValueError if it is invalid."""


def take_new(entries: Iterable[Entry], seen: set[str]) -> tuple[Entry, ...]:
    """Return the entries whose identities are not in `seen`, and add them there."""
    new_entries = []
    for entry in entries:
        for key in identities([entry.url]):
            if key not in seen:
                seen.add(key)
                new_entries.append(entry)
    return tuple(new_entries)
