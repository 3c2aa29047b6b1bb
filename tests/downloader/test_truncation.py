"""Bodies that break off, and bodies without an end."""

from __future__ import annotations

import gzip
import time
import zlib
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.downloader.truncation import breaks_off
from tests.downloader.crawling import fetch
from tests.site import LocalSite, RawSite, Reply

if TYPE_CHECKING:
    import socket

PAGE = b"".join(b"<p>paragraph %d</p>\n" % number for number in range(3000))
RAW_DEFLATE = zlib.compressobj(wbits=-15)
ENCODED = {
    "gzip": [gzip.compress(PAGE)],
    "deflate": [zlib.compress(PAGE), RAW_DEFLATE.compress(PAGE) + RAW_DEFLATE.flush()],
}


@pytest.mark.parametrize(("encoding", "body"), [(name, body) for name, bodies in ENCODED.items() for body in bodies])
def test_breaks_off(encoding, body):
    assert not breaks_off(body, encoding, limit=0)
    assert not breaks_off(body + b"\r\n", encoding, limit=0)
    assert breaks_off(body[: len(body) // 2], encoding, limit=0)
    assert breaks_off(body[:-1], encoding, limit=0)


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(b"", "gzip"), (b"<html>", "gzip"), (b"<html>", "identity"), (b"x", "br"), (b"<html>", "deflate")],
)
def test_not_our_business(body, encoding):
    assert not breaks_off(body, encoding, limit=0)


def test_a_bomb_is_not_unpacked():
    bomb = gzip.compress(bytes(50_000_000))
    assert not breaks_off(bomb[:-10], "gzip", limit=100_000)


@given(st.binary(), st.sampled_from(["gzip", "deflate", "x-gzip", ""]))
def test_any_body_is_judged(body, encoding):
    assert breaks_off(body, encoding, limit=1000) in (True, False)


def zipped(body: bytes) -> Reply:
    return Reply(body, headers={"Content-Encoding": "gzip"})


@deferred_f_from_coro_f
async def test_a_broken_body_is_fetched_again():
    whole = ENCODED["gzip"][0]
    answers = iter([zipped(whole[:2000]), zipped(whole)])
    with LocalSite({"/": lambda _: next(answers)}) as site:
        fetched = await fetch(f"{site.url}/")
    assert fetched.bodies == [PAGE]
    assert fetched.pages[0].flags == []


@deferred_f_from_coro_f
async def test_what_stays_broken_is_delivered_and_marked():
    with LocalSite({"/": zipped(ENCODED["gzip"][0][:2000])}) as site:
        fetched = await fetch(f"{site.url}/", RETRY_TIMES="1")
        assert len(site.log) == 2
    assert PAGE.startswith(fetched.bodies[0])
    assert "truncated" in fetched.pages[0].flags
    assert fetched.stats["blogcrawler/downloader/truncated"] == 2


@deferred_f_from_coro_f
async def test_a_body_shorter_than_announced_is_marked():
    with RawSite(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n<p>short") as site:
        fetched = await fetch(f"{site.url}/", RETRY_TIMES=1)
        assert site.connections == 2
    assert fetched.bodies == [b"<p>short"]
    assert {"dataloss", "truncated"} <= set(fetched.pages[0].flags)


@deferred_f_from_coro_f
async def test_an_old_server_without_a_length_is_normal():
    with RawSite(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<p>all") as site:
        fetched = await fetch(f"{site.url}/")
        assert site.connections == 1
    assert fetched.pages[0].flags == ["partial"]


@deferred_f_from_coro_f
async def test_a_gzip_bomb_ends_at_the_limit():
    bomb = gzip.compress(bytes(20_000_000))
    with LocalSite({"/": zipped(bomb)}) as site:
        fetched = await fetch(f"{site.url}/", DOWNLOAD_MAXSIZE="1000000")
        assert len(site.log) == 1
    assert not fetched.pages
    assert "DOWNLOAD_MAXSIZE" in str(*fetched.errors.values())


@deferred_f_from_coro_f
async def test_an_endless_body_ends_at_the_limit():
    async def endless(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(bytes(10_000))

    with LocalSite({"/": endless}) as site:
        fetched = await fetch(f"{site.url}/", DOWNLOAD_MAXSIZE=200_000)
    assert not fetched.pages
    assert len(fetched.errors) == 1


@deferred_f_from_coro_f
async def test_a_body_that_drips_ends_at_the_timeout():
    def drip(connection: socket.socket, _: bytes) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for _ in range(100):
            connection.sendall(b"x")
            time.sleep(0.1)

    with RawSite(drip) as site:
        started = time.monotonic()
        fetched = await fetch(f"{site.url}/", DOWNLOAD_TIMEOUT="0.5", RETRY_TIMES=0)
    assert time.monotonic() - started < 9
    assert len(fetched.errors) == 1
