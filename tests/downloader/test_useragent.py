"""What servers are told about us."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.utils.defer import deferred_f_from_coro_f

from blogcrawler import __version__
from blogcrawler.downloader.useragent import user_agent
from tests.downloader.crawling import fetch
from tests.site import LocalSite

BASE = f"blogcrawler/{__version__} (blog archiving)"


@pytest.mark.parametrize(
    ("contact", "expected"),
    [
        ("", BASE),
        ("  ", BASE),
        ("https://example.org/bot", f"blogcrawler/{__version__} (blog archiving; +https://example.org/bot)"),
        ("ann@example.org", f"blogcrawler/{__version__} (blog archiving; ann@example.org)"),
        ("a\r\nX: (y)", f"blogcrawler/{__version__} (blog archiving; a X: y)"),
    ],
)
def test_contact(contact, expected):
    assert user_agent(BASE, contact) == expected


@given(st.text())
def test_a_contact_cannot_break_the_header(contact):
    agent = user_agent(BASE, contact)
    assert agent.isascii()
    assert agent.isprintable()
    assert agent.count("(") == agent.count(")") == 1


def test_a_base_without_a_comment_gets_one():
    assert user_agent("mine/1", "ann@example.org") == "mine/1 (ann@example.org)"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, BASE),
        ({"CONTACT": "ann@example.org"}, f"blogcrawler/{__version__} (blog archiving; ann@example.org)"),
        ({"CONTACT": "ann@example.org", "USER_AGENT": "mine/1"}, "mine/1"),
    ],
)
@deferred_f_from_coro_f
async def test_what_the_server_hears(settings, expected):
    with LocalSite({"/": "home", "/robots.txt": ""}) as site:
        await fetch(f"{site.url}/", ROBOTSTXT_OBEY=True, **settings)
    assert [visit.headers["User-Agent"] for visit in site.log] == [expected] * 2
    assert site.log[0].headers["Accept-Encoding"] == "gzip, deflate"
    assert "Accept-Language" not in site.log[0].headers
