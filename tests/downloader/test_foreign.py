"""Hosts besides the blog's: one that cannot be reached is asked once in a crawl, and robots.txt at most once of each."""

from __future__ import annotations

import socket
import time
from threading import Thread

import pytest
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.downloader.reasons import reason_of
from blogcrawler.purposes import Purpose
from tests.downloader.crawling import fetch
from tests.site import LocalSite, RawSite, Reply

HOME = "http://blog.invalid/"
"""The blog that a file is of."""
LOCAL = {"ALLOWED_PRIVATE_HOSTS": "127.0.0.1"}


async def fetch_files(*urls, purpose=Purpose.FILE, start=HOME, **settings):
    """One after another, as a host is known by its first answer."""
    meta = {"handle_httpstatus_all": True, **purpose.meta}
    return await fetch(*urls, start=start, meta=meta, CONCURRENT_REQUESTS=1, **{**LOCAL, **settings})


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def hang(connection, _):
    connection.recv(1)


@pytest.mark.parametrize("obeys", [True, False])
@pytest.mark.parametrize("purpose", [Purpose.FILE, Purpose.COMMENTS, Purpose.BROWSER])
@pytest.mark.parametrize("host", ["127.0.0.1:{}", "nobody.invalid"])
@deferred_f_from_coro_f
async def test_a_host_that_cannot_be_reached_is_asked_once(host, purpose, obeys):
    base = f"http://{host.format(free_port())}"
    urls = [f"{base}/{number}.png" for number in range(4)]
    fetched = await fetch_files(*urls, purpose=purpose, ROBOTSTXT_OBEY=obeys)
    assert fetched.stats["downloader/request_count"] == 1
    assert fetched.stats["blogcrawler/downloader/unreachable_hosts"] == 1
    expected = "host not found" if "invalid" in host else "connection refused"
    assert [reason_of(fetched.errors[url]) for url in urls] == [expected] * 4


@deferred_f_from_coro_f
async def test_a_name_that_is_not_found_is_none_by_https_either():
    urls = ["http://nobody.invalid/a", "https://nobody.invalid/b"]
    fetched = await fetch_files(*urls)
    assert fetched.stats["downloader/request_count"] == 1


@deferred_f_from_coro_f
async def test_a_host_that_hangs_is_waited_for_once(monkeypatch):
    monkeypatch.setattr("blogcrawler.downloader.foreign.FIRST_ANSWER_S", 0.5)
    began = time.monotonic()
    with RawSite(hang) as site:
        urls = [f"{site.url}/{number}.png" for number in range(4)]
        fetched = await fetch_files(*urls, ROBOTSTXT_OBEY=True)
        assert [head.split()[1] for head in site.heads] == [b"/robots.txt"]
    assert time.monotonic() - began < 20, "and not a minute for each, five times"
    assert {reason_of(error) for error in fetched.errors.values()} == {"no answer in time"}


@pytest.mark.parametrize("status", [404, 403, 500, 503, 429])
@deferred_f_from_coro_f
async def test_a_host_that_answers_is_asked_for_each_file(status):
    """Whatever it answers; its robots.txt is asked for once, also where that cannot be had."""
    with LocalSite({"/robots.txt": ""}, default=Reply(status=status)) as site:
        urls = [f"{site.url}/{number}.png" for number in range(3)]
        await fetch_files(*urls, ROBOTSTXT_OBEY=True, RETRY_TIMES=0, BACKOFF_TIMES=0)
        assert site.paths == ["/robots.txt", "/0.png", "/1.png", "/2.png"]
    with LocalSite({"/robots.txt": Reply(status=status)}, default="file") as site:
        urls = [f"{site.url}/{number}.png" for number in range(3)]
        await fetch_files(*urls, ROBOTSTXT_OBEY=True)
        assert site.paths.count("/robots.txt") == 1


@deferred_f_from_coro_f
async def test_a_host_that_has_answered_is_asked_again():
    answers = []

    def answer(connection, _):
        answers.append(connection)
        if len(answers) > 1:
            time.sleep(1.5)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")

    with RawSite(answer) as site:
        urls = [f"{site.url}/{number}.png" for number in range(3)]
        fetched = await fetch_files(*urls, RETRY_TIMES=1, DOWNLOAD_TIMEOUT=1)
        assert len(site.heads) == 5
    assert len(fetched.pages) == 1


@pytest.mark.parametrize("purpose", [Purpose.PAGE, Purpose.SOURCE, Purpose.FILE, Purpose.COMMENTS])
@pytest.mark.parametrize("host", ["127.0.0.1:{}", "nobody.invalid"])
@deferred_f_from_coro_f
async def test_the_blogs_own_host_is_asked_once_where_it_is_away_from_the_start(host, purpose):
    base = f"http://{host.format(free_port())}"
    urls = [f"{base}/a", f"{base}/b"]
    fetched = await fetch_files(*urls, purpose=purpose, start=f"{base}/", RETRY_TIMES=2)
    assert fetched.stats["downloader/request_count"] == 1
    assert "blogcrawler/downloader/unreachable_hosts" not in fetched.stats
    expected = "host not found" if "invalid" in host else "connection refused"
    assert [reason_of(fetched.errors[url]) for url in urls] == [expected] * 2


@pytest.mark.parametrize("purpose", [Purpose.PAGE, Purpose.SOURCE, Purpose.FILE, Purpose.COMMENTS])
@deferred_f_from_coro_f
async def test_the_blogs_own_host_is_asked_again_where_it_accepts_connections(purpose):
    with RawSite(lambda connection, _: connection.close()) as site:
        await fetch_files(f"{site.url}/a", f"{site.url}/b", purpose=purpose, start=f"{site.url}/", RETRY_TIMES=2)
        assert len(site.heads) == 6


@deferred_f_from_coro_f
async def test_a_host_that_refuses_connections_after_it_has_answered_is_asked_again():
    port, answers = free_port(), b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
    server = socket.create_server(("127.0.0.1", port))

    def answer_once():
        connection, _ = server.accept()
        server.close()
        connection.recv(10_000)
        connection.sendall(answers)
        connection.close()

    thread = Thread(target=answer_once)
    thread.start()
    base = f"http://127.0.0.1:{port}"
    fetched = await fetch_files(
        f"{base}/a", f"{base}/b", purpose=Purpose.PAGE, start=f"{base}/", RETRY_TIMES=2, SERVER_PATIENCE=0
    )
    thread.join()
    assert fetched.stats["downloader/request_count"] >= 1 + 3
    assert [page.url for page in fetched.pages] == [f"{base}/a"]


@deferred_f_from_coro_f
async def test_nothing_waits_where_robots_txt_is_known_from_an_earlier_crawl(tmp_path):
    kept = {"ROBOTSTXT_OBEY": True, "ROBOTSTXT_LIFETIME": 3600, "HTTPCACHE_ENABLED": True, "ARCHIVE": str(tmp_path)}
    with LocalSite({"/robots.txt": "User-agent: *\nDisallow: /private/\n"}, default="file") as site:
        await fetch_files(f"{site.url}/1.png", **kept)
        began = time.monotonic()
        await fetch_files(*(f"{site.url}/{number}.png" for number in range(2, 5)), **kept)
        assert time.monotonic() - began < 10
        assert sorted(site.paths) == ["/1.png", "/2.png", "/3.png", "/4.png", "/robots.txt"]
