"""A gate before each host, that all crawlers of a fleet go through: when a request may begin is for Redis to say.

A host's next free moment is kept under its name, by the clock of Redis, and expires by itself when it has come: of a
crawler that dies nothing stays but the moment that it took. Those that wait have it in the order in which they came, or
one that is always a little faster than the others would have all. Hosts of one registered domain are often one server:
beside the host's own moments there are those of the server, closer together.
"""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING

from blogcrawler.shared.connection import PATIENCE_S, AsyncRedis

if TYPE_CHECKING:
    from typing import Self

_NAME = "blogcrawler:gate"

LATE_MS = 250
"""For how long a host is kept at most for who waits for it, once it is free: that one may be dead."""
LATE_SHARE, LEAST_LATE_MS = 0.25, 20
"""The same as a share of the host's delay, so that one that is always late costs little; and at least."""
LOOK_MS = 10
"""Between looks of the others meanwhile."""

_BEGIN = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function free(key) return math.max(now, tonumber(redis.call('GET', key) or 0)) end
"""
_TAKE = f"""{_BEGIN}
local host, server = free(KEYS[1]), free(KEYS[2])
local since, until_, me = KEYS[1] .. ':since', KEYS[1] .. ':until', ARGV[3]
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', until_, '-inf', now - 1)) do
    redis.call('ZREM', since, dead)
    redis.call('ZREM', until_, dead)
end
local late = math.floor(math.max({LEAST_LATE_MS}, math.min({LATE_MS}, tonumber(ARGV[1]) * {LATE_SHARE})))
local function wait(ms)  -- it may be paused before its time comes: nothing is promised
    redis.call('ZADD', since, 'NX', time[1] * 1000000 + time[2], me)
    redis.call('ZADD', until_, now + ms + late, me)
    for _, key in ipairs({{since, until_}}) do
        local rest = redis.call('PTTL', key)
        redis.call('PEXPIRE', key, string.format('%.0f', math.max(rest, ms + {LATE_MS})))
    end
    return {{0, ms}}
end
if host > now then return wait(host - now) end
local first = redis.call('ZRANGE', since, 0, 0)[1]
if first and first ~= me then return wait({LOOK_MS}) end
redis.call('ZREM', since, me)
redis.call('ZREM', until_, me)
local function hold(key, delay)
    local free_at = server + delay
    if free_at > now then
        redis.call('SET', key, string.format('%.0f', free_at), 'PX', string.format('%.0f', free_at - now))
    end
end
hold(KEYS[1], tonumber(ARGV[1]))
hold(KEYS[2], tonumber(ARGV[2]))
return {{1, server - now}}
"""
"""Takes the next moment of a host that is free, when its server is free; else tells how long to wait for the next try.

Given are the delays of host and server, and a name for the turn. Who waits stands in two sorted sets of the host: by
when it came, and by when it is taken for dead.
"""
_PAUSE = f"""{_BEGIN}
local free_at = math.max(free(KEYS[1]), now + tonumber(ARGV[1]))
if free_at > now then
    redis.call('SET', KEYS[1], string.format('%.0f', free_at), 'PX', string.format('%.0f', free_at - now))
end
"""


class Gate:
    """When requests may begin, over all crawlers that go through it. Hosts and servers are named by any texts."""

    def __init__(self, url: str, *, patience_s: float = PATIENCE_S) -> None:
        """Raises BadArgument where the address is none of a Redis, RedisUnavailable without the driver."""
        self._redis = AsyncRedis(url, patience_s=patience_s)

    async def turn(self, host: str, server: str, *, delay_s: float, server_delay_s: float) -> None:
        """Wait until a request to a host may begin; the next one may `delay_s` later, to others of its server sooner.

        Raises RedisUnavailable when Redis is away for too long.
        """
        keys = [_host(host), f"{_NAME}:server:{server}"]
        arguments: list[str | int] = [_ms(delay_s), _ms(server_delay_s), secrets.token_hex(8)]
        is_taken = False
        while not is_taken:
            is_taken, wait_ms = await self._redis.run(_TAKE, keys, arguments)
            if wait_ms:
                await asyncio.sleep(wait_ms / 1000)

    async def pause(self, host: str, seconds: float) -> None:
        """Let no request to a host begin for so many seconds. Raises RedisUnavailable."""
        await self._redis.run(_PAUSE, [_host(host)], [_ms(seconds)])

    async def close(self) -> None:
        """Close the connection."""
        await self._redis.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _host(name: str) -> str:
    return f"{_NAME}:host:{name}"


def _ms(seconds: float) -> int:
    return max(0, round(1000 * seconds))
