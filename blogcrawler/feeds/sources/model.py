"""The protocol of sources of older posts: each names the document to fetch next, and takes the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from blogcrawler.urls import identities

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from blogcrawler.items import Entry

Outcome = Literal["reading", "whole", "partial", "absent"]
"""Not read to the end yet; complete as far as the source tells; broken off or out of bounds; no such source."""


@dataclass(frozen=True)
class Answer:
    """A server's answer."""

    #: after redirects
    url: str
    #: of HTTP; 0 where there was no answer
    status: int
    body: bytes = b""
    content_type: str | None = None
    #: by names in lower case
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_gone(self) -> bool:
        """True if there is no such document, and not merely no answer now."""
        return 400 <= self.status < 500 and self.status not in (408, 429)

    @property
    def is_late(self) -> bool:
        """True if there may be another answer at another time."""
        return self.status == 0 or self.status >= 500 or self.status in (408, 429)


@dataclass(frozen=True)
class Found:
    """New posts and pages in a document."""

    #: posts, as the blog's own data
    entries: tuple[Entry, ...] = ()
    #: pages of which some are posts, newest first where that is known
    urls: tuple[str, ...] = ()


class Source(Protocol):
    """Reads the list of a blog's posts.

    Fetch `next_url` and hand the answer to `take`, until it is None. `state` is all that a source needs to go on after
    the process died, as JSON types; it stays small however much was read.
    """

    #: in words, for the summary
    name: str
    outcome: Outcome
    #: posts that the source claims to have
    total: int | None

    @property
    def next_url(self) -> str | None:
        """The document to fetch; None when the source has been read."""

    def take(self, answer: Answer | None) -> Found:
        """Take in the answer for `next_url`; None where there was none."""

    @property
    def state(self) -> dict[str, Any]:
        """The state for `resume`."""

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state`. Raises KeyError, TypeError or ValueError for what is none."""


def take_new(entries: Iterable[Entry], seen: set[str]) -> tuple[Entry, ...]:
    """The entries whose identities are not among those `seen`; adds them there."""
    found = []
    for entry in entries:
        for key in identities([entry.url]):
            if key not in seen:
                seen.add(key)
                found.append(entry)
    return tuple(found)
