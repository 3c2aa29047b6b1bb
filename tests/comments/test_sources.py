"""What feeds and APIs prove about the comments of a post."""

from __future__ import annotations

import pytest

from blogcrawler.comments.signs import shows_no_others
from blogcrawler.feeds.links import header_links
from blogcrawler.items import Comment, Page

SITE = "http://blog.example.net"
POST = f"{SITE}/2014/05/a-post/"


def page(html: str, url: str = POST) -> Page:
    return Page(url, f"<html><head>{html}</head><body>{html}</body></html>".encode())


def test_links_of_headers():
    header = f'<{SITE}/wp-json/>; rel="https://api.w.org/", <{SITE}/wp-json/wp/v2/posts/45>; rel="alternate"; type="x", <u>; rel=shortlink'
    assert [(url, values["rel"]) for url, values in header_links(header)] == [
        (f"{SITE}/wp-json/", "https://api.w.org/"),
        (f"{SITE}/wp-json/wp/v2/posts/45", "alternate"),
        ("u", "shortlink"),
    ]


@pytest.mark.parametrize(
    ("html", "is_all"),
    [
        ("<li id=comment-12>", True),
        ("<li id='comment-12'><li id=\"comment-13\">", True),
        ("<li id=comment-12><li id=comment-14>", False),
        ("<p>No anchors</p>", False),
        ("<li id=div-comment-14><li id=comment-12>", True),
    ],
)
def test_a_page_proves_what_an_api_told(html, is_all):
    assert shows_no_others(page(html), "comment-", [Comment("comment-12"), Comment("comment-13")]) is is_all


def test_an_api_that_told_none_is_believed_where_the_page_shows_none():
    assert shows_no_others(page("<p>x</p>"), "comment-", [])
    assert not shows_no_others(page("<li id=comment-9>"), "comment-", [])
