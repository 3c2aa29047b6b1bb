"""Limits of a host that several crawls of one process keep together."""

from __future__ import annotations

import asyncio
import random
import time
from itertools import pairwise

from scrapy.utils.asyncio import sleep
from scrapy.utils.defer import deferred_f_from_coro_f, deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import gatherResults

from blogcrawler.downloader.hosts import MOST_IDLE, Hosts
from tests.downloader.crawling import fetch
from tests.site import LocalSite, Reply


async def together(*tasks):
    """Run coroutines at the same time; what they return."""
    return await maybe_deferred_to_future(gatherResults([deferred_from_coro(task) for task in tasks]))


def addresses(site, name, count):
    return [f"{site.url}/{name}/{number}" for number in range(count)]


@deferred_f_from_coro_f
async def test_two_crawls_ask_no_faster_than_one():
    settings = {"DOWNLOAD_DELAY": 0.2, "DOWNLOAD_DELAY_JITTER": 0}
    with LocalSite({}, default="page") as site:
        crawls = [fetch(*addresses(site, name, 5), **settings) for name in "ab"]
        results = await together(*crawls)
    assert [len(result.pages) for result in results] == [5, 5]
    times = sorted(visit.at for visit in site.log)
    assert len(times) == 10
    assert min(after - before for before, after in pairwise(times)) > 0.15
    assert {path[:3] for path in site.paths[:4]} == {"/a/", "/b/"}, "by turns"


@deferred_f_from_coro_f
async def test_no_more_requests_are_under_way_than_one_crawl_may_have():
    under_way, most = 0, 0

    async def slow(_):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.1)
        under_way -= 1
        return "page"

    with LocalSite({}, default=slow) as site:
        crawls = [fetch(*addresses(site, name, 6), CONCURRENT_REQUESTS_PER_DOMAIN=2) for name in "abc"]
        results = await together(*crawls)
    assert [len(result.pages) for result in results] == [6, 6, 6]
    assert most == 2


@deferred_f_from_coro_f
async def test_a_host_that_asks_one_crawl_to_wait_is_left_alone_by_others():
    answers = iter([Reply(status=429, headers={"Retry-After": "1"})])
    settings = {"DOWNLOAD_DELAY": 0.1, "DOWNLOAD_DELAY_JITTER": 0}
    with LocalSite({"/busy": lambda _: next(answers, "page")}, default="page") as site:
        await together(fetch(f"{site.url}/busy", **settings), fetch(*addresses(site, "b", 20), **settings))
    busy = next(visit.at for visit in site.log if visit.path == "/busy")
    assert not [visit.path for visit in site.log if 0.2 < visit.at - busy < 0.9]
    assert len(site.log) == 22


@deferred_f_from_coro_f
async def test_one_crawl_alone_is_not_held_up():
    hosts, begun = Hosts(), time.monotonic()
    for _ in range(5):
        async with hosts.turn("a", 1, delay=9, most=1):
            pass
    async with hosts.turn("b", 2, delay=9, most=1):
        pass
    assert time.monotonic() - begun < 9


@deferred_f_from_coro_f
async def test_a_request_that_fails_gives_its_place_to_the_next():
    hosts, order = Hosts(), []

    async def request(crawl, seconds):
        try:
            async with hosts.turn("a", crawl, delay=0, most=1):
                order.append(crawl)
                await sleep(seconds)
                raise OSError
        except OSError:
            pass

    await together(request(1, 0.05), request(2, 0), request(3, 0))
    assert order == [1, 2, 3]


@deferred_f_from_coro_f
async def test_hosts_that_nobody_asks_are_forgotten():
    hosts = Hosts()
    async with hosts.turn("in use", 1, delay=0, most=1):
        for number in range(3 * MOST_IDLE):
            async with hosts.turn(str(number), 1, delay=0, most=1):
                pass
    assert len(hosts) <= MOST_IDLE + 1
    assert "in use" in hosts


@deferred_f_from_coro_f
async def test_a_host_is_remembered_until_its_delay_is_over():
    now = 0.0
    hosts = Hosts(clock=lambda: now)
    async with hosts.turn("slow", 1, delay=30, most=1):
        pass
    for time_s, is_known in ((20, True), (40, False)):
        now = time_s
        for number in range(2 * MOST_IDLE):
            async with hosts.turn(f"{time_s} {number}", 1, delay=0, most=1):
                pass
        assert ("slow" in hosts) is is_known


@deferred_f_from_coro_f
async def test_the_delay_before_a_request_is_drawn_once(monkeypatch):
    """As often as not the next one would be longer, and so would the time between requests, on average."""
    drawn = []
    uniform = random.uniform
    monkeypatch.setattr(random, "uniform", lambda *bounds: drawn.append(bounds) or uniform(*bounds))
    with LocalSite({}, default="page") as site:
        await fetch(*addresses(site, "a", 10), DOWNLOAD_DELAY=0.1, DOWNLOAD_DELAY_JITTER=0.5)
    assert len(site.log) == 10
    assert drawn.count((-0.5, 0.5)) <= 11
