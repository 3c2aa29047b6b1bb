"""A rate limiter per host, shared by all crawlers through Redis.

For each host, Redis stores the time of the next allowed request, by its own clock. The key expires at that time, so a
crawler that dies blocks a host only for the delay that it took. Waiting crawlers are served in the order of their
arrival; without this order, a crawler that is always a little faster would get all turns. Hosts of one registered
domain are often the same server, so a second, shorter delay applies to the registered domain.
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
"""Maximum time for which a free host is reserved for the first waiting crawler, which may be dead."""
LATE_SHARE, LEAST_LATE_MS = 0.25, 20
"""The same as a share of the host's delay, so that a crawler that is always late costs little; and the minimum."""
LOOK_MS = 10
"""Interval at which the other waiting crawlers check again."""

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
local function wait(ms)  -- no turn is reserved, since the host may be paused meanwhile
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
"""Takes the host's next turn if host and server are free; else returns the milliseconds to wait before the next try.

The arguments are the delays of host and server, and a unique name of the turn. Two sorted sets per host hold the
waiting turns: by their time of arrival, and by the time after which they count as dead.
"""
_PAUSE = f"""{_BEGIN}
local free_at = math.max(free(KEYS[1]), now + tonumber(ARGV[1]))
if free_at > now then
    redis.call('SET', KEYS[1], string.format('%.0f', free_at), 'PX', string.format('%.0f', free_at - now))
end
"""


class Gate:
    """Grants turns for requests to hosts, across all crawlers. The names of hosts and servers are arbitrary strings."""

    def __init__(self, url: str, *, patience_s: float = PATIENCE_S) -> None:
        """Raises BadArgument if the URL is not a Redis URL, and RedisUnavailable if the driver is missing."""
        self._redis = AsyncRedis(url, patience_s=patience_s)

    async def turn(self, host: str, server: str, *, delay_s: float, server_delay_s: float) -> None:
        """Wait until a request to the host may start. The next request to this host may start `delay_s` later; to other
        hosts of the server, `server_delay_s` later.

        Raises RedisUnavailable if Redis is unavailable for too long.
        """
        keys = [_host(host), f"{_NAME}:server:{server}"]
        arguments: list[str | int] = [_ms(delay_s), _ms(server_delay_s), secrets.token_hex(8)]
        is_taken = False
        while not is_taken:
            is_taken, wait_ms = await self._redis.run(_TAKE, keys, arguments)
            if wait_ms:
                await asyncio.sleep(wait_ms / 1000)

    async def pause(self, host: str, seconds: float) -> None:
        """Allow no request to a host for this number of seconds. Raises RedisUnavailable."""
        await self._redis.run(_PAUSE, [_host(host)], [_ms(seconds)])

    async def close(self) -> None:
        await self._redis.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _host(name: str) -> str:
    return f"{_NAME}:host:{name}"


def _ms(seconds: float) -> int:
    return max(0, round(1000 * seconds))
