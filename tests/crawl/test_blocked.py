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
    from tests.site import LocalSite

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
        (401, ["requires a login"]),
        (403, ["refuses crawlers", "CONTACT", "wait"]),
        (429, ["refuses crawlers", "CONTACT", "wait"]),
        (503, ["refuses crawlers", "CONTACT", "wait"]),
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
        says(done, str(status), "Only the content of its feed")
        assert done.urls == in_feed(blog, site.url)
        assert {record["provenance"]["status"] for record in done.records} == {status}


@pytest.mark.parametrize("status", [403, 429, 503])
def test_a_home_page_alone_that_is_refused(tmp_path: Path, status: int) -> None:
    blog = source()
    with serve(blog) as site:
        site.routes["/"] = Reply(CHALLENGE, status)
        done = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=0)
        says(done, str(status), "refuses crawlers", "CONTACT")
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
        says(done, str(status), "Only the content of its feed")
        assert done.urls == sorted(site.url + blog.path(post) for post in blog.posts[:of_feed])


@pytest.mark.parametrize("body", ["", "no", b"\x89PNG\r\n\x1a\n\x00\x00", '{"error": "forbidden"}'])
def test_a_refusal_without_a_page(tmp_path: Path, body: str | bytes) -> None:
    with serve(source()) as site:
        site.routes, site.default = {}, Reply(body, 403)
        says(crawl(tmp_path, f"{site.url}/"), "403", "refuses crawlers", "CONTACT")


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
        says(done, "the same page at every address", "consent", "CONTACT")
        assert done.urls == in_feed(blog, site.url)
        assert {record["content_html"] is None for record in done.records} == {False}
        assert query(tmp_path, "SELECT crawl_complete, failures FROM blog") == [(0, 1)]
        assert "the same page at every address" in query(tmp_path, "SELECT crawl_reason FROM blog")[0][0]
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
        says(done, "the same page at every address", "login", "CONTACT")
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
        says(crawl(tmp_path, f"{site.url}/"), "the same page at every address", "Just a moment")


def refusing(status: int) -> Callable[[web.BaseRequest], Reply]:
    return lambda _: Reply("<h1>Sorry</h1>", status)


def closing_after(site: LocalSite, pages: int, closed: Callable[[web.BaseRequest], Reply], *spared: str) -> None:
    """Show a page in place of all others, but for those at some addresses, after so many were shown."""
    shown, routes, nothing = count(), site.routes, site.default

    def closing(reply: Reply) -> Callable[[web.BaseRequest], Reply]:
        return lambda request: reply if next(shown) < pages else closed(request)

    site.routes = {path: reply if path in spared else closing(reply) for path, reply in routes.items()}
    site.routes |= NO_ROBOTS
    site.default = closing(nothing)


@pytest.mark.parametrize("pages", [6, 9, 14])
@pytest.mark.parametrize(
    ("closed", "fragments"),
    [
        (refusing(401), ["401", "login"]),
        (refusing(403), ["403", "refuses crawlers", "CONTACT"]),
        (refusing(429), ["429", "refuses crawlers", "CONTACT"]),
    ],
)
def test_a_site_that_closes_during_the_crawl(
    tmp_path: Path, closed: Callable, fragments: list[str], pages: int
) -> None:
    """The crawl ends unfinished, and the same command has all posts when the site is open again."""
    blog = Blog(make_posts(24), in_feed=5)
    with serve(blog) as site:
        routes, nothing = dict(site.routes), site.default
        closing_after(site, pages, closed, "/feed.xml")
        done = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=0)
        says(done, *fragments, "What was found is kept", "run the same command")
        assert 4 <= len(done.records) < 24
        assert set(done.urls) <= set(blog.urls(site.url))
        assert query(tmp_path, "SELECT crawl_complete FROM blog") == [(0,)]
        again = crawl(tmp_path, f"{site.url}/", BACKOFF_TIMES=0)
        says(again, *fragments)
        site.routes, site.default = routes, nothing
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert last.urls == blog.urls(site.url)
        assert all(record["content_html"] for record in last.records)


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("refused", [slice(6, 7), slice(4, 12), slice(11, 12)])
def test_private_posts_are_no_block(tmp_path: Path, status: int, refused: slice) -> None:
    blog = source()
    with serve(blog) as site:
        private = set(map(blog.path, blog.posts[refused]))
        site.routes |= dict.fromkeys(private, Reply(LOGIN, status))
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert done.urls == sorted(site.url + path for path in set(blog.paths()) - private)
        assert query(tmp_path, "SELECT crawl_complete FROM blog") == [(1,)]


@pytest.mark.parametrize("page", ["<h1>Nothing here</h1><p>What you look for is gone.</p>", LOGIN])
def test_one_page_for_dead_links_is_no_block(tmp_path: Path, page: str) -> None:
    blog = source()
    blog.extra = "".join(f'<p><a href="/2019/0{n % 9 + 1}/dead-{n}/">More of {n}</a></p>' for n in range(14))
    with serve(blog) as site:
        site.default = Reply(f"<html><head></head><body>{page}</body></html>")
        site.routes |= NO_ROBOTS
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)


def quoting(request: web.BaseRequest) -> Reply:
    """A check that shows the address of each page, and a number that no other page has."""
    number = f"{next(NUMBERS):032x}"
    words = f"Request {request.path} for {request.host}; reference {number}, which our staff will ask for."
    return Reply(f"<html><head><title>One moment</title></head><body><h1>Checking</h1><p>{words}</p></body></html>")


def test_a_check_that_quotes_the_address_is_no_article(tmp_path: Path) -> None:
    blog = Blog(make_posts(40), in_feed=36)
    with serve(blog) as site:
        feed, site.routes, site.default = site.routes["/feed.xml"], dict(NO_ROBOTS), quoting
        site.routes["/feed.xml"] = feed
        done = crawl(tmp_path, f"{site.url}/feed.xml")
        says(done, "the same page at every address", "One moment")
        assert len(done.records) == 36
        texts = {record["title"]: record["content_text"] for record in done.records}
        assert texts == {post.title: post.text for post in blog.posts[:36]}


@pytest.mark.parametrize(("shown", "leads"), [(elsewhere, "leads to"), (unchanging, "asks")])
def test_a_blog_behind_a_login(tmp_path: Path, shown: Callable, leads: str) -> None:
    with serve(source()) as site:
        site.routes, site.default = dict(NO_ROBOTS), shown(LOGIN.replace("password", "Password "))
        says(crawl(tmp_path, f"{site.url}/"), leads, "asks for a password", "-a url=", "owner")


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
