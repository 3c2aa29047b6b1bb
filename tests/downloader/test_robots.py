"""robots.txt by RFC 9309."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protego import Protego
from scrapy.exceptions import IgnoreRequest
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler.downloader.robots import RobotsUnreachable, named_sitemaps, relevant_rules
from tests.downloader.crawling import fetch
from tests.site import LocalSite, RawSite, Reply

FORBIDDING = "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("status", [500, 503, 429])
@deferred_f_from_coro_f
async def test_a_server_error_forbids_everything(status, monkeypatch):
    monkeypatch.setattr("blogcrawler.downloader.backoff.LONGEST_WAIT_S", 0.05)
    with LocalSite({"/": "home", "/a": "page", "/robots.txt": Reply(status=status)}) as site:
        fetched = await fetch(
            f"{site.url}/", f"{site.url}/a", ROBOTSTXT_OBEY="True", RETRY_TIMES="1", BACKOFF_TIMES="1"
        )
        assert set(site.paths) == {"/robots.txt"}
        assert len(site.paths) == 2  # it was retried once, and asked once for both pages
    assert [type(error) for error in fetched.errors.values()] == [RobotsUnreachable] * 2
    assert f"answered {status}" in str(fetched.errors[f"{site.url}/"])
    assert fetched.stats["blogcrawler/downloader/robots_unreachable"] == 1


@deferred_f_from_coro_f
async def test_a_passing_server_error_does_no_harm():
    answers = iter([Reply(status=500), Reply(FORBIDDING)])
    with LocalSite({"/": "home", "/robots.txt": lambda _: next(answers)}) as site:
        fetched = await fetch(f"{site.url}/", ROBOTSTXT_OBEY=True)
    assert str(fetched.errors[f"{site.url}/"]) == "Forbidden by robots.txt"


@deferred_f_from_coro_f
async def test_no_answer_forbids_everything():
    with RawSite() as site:  # closes at once
        fetched = await fetch(f"{site.url}/", ROBOTSTXT_OBEY=True, RETRY_TIMES=0)
        assert all(b"GET /robots.txt" in head for head in site.heads)
    assert isinstance(*fetched.errors.values(), RobotsUnreachable)
    assert "could not be fetched" in str(*fetched.errors.values())


@pytest.mark.parametrize(
    "answer",
    [
        Reply(FORBIDDING, status=404),
        Reply(FORBIDDING, status=403),
        Reply(FORBIDDING, status=401),
        Reply("<!DOCTYPE html><pre>\n" + FORBIDDING),
        Reply("\n <html>" + FORBIDDING),
        Reply(b"\xff\xfe\x00\x01" * 1000),
        Reply("User-agent: blogcrawl\nDisallow: /\n\nUser-agent: otherbot\nDisallow: /"),
        Reply("User-agent: *\nDisallow: /\n\nUser-agent: BlogCrawler/2.0\nDisallow: /x"),
        Reply("#\n" * 300_000 + FORBIDDING),
        Reply(status=302, headers={"Location": "http://127.0.0.1:22/robots.txt"}),
        Reply(status=302, headers={"Location": "/robots.txt"}),
        "",
    ],
    ids=range(12),
)
@deferred_f_from_coro_f
async def test_all_is_allowed(answer):
    with LocalSite({"/": "home", "/robots.txt": answer}) as site:
        fetched = await fetch(f"{site.url}/", ROBOTSTXT_OBEY=True)
    assert fetched.bodies == [b"home"]


@pytest.mark.parametrize(
    "rules",
    [
        FORBIDDING,
        "\ufeff" + FORBIDDING,
        FORBIDDING.replace("\n", "\r\n"),
        "USER-AGENT : BLOGCRAWLER # us\nDISALLOW:/",
        "User-agent: otherbot\nUser-agent: *\nDisallow: /",
        "User-agent: *\nAllow: /a\nDisallow: /",
    ],
)
@deferred_f_from_coro_f
async def test_forbidden(rules):
    with LocalSite({"/": "home", "/robots.txt": rules}) as site:
        fetched = await fetch(f"{site.url}/", ROBOTSTXT_OBEY=True)
        assert site.paths == ["/robots.txt"]
    assert isinstance(fetched.errors[f"{site.url}/"], IgnoreRequest)


def average_gap(site: LocalSite) -> float:
    """Between requests as they arrive: a busy machine may hold up any one of them."""
    times = [visit.at for visit in site.log]
    return (times[-1] - times[0]) / (len(times) - 1)


@pytest.mark.parametrize("throttle", [True, False])
@deferred_f_from_coro_f
async def test_crawl_delay(throttle):
    rules = "User-agent: *\nCrawl-delay: 0.2\nDisallow: /private"
    settings = {"AUTOTHROTTLE_ENABLED": throttle, "AUTOTHROTTLE_START_DELAY": 0.01, "DOWNLOAD_DELAY_JITTER": 0.9}
    with LocalSite({"/": "home", "/robots.txt": rules}) as site:
        fetched = await fetch(*[f"{site.url}/"] * 4, ROBOTSTXT_OBEY=True, **settings)
    assert len(fetched.pages) == 4
    assert average_gap(site) > 0.18


@deferred_f_from_coro_f
async def test_crawl_delay_is_capped(monkeypatch):
    monkeypatch.setattr("blogcrawler.downloader.robots.LONGEST_CRAWL_DELAY_S", 0.1)
    with LocalSite({"/": "home", "/robots.txt": "User-agent: *\nCrawl-delay: 3600"}) as site:
        started = time.monotonic()
        await fetch(*[f"{site.url}/"] * 3, ROBOTSTXT_OBEY=True)
    assert time.monotonic() - started < 30
    assert average_gap(site) > 0.08


@given(st.text(), st.sampled_from(["blogcrawler", "blogcrawler/1.0 (x)", ""]))
def test_any_text_is_read(text, token):
    rules = Protego.parse(relevant_rules(text.encode("utf-8", "replace"), token).decode())
    assert rules.can_fetch("http://example.org/a", "blogcrawler") in (True, False)


def test_many_names_and_rules_cost_their_sum():
    body = "".join(f"User-agent: x{i}\n" for i in range(15_000)) + "".join(f"Disallow: /{i}*\n" for i in range(15_000))
    started = time.monotonic()
    rules = Protego.parse(relevant_rules(body.encode(), "blogcrawler").decode())
    assert rules.can_fetch("http://example.org/1", "blogcrawler")
    assert time.monotonic() - started < 30


def test_sitemaps_belong_to_no_group():
    body = (
        b"\xef\xbb\xbfSitemap: http://example.org/a.xml\nUser-agent: other\nDisallow: /\n  SITEMAP:/b.xml # the second\n"
        b"Sitemap: http://example.org/a.xml\nSitemap: http://[\nSitemap: ftp://example.org/c\nSitemap: \xff\n"
    )
    told = named_sitemaps(body, "http://example.org/robots.txt")
    assert told == ("http://example.org/a.xml", "http://example.org/b.xml")
    assert named_sitemaps(b"<html>Sitemap: http://example.org/a.xml", "http://example.org/robots.txt") == ()


@given(st.binary(max_size=200))
def test_sitemaps_in_any_bytes(body):
    named_sitemaps(b"Sitemap: " + body, "http://example.org/robots.txt")
