"""Crawls of several processes keep a host's limits together."""

from __future__ import annotations

import pytest
from scrapy import signals
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.errors import RedisUnavailable
from blogcrawler.shared import Gate
from blogcrawler.urls import server_of
from tests.downloader.crawling import fetch
from tests.downloader.test_hosts import addresses, together
from tests.shared.server import Server
from tests.site import LocalSite, Reply


@pytest.fixture
def apart(monkeypatch):
    """Crawls that know no more of each other than those of different processes do."""

    class NoHosts:
        def turn(self, *_, gate, **__):
            return _Passing(gate)

        def pause(self, *_):
            pass

    monkeypatch.setattr("blogcrawler.downloader.handler.HOSTS", NoHosts())
    monkeypatch.setattr("blogcrawler.downloader.pace.HOSTS", NoHosts())


class _Passing:
    def __init__(self, gate):
        self.gate = gate

    async def __aenter__(self):
        if self.gate is not None:
            await self.gate()

    async def __aexit__(self, *_):
        pass


@pytest.mark.usefixtures("apart")
@deferred_f_from_coro_f
async def test_a_fleet_asks_no_faster_than_one_crawl(redis_server):
    settings = {"DOWNLOAD_DELAY": 0.2, "DOWNLOAD_DELAY_JITTER": 0, "GATE_URL": redis_server.url}
    with LocalSite({}, default="page") as site:
        results = await together(*(fetch(*addresses(site, name, 5), **settings) for name in "ab"))
    assert [len(result.pages) for result in results] == [5, 5]
    times = sorted(visit.at for visit in site.log)
    assert times[-1] - times[0] > 1.3, "each alone would be done in 0.8 s"


@pytest.mark.usefixtures("apart")
@deferred_f_from_coro_f
async def test_a_delay_that_one_crawl_was_told_of_is_kept_by_its_requests(redis_server):
    settings = {"GATE_URL": redis_server.url, "ROBOTSTXT_OBEY": True, "GATE_SERVER_DELAY": 0}
    robots = {"/robots.txt": "User-agent: *\nCrawl-delay: 0.3\n"}
    with LocalSite(robots, default="page") as site:
        await together(*(fetch(*addresses(site, name, 3), **settings) for name in "ab"))
    times = sorted(visit.at for visit in site.log if visit.path != "/robots.txt")
    assert times[-1] - times[1] > 0.9, "each alone would be done in 0.6 s"


@pytest.mark.usefixtures("apart")
@deferred_f_from_coro_f
async def test_a_host_that_asks_one_crawl_to_wait_is_left_alone_by_the_fleet(redis_server):
    answers = iter([Reply(status=429, headers={"Retry-After": "1"})])
    settings = {"DOWNLOAD_DELAY": 0.1, "DOWNLOAD_DELAY_JITTER": 0, "GATE_URL": redis_server.url}
    with LocalSite({"/busy": lambda _: next(answers, "page")}, default="page") as site:
        await together(fetch(f"{site.url}/busy", **settings), fetch(*addresses(site, "b", 20), **settings))
    busy = next(visit.at for visit in site.log if visit.path == "/busy")
    assert not [visit.path for visit in site.log if 0.2 < visit.at - busy < 0.9]
    assert len(site.log) == 22


@deferred_f_from_coro_f
async def test_a_redis_that_is_gone_fails_each_request_and_is_told_once(redis_of_session, monkeypatch):
    told = []
    monkeypatch.setattr("scrapy.signalmanager.SignalManager.send_catch_log", _noting(told))
    with LocalSite({}, default="page") as site, Server() as server:
        server.kill()
        result = await fetch(*addresses(site, "a", 3), GATE_URL=server.url, BACKEND_PATIENCE="0.3")
    assert not site.log
    assert [type(error) for error in result.errors.values()] == [RedisUnavailable] * 3
    assert len(told) == 1


@deferred_f_from_coro_f
async def test_a_redis_that_is_gone_says_nothing_of_robots_txt(redis_of_session, caplog):
    with LocalSite({}, default="page") as site, Server() as server:
        server.kill()
        result = await fetch(f"{site.url}/a", GATE_URL=server.url, BACKEND_PATIENCE="0.3", ROBOTSTXT_OBEY=True)
    assert [type(error) for error in result.errors.values()] == [RedisUnavailable]
    assert "robots.txt" not in caplog.text


def _noting(told):
    from scrapy.signalmanager import SignalManager

    from blogcrawler.downloader import gate_failed

    original = SignalManager.send_catch_log

    def send(self, signal=signals.spider_opened, **named):
        if signal is gate_failed:
            told.append(named["error"])
        return original(self, signal, **named)

    return send


@deferred_f_from_coro_f
async def test_without_the_setting_there_is_no_gate(monkeypatch):
    monkeypatch.setattr(Gate, "__init__", None)
    with LocalSite({}, default="page") as site:
        assert (await fetch(f"{site.url}/")).bodies == [b"page"]


@pytest.mark.parametrize(
    ("host", "server"),
    [
        ("a.blogspot.com", "blogspot.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
    ],
)
def test_hosts_of_one_server(host, server):
    assert server_of(host) == server
