"""A frontier's state in Redis, for one spider or for several that work on one blog.

It keeps rows as the archive does (`load`, `save`, `clear`). Spiders that share it `claim` each page before they fetch
it, for a time that `beat` renews. One that dies leaves claims that run out, and their pages wait again; one that was
only slow cannot change what is another's by now: each claim has a token of its own. And each spider tells the others
what it has done (`write`, `news`), so that all know the same of the blog.
"""

from __future__ import annotations

import heapq
import json
import secrets
import threading
import time
from hashlib import blake2b
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from blogcrawler.errors import LeftBehind
from blogcrawler.shared import scripts

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence

    from blogcrawler.shared.connection import Redis

PART = 1000
"""Rows that are read at a time: Redis does nothing else meanwhile."""
ENTRIES = 100
"""Of the log, the same."""
WAITING = frozenset({"pending", "shelved"})
WRITTEN = 500
"""Rows that are written at a time, where there are many more."""
ELSEWHERE = ("key", "position", "status")
"""What of a row is not in its text."""


WAIT_S = 0.1
LEASE_S = 60.0
"""How long a claim holds that is not renewed."""


class Joined(NamedTuple):
    """What a spider learns that joins a crawl."""

    #: how many spiders it has then; 0 when there is no such crawl, -1 while the last one writes down how it ended
    spiders: int
    #: pages that the others have asked for
    asked: int = 0
    #: the limit that has ended the crawl
    stop: Any = None
    #: what its spiders agree on
    terms: Any = None


class Still(NamedTuple):
    """What is still to be done."""

    #: keys of pages that other spiders have claimed
    claimed: frozenset[str]
    #: rows that wait, some thousand of them
    waiting: tuple[Mapping[str, Any], ...]


def _pause() -> bool:
    time.sleep(WAIT_S)
    return True


class RedisFrontierStore:
    """Keeps the rows of one blog's frontier. Each method raises RedisUnavailable, and LeftBehind is one.

    `name` is whatever tells its crawl from others; `lease_s` how long what a spider has claimed is its own without a
    `beat`.
    """

    def __init__(self, redis: Redis, name: str, *, lease_s: float = LEASE_S) -> None:
        self._redis = redis
        self._name = f"blogcrawler:frontier:{{{blake2b(name.encode(), digest_size=12).hexdigest()}}}"
        self._spider = secrets.token_hex(8)
        self._lease_s = lease_s
        self._lease_us = round(lease_s * 10**6)
        self._tokens: dict[str, str] = {}
        #: `beat` is called by another thread: for the tokens, and for what it tells
        self._changing, self._beating = threading.Lock(), threading.Lock()
        #: how many were at work when this one has told last that it lives
        self.spiders = 1
        #: is this spider at work no more, and is it the one to end the crawl?
        self._has_left = self._is_last = False
        #: entries of the log: the last one that was read, and the last one before this spider has joined
        self._last_news = self._joined = "0-0"
        #: that was joined; empty before others may join
        self._crawl = ""

    # ------------------------------------------------------------------------------------------------ as all stores do

    def load(self, status: str | None = None, limit: int | None = None) -> Iterable[Mapping[str, Any]]:
        """All rows, by position; only those in a state, and the first `limit`, where these are given."""
        states = scripts.STATES if status is None else (status,)
        return islice(heapq.merge(*map(self._read, states), key=lambda row: int(row["position"])), limit)

    def save(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert the rows, or replace those with the same key that no other spider has claimed: all or none."""
        if rows:
            self.write(rows)

    def clear(self, *, is_ended: bool = False) -> None:
        """Forget all rows, their claims, and what was told.

        Where the crawl `is_ended`, only if it was this spider that has ended it.
        """
        with self._beating:
            if is_ended:
                self._last()  # where it took long, and nobody else came
            self._is_last = False
            self._run(scripts.CLEAR, [self._spider] if is_ended else [])
        self._last_news = "0-0"
        with self._changing:
            self._tokens.clear()

    # ------------------------------------------------------------------------------------------------- several spiders

    def write(self, rows: Sequence[Mapping[str, Any]], told: Iterable[Any] = (), *, again: Container[str] = ()) -> None:
        """`save` rows, and tell the other spiders something, as JSON types: all or nothing.

        A row that ends what this spider has claimed counts only while the claim holds. What has ended stays as it is,
        but for the keys in `again`. Of very many rows those that wait are written before.
        """
        if len(rows) > WRITTEN:
            self.fill((row for row in rows if row["status"] in WAITING), again=again)
            rows = [row for row in rows if row["status"] not in WAITING]
        rows = sorted(rows, key=lambda row: int(row["position"]))  # each finds its place behind the ones before
        texts: list[str | bytes] = [secrets.token_hex(8), *map(_json, told)]
        tokens = {row["key"]: "again" if row["key"] in again else self._tokens.get(row["key"], "") for row in rows}
        parts = ((row["key"], row["position"], row["status"], tokens[row["key"]], _text(row)) for row in rows)
        self._ask(scripts.WRITE, [self._crawl, self._spider, len(rows), *chain.from_iterable(parts), *texts])
        with self._changing:
            for row in rows:
                if row["status"] != "claimed":
                    self._tokens.pop(row["key"], None)

    def fill(self, rows: Iterable[Mapping[str, Any]], *, again: Container[str] = ()) -> None:
        """`save` rows of whatever number, some at a time."""
        rows = iter(rows)
        while part := list(islice(rows, WRITTEN)):
            self.write(part, again=again)

    def claim(
        self,
        row: Mapping[str, Any],
        told: Any,  # noqa: ANN401
        *,
        is_again: bool = False,
    ) -> Literal["ours", "claimed", "done"]:
        """Claim a page, and tell the others; else another spider has claimed it, or it has ended, unless `is_again`."""
        key = row["key"]
        if self.holds(key):
            return "ours"
        arguments = [self._crawl, self._lease_us, self._spider, key, row["position"], _text(row), _json(told)]
        arguments.append("again" if is_again else "")
        answer: str = self._ask(scripts.CLAIM, arguments)
        if answer == "claimed":
            return "claimed"
        if answer == "done":
            return "done"
        with self._changing:
            self._tokens[key] = answer
        return "ours"

    def holds(self, key: str) -> bool:
        """Has this spider claimed a page, and not ended it? The claim may have run out."""
        return key in self._tokens

    def lose(self, key: str) -> None:
        """A claim of this spider has run out."""
        with self._changing:
            self._tokens.pop(key, None)

    def beat(self) -> None:
        """Tell that this spider is at work, so that its claims go on, or that it is ending the crawl."""
        with self._beating:
            if self._is_last:
                self._last()
            if self._has_left:
                return
            with self._changing:
                claims = list(self._tokens.items())
            told: list[str | int] = [self._crawl, self._lease_us, self._spider, *chain.from_iterable(claims)]
            self.spiders = max(1, int(self._run(scripts.BEAT, told) or 1))

    def join(self, crawl: str, terms: Any = None) -> Joined:  # noqa: ANN401
        """Join a crawl that is `ready`. When nobody else is at work all that is claimed waits again.

        Then those that join after this spider are told its `terms`; else it is told those of the others.

        What is told from now on is news; what was told before is in the rows.
        """
        count, *more = self._run(scripts.JOIN, [self._lease_us, self._spider, crawl, _json(terms)])
        if count <= 0:
            return Joined(count)
        self._crawl, self.spiders = crawl, count
        self._last_news, asked, stop, agreed = more
        self._joined = self._last_news
        return Joined(count, asked, *(json.loads(text) if text else None for text in (stop, agreed)))

    def ready(self, crawl: str, asked: int = 0, terms: Any = None) -> None:  # noqa: ANN401
        """Let others join, now that the crawl is under way and has asked for so many pages. They are told `terms`."""
        self._run(scripts.READY, [self._lease_us, self._spider, crawl, asked, _json(terms)])
        self._crawl = crawl

    def stop(self, limit: Any, told: Any) -> None:  # noqa: ANN401
        """A limit ends the crawl, which those are told that join it from now on; the others are `told` something."""
        self._ask(scripts.STOP, [self._crawl, self._spider, _json(limit), _json(told)])

    def leave(self, pause: Callable[[], bool] = _pause) -> int:
        """Give back what this spider has claimed; how many others are left. The last one is to end the crawl.

        Others may be dead: waits until one of them is heard of, or none is taken to be alive, or `pause`, which is
        called meanwhile, says that there is no time.
        """
        with self._beating:
            self._has_left = True
        with self._changing:
            self._tokens.clear()
        left, heard = self._run(scripts.LEAVE, [self._crawl, self._spider, self._lease_us])
        before = heard
        while left > 0 and float(heard) <= float(before) and pause():
            left, heard = self._last()
        self._is_last = left == 0
        return abs(int(left))

    def is_last(self) -> bool:
        """Is it still this spider that is to end the crawl? Not where it slept meanwhile, and another one goes on."""
        with self._beating:
            left, _ = self._last()
            self._is_last = left == 0
            return self._is_last

    def _last(self) -> tuple[int, str]:
        left, heard = self._run(scripts.LAST, [self._crawl, self._spider, self._lease_us])
        return left, heard

    def reopen(self) -> None:
        """Let others go on with a crawl whose end could not be written down."""
        with self._beating:
            self._is_last = False
            self._run(scripts.REOPEN, [self._spider])

    @property
    def has_joined(self) -> bool:
        """Is this spider one of those of a crawl?"""
        return bool(self._crawl)

    def news(self) -> list[Any]:
        """What other spiders have told since the last time, in order. Raises LeftBehind where that is not kept."""
        found: list[Any] = []
        while True:
            oldest, entries = self._ask(scripts.NEWS, [self._last_news, ENTRIES, self._crawl, self._spider])
            if oldest and self._last_news != "0-0" and _moment(oldest) > _moment(self._last_news):
                raise LeftBehind(
                    "The other spiders of this crawl have gone on without this one, which could do nothing for a long "
                    "time, as when its machine sleeps. Nothing is lost; start it again to help them."
                )
            for _, spider, text in entries:
                found += json.loads(text) if spider != self._spider else []
            if not entries:
                return found
            self._last_news = entries[-1][0]

    def earlier(self) -> Iterator[Any]:
        """What was told before this spider has joined, as far as it is kept."""
        until, start = _moment(self._joined), "0-0"
        while True:
            _, entries = self._ask(scripts.NEWS, [start, ENTRIES, self._crawl, self._spider])
            for start, _, text in entries:
                if _moment(start) > until:
                    return
                yield from json.loads(text)
            if not entries:
                return

    def still(self) -> Still:
        """What others are at work on, and what waits."""
        claimed, waiting = self._run(scripts.STILL, [self._spider, PART - 1])
        rows = (_row(key, position, "pending", text) for key, position, text in waiting)
        return Still(frozenset(claimed), tuple(rows))

    def lock(self, name: str) -> bool:
        """Take a lock for as long as a claim holds, or take it once more; False when another spider has it."""
        return bool(
            self._redis.run(scripts.LOCK, [f"{self._name}:lock:{name}"], [self._spider, self._lease_us // 1000])
        )

    def unlock(self, name: str) -> None:
        """Give a lock back."""
        self._redis.run(scripts.UNLOCK, [f"{self._name}:lock:{name}"], [self._spider])

    def _read(self, state: str) -> Iterator[dict[str, Any]]:
        start = "-inf"
        while part := self._run(scripts.READ, [state, start, PART]):
            yield from (_row(key, position, state, text) for key, position, text in part)
            start = f"({part[-1][1]}"

    def _ask(self, script: str, arguments: Iterable[str | bytes | int | float]) -> Any:  # noqa: ANN401
        answer = self._run(script, arguments)
        if answer == "over":
            raise LeftBehind(
                "The other spiders have ended this crawl without this one, which could do nothing for a long time, as "
                "when its machine sleeps. Nothing is lost: they have done what it was at.",
                is_over=True,
            )
        return answer

    def _run(self, script: str, arguments: Iterable[str | bytes | int | float] = ()) -> Any:  # noqa: ANN401
        return self._redis.run(script, [self._name], list(arguments))


def _text(row: Mapping[str, Any]) -> bytes:
    return _json({name: value for name, value in row.items() if name not in ELSEWHERE})


def _json(value: Any) -> bytes:  # noqa: ANN401
    """JSON that Lua can read, too: without halves of characters."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _row(key: str, position: str, state: str, text: str) -> dict[str, Any]:
    return {"key": key, "position": int(position), "status": state, **json.loads(text)}


def _moment(entry: str) -> tuple[int, int]:
    """The order of an entry of a stream, by its id."""
    time, _, number = entry.partition("-")
    return int(time), int(number)
