"""Routes: what stands behind "#" as a path, and as it was."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.errors import BadArgument
from blogcrawler.routes import into_path, is_routed, out_of_path
from blogcrawler.urls import canonicalise, identity, resolve, routed

ROUTES = [
    ("http://e.org/#/2014/a-post", "http://e.org/%23%2F/2014/a-post"),
    ("http://e.org#/a", "http://e.org/%23%2F/a"),
    ("http://e.org/#!/a", "http://e.org/%23!%2F/a"),
    ("http://e.org/#!a/c1x", "http://e.org/%23!%23/a/c1x"),
    ("http://e.org/app.html#/2014/a", "http://e.org/app.html%23%2F/2014/a"),
    ("http://e.org/blog/#/a?id=5", "http://e.org/blog/%23%2F/a?id=5"),
    ("http://e.org/i.php?blog=1#/a", "http://e.org/i.php%3Fblog=1%23%2F/a"),
    ("http://E.org:80/?utm_source=rss#/a?utm_medium=x&p=1", "http://e.org/%23%2F/a?p=1"),
    ("http://e.org/#/a#comment-1", "http://e.org/%23%2F/a"),
    ("http://e.org/#/über", "http://e.org/%23%2F/%C3%BCber"),
]
NO_ROUTES = [
    "http://e.org/a",
    "http://e.org/a#more",
    "http://e.org/#",
    "http://e.org/#/",
    "http://e.org/#!",
    "http://e.org/#!/",
]
PAGES = st.sampled_from(["http://e.org/", "https://www.e.org/blog/", "http://e.org/app.html", "http://e.org/i.php?b=1"])
PLAIN = st.text("abcxyz0189-_", min_size=1)
RESTS = st.lists(PLAIN, min_size=1, max_size=4).map("/".join)


@pytest.mark.parametrize(("url", "path"), ROUTES, ids=[url for url, _ in ROUTES])
def test_a_route_is_a_path(url, path):
    assert routed(url) == path
    assert is_routed(path)
    assert routed(out_of_path(path)) == path


@pytest.mark.parametrize("url", NO_ROUTES)
def test_other_fragments_are_none(url):
    assert into_path(url) == url
    assert routed(url) == canonicalise(url)
    assert not is_routed(url)


@given(PAGES, st.sampled_from(["/", "!/", "!"]), RESTS)
def test_there_and_back(page, beginning, rest):
    url = f"{page}#{beginning}{rest}"
    path = routed(url)
    assert out_of_path(path) == out_of_path(canonicalise(path)) == url
    assert canonicalise(path) == path, "an address like all others"
    assert canonicalise(url) == page, "and no page of its own where nobody has said so"
    assert out_of_path(f"{path}#c1") == f"{url}#c1"


@given(PAGES, RESTS, RESTS)
def test_two_routes_are_two_pages(page, one, other):
    ids = {identity(routed(f"{page}#/{one}")), identity(routed(f"{page}#/{other}")), identity(page)}
    assert len(ids) == 2 + (one != other)


@given(st.text().map("http://e.org/{}".format) | st.text("ab/#!?%23F:.", max_size=30).map("http://e.org{}".format))
def test_any_text_has_one_spelling(url):
    try:
        once = routed(url)
    except BadArgument:
        return
    assert routed(once) == once
    assert canonicalise(once) == once
    assert "#" not in once
    assert "#" in out_of_path(once) or out_of_path(once) == once


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("http://e.org/index.html#/a", "https://www.e.org/#/a"),
        ("http://e.org/#/a?x=1&y=2", "http://e.org/#/a?y=2&x=1"),
    ],
)
def test_the_same_route_of_the_same_page(a, b):
    assert identity(routed(a)) == identity(routed(b))


def test_links_keep_routes_where_the_page_or_the_blog_has_some():
    page, post = "http://e.org/app.html%23%2F/2014/a", "http://e.org/app.html%23%2F/b"
    assert resolve(page, "#/b") == resolve("http://e.org/app.html", "#/b", has_routes=True) == post
    assert resolve("http://e.org/app.html", "#/b") == "http://e.org/app.html"
    assert resolve(page, "x.png") == "http://e.org/x.png"
    assert resolve(page, "#top") == "http://e.org/app.html"
    assert resolve(page, post) == post


@pytest.mark.parametrize("piece", ["%23", "%23%2F/", "#/", "#!", "?", "%3F", "/"])
def test_long_urls_take_linear_time(piece):
    start = time.process_time()
    routed("http://e.org/" + piece * 100_000)
    out_of_path("http://e.org/" + piece * 100_000)
    assert time.process_time() - start < 5
