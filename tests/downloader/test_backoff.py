"""What a crawl does when it is told to slow down."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import Response
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.downloader.backoff import retry_after
from tests.downloader.crawling import fetch
from tests.site import LocalSite, Reply

NOW = 1_700_000_000.0
LONGEST_WAIT = "blogcrawler.downloader.backoff.LONGEST_WAIT_S"


def response(**headers: str) -> Response:
    return Response("http://example.org/", headers={name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("", None),
        ("9" * 5000, 999_999_999.0),
        ("²", None),
        (formatdate(NOW + 30, usegmt=True), 30.0),
        (formatdate(NOW - 30, usegmt=True), None),
        ("Wed, 21 Oct 9999999 07:28:00 GMT", None),
        ("Tue, 14 Nov 2023 22:13:50", 30.0),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after(response(Retry_After=value), now=NOW) == seconds


def test_a_date_counts_from_the_servers_own_clock():
    answer = response(Retry_After=formatdate(5000, usegmt=True), Date=formatdate(4990, usegmt=True))
    assert retry_after(answer, now=NOW) == 10.0


@given(st.binary())
def test_any_header_is_read(value):
    answer = Response("http://example.org/", headers={"Retry-After": value})
    wait = retry_after(answer, now=NOW)
    assert wait is None or wait > 0


def first_then(first: Reply, *, times: int = 1):
    """A route that answers `first` so many times, then a page."""
    answers = iter([first] * times)
    return lambda _: next(answers, "page")


@pytest.mark.parametrize("status", [429, 503])
@deferred_f_from_coro_f
async def test_the_host_is_left_alone_while_it_asks(status):
    busy = first_then(Reply(status=status, headers={"Retry-After": "1"}))
    with LocalSite({"/busy": busy}, default="page") as site:
        urls = [f"{site.url}/busy", *(f"{site.url}/{number}" for number in range(5))]
        fetched = await fetch(*urls, CONCURRENT_REQUESTS=1)
    assert fetched.bodies == [b"page"] * 6
    first = site.log[0].at
    assert site.paths[0] == "/busy"
    assert all(visit.at - first > 0.95 for visit in site.log[1:])
    assert site.log[-1].at - first < 5


@deferred_f_from_coro_f
async def test_requests_that_wait_in_the_slot_wait_on(monkeypatch):
    monkeypatch.setattr(LONGEST_WAIT, 0.5)
    busy = first_then(Reply(status=429, headers={"Retry-After": "9"}))
    settings = {"DOWNLOAD_DELAY": 0.1, "DOWNLOAD_DELAY_JITTER": 0}
    with LocalSite({"/busy": busy}, default="page") as site:
        await fetch(f"{site.url}/busy", f"{site.url}/a", f"{site.url}/b", **settings)
    assert all(visit.at - site.log[0].at > 0.45 for visit in site.log[1:])
    assert len(site.log) == 4


@deferred_f_from_coro_f
async def test_waiting_is_bounded_in_time_and_number(monkeypatch):
    monkeypatch.setattr(LONGEST_WAIT, 0.2)
    with LocalSite({"/": Reply(status=429, headers={"Retry-After": "86400"})}) as site:
        started = time.monotonic()
        fetched = await fetch(f"{site.url}/", BACKOFF_TIMES="2")
    assert time.monotonic() - started < 30
    assert len(site.log) == 3
    assert [page.status for page in fetched.pages] == [429]
    assert fetched.stats["blogcrawler/downloader/backoff/count"] == 2


@deferred_f_from_coro_f
async def test_a_plain_503_delays_itself_alone(monkeypatch):
    monkeypatch.setattr(LONGEST_WAIT, 1.3)
    busy = first_then(Reply(status=503), times=2)
    with LocalSite({"/busy": busy}, default="page") as site:
        pages = [f"{site.url}/{number}" for number in range(5)]
        fetched = await fetch(f"{site.url}/busy", *pages, CONCURRENT_REQUESTS=2)
    assert len(fetched.pages) == 6
    tries = [visit.at for visit in site.log if visit.path == "/busy"]
    assert 0.95 < tries[1] - tries[0] < 1.25
    assert tries[2] - tries[1] > 1.25  # two seconds, as far as the bound lets
    assert all(visit.at - tries[0] < 0.8 for visit in site.log if visit.path != "/busy")


@deferred_f_from_coro_f
async def test_autothrottle_does_not_forget_at_once(monkeypatch):
    monkeypatch.setattr(LONGEST_WAIT, 0.2)
    busy = first_then(Reply(status=429, headers={"Retry-After": "1"}))
    settings = {"AUTOTHROTTLE_START_DELAY": 0.05, "CONCURRENT_REQUESTS": 1, "DOWNLOAD_DELAY_JITTER": 0}
    with LocalSite({"/busy": busy}, default="page") as site:
        urls = [f"{site.url}/busy", *(f"{site.url}/{number}" for number in range(2))]
        await fetch(*urls, AUTOTHROTTLE_ENABLED=True, **settings)
    times = [visit.at for visit in site.log]
    assert len(times) == 4
    assert times[2] - times[1] > 0.4  # half of the second that the delay became, not the 0.05 of before
