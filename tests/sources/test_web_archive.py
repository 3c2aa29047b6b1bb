"""Captures of web archives: searched and read at a stand-in of the Internet Archive."""

from __future__ import annotations

import asyncio
import gzip
import json
from datetime import UTC, datetime
from email.utils import format_datetime
from itertools import pairwise

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.errors import DamagedCapture, ExcludedFromArchive, Unreachable
from blogcrawler.sources.capture import Capture
from blogcrawler.sources.cdx_server import parse_page
from blogcrawler.sources.web_archive import WebArchive
from tests.sources.internet_archive import (
    InternetArchive,
    Stored,
    excluded,
    half_table,
    hang_up,
    limited,
    running,
    status,
)

START = 1_800_000_000.0
PAGE = b"<html><body>A page</body></html>"
BLOG = [
    Stored("20100101000000", "http://blog.test:80/", PAGE),
    Stored("20120101000000", "http://www.blog.test/", PAGE),
    Stored("20110101000000", "http://blog.test/2010/a-post/", PAGE, digest="A" * 32),
    Stored("20130101000000", "https://blog.test/2010/a-post", mime="warc/revisit", status="-", digest="A" * 32),
    Stored("20140101000000", "http://blog.test/2010/a-post/", b"gone", status="404", digest="B" * 32),
    Stored("20110101000001", "http://blog.test/feed/", b"<rss/>", mime="application/rss+xml"),
    Stored("20120101000001", "http://blog.test/feed/", b"<feed/>", mime="application/atom+xml"),
    Stored("20120101000002", "http://blog.test/page.xhtml", PAGE, mime="application/xhtml+xml"),
    Stored("20110101000000", "http://other.test/", PAGE),
]
POST = "http://blog.test/2010/a-post/"


class Clock:
    """A clock that only waiting moves."""

    def __init__(self) -> None:
        self.now = START
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


def opened(place, ask, folder, *, clock=None, **options):
    clock = clock or Clock()
    return WebArchive(place, ask, folder, sleep=clock.sleep, clock=clock, **options)


def times(captures):
    return [f"{it.time:%Y}" for it in captures]


@deferred_f_from_coro_f
async def test_a_host_is_listed_once(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        await captures.feeds("http://blog.test/")
        found = await captures.find("https://www.blog.test/2010/a-post")
        assert await captures.find("http://blog.test/never") == []
        assert times(await captures.find("http://blog.test")) == ["2010", "2012"]
        assert len(archive.requests) == 1
    place = f"{archive.address}/web/20110101000000id_/{POST}"
    assert found[0] == Capture(POST, datetime(2011, 1, 1, tzinfo=UTC), 200, "text/html", "sha1:" + "A" * 32, place)
    assert [(it.url, it.status, it.mime) for it in found[1:]] == [
        ("https://blog.test/2010/a-post", 200, "text/html"),
        (POST, 404, "text/html"),
    ]


@deferred_f_from_coro_f
async def test_a_host_is_listed_once_several_of_its_addresses_are_asked_for(tmp_path):
    archive = InternetArchive([Stored("20100101000000", f"http://blog.test/{n}/", PAGE) for n in range(50)])
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        found = [await captures.find(f"http://blog.test/{n}") for n in range(50)]
    assert [[it.url for it in each] for each in found] == [[f"http://blog.test/{n}/"] for n in range(50)]
    assert ["matchType=host" in it for it in archive.searches] == [False, False, False, True]


@deferred_f_from_coro_f
async def test_of_a_host_of_many_blogs_one_folder_is_listed(tmp_path):
    others = [Stored("20100101000000", f"http://all.test/bob/{n}/", PAGE) for n in range(50)]
    ann = [Stored("20100101000000", f"http://all.test/ann/{n}", PAGE) for n in ("", *range(9))]
    archive = InternetArchive([*ann, *others, Stored("20100101000000", "http://all.test/anna/", PAGE)])
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path, most_listed=20)
        await captures.feeds("http://all.test/ann/")
        found = [await captures.find(f"http://all.test/ann/{n}") for n in ("", *range(10))]
    assert [len(it) for it in found] == [1] * 10 + [0]
    assert len(archive.searches) == 1


@deferred_f_from_coro_f
async def test_the_port_80_of_old_captures_is_left_out_of_their_urls(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        first = (await opened(archive.address, ask, tmp_path).find("http://blog.test/"))[0]
    assert first.url == "http://blog.test/"
    assert first.place.endswith("/web/20100101000000id_/http://blog.test:80/")


@pytest.mark.parametrize("path", ["", "/", "/web", "/web/", "/cdx/search/cdx"])
@deferred_f_from_coro_f
async def test_addresses_of_the_web_archive(tmp_path, path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = opened(archive.address + path, ask, tmp_path)
        capture = (await captures.find(POST))[0]
        assert (await captures.read(capture)).body == PAGE


@deferred_f_from_coro_f
async def test_a_server_that_is_no_web_archive(tmp_path):
    archive = InternetArchive([])
    async with running(archive) as ask:
        with pytest.raises(
            Unreachable, match=r"is no web archive.*localhost:8080.*/blog/cdx answers .*/blog/cdx/search/cdx answers "
        ):
            await opened(f"{archive.address}/blog", ask, tmp_path).find(POST)


@deferred_f_from_coro_f
async def test_an_interrupted_listing_goes_on_where_it_was(tmp_path):
    archive = InternetArchive([Stored(f"20100101{n:06}", f"http://blog.test/{n}/", PAGE) for n in range(50)], most=10)
    async with running(archive) as ask:
        left = 3

        async def ask_a_few(address):
            nonlocal left
            left -= 1
            if left < 0:
                raise asyncio.CancelledError
            return await ask(address)

        with pytest.raises(asyncio.CancelledError):
            await opened(archive.address, ask_a_few, tmp_path).feeds("http://blog.test/")
        assert len(archive.requests) == 3

        captures = opened(archive.address, ask, tmp_path)
        await captures.feeds("http://blog.test/")
        found = [await captures.find(f"http://blog.test/{n}/") for n in range(50)]
        assert [len(it) for it in found] == [1] * 50
        assert len(archive.requests) == len({target for _, target in archive.requests}) == 5

        again = opened(archive.address, ask, tmp_path)
        await again.feeds("http://blog.test/")
        assert [await again.find(f"http://blog.test/{n}/") for n in range(50)] == found
        assert len(archive.requests) == 5


@deferred_f_from_coro_f
async def test_a_key_that_leads_nowhere_ends_the_listing(tmp_path):
    archive = InternetArchive(BLOG)
    table = [["timestamp", "original"], ["20100101000000", "http://blog.test/"], [], ["the+same"]]
    archive.faults = [lambda request: web.json_response(table)] * 2
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        await captures.feeds("http://blog.test/")
        assert times(await captures.find(POST)) == ["2011", "2013", "2014"]
    assert "matchType=exact" in archive.searches[-1]


@deferred_f_from_coro_f
async def test_addresses_of_large_hosts_are_searched_one_by_one(tmp_path):
    archive = InternetArchive(BLOG, most=2)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path, most_listed=4)
        assert times(await captures.feeds("http://blog.test/")) == ["2011", "2012"]
        assert len(archive.searches) == 3 + 2
        assert times(await captures.find(POST)) == ["2011", "2013", "2014"]
        assert times(await captures.find("http://blog.test/feed")) == ["2011", "2012"]
        assert len(archive.searches) == 3 + 2 + 2 + 1
        asked = len(archive.requests)
        await captures.find(POST)
        assert len(archive.requests) == asked


@deferred_f_from_coro_f
async def test_feeds(tmp_path):
    archive = InternetArchive([*BLOG, Stored("20130101000000", "http://blog.test/ann/feed", mime="text/xml")])
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        found = [
            await captures.feeds(home) for home in ("http://blog.test/", "http://blog.test/ann", "http://blog.test/a")
        ]
    assert [times(it) for it in found] == [["2011", "2012", "2013"], ["2013"], []]


IN_A_MINUTE = format_datetime(datetime.fromtimestamp(START + 60, UTC), usegmt=True)


def dated(request):
    """Retry-After as a date, by the server's clock, which is a day slow."""
    yesterday = [format_datetime(datetime.fromtimestamp(START - 86_400 + it, UTC), usegmt=True) for it in (0, 90)]
    return web.Response(status=503, headers={"Date": yesterday[0], "Retry-After": yesterday[1]})


@pytest.mark.parametrize(
    ("fault", "least"),
    [
        pytest.param(limited(after="77"), 77, id="429 with Retry-After"),
        pytest.param(limited(after=None), 60, id="429"),
        pytest.param(limited(after="soon"), 60, id="429 with an invalid Retry-After"),
        pytest.param(dated, 90, id="503 with a date"),
        pytest.param(status(503), 2, id="503"),
        pytest.param(status(504), 2, id="504"),
        pytest.param(half_table, 2, id="half a table"),
        pytest.param(hang_up, 2, id="hang up"),
    ],
)
@deferred_f_from_coro_f
async def test_errors_that_pass(tmp_path, fault, least):
    archive, clock = InternetArchive(BLOG, faults=[fault]), Clock()
    async with running(archive) as ask:
        found = await opened(archive.address, ask, tmp_path, clock=clock).find(POST)
    assert times(found) == ["2011", "2013", "2014"]
    assert len(archive.requests) == 2
    assert least <= clock.now - START < least + 2


@deferred_f_from_coro_f
async def test_requests_are_fewer_after_429(tmp_path):
    archive, clock = InternetArchive(BLOG, faults=[limited(after="5")]), Clock()
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path, clock=clock)
        for capture in await captures.find(POST):
            await captures.read(capture)
    assert clock.waits[1:] == [2.0] * 3


@pytest.mark.parametrize(
    ("fault", "requests"), [(status(503), 6), (half_table, 6), (limited(after=None), 6), (hang_up, 2)]
)
@deferred_f_from_coro_f
async def test_a_web_archive_that_does_not_answer(tmp_path, fault, requests):
    """An address without any complete answer may be wrong, so it is given up sooner."""
    archive, clock = InternetArchive(BLOG, faults=[fault] * 100), Clock()
    async with running(archive) as ask:
        with pytest.raises(Unreachable, match=r"Start again later: all answers so far are kept\."):
            await opened(archive.address, ask, tmp_path, clock=clock).find(POST)
    assert len(archive.requests) == requests
    assert clock.waits == sorted(clock.waits)


@deferred_f_from_coro_f
async def test_a_web_archive_that_asks_to_wait_for_hours(tmp_path):
    archive, clock = InternetArchive(BLOG, faults=[limited(after="7200")]), Clock()
    async with running(archive) as ask:
        with pytest.raises(Unreachable, match="in 120 minutes"):
            await opened(archive.address, ask, tmp_path, clock=clock).find(POST)
    assert not clock.waits


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (excluded("AdministrativeAccessControlException: Blocked Site Error"), "on request"),
        (excluded("RobotAccessControlException: Blocked By Robots"), r"because of robots\.txt"),
        (status(451), "for legal reasons"),
    ],
)
@deferred_f_from_coro_f
async def test_excluded_sites_are_asked_for_once(tmp_path, fault, reason):
    archive = InternetArchive(BLOG, faults=[fault] * 2)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        for search in (captures.feeds("http://blog.test/"), captures.find(POST)):
            with pytest.raises(ExcludedFromArchive, match=reason):
                await search
    assert len(archive.requests) == 1


@deferred_f_from_coro_f
async def test_a_search_that_is_forbidden(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        await captures.find(POST)
        archive.faults = [status(403)]
        with pytest.raises(Unreachable, match="status 403 and no captures"):
            await captures.find("http://other.test/")


async def read_one(tmp_path, stored, *, others=()):
    """The response of the first capture of an address."""
    archive = InternetArchive([stored, *others])
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        capture = (await captures.find(stored.url))[0]
        response = await captures.read(capture)
        asked = len(archive.requests)
        assert await captures.read(capture) == response
        assert await opened(archive.address, ask, tmp_path).read(capture) == response
        assert len(archive.requests) == asked, "what was read is kept"
    return capture, response


@deferred_f_from_coro_f
async def test_a_response_is_as_it_was_captured(tmp_path):
    headers = (
        ("content-type", "text/html; charset=iso-8859-1"),
        ("date", "Sat, 01 Jan 2011 00:00:00 GMT"),
        ("Link", '<http://blog.test/feed/>; rel="alternate"'),
        ("connection", "close"),
        ("transfer-encoding", "chunked"),
    )
    stored = Stored("20110101000000", POST, "caf\xe9".encode("latin-1"), headers=headers)
    capture, response = await read_one(tmp_path, stored)
    assert (response.capture, response.status, response.body, response.is_cut) == (capture, 200, b"caf\xe9", False)
    assert [(name.lower(), value) for name, value in response.headers] == [
        (b"content-type", b"text/html; charset=iso-8859-1"),
        (b"date", b"Sat, 01 Jan 2011 00:00:00 GMT"),
        (b"link", b'<http://blog.test/feed/>; rel="alternate"'),
    ]


@pytest.mark.parametrize("body", [gzip.compress(PAGE), PAGE], ids=["compressed", "decoded by the web archive"])
@deferred_f_from_coro_f
async def test_content_encodings_are_undone(tmp_path, body):
    headers = (("content-type", "text/html"), ("content-encoding", "gzip"))
    _, response = await read_one(tmp_path, Stored("20110101000000", POST, body, headers=headers))
    assert response.body == PAGE
    assert b"content-encoding" not in {name.lower() for name, _ in response.headers}


@deferred_f_from_coro_f
async def test_a_compressed_body_that_is_cut(tmp_path):
    headers = (("content-type", "text/html"), ("content-encoding", "gzip"))
    body = gzip.compress(PAGE * 1000)[:-20]
    _, response = await read_one(tmp_path, Stored("20110101000000", POST, body, headers=headers))
    assert response.is_cut
    assert response.body.startswith(PAGE)


@pytest.mark.parametrize("code", ["404", "503", "429"])
@deferred_f_from_coro_f
async def test_captured_errors_are_responses(tmp_path, code):
    _, response = await read_one(tmp_path, Stored("20110101000000", POST, b"an error", status=code))
    assert (response.status, response.body) == (int(code), b"an error")


@deferred_f_from_coro_f
async def test_captured_redirects_lead_to_the_blog(tmp_path):
    headers = (("content-type", "text/html"), ("location", "http://new.test/a?b=1"))
    _, response = await read_one(tmp_path, Stored("20110101000000", POST, status="301", headers=headers))
    assert response.status == 301
    assert dict(response.headers)[b"Location"] == b"http://new.test/a?b=1"


@deferred_f_from_coro_f
async def test_another_capture_is_shown_instead(tmp_path):
    archive = InternetArchive(
        [Stored("20110101000000", POST, PAGE), Stored("20120203040506", "https://www.blog.test/2010/a-post", b"later")]
    )
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        earlier = (await captures.find(POST))[0]
        del archive.captures[0]
        response = await captures.read(earlier)
    assert response.body == b"later"
    assert response.capture == Capture(
        "https://www.blog.test/2010/a-post",
        datetime(2012, 2, 3, 4, 5, 6, tzinfo=UTC),
        200,
        "text/html",
        "",
        f"{archive.address}/web/20120203040506id_/https://www.blog.test/2010/a-post",
    )


def redirect(target):
    return lambda request: web.Response(status=302, headers={"Location": target})


@deferred_f_from_coro_f
async def test_no_other_host_is_asked(tmp_path):
    archive, blog = InternetArchive(BLOG), InternetArchive(BLOG)
    async with running(archive) as ask, running(blog):
        captures = opened(archive.address, ask, tmp_path)
        capture = (await captures.find(POST))[0]
        archive.faults = [redirect(f"{blog.address}/2010/a-post/")]
        with pytest.raises(DamagedCapture, match="is listed, but not shown: 302"):
            await captures.read(capture)
        with pytest.raises(DamagedCapture, match="is not a capture of"):
            await captures.read(
                Capture(POST, capture.time, 200, "text/html", "", f"{blog.address}/web/20110101000000id_/{POST}")
            )
        assert not blog.requests


@deferred_f_from_coro_f
async def test_redirects_without_end(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        capture = (await captures.find(POST))[0]
        archive.faults = [redirect(f"/web/2010010100000{n}id_/{POST}") for n in range(10)]
        with pytest.raises(DamagedCapture):
            await captures.read(capture)


@deferred_f_from_coro_f
async def test_captures_that_are_not_shown(tmp_path):
    archive = InternetArchive([*BLOG])
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        capture = (await captures.find(POST))[0]
        archive.captures.clear()
        with pytest.raises(DamagedCapture, match="is listed, but not shown: 404"):
            await captures.read(capture)
        archive.faults = [excluded("AdministrativeAccessControlException: Blocked Site Error")]
        with pytest.raises(ExcludedFromArchive):
            await captures.read(capture)


@deferred_f_from_coro_f
async def test_single_captures_may_fail_a_web_archive_that_is_away_may_not(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = opened(archive.address, ask, tmp_path)
        first, _, third = await captures.find(POST)
        archive.faults = [status(500)] * 6
        with pytest.raises(DamagedCapture, match="status 500"):
            await captures.read(first)
        await captures.read(third)
        archive.faults = [status(503)] * 24
        for _ in range(3):
            with pytest.raises(DamagedCapture, match="status 503"):
                await captures.read(first)
        with pytest.raises(Unreachable):
            await captures.read(first)


@deferred_f_from_coro_f
async def test_requests_are_apart_also_those_made_at_once(tmp_path):
    archive = InternetArchive(BLOG)
    async with running(archive) as ask:
        captures = WebArchive(archive.address, ask, tmp_path, interval_s=0.2)
        found = [*await captures.find(POST), *await captures.find("http://blog.test/")]
        await asyncio.gather(*(captures.read(it) for it in found if it.status == 200))
    moments = [moment for moment, _ in archive.requests]
    assert len(moments) >= 5
    assert all(later - earlier > 0.15 for earlier, later in pairwise(moments))


@given(st.binary() | st.text().map(str.encode))
def test_parsing_any_answer(body):
    try:
        page = parse_page(body)
    except ValueError:
        return
    assert not page.entries


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from(["timestamp", "original"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["url", "timestamp", "pages"]), inner),
    max_leaves=20,
)


@given(ANY_JSON)
def test_parsing_any_json(value):
    try:
        page = parse_page(json.dumps(value).encode())
    except ValueError:
        return
    assert all(entry.url.startswith("http") for entry in page.entries)


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
TIMES = st.integers(820_000_000, 4_000_000_000).map(lambda second: datetime.fromtimestamp(second, UTC))
ROWS = st.lists(st.tuples(TIMES, TEXT), max_size=20)


@given(ROWS, st.lists(TEXT, max_size=3), st.text(min_size=1), st.booleans())
def test_rows_of_a_table_survive_damaged_ones(rows, damaged, key, is_cut):
    good = [[f"{time:%Y%m%d%H%M%S}", f"http://blog.test/{text}"] for time, text in rows]
    table = [["timestamp", "original"], *good, *([it] for it in damaged), ["2010", "x"]]
    body = json.dumps([*table, [], [key]] if is_cut else table).encode()
    page = parse_page(body)
    assert [(f"{entry.time}", entry.url) for entry in page.entries] == [tuple(row) for row in good]
    assert page.resume_key == (key if is_cut else "")
    for end in {1, len(body) // 2, len(body) - 1}:
        with pytest.raises(ValueError, match=r".*"):
            parse_page(body[:end])


@given(ROWS)
def test_json_lines(rows):
    good = [{"timestamp": f"{time:%Y%m%d%H%M%S}", "url": f"http://blog.test/{text}"} for time, text in rows]
    lines = [json.dumps(it).encode() for it in good]
    page = parse_page(b"\n".join(lines))
    assert [(f"{entry.time}", entry.url) for entry in page.entries] == [tuple(it.values()) for it in good]
    if lines:
        with pytest.raises(ValueError, match=r".*"):
            parse_page(b"\n".join(lines)[:-1])
