"""One bad page never ends a crawl: the posts are all there, and the summary counts what failed, with an example.

All bad pages are at addresses that look like posts; two of them stand in the feed.
"""

from __future__ import annotations

import asyncio
import gzip
from dataclasses import replace
from html import escape

import pytest
from aiohttp import web

from tests.crawl.blog import Blog, links, make_posts, serve
from tests.crawl.running import crawl, has_traceback
from tests.site import Reply

pytestmark = pytest.mark.slow

MAXSIZE = 3_000_000
BLOG = Blog(make_posts(14), in_feed=6)
#: posts whose pages are odd, and yet can be read
IN_WINDOWS_1252, WITH_NULS, MOVED_FEED_POST = BLOG.posts[8], BLOG.posts[9], BLOG.posts[2]


async def endless(request):
    """As much as the client takes."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    while True:
        await response.write(b"<p>more and more</p>" * 1000)
        await asyncio.sleep(0)


async def dripping(request):
    """A byte now and then, never an end."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    while True:
        await response.write(b" ")
        await asyncio.sleep(0.2)


async def cut(request):
    """Half of what was announced."""
    response = web.StreamResponse(headers={"Content-Type": "text/html", "Content-Length": "100000"})
    await response.prepare(request)
    await response.write(b"<html><body><p>It begins well" + b"." * 1000)
    request.transport.close()
    return response


def loop(request):
    return Reply("", 302, {"Location": f"/2020/01/loop/?turn={int(request.query.get('turn', 0)) + 1}"})


BOMB = gzip.compress(b"<html><body>" + b"0" * (40 * 1024 * 1024), 9)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20
BAD = {
    "deep": "<html><body>" + "<div>" * 100_000 + "<p>The bottom.</p>",
    "wide": "<html><body><p "
    + " ".join(f'a{number}="{number}"' for number in range(200_000))
    + ">wide</p></body></html>",
    "bomb": Reply(BOMB, headers={"Content-Encoding": "gzip"}),
    "endless": endless,
    "dripping": dripping,
    "cut": cut,
    "picture": Reply(PNG, content_type="text/html"),
    "download": Reply(b"PK\3\4" + bytes(range(256)) * 9, content_type="application/zip"),
    "empty": "",
    "error": Reply("sorry", 500),
    "gone": Reply("gone", 410),
    "loop": loop,
    "offsite": Reply("", 302, {"Location": "http://somewhere-else.invalid/"}),
    "refresh": f'<meta http-equiv="refresh" content="0; url={BLOG.path(BLOG.posts[4])}">',
    "file": Reply("", 302, {"Location": "file:///etc/passwd"}),
    "garbage": Reply(b"\x1f\x8b" + bytes(range(256)), headers={"Content-Encoding": "gzip"}),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    blog = Blog(BLOG.posts, in_feed=6, extra=links(f"/2020/01/{name}/" for name in BAD))
    with serve(blog) as site:
        site.routes |= {f"/2020/01/{name}/": page for name, page in BAD.items()}
        feed_gone, feed_moved = blog.posts[1], MOVED_FEED_POST
        site.routes[blog.path(feed_gone)] = Reply("gone", 404)
        site.routes[blog.path(feed_moved)] = Reply("", 301, {"Location": "/2020/05/moved-here/"})
        site.routes["/2020/05/moved-here/"] = blog.page(feed_moved)
        page = blog.page(IN_WINDOWS_1252).replace("utf-8", "windows-1252")
        page = page.replace(IN_WINDOWS_1252.paragraphs[0], "Ein Café – „naïve“ Größe.")
        site.routes[blog.path(IN_WINDOWS_1252)] = Reply(page.encode("windows-1252"), content_type="text/html")
        nuls = blog.page(WITH_NULS)
        for word in (WITH_NULS.title, *WITH_NULS.paragraphs):
            nuls = nuls.replace(word, word[:9] + "\0" + word[9:])
        site.routes[blog.path(WITH_NULS)] = Reply(nuls)
        settings = {"DOWNLOAD_MAXSIZE": MAXSIZE, "DOWNLOAD_TIMEOUT": 2, "RETRY_TIMES": 1}
        outcome = crawl(tmp_path_factory.mktemp("bad"), f"{site.url}/", server=site, **settings)
        yield site, outcome


def failures(outcome, reason: str) -> str:
    """The line of the summary for a reason of failure."""
    (line,) = (line for line in outcome.summary if line.strip().startswith(f"{reason}: "))
    return line.strip()


def test_the_crawl_does_its_job(crawled):
    _, outcome = crawled
    assert outcome.code == 0, outcome.stderr
    assert "no page was left to fetch" in outcome.summary[1]
    assert outcome.seconds < 40


def test_all_other_posts_are_there(crawled):
    site, outcome = crawled
    good = {*BLOG.paths(), "/2020/05/moved-here/"} - {BLOG.path(BLOG.posts[1]), BLOG.path(MOVED_FEED_POST)}
    expected = {site.url + path for path in good}
    may_be = {f"{site.url}/2020/01/{name}/" for name in ("cut", "deep", "wide")}
    assert expected <= set(outcome.urls) <= expected | may_be
    assert len(outcome.urls) == len(set(outcome.urls))


def test_the_fields_are_not_disturbed(crawled):
    site, outcome = crawled
    for post in BLOG.posts:
        if post in {BLOG.posts[1], MOVED_FEED_POST, IN_WINDOWS_1252, WITH_NULS}:
            continue
        record = outcome.record(site.url + BLOG.path(post))
        assert (record["title"], record["authors"]) == (post.title, [post.author])
        assert record["content_text"] == post.text


@pytest.mark.parametrize(
    ("reason", "example"),
    [
        ("404 Not Found", BLOG.path(BLOG.posts[1])),
        ("500 Internal Server Error", "/2020/01/error/"),
        ("410 Gone", "/2020/01/gone/"),
        ("no answer in time", "/2020/01/dripping/"),
        ("no web page", "/2020/01/picture/"),
        ("too large", "/2020/01/endless/"),
    ],
)
def test_the_summary_counts_failures(crawled, reason, example):
    site, outcome = crawled
    assert f"{site.url}{example}" in failures(outcome, reason)


@pytest.mark.parametrize("name", ["bomb", "loop", "offsite", "file", "garbage"])
def test_the_summary_has_an_example_of_each(crawled, name):
    site, outcome = crawled
    assert any(f"{site.url}/2020/01/{name}/" in line for line in outcome.summary), outcome.summary


@pytest.mark.parametrize(("name", "word"), [("bomb", "large"), ("loop", "redirect")])
def test_the_summary_tells_why_scrapy_ignored_a_page(crawled, name, word):
    site, outcome = crawled
    (line,) = (line for line in outcome.summary if f"{site.url}/2020/01/{name}/" in line)
    assert word in line.partition(":")[0]


def test_a_redirect_off_site_is_told_as_such(crawled):
    site, outcome = crawled
    assert f"{site.url}/2020/01/offsite/" in failures(outcome, "leads away from the blog")


def test_windows_1252_that_only_the_page_declares(crawled):
    site, outcome = crawled
    record = outcome.record(site.url + BLOG.path(IN_WINDOWS_1252))
    assert record["content_text"].startswith("Ein Café – „naïve“ Größe.")


def test_nuls_do_not_reach_the_record(crawled):
    site, outcome = crawled
    record = outcome.record(site.url + BLOG.path(WITH_NULS))
    assert record["title"] == WITH_NULS.title
    assert record["content_text"] == WITH_NULS.text
    assert "\0" not in str(record)


def test_a_post_of_the_feed_that_has_moved_is_filed_under_its_new_address(crawled):
    site, outcome = crawled
    record = outcome.record(f"{site.url}/2020/05/moved-here/")
    assert record["title"] == MOVED_FEED_POST.title
    assert record["guid"] == f"tag:{MOVED_FEED_POST.slug}"


def test_the_log_tells_no_story_of_our_insides(crawled):
    _, outcome = crawled
    assert not has_traceback(outcome), outcome.stderr


def test_repetitions_in_pictures_do_not_hold_up_a_crawl(tmp_path):
    blog = Blog(make_posts(8))
    with serve(blog) as site:
        own, text = blog.path(blog.posts[0]), blog.posts[0].paragraphs[1]
        pictures = '<img src="/x.png" srcset="/y.png 2x,{}">'.format("\xa0" * 400_000)
        site.routes[own] = Reply(str(site.routes[own].body).replace(text, text + pictures, 1))
        site.routes["/x.png"] = Reply(b"<!--x-->" * 40 + b".", content_type="image/png")
        done = crawl(tmp_path, f"{site.url}/", server=site, MEDIA="True")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert "/x.png" in site.targets


def test_charsets_that_browsers_do_not_know_are_passed_over(tmp_path):
    """Python has codecs of these names, which are none of the web, or none of text."""
    blog = Blog(make_posts(12), in_feed=6)
    charsets = ("zlib_codec", "rot13", "idna", "punycode", "undefined", "unicode_escape", "utf-7", "hex")
    with serve(blog) as site:
        for post, charset in zip(blog.posts, charsets, strict=False):
            body = site.routes[blog.path(post)].body
            site.routes[blog.path(post)] = Reply(body, content_type=f"text/html; charset={charset}")
        feed = site.routes["/feed.xml"].body
        site.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml; charset=zlib_codec")
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert not has_traceback(done)
        assert done.urls == blog.urls(site.url)


@pytest.mark.parametrize("is_summary", [False, True])
def test_pages_that_end_early_are_told_and_the_feed_fills_in(tmp_path, is_summary):
    """Posts of the feed are whole where it has their text; of older ones, and of summaries, what came is kept."""
    blog = Blog(make_posts(12), in_feed=6)
    in_feed, older = blog.posts[3], blog.posts[9]
    with serve(blog) as site:
        for post in (in_feed, older):
            page = blog.page(post).partition(post.paragraphs[2])[0].encode()
            site.routes[blog.path(post)] = Reply(gzip.compress(page)[:-9], headers={"Content-Encoding": "gzip"})
        if is_summary:
            feed = blog.feed(site.url)
            for post in blog.posts[:6]:
                feed = feed.replace(escape(post.html), escape(f"<p>{post.paragraphs[0]} […]</p>"))
            site.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml")
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=1)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert any(line.strip().startswith("2 pages truncated at each attempt") for line in outcome.summary), (
        outcome.summary
    )
    text = outcome.record(site.url + blog.path(in_feed))["content_text"]
    assert text == in_feed.text if not is_summary else text.startswith(in_feed.paragraphs[0])
    assert outcome.record(site.url + blog.path(older))["content_text"].startswith(older.paragraphs[0])


def test_links_to_what_is_no_address_cost_nothing(tmp_path):
    """They stand in the frame of all pages, in headings, with a post's title, and as versions of pages."""
    blog = Blog(make_posts(14), in_feed=5)
    wrong = "http://www,else.example/"
    frame = "".join(
        f'<h3><a href="{wrong}{number}">{one.title}</a></h3><link rel="alternate" hreflang="de" href="{wrong}">'
        f'<a href="{wrong}"><h2>Elsewhere</h2></a><a href="http://[::1">A</a><a href="//:x@/">B</a>'
        for number, one in enumerate(blog.posts)
    )
    with serve(blog) as site:
        for path, reply in site.routes.items():
            body = reply.body if isinstance(reply.body, str) else reply.body.decode()
            site.routes[path] = replace(reply, body=body.replace("</body>", f"{frame}</body>"))
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert not has_traceback(done)
