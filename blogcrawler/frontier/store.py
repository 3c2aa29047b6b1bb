"""Storage of a frontier's state, one row for each URL that a crawl has met: the interface, and a store in memory.

Rows are mappings of plain values, named like the fields of `Candidate`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from hashlib import blake2b
from sys import intern
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, runtime_checkable

from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

Status = Literal["pending", "shelved", "claimed", "done", "failed", "dropped"]
"""Waiting; waiting in the store only; being fetched; fetched; given up with a reason; left out when its turn came."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A URL and what the frontier knows about it."""

    #: equal for URLs of the same page; unique in a frontier
    key: str
    #: the address to fetch
    url: str
    #: order of discovery, from 0
    position: int
    is_post: bool = False
    status: Status = "pending"
    #: number of links between a seed and this page
    depth: int = 0
    #: URL of the page that held the link; None for seeds
    found_on: str | None = None
    #: added to the estimated yield
    bonus: float = 0.0
    #: what the links to it say, see `features.marks_of`
    marks: tuple[str, ...] = ()
    #: marks of `features` that count against its being a post
    hints: tuple[str, ...] = ()
    #: for a fetched page: whether it is a post
    was_post: bool | None = None
    #: for a fetched page: number of its links to posts
    post_links: int | None = None
    #: for a fetched page: number of new posts found on it
    new_posts: int | None = None
    #: why it failed, or why it is done without being fetched
    reason: str | None = None

    def anew(self) -> Self:
        """The candidate reset to wait for another fetch."""
        return replace(self, status="pending", reason=None, was_post=None, post_links=None, new_posts=None)

    def to_row(self) -> dict[str, Any]:
        """The row that the store keeps."""
        row = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**row, "marks": "\n".join(self.marks), "hints": "\n".join(self.hints)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Self:
        marks, hints = (tuple(filter(None, str(row[name]).split("\n"))) for name in ("marks", "hints"))
        return cls(**{**row, "marks": marks, "hints": hints})


@runtime_checkable
class FrontierStore(Protocol):
    """Keeps the rows of one frontier."""

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows by position; if given, only those with `status`, and only the first `limit`."""

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key: all of them, or none if this raises or the
        process dies."""

    def clear(self) -> None:
        """Forget all rows."""


class MemoryStore:
    """A store that lives as long as its process."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Any]] = {}

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        rows = (row for row in self._rows.values() if status is None or row["status"] == status)
        return sorted(rows, key=lambda row: int(row["position"]))[:limit]

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        self._rows.update((row["key"], dict(row)) for row in rows)

    def clear(self) -> None:
        self._rows.clear()


def key_of(url: str) -> str:
    """A short key of the page's identity; two of a million pages share one with a probability of 10⁻¹⁷. Raises
    BadArgument."""
    return intern(blake2b(identity(url).encode(), digest_size=12).hexdigest())  # interned, since many objects keep it
