"""What a feed announced at earlier crawls; one that was cut short may have acted upon some of it, and not on all."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.backend import KnownPost

T = TypeVar("T")


@dataclass
class Announcements(Generic[T]):
    """What was announced of posts, by their keys, as JSON types.

    `settled` is what the archive knows in any case. An update that did not come to its end began to act upon `pending`
    at `since`: the archive knows that of the posts that were kept after this moment, and of no others.
    """

    settled: dict[str, T] = field(default_factory=dict)
    pending: dict[str, T] = field(default_factory=dict)
    since: datetime | None = None

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], name: str) -> Self:
        """The announcements of `to_dict`."""
        since = state.get("since")
        begun = datetime.fromisoformat(since) if since else None
        return cls(dict(state.get(name, {})), dict(state.get("pending", {})), begun)

    def to_dict(self, name: str) -> dict[str, Any]:
        """As JSON types, with what is settled under a name."""
        if self.since is None:
            return {name: self.settled}
        return {name: self.settled, "pending": self.pending, "since": self.since.isoformat()}

    def of(self, key: str, post: KnownPost | None) -> T | None:
        """What the archive, in which a post is as given, knows to have been announced of it."""
        if key in self.pending and self.since is not None and post is not None and post.last_changed >= self.since:
            return self.pending[key]
        return self.settled.get(key)

    def all(self, known: Mapping[str, KnownPost]) -> dict[str, T]:
        """What the archive knows to have been announced of all posts, of which these are `known`. O(n)."""
        found = {key: self.of(key, known.get(key)) for key in (*self.settled, *self.pending)}
        return {key: value for key, value in found.items() if value is not None}

    def begin(self, announced: Mapping[str, T], known: Mapping[str, KnownPost], *, now: datetime) -> None:
        """An update begins to act upon what is announced now. O(n)."""
        self.settled = self.all(known)
        self.pending, self.since = dict(announced), now

    def complete(self) -> None:
        """The update has acted upon all of it."""
        self.settled |= self.pending
        self.pending, self.since = {}, None
