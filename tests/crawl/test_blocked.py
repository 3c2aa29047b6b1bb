"""Sites that answer crawlers otherwise than readers: the crawl is no success, and says what is wrong and what to do."""

from __future__ import annotations

import re
from itertools import count
from random import Random
from string import ascii_lowercase
from typing import TYPE_CHECKING

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl, has_traceback, query
from tests.site import Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from aiohttp import web

    from tests.crawl.running import Outcome

pytestmark = pytest.mark.slow

CONSENT = "<h1>Before you go on</h1><p>We and 714 partners use cookies. <a href='/accept'>Accept all</a></p>"
LOGIN = "<title>Log in</title><form><p>Members only</p><input name='user'><input type='password'></form>"
CHALLENGE = "<title>Just a moment...</title><h1>Checking your browser</h1><p>This takes a few seconds.</p>"


def source() -> Blog:
    return Blog(make_posts(12), in_feed=5)


def in_feed(blog: Blog, base: str) -> list[str]:
    return sorted(base + blog.path(post) for post in blog.posts[:5])


def says(done: Outcome, *fragments: str) -> None:
    assert done.code == 1, done.stderr
    assert not has_traceback(done)
    assert len(done.sentences) == 1, done.stderr
    assert [fragment for fragment in fragments if fragment not in done.sentences[0]] == []


@pytest.mark.parametrize(
    ("status", "fragments"),
    [
        (401, ["wants a login"]),
        (403, ["turns crawlers away", "CONTACT", "wait"]),
        (429, ["turns crawlers away", "CONTACT", "wait"]),
        (503, ["turns crawlers away", "CONTACT", "wait"]),
        (404, ["address of the home page"]),
    ],
)
@pytest.mark.parametrize("is_feed_open", [False, True])
def test_a_status_that_says_no(tmp_path: Path, status: int, fragments: list[str], is_feed_open: bool) -> None:
    blog = source()
    with serve(blog) as site:
        feed = site.routes["/feed.xml"]
        site.routes = dict.fromkeys(site.routes, Reply(CHALLENGE, status))
        if is_feed_open:
            site.routes["/feed.xml"] = feed
        start = "/feed.xml" if is_feed_open else "/"
        done = crawl(tmp_path, site.url + start, RETRY_TIMES=0, BACKOFF_TIMES=0)
        says(done, str(status), *(fragments if status != 404 or not is_feed_open else ["check whether the blog"]))
        assert len(done.records) == (5 if is_feed_open and status != 404 else 0)
        assert all(record["content_html"] for record in done.records)


NO_ROBOTS = {"/robots.txt": Reply("", 404)}


@pytest.mark.parametrize("status", [401, 403, 429, 503])
@pytest.mark.parametrize(("path", "body"), [("/feed.xml", CHALLENGE), ("/atom.xml", ""), ("/feed/", "slow down")])
def test_a_feed_beside_a_home_page_that_is_refused(tmp_path: Path, status: int, path: str, body: str) -> None:
    blog = source()
    blog.feed_path = path
    with serve(blog) as site:
        feed, site.default = site.routes[path], Reply(body, status)
        site.routes = {path: feed} | NO_ROBOTS
        done = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=0)
        says(done, str(status), "Nothing but what its feed tells")
        assert done.urls == in_feed(blog, site.url)
        assert {record["provenance"]["status"] for record in done.records} == {status}


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_home_page_alone_that_is_refused(tmp_path: Path, status: int) -> None:
    blog = source()
    with serve(blog) as site:
        site.routes["/"] = Reply(CHALLENGE, status)
        done = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=0)
        says(done, str(status), "turns crawlers away", "CONTACT")
        assert done.urls == in_feed(blog, site.url)
        assert query(tmp_path, "SELECT crawl_complete FROM blog") == [(0,)]


@pytest.mark.parametrize("status", [429, 503])
def test_a_home_page_that_is_busy_at_first(tmp_path: Path, status: int) -> None:
    blog, asked = source(), count()
    with serve(blog) as site:
        home = site.routes["/"]
        site.routes["/"] = lambda _: Reply(CHALLENGE, status) if next(asked) < 2 else home
        done = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=1)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)


@pytest.mark.parametrize("status", [401, 403, 503])
@pytest.mark.parametrize("of_feed", [5, 12])
@pytest.mark.parametrize("start", ["/", "/feed.xml"])
def test_posts_alone_that_are_refused(tmp_path: Path, start: str, of_feed: int, status: int) -> None:
    """Home page, lists and feed are open: records are of the feed's entries, whatever the lists show besides."""
    blog = Blog(make_posts(12), in_feed=of_feed)
    with serve(blog) as site:
        site.routes |= dict.fromkeys(map(blog.path, blog.posts), Reply(CHALLENGE, status))
        done = crawl(tmp_path, site.url + start, RETRY_TIMES=0, BACKOFF_TIMES=0)
        says(done, str(status), "Nothing but what its feed tells")
        assert done.urls == sorted(site.url + blog.path(post) for post in blog.posts[:of_feed])


@pytest.mark.parametrize("body", ["", "no", b"\x89PNG\r\n\x1a\n\x00\x00", '{"error": "forbidden"}'])
def test_a_refusal_without_a_page(tmp_path: Path, body: str | bytes) -> None:
    with serve(source()) as site:
        site.routes, site.default = {}, Reply(body, 403)
        says(crawl(tmp_path, f"{site.url}/"), "403", "turns crawlers away", "CONTACT")


def walled(routes: dict, wall: Callable[[web.BaseRequest], Reply | None]) -> dict:
    """Pages behind a wall, which lets a request pass by returning nothing."""
    return {path: lambda request, reply=reply: wall(request) or reply for path, reply in routes.items()}


def to_itself(request: web.BaseRequest) -> Reply | None:
    if "seen=1" in request.headers.get("Cookie", ""):
        return None
    return Reply("", 302, {"Location": request.path, "Set-Cookie": "seen=1; Path=/"})


def over_a_second_page(request: web.BaseRequest) -> Reply | None:
    if "seen=1" in request.headers.get("Cookie", ""):
        return None
    return Reply("", 302, {"Location": f"/wall?back={request.path}"})


NUMBERS = count()


def to_ever_new_addresses(request: web.BaseRequest) -> Reply | None:
    if "seen=1" in request.headers.get("Cookie", ""):
        return None
    return Reply("", 302, {"Location": f"{request.path}?try={next(NUMBERS)}", "Set-Cookie": "seen=1; Path=/"})


@pytest.mark.parametrize("wall", [to_itself, over_a_second_page, to_ever_new_addresses])
@pytest.mark.parametrize("is_start_open", [False, True])
def test_a_wall_that_cookies_open(tmp_path: Path, wall: Callable, is_start_open: bool) -> None:
    blog = source()
    with serve(blog) as site:
        is_open = {path: site.routes[path] for path in ("/", "/feed.xml") if is_start_open}
        site.routes = walled(site.routes, wall) | is_open
        back = lambda request: Reply("", 302, {"Location": request.query["back"], "Set-Cookie": "seen=1; Path=/"})  # noqa: E731
        site.routes["/wall"] = back
        says(crawl(tmp_path, f"{site.url}/"), "cookies", "COOKIES_ENABLED=True")
        done = crawl(tmp_path, f"{site.url}/", COOKIES_ENABLED=True)
        assert done.code == 0, done.stderr
        if wall is not to_ever_new_addresses:  # which the blog's posts have then
            assert done.urls == blog.urls(site.url)


def changing(body: str) -> Callable[[web.BaseRequest], Reply]:
    return lambda request: Reply(
        f"<html><head></head><body>{body}<p>Ray ID: 8f{next(NUMBERS)}ab</p><p>{request.path}</p>"
        f"<input name='token{next(NUMBERS)}'></body></html>"
    )


def with_a_code(body: str) -> Callable[[web.BaseRequest], Reply]:
    """A page that shows letters which nobody else gets, and some that readers do not see."""
    chance = Random(body)
    letters = lambda: "".join(chance.choices(ascii_lowercase, k=24))  # noqa: E731
    return lambda _: Reply(f"<html><head></head><body>{body}<p>Request {letters()}</p><p hidden>{letters()}</p></body>")


def unchanging(body: str) -> Callable[[web.BaseRequest], Reply]:
    return lambda _: Reply(f"<html><head></head><body>{body}</body></html>")


def elsewhere(body: str) -> Callable[[web.BaseRequest], Reply]:
    """All addresses redirect to one, which shows the page."""
    page = unchanging(body)
    return lambda request: page(request) if request.path == "/login" else Reply("", 302, {"Location": "/login"})


@pytest.mark.parametrize(
    ("shown", "body"),
    [
        (changing, CHALLENGE),
        (changing, CONSENT),
        (with_a_code, CHALLENGE),
        (with_a_code, CONSENT),
        (unchanging, CHALLENGE),
        (unchanging, LOGIN),
        (elsewhere, LOGIN),
    ],
)
@pytest.mark.parametrize("start", ["/", "/feed.xml"])
def test_one_page_at_every_address(tmp_path: Path, start: str, shown: Callable, body: str) -> None:
    blog = source()
    with serve(blog) as site:
        page, feed, routes, nothing = shown(body), site.routes["/feed.xml"], dict(site.routes), site.default
        site.routes, site.default = dict.fromkeys(site.routes, page) | {"/feed.xml": feed}, page
        done = crawl(tmp_path, site.url + start)
        says(done, "one and the same page", "consent", "CONTACT")
        assert done.urls == in_feed(blog, site.url)
        assert {record["content_html"] is None for record in done.records} == {False}
        assert query(tmp_path, "SELECT crawl_complete, failures FROM blog") == [(0, 1)]
        assert "one and the same page" in query(tmp_path, "SELECT crawl_reason FROM blog")[0][0]
        site.routes, site.default = routes, nothing
        again = crawl(tmp_path, site.url + start)
        assert again.code == 0, again.stderr
        assert again.urls == blog.urls(site.url)


@pytest.mark.parametrize("status", [200, 403])
def test_the_text_of_such_a_page_is_no_post_s(tmp_path: Path, status: int) -> None:
    blog = source()
    with serve(blog) as site:
        feed = re.sub("<content:encoded>.*?</content:encoded>", "", str(site.routes["/feed.xml"].body), flags=re.DOTALL)
        words = "".join(
            f"<p>This site is for members, who read it with pleasure, {n} times a day.</p>" for n in range(9)
        )
        site.routes, site.default = {}, Reply(LOGIN + words, status)
        site.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml")
        done = crawl(tmp_path, f"{site.url}/feed.xml")
        assert done.code == 1
        assert done.urls == in_feed(blog, site.url)
        assert {record["title"] for record in done.records} == {post.title for post in blog.posts[:5]}
        assert not any("members" in (record["content_text"] or "") for record in done.records)


@pytest.mark.parametrize("shown", [changing, unchanging])
def test_one_page_in_place_of_every_post(tmp_path: Path, shown: Callable) -> None:
    blog = source()
    with serve(blog) as site:
        page = shown(LOGIN)
        site.routes, site.default = {path: site.routes[path] for path in ("/", "/feed.xml")}, page
        done = crawl(tmp_path, f"{site.url}/")
        says(done, "one and the same page", "login", "CONTACT")
        assert done.urls == in_feed(blog, site.url)


@pytest.mark.parametrize("blocked", [slice(0, 5), slice(3, 8), slice(9, 12)])
@pytest.mark.parametrize("shown", [changing, unchanging, elsewhere])
def test_one_page_in_place_of_some_posts(tmp_path: Path, shown: Callable, blocked: slice) -> None:
    blog = source()
    with serve(blog) as site:
        page = shown(CHALLENGE)
        site.routes |= dict.fromkeys(map(blog.path, blog.posts[blocked]), page) | {"/login": page}
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        lost = {site.url + blog.path(post) for post in blog.posts[blocked]}
        assert set(blog.urls(site.url)) - lost <= set(done.urls)


def test_one_page_also_in_place_of_the_feed(tmp_path: Path) -> None:
    with serve(source()) as site:
        page = changing(CHALLENGE)
        site.routes, site.default = {}, page
        says(crawl(tmp_path, f"{site.url}/"), "one and the same page", "Just a moment")


def test_short_posts_in_a_large_frame_are_no_block(tmp_path: Path) -> None:
    blog = source()
    with serve(blog) as site:
        frame = "<div>" + " ".join(f"<p>words of the frame {word}</p>" for word in "abcdefgh" * 40) + "</div>"
        for post in blog.posts:
            page = site.routes[blog.path(post)]
            site.routes[blog.path(post)] = Reply(page.body.replace("</article>", f"</article>{frame}"))
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
