"""Pages that a crawl has its workers fetch, in a Redis: which are wanted, who fetches each, and what came of it.

KEYS[1] is the name of a queue; its parts are named after it:

    terms     what workers must agree on; there as long as the crawl is
    wanted    hash: number of a page, the page as JSON
    due       sorted set: numbers of pages by when they may be claimed: their number before, the end of a claim after
    owners    hash: number of a page, the worker that has claimed it
    claims    hash: number of a page, how often it was claimed
    answers   hash: number of a page, what came of it as JSON
    workers   sorted set: those that are alive, by the end of their lease
    wrapper   hash: version and text of the rules by which pages are read
    new       list: something for each page that is wanted since workers have looked
    come      list: the same for answers since the crawl has looked

Times are those of Redis, in microseconds. The answer to a script may be lost, and the script runs once more: each may.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from blogcrawler.errors import RedisUnavailable
from blogcrawler.shared.connection import PATIENCE_S, AsyncRedis

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PARTS = ("terms", "wanted", "due", "owners", "claims", "answers", "workers", "wrapper", "new", "come")
MOST_CLAIMS = 3
"""Claims of a page after which it is given up: it may be what its workers died of."""
WORKERS_DIED = "the processes that fetched it died, several times"
GIVEN_UP = json.dumps({"failed": WORKERS_DIED, "meta": {}})
"""What came of such a page."""
LISTENS_S = 1.0
KEPT_MS = 300_000
"""For how long a queue stays of which nobody is heard: longer than the claim of a blog in the archive."""

_BASIS = f"""
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function part(which) return KEYS[1] .. ':' .. which end
local function whole(number) return string.format('%.0f', number) end
local function forget(number)
    for _, which in ipairs({{'wanted', 'owners', 'claims'}}) do redis.call('HDEL', part(which), number) end
    redis.call('ZREM', part('due'), number)
end
local function keep()
    for _, which in ipairs({{{", ".join(f"'{part}'" for part in PARTS)}}}) do
        redis.call('PEXPIRE', part(which), {KEPT_MS})
    end
end
"""
_ASK = f"""{_BASIS}
local terms, version, wrapper, taken = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
redis.call('SET', part('terms'), terms)
if wrapper ~= '' then redis.call('HSET', part('wrapper'), 'version', version, 'text', wrapper) end
for i = 5, 4 + taken do redis.call('HDEL', part('answers'), ARGV[i]) end
redis.call('ZREMRANGEBYSCORE', part('workers'), '-inf', whole(now))
local workers = redis.call('ZCARD', part('workers'))
redis.call('DEL', part('come'))
for i = 5 + taken, #ARGV, 2 do
    local number, page = ARGV[i], ARGV[i + 1]
    if workers == 0 then
        forget(number)
    elseif redis.call('HEXISTS', part('answers'), number) == 0 and redis.call('HSETNX', part('wanted'), number, page) == 1 then
        redis.call('ZADD', part('due'), number, number)
        redis.call('RPUSH', part('new'), number)
    end
end
keep()
return {{workers, redis.call('HGETALL', part('answers'))}}
"""  # noqa: E501
"""What the crawl asks for: its terms, version and text of the wrapper where that is new, how many answers were taken,
their numbers, and all pages that are wanted still. Without workers none is. Returns how many there are, and answers.
"""
_WORK = f"""{_BASIS}
local worker, lease, capacity = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local terms = redis.call('GET', part('terms'))
if not terms then return {{''}} end
redis.call('ZADD', part('workers'), whole(now + lease), worker)
for i = 4, #ARGV, 2 do
    if redis.call('HGET', part('owners'), ARGV[i]) == worker then
        redis.call('HSET', part('answers'), ARGV[i], ARGV[i + 1])
        redis.call('RPUSH', part('come'), ARGV[i])
        forget(ARGV[i])
    end
end
local claimed = {{}}
local function hold(number)
    redis.call('ZADD', part('due'), whole(now + lease), number)
    claimed[#claimed + 1] = number
    claimed[#claimed + 1] = redis.call('HGET', part('wanted'), number)
end
local owners = redis.call('HGETALL', part('owners'))
for i = 1, #owners, 2 do
    if owners[i + 1] == worker then hold(owners[i]) end
end
local free = capacity - #claimed / 2
for _, number in ipairs(free > 0 and redis.call('ZRANGEBYSCORE', part('due'), '-inf', whole(now), 'LIMIT', 0, free) or {{}}) do
    if redis.call('HINCRBY', part('claims'), number, 1) > {MOST_CLAIMS} then
        redis.call('HSET', part('answers'), number, '{GIVEN_UP}')
        forget(number)
    else
        redis.call('HSET', part('owners'), number, worker)
        hold(number)
    end
end
keep()
return {{terms, redis.call('HGET', part('wrapper'), 'version') or '', claimed}}
"""  # noqa: E501
"""What a worker does: its name, its lease, how many pages it can have at once, and its answers, which count only for
pages that nobody else has claimed since. Returns the terms, '' where there is no crawl, the version of the wrapper, and
all pages that it has claimed.
"""
_LEAVE = f"""{_BASIS}
redis.call('ZREM', part('workers'), ARGV[1])
local owners = redis.call('HGETALL', part('owners'))
for i = 1, #owners, 2 do
    if owners[i + 1] == ARGV[1] then
        redis.call('HDEL', part('owners'), owners[i])
        redis.call('HINCRBY', part('claims'), owners[i], -1)
        redis.call('ZADD', part('due'), owners[i], owners[i])
        redis.call('RPUSH', part('new'), owners[i])
    end
end
"""
"""A worker leaves, and what it has claimed may be claimed by others."""
_WRAPPER = f"{_BASIS} return redis.call('HMGET', part('wrapper'), 'version', 'text')"
_IS_THERE = f"{_BASIS} return redis.call('EXISTS', part('terms'))"
_FORGET = f"""{_BASIS}
for _, which in ipairs({{{", ".join(f"'{part}'" for part in PARTS)}}}) do redis.call('UNLINK', part(which)) end
"""


class Answers(NamedTuple):
    """What a crawl learns when it asks."""

    #: how many are alive
    workers: int
    #: by the number of the page
    answers: dict[int, dict[str, Any]]


class Claimed(NamedTuple):
    """What a worker learns when it works."""

    #: what it must agree on; empty where there is no crawl
    terms: str
    #: of the wrapper; 0 where there is none as yet
    version: int
    #: by their numbers, those that it has claimed before, too
    pages: dict[int, dict[str, Any]]


class PageQueue:
    """The pages of one crawl. `holder` is who holds its blog in the archive. Calls raise RedisUnavailable."""

    def __init__(self, url: str, holder: str, *, patience_s: float = PATIENCE_S) -> None:
        self._redis = AsyncRedis(url, patience_s=patience_s)
        self._keys = [_name(holder)]

    async def ask(
        self,
        terms: str,
        pages: Mapping[int, str],
        *,
        taken: Iterable[int] = (),
        wrapper: tuple[int, str] = (0, ""),
    ) -> Answers:
        """Ask for pages, given as JSON, all that are still wanted each time; forget the answers that were `taken`."""
        numbers = list(taken)
        wanted = [part for page in pages.items() for part in page]
        workers, told = await self._redis.run(_ASK, self._keys, [terms, *wrapper, len(numbers), *numbers, *wanted])
        answers = zip(map(int, told[::2]), map(json.loads, told[1::2]), strict=True)
        return Answers(int(workers), dict(answers))

    async def work(self, worker: str, answers: Mapping[int, str], *, capacity: int, lease_s: float) -> Claimed:
        """Hand in answers, as JSON, and claim pages until there are so many; claims hold for the lease from now on."""
        given = [part for answer in answers.items() for part in answer]
        terms, *told = await self._redis.run(_WORK, self._keys, [worker, round(lease_s * 1e6), capacity, *given])
        if not told:
            return Claimed(terms, 0, {})
        version, claimed = told
        pages = dict(zip(map(int, claimed[::2]), map(json.loads, claimed[1::2]), strict=True))
        return Claimed(terms, int(version or 0), pages)

    async def wrapper(self) -> tuple[int, Any]:
        """Version and JSON types of the wrapper; 0 and None where there is none."""
        version, text = await self._redis.run(_WRAPPER, self._keys)
        return int(version or 0), json.loads(text or "null")

    async def listen(self, which: Literal["new", "come"], news: asyncio.Event) -> None:
        """Set an event as soon as there are new pages, or answers have come, and every second; to be cancelled."""
        while True:
            try:
                await self._redis.pop(f"{self._keys[0]}:{which}", timeout_s=LISTENS_S)
            except RedisUnavailable:  # who is told of news asks, and learns that
                await asyncio.sleep(LISTENS_S)
            news.set()

    async def leave(self, worker: str) -> None:
        """A worker does no more."""
        await self._redis.run(_LEAVE, self._keys, [worker])

    async def forget(self) -> None:
        """The crawl has ended."""
        await self._redis.run(_FORGET, self._keys)

    async def close(self) -> None:
        """Close the connection."""
        await self._redis.close()


async def has_queue(url: str, holder: str, *, patience_s: float) -> bool:
    """True if the process that holds a blog takes workers. Raises RedisUnavailable."""
    redis = AsyncRedis(url, patience_s=patience_s)
    try:
        return bool(await redis.run(_IS_THERE, [_name(holder)]))
    finally:
        await redis.close()


def _name(holder: str) -> str:
    return f"blogcrawler:pages:{hashlib.sha256(holder.encode()).hexdigest()[:16]}"
