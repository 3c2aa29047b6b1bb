"""A gate before each host, that all crawlers of a fleet go through: when a request may begin is for Redis to say.

A host's next free moment is kept under its name, by the clock of Redis, and expires by itself when it has come: of a
crawler that dies nothing stays but the moment that it took. Hosts of one registered domain are often one server: beside
the host's own moments there are those of the server, closer together.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from blogcrawler.shared.connection import PATIENCE_S, AsyncRedis

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Gate"]

_NAME = "blogcrawler:gate"

_BEGIN = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function free(key) return math.max(now, tonumber(redis.call('GET', key) or 0)) end
"""
_TAKE = f"""{_BEGIN}
local host, server = free(KEYS[1]), free(KEYS[2])
if host > now then return {{0, host - now}} end  -- it may be paused before its time comes: nothing is promised
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
"""Takes the next moment of a host that is free, when its server is free; else tells how long it is not."""
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
        keys, delays = [_host(host), f"{_NAME}:server:{server}"], [_ms(delay_s), _ms(server_delay_s)]
        is_taken = False
        while not is_taken:
            is_taken, wait_ms = await self._redis.run(_TAKE, keys, delays)
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
