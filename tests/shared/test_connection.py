"""Addresses of a Redis: what is none, and which are of the same."""

from __future__ import annotations

import pytest

from blogcrawler.errors import BadArgument, RedisUnavailable
from blogcrawler.shared import AsyncRedis, Redis, check_address, place_of
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
    with pytest.raises(BadArgument, match=r"^GATE_URL is no address of a Redis; it has the form") as told:
        check_address(url, "GATE_URL")
    assert "topsecret" not in str(told.value)
    for kind in (Redis, AsyncRedis):
        with pytest.raises(BadArgument):
            kind(url)


@pytest.mark.parametrize("url", ["redis://h", "rediss://me:secret@h:6380/2?ssl_cert_reqs=none", "unix:///run/redis"])
def test_addresses(url):
    check_address(url, "GATE_URL")


def test_a_redis_that_is_away_is_told_of_when_it_is_looked_for():
    redis = Redis(f"redis://127.0.0.1:{closed_port()}/0", patience_s=0)
    with pytest.raises(RedisUnavailable, match="has not answered"):
        redis.check()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("redis://h/0", "redis://h:6379"),
        ("redis://H:6379/0", "redis://:secret@h:6379/0"),
        ("redis://me:old@h", "redis://me:new@h"),
        ("redis://h?db=3", "redis://h/3"),
        ("unix:///run/redis", "unix://:secret@/run/redis?db=0"),
    ],
)
def test_spellings_of_one_address_name_the_same_redis(one, other):
    assert place_of(one) == place_of(other)
    assert "secret" not in place_of(other)


@pytest.mark.parametrize("other", ["redis://h/1", "redis://h:6380/0", "redis://g/0", "unix:///h"])
def test_other_databases_are_others(other):
    assert place_of("redis://h/0") != place_of(other)
