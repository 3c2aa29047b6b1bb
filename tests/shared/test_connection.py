"""Addresses of a Redis, and of what is none."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest

from blogcrawler.errors import BadArgument, RedisUnavailable
from blogcrawler.shared import AsyncRedis, check_address
from tests.crawl.test_errors import closed_port

pytest.importorskip("redis", reason="the driver of Redis is not installed (redis)")


@pytest.mark.parametrize(
    "url",
    [
        "redis://:topsecret@127.0.0.1:6379/0?foo=bar",
        "redis://127.0.0.1:6379/0?ssl_cert_reqs=none",
        "http://127.0.0.1/",
        "redis://127.0.0.1:port/0",
        "redis",
    ],
)
def test_what_is_no_address_is_told_before_anything_is_asked(url):
    with pytest.raises(BadArgument, match=r"^GATE_URL is not a Redis URL; use the form") as told:
        check_address(url, "GATE_URL")
    assert "topsecret" not in str(told.value)
    with pytest.raises(BadArgument):
        AsyncRedis(url)


@pytest.mark.parametrize("url", ["redis://h", "rediss://me:secret@h:6380/2?ssl_cert_reqs=none", "unix:///run/redis"])
def test_addresses(url):
    check_address(url, "GATE_URL")


def test_a_redis_that_was_waited_for_in_vain_is_not_waited_for_again():
    async def ask() -> None:
        redis = AsyncRedis(f"redis://127.0.0.1:{closed_port()}/0", patience_s=1)
        for _ in range(4):
            with pytest.raises(RedisUnavailable, match="has not answered"):
                await redis.run("return 1", [])
        await redis.close()

    began = monotonic()
    with ThreadPoolExecutor(1) as pool:  # this thread may have a loop of its own
        pool.submit(asyncio.run, ask()).result()
    assert 1 <= monotonic() - began < 2.5
