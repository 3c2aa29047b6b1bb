"""A queue in Redis through which a crawl distributes pages to workers.

All keys begin with KEYS[1], the name of the queue, and end with one of these parts:

    terms     settings that all processes must share; exists as long as the crawl runs
    wanted    hash: page number, page as JSON
    due       sorted set: page numbers, by number while unclaimed, by the end of the claim while claimed
    owners    hash: page number, worker that claimed the page
    claims    hash: page number, number of claims so far
    answers   hash: page number, result as JSON
    workers   sorted set: living workers, by the end of their lease
    wrapper   hash: version and text of the extraction rules
    new       list: an element for each page added since the workers last looked
    come      list: an element for each result added since the crawl last looked

Times are in microseconds by the clock of Redis. All scripts are safe to run twice, since a script is sent again if its
response is lost.
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
"""Maximum number of claims of a page; after that it is given up, since it may have killed its workers."""
WORKERS_DIED = "its worker processes died several times"
GIVEN_UP = json.dumps({"failed": WORKERS_DIED, "meta": {}})
"""The result of a page that was given up."""
LISTENS_S = 1.0
KEPT_MS = 300_000
"""Time until an unused queue expires: longer than the lease of a blog in the archive."""

_PREAMBLE = f"""
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
_ASK = f"""{_PREAMBLE}
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
"""Request of the crawl: its terms, version and text of a new wrapper, the numbers of results that it has processed,
and all pages that it still wants. Returns the number of workers, and all results. Without workers, no page is
queued."""
_WORK = f"""{_PREAMBLE}
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
"""Request of a worker: its name, its lease, its capacity, and its results, which are only accepted for pages that it
still owns. Returns the terms ('' if there is no crawl), the version of the wrapper, and all pages that the worker
owns."""
_LEAVE = f"""{_PREAMBLE}
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
"""Request of a worker that ends: other workers may claim its pages."""
_WRAPPER = f"{_PREAMBLE} return redis.call('HMGET', part('wrapper'), 'version', 'text')"
_IS_THERE = f"{_PREAMBLE} return redis.call('EXISTS', part('terms'))"
_FORGET = f"""{_PREAMBLE}
for _, which in ipairs({{{", ".join(f"'{part}'" for part in PARTS)}}}) do redis.call('UNLINK', part(which)) end
"""


class Answers(NamedTuple):
    """Response to a crawl."""

    #: number of living workers
    workers: int
    #: results by page number
    answers: dict[int, dict[str, Any]]


class Claimed(NamedTuple):
    """Response to a worker."""

    #: settings that all processes must share; empty if there is no crawl
    terms: str
    #: version of the wrapper; 0 if there is none yet
    version: int
    #: pages that the worker owns, by number, including those of earlier claims
    pages: dict[int, dict[str, Any]]


class PageQueue:
    """The page queue of one crawl; `holder` is the owner of the blog's lease. All methods raise RedisUnavailable."""

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
        """Send all pages (as JSON) that the crawl still wants, and return the results. Results in `taken` are
        deleted."""
        numbers = list(taken)
        wanted = [part for page in pages.items() for part in page]
        workers, flat = await self._redis.run(_ASK, self._keys, [terms, *wrapper, len(numbers), *numbers, *wanted])
        answers = zip(map(int, flat[::2]), map(json.loads, flat[1::2]), strict=True)
        return Answers(int(workers), dict(answers))

    async def work(self, worker: str, answers: Mapping[int, str], *, capacity: int, lease_s: float) -> Claimed:
        """Send results (as JSON) and claim pages up to the capacity. All claims of the worker are renewed for the
        lease."""
        flat_answers = [part for answer in answers.items() for part in answer]
        terms, *state = await self._redis.run(
            _WORK, self._keys, [worker, round(lease_s * 1e6), capacity, *flat_answers]
        )
        if not state:
            return Claimed(terms, 0, {})
        version, claimed = state
        pages = dict(zip(map(int, claimed[::2]), map(json.loads, claimed[1::2]), strict=True))
        return Claimed(terms, int(version or 0), pages)

    async def wrapper(self) -> tuple[int, Any]:
        """Version and JSON data of the wrapper; 0 and None if there is none."""
        version, text = await self._redis.run(_WRAPPER, self._keys)
        return int(version or 0), json.loads(text or "null")

    async def listen(self, which: Literal["new", "come"], news: asyncio.Event) -> None:
        """Set an event when pages or results have arrived, and at least every second. Runs until it is cancelled."""
        while True:
            try:
                await self._redis.pop(f"{self._keys[0]}:{which}", timeout_s=LISTENS_S)
            except RedisUnavailable:  # the caller learns of the error from its next request
                await asyncio.sleep(LISTENS_S)
            news.set()

    async def leave(self, worker: str) -> None:
        """Unregister a worker."""
        await self._redis.run(_LEAVE, self._keys, [worker])

    async def forget(self) -> None:
        """Delete the queue after the crawl has ended."""
        await self._redis.run(_FORGET, self._keys)

    async def close(self) -> None:
        await self._redis.close()


async def has_queue(url: str, holder: str, *, patience_s: float) -> bool:
    """True if the process that crawls a blog accepts workers. Raises RedisUnavailable."""
    redis = AsyncRedis(url, patience_s=patience_s)
    try:
        return bool(await redis.run(_IS_THERE, [_name(holder)]))
    finally:
        await redis.close()


def _name(holder: str) -> str:
    return f"blogcrawler:pages:{hashlib.sha256(holder.encode()).hexdigest()[:16]}"
