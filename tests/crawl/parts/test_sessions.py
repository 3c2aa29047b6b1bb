"""Pages that are shown in a browser pass the same border as pages that are fetched."""

from __future__ import annotations

import time

import pytest

from blogcrawler.crawl.sessions import NO_SESSIONS, Sessions
from blogcrawler.frontier.token_place import Carried, SessionPlace
from blogcrawler.items import Page

FIRST, OLD, NEW = "4f7c19a0b3d2e856", "9b1e7d3c5a2f4068", "c02d8e6f1a7b9345"
SITE = "http://blog.example"
PLACE = SessionPlace.of(Carried("blog.example", "", "", f"s-{FIRST}"), Carried("blog.example", "", "", f"s-{OLD}"))


def page(token: str, url: str = f"{SITE}/a") -> Page:
    before = f"/s-{token}" if token else ""
    return Page(url, "".join(f"<a href='{before}/{name}'>{name}</a>" for name in "abcdef").encode())


def test_a_site_that_wants_tokens_gets_the_newest_for_a_page_that_is_shown_again():
    sessions = Sessions(PLACE, "never", kept=FIRST, newest=OLD)
    out = sessions.outward(page(FIRST, f"{SITE}/s-{FIRST}/a"))
    assert (out.url, out.body) == (f"{SITE}/s-{OLD}/a", page(OLD).body)
    back = sessions.inward(page(NEW, f"{SITE}/s-{NEW}/a"), f"{SITE}/s-{FIRST}/a")
    assert (back.url, back.body) == (f"{SITE}/s-{FIRST}/a", page(FIRST).body)
    assert sessions.newest == NEW


def test_where_pages_without_tokens_lead_to_some_they_are_shown_with_one_and_kept_without():
    sessions = Sessions(PLACE, "elsewhere", newest=OLD)
    assert sessions.outward(page("")).url == f"{SITE}/s-{OLD}/a"
    back = sessions.inward(page(NEW, f"{SITE}/s-{NEW}/a"), f"{SITE}/a")
    assert (back.url, back.body) == (f"{SITE}/a", page("").body)


@pytest.mark.parametrize("sessions", [NO_SESSIONS, Sessions(PLACE, "directly", newest=OLD)])
def test_other_sites_get_none(sessions):
    assert sessions.outward(page("")) == page("")


ROUTE, ASKED = f"{SITE}/%23%2F/2014/a", f"{SITE}/#/2014/a"


@pytest.mark.parametrize("sessions", [NO_SESSIONS, Sessions(PLACE, "directly", newest=OLD)])
def test_a_route_is_asked_for_and_shown_as_the_blog_writes_it_and_is_a_path_between(sessions):
    assert sessions.address(ROUTE) == sessions.renewed(ROUTE) == ASKED
    for told in (ASKED, f"{SITE}/"):
        assert sessions.own(told, ROUTE) == ROUTE
    assert sessions.own(f"{SITE}/blog/#/2014/a", ROUTE) == f"{SITE}/blog/%23%2F/2014/a", "after a redirect"
    assert sessions.own(f"{SITE}/gone", ROUTE) == f"{SITE}/gone"
    assert sessions.own(f"{SITE}/#/portal/signup", f"{SITE}/") == f"{SITE}/#/portal/signup"
    assert sessions.outward(Page(ROUTE, b"")).url == ASKED


def test_links_of_what_was_shown_at_a_route_are_like_those_of_other_pages():
    shown = b'<a href="#/tag/x?a=1&amp;b=2">x</a><a href=\'/#/b#c1\'>b</a><a href="#top">t</a><a href="#/">h</a>'
    back = NO_SESSIONS.inward(Page(ASKED, shown), ROUTE)
    assert back.url == ROUTE
    assert (
        back.body
        == (
            f"<a href=\"{SITE}/%23%2F/tag/x?a=1&amp;b=2\">x</a><a href='{SITE}/%23%2F/b#c1'>b</a>"
            '<a href="#top">t</a><a href="#/">h</a>'
        ).encode()
    )
    assert NO_SESSIONS.inward(Page(f"{SITE}/", shown), f"{SITE}/") == Page(f"{SITE}/", shown)


def test_links_of_a_long_page_take_linear_time():
    for piece in (b" href=", b" href='#/", b" href='#/a'", b" href='" + b"a" * 900):
        start = time.process_time()
        NO_SESSIONS.inward(Page(ASKED, piece * 20_000), ROUTE)
        assert time.process_time() - start < 5
