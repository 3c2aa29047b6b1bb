"""What a feed has said at earlier crawls; one that was cut short may have acted upon some of it, and not on all."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Earlier"]

T = TypeVar("T")


@dataclass
class Earlier(Generic[T]):
    """What was said of posts, by their keys, as JSON types.

    `said` is what the archive knows in any case. `pending` was said to an update that began to act upon it at `since`,
    and did not come to its end: of posts that were kept after that it is known, too, and of no others.
    """

    said: dict[str, T] = field(default_factory=dict)
    pending: dict[str, T] = field(default_factory=dict)
    since: datetime | None = None

    @classmethod
    def from_dict(cls, state: Mapping[str, Any], name: str) -> Self:
        """What `to_dict` has made."""
        since = state.get("since")
        return cls(
            dict(state.get(name, {})),
            dict(state.get("pending", {})),
            datetime.fromisoformat(since) if since else None,
        )

    def to_dict(self, name: str) -> dict[str, Any]:
        """As JSON types; `name` is that of what was said."""
        if self.since is None:
            return {name: self.said}
        return {name: self.said, "pending": self.pending, "since": self.since.isoformat()}

    def of(self, key: str, kept: datetime | None) -> T | None:
        """What the archive knows to have been said of a post whose record was kept last at a time, if it was."""
        if key in self.pending and self.since is not None and kept is not None and kept >= self.since:
            return self.pending[key]
        return self.said.get(key)

    def begin(self, told: Mapping[str, T], kept: Mapping[str, datetime], *, now: datetime) -> None:
        """An update begins to act upon what it was told; `kept` is when the posts' records were kept last. O(n)."""
        known = {key: said for key in self.pending if (said := self.of(key, kept.get(key))) is not None}
        self.said |= known
        self.pending, self.since = dict(told), now

    def end(self) -> None:
        """The update has acted upon all of it."""
        self.said |= self.pending
        self.pending, self.since = {}, None
