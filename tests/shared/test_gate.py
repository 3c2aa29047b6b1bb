"""The moments at which a fleet's requests may begin."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from contextlib import asynccontextmanager
from itertools import chain
from time import monotonic
from urllib.parse import urlsplit, urlunsplit

import pytest
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.errors import BadArgument, RedisUnavailable
from blogcrawler.shared import Gate, check_address
from tests.shared.server import Server


async def times_of(gate, count, host="a.test", server="test", *, delay_s=0.1, server_delay_s=0.0):
    """When so many requests may begin, one after the other."""
    found = []
    for _ in range(count):
        await gate.turn(host, server, delay_s=delay_s, server_delay_s=server_delay_s)
        found.append(monotonic())
    return found


def span(found):
    """Seconds from the first to the last of all; how far two are apart also tells how busy the machine is."""
    times = list(chain.from_iterable(found))
    return max(times) - min(times)


@deferred_f_from_coro_f
async def test_requests_of_all_crawlers_are_as_far_apart_as_a_host_asks(redis_server):
    async with Gate(redis_server.url) as one, Gate(redis_server.url) as two, Gate(redis_server.url) as three:
        found = await asyncio.gather(*(times_of(gate, 4) for gate in (one, two, three)))
    assert span(found) > 11 * 0.1 * 0.9


@asynccontextmanager
async def far_away(url, seconds):
    """The address of a Redis to which each message takes so long."""
    target = urlsplit(url)

    async def pass_on(reader, writer, after_s):
        while data := await reader.read(65536):
            await asyncio.sleep(after_s)
            writer.write(data)
        writer.close()

    async def connect(reader, writer):
        its_reader, its_writer = await asyncio.open_connection(target.hostname, target.port)
        await asyncio.gather(pass_on(reader, its_writer, seconds), pass_on(its_reader, writer, 0))

    server = await asyncio.start_server(connect, "127.0.0.1")
    try:
        yield urlunsplit(target._replace(netloc=f":{target.password}@127.0.0.1:{server.sockets[0].getsockname()[1]}"))
    finally:
        server.close()


@deferred_f_from_coro_f
async def test_a_crawler_that_is_always_slower_has_its_turns(redis_server):
    order = []

    async def ask(gate, name):
        for _ in range(6):
            await gate.turn("a.test", "test", delay_s=0.8, server_delay_s=0)
            order.append(name)

    async with far_away(redis_server.url, 0.03) as far, Gate(redis_server.url) as near, Gate(far) as slow:
        await asyncio.gather(ask(near, "near"), ask(slow, "slow"))
    assert order[:7].count("slow") >= 2, order  # without turns the near one would have all six of its own first


@deferred_f_from_coro_f
async def test_one_that_died_while_it_waited_holds_others_up_for_a_moment_alone(redis_server):
    async with Gate(redis_server.url) as dead, Gate(redis_server.url) as one:
        await times_of(one, 1, delay_s=0.3)
        waiting = asyncio.ensure_future(times_of(dead, 1))
        await asyncio.sleep(0.1)
        waiting.cancel()
        began = monotonic()
        await times_of(one, 1)
        assert monotonic() - began < 5


@deferred_f_from_coro_f
async def test_each_crawler_has_its_own_delay(redis_server):
    async with Gate(redis_server.url) as gate:
        (first,) = await times_of(gate, 1, delay_s=0.3)
        (second,) = await times_of(gate, 1, delay_s=0)
        (third,) = await times_of(gate, 1, delay_s=0)
    assert second - first > 0.29
    assert third - second < 0.2


@deferred_f_from_coro_f
async def test_hosts_of_one_server_share_its_delay(redis_server):
    hosts = [f"{name}.blogspot.test" for name in "abcdef"]
    async with Gate(redis_server.url) as gate:
        found = await asyncio.gather(
            *(times_of(gate, 1, host, "blogspot.test", delay_s=5, server_delay_s=0.1) for host in hosts)
        )
        begun = monotonic()
        await times_of(gate, 1, "b.test", "test", delay_s=5, server_delay_s=0.1)
    assert span(found) > 5 * 0.1 * 0.9
    assert monotonic() - begun < 5, "the delay of the host does not hold here"


@deferred_f_from_coro_f
async def test_a_host_that_is_slow_does_not_hold_up_others_of_its_server(redis_server):
    async with Gate(redis_server.url) as gate:
        await gate.pause("slow.test", 1)
        slow = asyncio.ensure_future(times_of(gate, 1, "slow.test", server_delay_s=0.01))
        begun = monotonic()
        await asyncio.sleep(0.02)
        await times_of(gate, 2, "quick.test", server_delay_s=0.01)
        assert not slow.done()
        assert (await slow)[0] - begun > 0.9


@deferred_f_from_coro_f
async def test_a_pause_holds_for_all_and_also_for_those_that_wait(redis_server):
    async with Gate(redis_server.url) as one, Gate(redis_server.url) as two:
        await times_of(one, 1, delay_s=0.2)
        waiting = asyncio.ensure_future(times_of(one, 1))
        await asyncio.sleep(0.05)
        begun = monotonic()
        await two.pause("a.test", 0.6)
        await two.pause("a.test", 0.1)  # the longer one stays
        assert (await waiting)[0] - begun > 0.55


@deferred_f_from_coro_f
async def test_nothing_stays_of_hosts_that_nobody_asks(redis_server):
    async with Gate(redis_server.url) as gate:
        await times_of(gate, 1, delay_s=0.1, server_delay_s=0.05)
        assert redis_server.size == 2
        await asyncio.sleep(0.25)
    assert redis_server.size == 0


DYING = """
import asyncio, sys
from blogcrawler.shared import Gate
async def main():
    gate = Gate(sys.argv[1])
    while True:
        await gate.turn("a.test", "test", delay_s=0.2, server_delay_s=0)
        print("turn", flush=True)
asyncio.run(main())
"""


@deferred_f_from_coro_f
async def test_a_crawler_that_is_killed_leaves_nothing_locked(redis_server):
    with subprocess.Popen([sys.executable, "-c", DYING, redis_server.url], stdout=subprocess.PIPE) as other:
        for _ in range(3):
            assert other.stdout is not None
            assert other.stdout.readline() == b"turn\n"
        other.send_signal(signal.SIGKILL)
    begun = monotonic()
    async with Gate(redis_server.url) as gate:
        await times_of(gate, 1)
    assert monotonic() - begun < 5


@deferred_f_from_coro_f
async def test_what_is_asked_of_a_redis_that_starts_again_waits(redis_of_session):
    with Server() as server:
        async with Gate(server.url, patience_s=10) as gate:
            await times_of(gate, 1, delay_s=3)
            begun = monotonic()
            server.kill()
            waiting = asyncio.ensure_future(times_of(gate, 1))
            await asyncio.sleep(0.5)
            assert not waiting.done()
            server.start()
            await waiting
    assert 0.5 < monotonic() - begun < 10


@deferred_f_from_coro_f
async def test_patience_has_an_end_with_a_sentence(redis_of_session):
    with Server() as server:
        async with Gate(server.url, patience_s=0.5) as gate:
            server.kill()
            begun = monotonic()
            with pytest.raises(RedisUnavailable, match=rf"127\.0\.0\.1:{server.port}/0 has not answered for") as caught:
                await times_of(gate, 1)
    assert 0.4 < monotonic() - begun < 10
    assert server.password not in str(caught.value)


@deferred_f_from_coro_f
async def test_a_network_that_is_cut_is_noticed_and_waited_for(redis_of_session, monkeypatch):
    monkeypatch.setattr("blogcrawler.shared.connection.RESPONSE_TIMEOUT_S", 0.3)
    with Server() as server:
        async with Gate(server.url, patience_s=10) as patient, Gate(server.url, patience_s=0.5) as hasty:
            await times_of(patient, 1)
            await times_of(hasty, 1)
            server.freeze()
            waiting = asyncio.ensure_future(times_of(patient, 1))
            with pytest.raises(RedisUnavailable, match="has not answered"):
                await times_of(hasty, 1)
            assert not waiting.done()
            server.thaw()
            await asyncio.wait_for(waiting, 5)


@deferred_f_from_coro_f
async def test_a_password_that_is_wrong_is_told_at_once(redis_server):
    async with Gate(redis_server.url.replace(redis_server.password, "wrong")) as gate:
        with pytest.raises(RedisUnavailable, match="refuses a request"):
            await times_of(gate, 1)


@pytest.mark.parametrize("address", ["localhost:6379", "http://localhost/", "redis://localhost:port/0"])
def test_addresses_that_are_none(redis_of_session, address):
    with pytest.raises(BadArgument, match="GATE_URL is not a Redis URL"):
        check_address(address, "GATE_URL")


def test_without_the_driver(monkeypatch):
    for name in ("redis", "redis.asyncio", "redis.asyncio.retry", "redis.backoff", "redis.retry"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RedisUnavailable, match=r"pip install 'blogcrawler\[redis\]'"):
        check_address("redis://localhost:6379/0", "GATE_URL")


def test_the_driver_is_imported_when_it_is_used():
    code = "import sys, blogcrawler.shared, blogcrawler.downloader, blogcrawler.spiders.newcrawl; print('redis' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
