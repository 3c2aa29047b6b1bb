"""Where a frontier keeps its state: the contract, and an implementation in memory.

A store holds one row for each URL that a crawl has met. Rows are mappings of plain values with the names of
`Candidate`'s fields, so that a store needs to know nothing else of this package.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Candidate", "FrontierStore", "MemoryStore", "Status"]

Status = Literal["pending", "claimed", "done", "failed", "dropped"]
"""Waiting; handed out; fetched; given up with a reason; out of bounds when its turn came."""


@dataclass(frozen=True)
class Candidate:
    """A URL and what the frontier knows of it."""

    #: equal for URLs of the same page; unique in a frontier
    key: str
    #: what to fetch
    url: str
    #: order of discovery, from 0
    position: int
    is_post: bool = False
    status: Status = "pending"
    #: links between a seed and this page
    depth: int = 0
    #: URL of the page that held the link; None for seeds
    found_on: str | None = None
    #: added to the estimated yield
    bonus: float = 0.0
    #: of a fetched page: links to posts that it held
    post_links: int | None = None
    #: of a fetched page: posts that nobody knew before
    new_posts: int | None = None
    #: why it failed, or how it was done without being fetched
    reason: str | None = None

    def to_row(self) -> dict[str, Any]:
        """As the store keeps it."""
        return asdict(self)

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        """The candidate of `to_row`."""
        return cls(**row)


@runtime_checkable
class FrontierStore(Protocol):
    """Keeps the rows of one frontier."""

    def load(self) -> Iterable[Mapping[str, Any]]:
        """All rows, by position."""

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key: all, or none when this raises or the process dies."""

    def clear(self) -> None:
        """Forget all rows."""


class MemoryStore:
    """A store that lives as long as its process."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Any]] = {}

    def load(self) -> Iterable[Mapping[str, Any]]:
        """All rows, by position."""
        return sorted(self._rows.values(), key=lambda row: int(row["position"]))

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert or replace the rows."""
        self._rows.update((row["key"], dict(row)) for row in rows)

    def clear(self) -> None:
        """Forget all rows."""
        self._rows.clear()
