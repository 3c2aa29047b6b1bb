"""A frontier's state in Redis, for one crawler or for several: who has claimed a page may say what became of it.

It keeps rows as the archive does (`load`, `save`, `clear`). Several crawlers of one blog `claim` the best of what
waits, for a time. A crawler that dies leaves claims that run out, and their pages wait again; one that was only slow is
told that its claim holds no more: each claim has a token of its own.
"""

from __future__ import annotations

import heapq
import json
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from blogcrawler.shared import scripts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from blogcrawler.shared.connection import Redis

__all__ = ["Claim", "RedisFrontierStore"]

PART = 1000
"""Rows that are read, or ranked, at a time: Redis does nothing else meanwhile."""
ELSEWHERE = ("key", "position", "status")
"""What of a row is not in its text."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that its claimant alone may change, until the claim runs out."""

    #: as it was before it was claimed, but for its status
    row: Mapping[str, Any]
    #: tells this claim of the row from all others
    token: str

    @property
    def key(self) -> str:
        """That of the row."""
        return str(self.row["key"])


class RedisFrontierStore:
    """Keeps the rows of one blog's frontier. Each method raises RedisUnavailable."""

    def __init__(self, redis: Redis, blog: str) -> None:
        """`blog` is the address of its home page."""
        self._redis = redis
        self._name = f"blogcrawler:frontier:{{{blake2b(blog.encode(), digest_size=12).hexdigest()}}}"

    # ------------------------------------------------------------------------------------------------ as all stores do

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows, by position; only those in a state, and the first `limit`, where these are given."""
        states = scripts.STATES if status is None else (status,)
        return islice(heapq.merge(*map(self._read, states), key=lambda row: int(row["position"])), limit)

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key, whoever has claimed them: all or none."""
        if rows:
            parts = ((row["key"], row["position"], row["status"], _rank(row), _text(row)) for row in rows)
            self._run(scripts.SAVE, chain.from_iterable(parts))

    def clear(self) -> None:
        """Forget all rows, and their claims."""
        self._run(scripts.CLEAR)

    # ------------------------------------------------------------------------------------------------ several crawlers

    def add(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Let rows wait whose keys nobody knows, each in the next position; how many these are."""
        return int(self._run(scripts.ADD, _to_add(rows)))

    def claim(self, limit: int = 1, *, lease_s: float) -> list[Claim]:
        """Claim the best rows that wait, for so many seconds; none where none waits."""
        found = self._run(scripts.CLAIM, [round(lease_s * 10**6), limit])
        return [Claim(_row(key, position, "claimed", text), token) for key, position, text, token in found]

    def renew(self, claims: Iterable[Claim], *, lease_s: float) -> set[str]:
        """Let claims hold for so many seconds from now on; the keys of those that hold no more."""
        pairs = chain.from_iterable((claim.key, claim.token) for claim in claims)
        return set(self._run(scripts.RENEW, [round(lease_s * 10**6), *pairs]))

    def settle(self, claim: Claim, row: Mapping[str, Any], found: Iterable[Mapping[str, Any]] = ()) -> int | None:
        """End a claim with what the row is now, and `add` what was found on its page; how many of these are new.

        None, and nothing is changed, when the claim has run out: the page is somebody else's, or waits.
        """
        ended = (claim.key, claim.token, row["status"], _rank(row), _text(row))
        new = int(self._run(scripts.SETTLE, [*ended, *_to_add(found)]))
        return None if new < 0 else new

    def release(self, claims: Iterable[Claim]) -> None:
        """Let the rows of claims wait again, before all others."""
        self._run(scripts.RELEASE, chain.from_iterable((claim.key, claim.token) for claim in claims))

    def rank(self, ranks: Mapping[str, float]) -> None:
        """Say anew in which order rows that wait are claimed, by their keys, lowest first; the others stay."""
        pairs = iter(ranks.items())
        while part := list(islice(pairs, PART)):
            self._run(scripts.RANK, chain.from_iterable((rank, key) for key, rank in part))

    def counts(self) -> dict[str, int]:
        """How many rows are in each state."""
        return dict(zip(scripts.STATES, map(int, self._run(scripts.COUNT)), strict=True))

    def _read(self, state: str) -> Iterator[dict[str, Any]]:
        start = "-inf"
        while part := self._run(scripts.READ, [state, start, PART]):
            yield from (_row(key, position, state, text) for key, position, text in part)
            start = f"({part[-1][1]}"

    def _run(self, script: str, arguments: Iterable[str | int | float] = ()) -> Any:  # noqa: ANN401
        return self._redis.run(script, [self._name], list(arguments))


def _to_add(rows: Iterable[Mapping[str, Any]]) -> Iterator[str | int]:
    for row in rows:
        yield from (row["key"], _rank(row), _text(row))


def _rank(row: Mapping[str, Any]) -> int:
    """That of a row in position 0."""
    return 0 if row["is_post"] else scripts.POSTS_FIRST


def _text(row: Mapping[str, Any]) -> str:
    return json.dumps({name: value for name, value in row.items() if name not in ELSEWHERE})


def _row(key: str, position: str, state: str, text: str) -> dict[str, Any]:
    return {"key": key, "position": int(position), "status": state, **json.loads(text)}
