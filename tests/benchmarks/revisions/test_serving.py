from __future__ import annotations

import json
import urllib.request
from urllib.error import HTTPError

import pytest

from tests.benchmarks.revisions.blogs import HELD_BACK, LiveBlog, built_in, choose
from tests.benchmarks.revisions.messages import Answer, Request
from tests.benchmarks.revisions.modes import MODES, change, summarised
from tests.benchmarks.revisions.proxy import RecordingProxy
from tests.crawl.blog import Blog, make_posts, serve

ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><entry><title>A</title>
<content type="html">&lt;p&gt;Word&lt;/p&gt; &lt;p&gt;word&lt;/p&gt;</content></entry></feed>"""
JSON_FEED = b'{"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "content_html": "<p>Word</p>"}]}'


def ask(proxy, url, headers=None):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({"http": proxy.url}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers or {}), timeout=30) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except HTTPError as error:
        return error.code, dict(error.headers), error.read()


@pytest.mark.parametrize("blog", built_in(), ids=lambda blog: blog.name)
def test_a_blog_in_memory_holds_posts_back(blog):
    with blog.serve() as served:
        feed = f"{blog.home}feed.xml"
        whole = served.answer(Request("GET", feed, {}))
        served.hold_back(True)
        earlier = served.answer(Request("GET", feed, {}))
        served.hold_back(False)
        again = served.answer(Request("GET", feed, {"If-None-Match": whole.headers["ETag"]}))
    assert whole.status == earlier.status == 200
    assert whole.body != earlier.body
    assert again.status == 304


def test_a_blog_is_the_same_each_time():
    assert [blog.version for blog in built_in()] == [blog.version for blog in built_in()]


def test_names_of_blogs_are_checked(tmp_path):
    assert [blog.name for blog in choose(["generated"], corpus=tmp_path / "a" / "b")] == ["generated"]
    with pytest.raises(LookupError, match="no such blog: nobody"):
        choose(["generated", "nobody"], corpus=tmp_path / "a" / "b")


def test_the_proxy_records_requests():
    with RecordingProxy(lambda request: Answer(200, {"Content-Type": "text/plain"}, b"yes")) as proxy:
        status, _, body = ask(proxy, "http://b.example/x?y", {"If-None-Match": '"z"'})
        (request,) = proxy.take_requests()
        assert proxy.take_requests() == []
    assert (status, body) == (200, b"yes")
    assert (request.method, request.url) == ("GET", "http://b.example/x?y")
    assert {name.lower(): value for name, value in request.headers.items()}["if-none-match"] == '"z"'


def test_modes():
    page = Answer(
        200, {"Content-Type": "text/html"}, b'<link rel="alternate" type="application/rss+xml" href="/feed">Page'
    )
    feed = Answer(200, {"Content-Type": "application/atom+xml"}, ATOM)
    assert {mode: change(page, mode).body for mode in MODES} == {
        "full": page.body,
        "summary": page.body,
        "no-feed": b"Page",
    }
    assert {mode: change(feed, mode).status for mode in MODES} == {"full": 200, "summary": 200, "no-feed": 404}
    assert change(feed, "full").body == ATOM


def test_a_summary_is_the_beginning_of_the_text():
    assert b"<summary>Word word</summary>" in summarised(ATOM)
    assert b"<content" not in summarised(ATOM)
    assert json.loads(summarised(JSON_FEED))["items"] == [{"id": "1", "summary": "Word"}]
    rss = Blog(make_posts(1)).feed("http://b.example").encode()
    assert b"encoded>" not in summarised(rss)
    assert b"<description>" in summarised(rss).partition(b"<item>")[2]
    assert summarised(b"<rss><broken>") == b"<rss><broken>"


def test_the_newest_posts_of_a_living_blog_are_hidden():
    blog = Blog(make_posts(8))
    newest, oldest = blog.posts[0], blog.posts[-1]
    with serve(blog) as site, LiveBlog(f"{site.url}/").serve() as served:

        def body(path):
            return served.answer(Request("GET", site.url + path, {})).body.decode()

        served.hold_back(True)
        hidden = [path for path in map(blog.path, blog.posts) if "Not found" in body(path)]
        assert hidden == [blog.path(post) for post in blog.posts[:HELD_BACK]]
        assert newest.path not in body("/")
        assert newest.path not in body("/feed.xml")
        assert blog.posts[HELD_BACK].path in body("/")
        served.hold_back(False)
        assert newest.path in body("/")
        assert newest.path in body("/feed.xml")
        assert "Not found" not in body(oldest.path)
