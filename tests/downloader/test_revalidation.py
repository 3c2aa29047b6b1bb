"""Conditional requests."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.downloader.http_cache import FILE
from blogcrawler.downloader.revalidation import RevalidationPolicy
from tests.downloader.crawling import fetch
from tests.site import LocalSite, RawSite, Reply, Validators

URL = "http://blog.example/"
ETAG = {"ETag": '"1"'}
DAY = format_datetime(datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC), usegmt=True)
PAGE = "<html><body><p>words</p></body></html>"


def policy(**settings):
    return RevalidationPolicy(Settings(settings))


@pytest.fixture
def revalidating(tmp_path):
    return {"HTTPCACHE_ENABLED": True, "ARCHIVE": str(tmp_path / "archive")}


@pytest.mark.parametrize(
    "request_",
    [
        Request(URL, method="POST"),
        Request(URL, method="HEAD"),
        Request(URL, headers={"If-None-Match": '"mine"'}),
        Request(URL, headers={"If-Modified-Since": DAY}),
        Request(URL, headers={"Range": "bytes=0-9"}),
        Request(URL, headers={"Cache-Control": "no-store"}),
    ],
)
def test_requests_that_are_left_alone(request_):
    assert policy().should_cache_request(Request(URL))
    assert not policy().should_cache_request(request_)


@pytest.mark.parametrize(
    ("headers", "is_kept"),
    [
        (ETAG, True),
        ({"Last-Modified": DAY}, True),
        ({"ETag": 'W/"1"', "Cache-Control": "private, max-age=0, no-cache"}, True),
        ({"ETag": '"1"', "Vary": "Accept-Encoding"}, True),
        ({"ETag": '"1"', "Cache-Control": "private, No-Store"}, False),
        ({"ETag": '"1"', "Cache-Control": ["private", "no-store"]}, False),
        ({"ETag": '"1"', "Vary": "*"}, False),
        ({"ETag": '"1"', "Vary": "Cookie, *"}, False),
        ({"ETag": ""}, False),
        ({"ETag": '"' + 5000 * "x" + '"'}, False),
        ({"Expires": DAY}, False),
        ({}, False),
    ],
)
def test_which_headers_let_an_answer_be_kept(headers, is_kept):
    response = HtmlResponse(URL, headers=headers, body=b"words")
    assert policy().should_cache_response(response, Request(URL)) is is_kept


@pytest.mark.parametrize("status", [203, 206, 304, 301, 404, 410, 500])
def test_only_pages_are_kept(status):
    response = HtmlResponse(URL, status=status, headers=ETAG)
    assert not policy().should_cache_response(response, Request(URL))


@pytest.mark.parametrize(("flag", "is_kept"), [("truncated", False), ("partial", False), ("cached", True)])
def test_only_whole_bodies_are_kept(flag, is_kept):
    response = HtmlResponse(URL, headers=ETAG, flags=[flag])
    assert policy().should_cache_response(response, Request(URL)) is is_kept


@pytest.mark.parametrize(("limit", "is_kept"), [(5, True), (4, False)])
def test_large_bodies_are_not_kept(limit, is_kept, monkeypatch):
    monkeypatch.setattr("blogcrawler.downloader.revalidation.LARGEST_BODY_BYTES", limit)
    response = HtmlResponse(URL, headers=ETAG, body=b"words")
    assert policy().should_cache_response(response, Request(URL)) is is_kept


def test_pages_for_a_session_are_not_kept():
    request = Request(URL, headers={"Cookie": "session=1"})
    assert not policy().should_cache_response(HtmlResponse(URL, headers=ETAG), request)


@pytest.mark.parametrize("cache_control", ["max-age=100000", "immutable, max-age=1", "public"])
def test_nothing_is_served_unasked(cache_control):
    response = HtmlResponse(URL, headers={"Cache-Control": cache_control, "Last-Modified": DAY, **ETAG})
    request = Request(URL)
    assert not policy().is_cached_response_fresh(response, request)
    assert request.headers["If-None-Match"] == b'"1"'
    assert request.headers["If-Modified-Since"] == DAY.encode()


@pytest.mark.parametrize("status", [200, 404, 412, 429, 500, 503])
def test_nothing_but_304_says_that_a_page_is_unchanged(status):
    kept, answer = HtmlResponse(URL, headers=ETAG), HtmlResponse(URL, status=status)
    assert not policy().is_cached_response_valid(kept, answer, Request(URL))
    assert policy().is_cached_response_valid(kept, answer.replace(status=304), Request(URL))


@pytest.mark.parametrize("validators", [Validators(), Validators(etags=False, modified=DAY), Validators(modified=DAY)])
@deferred_f_from_coro_f
async def test_what_has_not_changed_is_not_sent_again(revalidating, validators):
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        pages = [(await fetch(f"{site.url}/", **revalidating)).pages[0] for _ in range(3)]
        validators.unchanged, seen = [], validators.unchanged
    assert (len(validators.whole), len(seen)) == (1, 2)
    validators.whole = []
    for page in pages:
        assert (page.status, page.body, type(page)) == (200, PAGE.encode(), HtmlResponse)
        assert page.headers["Content-Type"] == b"text/html; charset=utf-8", "that of the 304 is another message's"


@deferred_f_from_coro_f
async def test_off_is_off(revalidating, tmp_path):
    validators = Validators()
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        for _ in range(2):
            await fetch(f"{site.url}/", **{**revalidating, "HTTPCACHE_ENABLED": False})
    assert len(validators.whole) == 2
    assert not (tmp_path / "archive").exists()


@deferred_f_from_coro_f
async def test_what_has_changed_is_the_new_page(revalidating):
    validators = Validators()
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        await fetch(f"{site.url}/", **revalidating)
        site.routes["/"] = validators.of(Reply("changed"))
        bodies = [(await fetch(f"{site.url}/", **revalidating)).bodies for _ in range(2)]
    assert bodies == [[b"changed"], [b"changed"]]
    assert (len(validators.whole), len(validators.unchanged)) == (2, 1)


@deferred_f_from_coro_f
async def test_an_error_is_not_hidden_behind_an_older_page(revalidating):
    validators = Validators()
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        await fetch(f"{site.url}/", **revalidating)
        site.routes["/"] = Reply("broken", 500)
        broken = await fetch(f"{site.url}/", RETRY_TIMES=1, **revalidating)
        assert [page.status for page in broken.pages] == [500]
        site.routes["/"] = Reply("gone", 404)
        gone = await fetch(f"{site.url}/", **revalidating)
        assert [page.status for page in gone.pages] == [404]
    down = await fetch(f"{site.url}/", RETRY_TIMES=1, **revalidating)
    assert not down.pages
    assert len(down.errors) == 1


@deferred_f_from_coro_f
async def test_a_request_that_is_tried_again_is_conditional_again(revalidating):
    validators = Validators()
    with LocalSite({"/": (page := validators.of(Reply(PAGE)))}) as site:
        await fetch(f"{site.url}/", **revalidating)
        failures = iter([Reply("", 503, {"Retry-After": "1"}), Reply("", 500), None])
        site.routes["/"] = lambda request: next(failures) or page(request)
        again = await fetch(f"{site.url}/", **revalidating)
        assert ["If-None-Match" in visit.headers for visit in site.log] == [False, True, True, True]
    assert again.bodies == [PAGE.encode()]
    assert len(validators.unchanged) == 1


@deferred_f_from_coro_f
async def test_validators_of_a_page_do_not_go_where_a_redirect_leads(revalidating):
    """The page at the new address has the old one's date, and the server would answer 304 to it."""
    validators = Validators(etags=False, modified=DAY)
    with LocalSite({"/old": validators.of(Reply(PAGE)), "/new": validators.of(Reply("new"))}) as site:
        await fetch(f"{site.url}/old", **revalidating)
        site.routes["/old"] = Reply("", 301, {"Location": "/new"})
        moved = [await fetch(f"{site.url}/old", meta={"redirect": True}, **revalidating) for _ in range(2)]
        conditions = [(visit.path, "If-Modified-Since" in visit.headers) for visit in site.log]
    assert [fetched.bodies for fetched in moved] == [[b"new"], [b"new"]]
    assert conditions == [("/old", False), ("/old", True), ("/new", False), ("/old", True), ("/new", True)]


@deferred_f_from_coro_f
async def test_a_refresh_of_a_page_works_from_what_is_at_hand(revalidating):
    validators = Validators()
    refresh = '<html><head><meta http-equiv="refresh" content="0; url=/new"></head></html>'
    with LocalSite({"/": validators.of(Reply(refresh)), "/new": validators.of(Reply(PAGE))}) as site:
        for _ in range(2):
            fetched = await fetch(f"{site.url}/", meta={"redirect": True}, **revalidating)
            assert fetched.bodies == [PAGE.encode()]
    assert validators.unchanged == ["/", "/new"]


@deferred_f_from_coro_f
async def test_a_body_that_breaks_off_is_not_kept(revalidating):
    whole = gzip.compress(PAGE.encode() * 100)
    broken = Reply(whole[: len(whole) // 2], headers={"Content-Encoding": "gzip", **ETAG})
    with LocalSite({"/": broken}) as site:
        first = await fetch(f"{site.url}/", RETRY_TIMES=0, **revalidating)
        assert "truncated" in first.pages[0].flags
        site.routes["/"] = Reply(whole, headers={"Content-Encoding": "gzip", **ETAG})
        second = await fetch(f"{site.url}/", **revalidating)
        assert "If-None-Match" not in site.log[-1].headers
    assert second.bodies == [PAGE.encode() * 100]


@deferred_f_from_coro_f
async def test_a_compressed_page_is_kept_decoded(revalidating):
    validators = Validators()
    reply = Reply(gzip.compress(PAGE.encode()), headers={"Content-Encoding": "gzip", "Vary": "Accept-Encoding"})
    with LocalSite({"/": validators.of(reply)}) as site:
        bodies = [(await fetch(f"{site.url}/", **revalidating)).bodies for _ in range(2)]
    assert bodies == [[PAGE.encode()]] * 2
    assert len(validators.unchanged) == 1


@deferred_f_from_coro_f
async def test_a_304_that_describes_the_body_it_does_not_have(revalidating):
    head = b'Content-Encoding: gzip\r\nContent-Type: application/xml\r\nETag: "1"\r\nContent-Length: '
    body = gzip.compress(PAGE.encode())

    def answer(connection, request):
        if b"If-None-Match" in request:
            connection.sendall(b"HTTP/1.1 304 Not Modified\r\n" + head + b"999\r\n\r\n")
        else:
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + head + str(len(body)).encode() + b"\r\n\r\n" + body)

    with RawSite(answer) as site:
        for _ in range(3):
            fetched = await fetch(f"{site.url}/", **revalidating)
            assert fetched.bodies == [PAGE.encode()]
            assert "Content-Encoding" not in fetched.pages[0].headers
        assert [b"If-None-Match" in head for head in site.heads] == [False, True, True]


@pytest.mark.parametrize("status", [400, 412, 431])
@deferred_f_from_coro_f
async def test_a_server_that_refuses_validators_is_asked_without(revalidating, status):
    def answer(request):
        return Reply("no", status) if "If-None-Match" in request.headers else Reply(PAGE, headers=ETAG)

    with LocalSite({}, default=answer) as site:
        urls = [f"{site.url}/{number}" for number in range(8)]
        await fetch(*urls, **revalidating)
        again = await fetch(*urls, CONCURRENT_REQUESTS=1, **revalidating)
        assert len(site.log) == 8 + 1 + 8
    assert {page.status for page in again.pages} == {200}
    assert len(again.pages) == 8


@deferred_f_from_coro_f
async def test_a_304_that_nobody_asked_for(revalidating):
    answers = iter([Reply("", 304), Reply(PAGE)])
    with LocalSite({"/once": lambda _: next(answers), "/always": Reply("", 304)}) as site:
        once = await fetch(f"{site.url}/once", **revalidating)
        always = await fetch(f"{site.url}/always", **revalidating)
        assert len(site.log) == 4
    assert once.bodies == [PAGE.encode()]
    assert [page.status for page in always.pages] == [304]


@deferred_f_from_coro_f
async def test_a_condition_that_a_user_set_is_his(revalidating):
    validators = Validators()
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        await fetch(f"{site.url}/", **revalidating)
        (etag,) = {visit.headers.get("If-None-Match") for visit in site.log}
        assert etag is None
        headers = {"If-None-Match": '"mine"'}
        mine = await fetch(f"{site.url}/", DEFAULT_REQUEST_HEADERS=headers, **revalidating)
        assert site.log[-1].headers["If-None-Match"] == '"mine"'
    assert mine.bodies == [PAGE.encode()]


@deferred_f_from_coro_f
async def test_robots_txt_is_obeyed_when_it_has_not_changed(revalidating):
    validators = Validators()
    rules = Reply("User-agent: *\nDisallow: /private", content_type="text/plain")
    with LocalSite({"/robots.txt": validators.of(rules), "/": PAGE, "/private": "secret"}) as site:
        for _ in range(2):
            fetched = await fetch(f"{site.url}/", f"{site.url}/private", ROBOTSTXT_OBEY=True, **revalidating)
            assert fetched.bodies == [PAGE.encode()]
    assert validators.unchanged == ["/robots.txt"]


@deferred_f_from_coro_f
async def test_a_file_that_is_broken_costs_nothing_but_requests(revalidating, tmp_path, caplog):
    validators = Validators()
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / FILE).write_bytes(b"no database" * 1000)
    with LocalSite({"/": validators.of(Reply(PAGE))}) as site:
        for _ in range(2):
            fetched = await fetch(f"{site.url}/", **revalidating)
            assert fetched.bodies == [PAGE.encode()]
    assert len(validators.whole) == 2
    assert [record.levelname for record in caplog.records if FILE in record.getMessage()] == ["WARNING"] * 2
    assert not any(record.exc_info for record in caplog.records)


@deferred_f_from_coro_f
async def test_delays_come_down_when_nothing_has_changed(revalidating):
    validators = Validators()
    throttled = {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0.4, "DOWNLOAD_DELAY_JITTER": 0}
    with LocalSite({}, default=validators.of(Reply(PAGE))) as site:
        urls = [f"{site.url}/{number}" for number in range(6)]
        await fetch(*urls, **revalidating)
        begin = len(site.log)
        await fetch(*urls, **throttled, **revalidating)
        visits = site.log[begin:]
    assert len(validators.unchanged) == 6
    assert visits[-1].at - visits[0].at < 1.2, "0.4 s between two would be 2 s"
