"""What the first posts of a blog teach about the sources of its comments."""

from __future__ import annotations

import json

import pytest

from blogcrawler.comments.signs import MOST_EMPTY, SURE, PageSigns
from blogcrawler.comments.source_stats import MOST_IN_VAIN, CommentSourceStats
from blogcrawler.dom import parse
from blogcrawler.items import Comment, Entry, Page

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"


def page(html: str, url: str = POST) -> Page:
    return Page(url, f"<html><head>{html}</head><body>{html}</body></html>".encode())


@pytest.mark.parametrize("way", ["api", "entry", "page", "learned", "convention"])
def test_a_way_in_vain_is_given_up(way):
    stats = CommentSourceStats()
    for _ in range(MOST_IN_VAIN):
        assert stats.is_open(way)
        stats.learn(way, answered=False, comments=0)
    assert not stats.is_open(way)
    assert stats.is_settled(way)


def test_a_way_that_has_answered_stays_open():
    stats = CommentSourceStats()
    stats.learn("entry", answered=True, comments=2)
    for _ in range(50):
        stats.learn("entry", answered=False, comments=0)
        stats.learn("entry", answered=True, comments=0)
    assert stats.is_open("entry")


def test_a_guess_that_is_always_empty_is_given_up():
    stats = CommentSourceStats()
    for _ in range(MOST_EMPTY):
        assert stats.is_open("convention")
        stats.learn("convention", answered=True, comments=0)
    assert not stats.is_open("convention")


def test_feeds_that_several_pages_name_are_the_blogs():
    stats = CommentSourceStats()
    found = []
    for number in range(5):
        html = "".join(
            f'<link rel="alternate" type="application/rss+xml" href="{SITE}/{name}">'
            for name in ("feed/", f"talk/{number}.xml")
        )
        one = page(html, f"{SITE}/{number}/")
        found += [address.url for address in stats.addresses(one, parse(one.body), None)]
    assert found == [f"{SITE}/talk/{number}.xml" for number in range(2, 5)]


def test_the_form_of_feeds_is_learned_from_entries():
    stats, one, other = CommentSourceStats(), page(""), page("", f"{SITE}/older/")
    stats.addresses(one, parse(one.body), Entry(POST, comments_feed=f"{POST}talk.xml"))
    (address,) = stats.addresses(other, parse(other.body), None)
    assert (address.url, address.how) == (f"{SITE}/older/talk.xml", "learned")


@pytest.mark.parametrize("way", ["api", "entry", "page", "learned", "convention"])
def test_what_was_learned_is_known_to_later_crawls(way):
    stats = CommentSourceStats()
    for number in range(SURE):
        stats.learn(way, answered=False, comments=0)
        one = page(f"<li id=c{number}>")
        stats.signs.learn(PageSigns(one, parse(one.body), {}), [Comment(id=f"c{number}")])
    stats.can_page = False
    later = CommentSourceStats.from_dict(json.loads(json.dumps(stats.to_dict())))
    assert not later.is_open(way)
    assert not later.can_page
    assert later.signs == stats.signs
    assert later.to_dict() == stats.to_dict()


@pytest.mark.parametrize("state", [{}, {"ways": {"api": {"other": 1}}}, {"can_page": True, "ways": 3}])
def test_what_another_version_has_kept_is_forgotten(state):
    assert CommentSourceStats.from_dict(state).to_dict() == CommentSourceStats().to_dict()
