"""Blogs whose feed and pages do not agree, and servers that do not last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, crawl_until, has_traceback, kept, outcome
from tests.site import Reply

pytestmark = pytest.mark.slow


def moved(target: str) -> Reply:
    return Reply("", 301, {"Location": target})


def hang_up(request):
    request.transport.abort()
    return ""


def failures(outcome, reason: str) -> str:
    (line,) = (line for line in outcome.summary if line.strip().startswith(f"{reason}:"))
    return line


def test_entries_that_redirect_to_the_home_page_are_no_posts(tmp_path):
    blog = Blog(make_posts(10), in_feed=8)
    gone = [blog.path(post) for post in blog.posts[2:4]]
    with serve(blog) as site:
        site.routes |= {path: moved("/") for path in gone}
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == sorted(set(blog.urls(site.url)) - {site.url + path for path in gone})
        assert "leads away from the blog: 2" in failures(done, "leads away from the blog")


def test_addresses_are_asked_for_as_the_site_writes_them(tmp_path):
    """In the feed, in lists, of a redirect's target and of a picture; the server knows no other spelling."""
    slugs = ["profit-%26-loss", "c%2B%2B", "a%3A%40%2C%21", "(b)+'c'", "%28d%29%27", "e%3Bf%3D1", "g%2Fh", "%D7%90%24"]
    posts = [replace(post, slug=slugs[n % 8] + str(n)) for n, post in enumerate(make_posts(12))]
    blog = Blog(posts, in_feed=6)
    picture = "/files/a%26b%2Bc.png"
    with serve(blog) as site:
        own = blog.path(posts[0])
        text = posts[0].paragraphs[1]
        site.routes[own] = Reply(site.routes[own].body.replace(text, f'{text} <img src="{picture}" alt="a">', 1))
        site.routes[picture] = Reply(b"\x89PNG\r\n\x1a\n" + bytes(100), content_type="image/png")
        site.routes["/go/%2B1/"] = moved(blog.path(posts[-1]))
        for path, reply in list(site.routes.items()):
            if path.startswith("/page/"):
                site.routes[path] = Reply(str(reply.body).replace(f'"{blog.path(posts[-1])}"', '"/go/%2B1/"'))
        done = crawl(tmp_path, f"{site.url}/", server=site, MEDIA="True")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert site.url + picture in {media["url"] for record in done.records for media in record["media"]}
        assert picture in site.targets


def test_entries_that_all_redirect_to_one_page_are_no_posts(tmp_path):
    blog = Blog(make_posts(10), in_feed=8)
    with serve(blog) as site:
        site.routes |= {blog.path(post): moved("/about/") for post in blog.posts}
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 1
        assert done.records == []


@pytest.mark.parametrize("start", ["/", "/feed.xml", "a post of the feed", "an older post"])
def test_a_feed_that_names_no_home_page(tmp_path, start):
    blog = Blog(make_posts(12))
    with serve(blog) as site:
        for path in list(site.routes):
            if path == "/feed.xml":
                body = site.routes[path].body.replace(f"<link>{site.url}/</link>", "", 1)
                site.routes[path] = Reply(body, content_type="application/rss+xml")
        address = {"a post of the feed": blog.path(blog.posts[1]), "an older post": blog.path(blog.posts[-1])}
        done = crawl(tmp_path, site.url + address.get(start, start))
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert {record["blog"] for record in done.records} == {f"{site.url}/"}


def test_a_server_that_dies(tmp_path):
    """The crawl is not complete, says so, and goes on when the server is back."""
    blog = Blog(make_posts(60), in_feed=6)
    with serve(blog) as site:
        arguments = command(f"{site.url}/", RETRY_TIMES=0, DOWNLOAD_DELAY=0.05, SERVER_PATIENCE=2)
        lively = dict(site.routes)

        def die(_run):
            site.routes = dict.fromkeys(lively, hang_up)

        code = crawl_until(tmp_path, arguments, lambda: len(site.targets) > 25, die)
        first = outcome(tmp_path, code, server=site)
        assert first.code == 1
        assert not has_traceback(first)
        assert "has not answered for" in first.sentences[0]
        assert "run the same command again" in first.summary[0]
        assert 0 < len(kept(tmp_path)) < 60
        site.routes = lively
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert last.urls == blog.urls(site.url)


def test_print_versions_are_no_posts(tmp_path):
    blog = Blog(make_posts(20), in_feed=6)
    with serve(blog) as site:
        for post in blog.posts:
            path = blog.path(post)
            copy = f"/print{path}"
            page = site.routes[path].body
            site.routes[path] = page.replace("</article>", f'</article><a href="{copy}">Print</a>')
            site.routes[copy] = page
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)


def test_a_post_without_content_is_named(tmp_path):
    blog = Blog(make_posts(12))
    empty = blog.path(blog.posts[-2])
    with serve(blog) as site:
        site.routes[empty] = "<html><body><p>Nothing.</p></body></html>"
        done = crawl(tmp_path, f"{site.url}/")
        assert done.code == 0, done.stderr
        assert empty in failures(done, "looks like a post's URL, but has no article")


def test_the_time_limit_holds_while_entries_are_fetched(tmp_path):
    blog = Blog(make_posts(20), in_feed=20)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", TIME_LIMIT=2, DOWNLOAD_DELAY=1, DOWNLOAD_DELAY_JITTER=0)
        assert done.code == 0, done.stderr
        assert done.seconds < 15
        assert 0 < len(kept(tmp_path)) < 20


def test_a_time_limit_that_ends_before_anything_is_learned_is_no_error(tmp_path):
    with serve(Blog()) as site:
        done = crawl(tmp_path, f"{site.url}/", TIME_LIMIT=1, DOWNLOAD_DELAY=2, DOWNLOAD_DELAY_JITTER=0)
        assert done.code == 0, done.stderr
        assert "limit of 1 seconds" in done.summary[1]
        assert crawl(tmp_path, f"{site.url}/").urls == Blog().urls(site.url)


def test_a_crawl_without_the_content_stage_loses_nothing(tmp_path):
    blog = Blog()
    with serve(blog) as site:
        assert crawl(tmp_path, f"{site.url}/").code == 0
        before = kept(tmp_path)
        again = crawl(
            tmp_path, f"{site.url}/", ITEM_PIPELINES='{"blogcrawler.pipelines.propagate.PropagatePipeline": 500}'
        )
        assert again.code == 0, again.stderr
        assert kept(tmp_path) == before


def test_how_the_server_changes_addresses_is_learned_from_the_first_entries(tmp_path):
    """Where the feed leaves out the slash, the first pages cost a redirect each, and the others none."""
    blog = Blog(make_posts(20), in_feed=20, feed_link="{base}/to{path}")
    bare = {f"/to{post.path}": post.path.rstrip("/") for post in blog.posts}
    with serve(blog) as site:
        feed = str(site.routes["/feed.xml"].body)
        for link, path in bare.items():
            feed = feed.replace(f"{link}<", f"{path}<")
            site.routes[path] = moved(f"{path}/")
        del site.routes[odd := bare[f"/to{blog.posts[-1].path}"]]
        site.routes[odd] = site.routes.pop(f"{odd}/")
        site.routes["/feed.xml"] = Reply(feed, content_type="application/rss+xml")
        done = crawl(tmp_path, f"{site.url}/", server=site)
        paths = [path for path in bare.values() if path != odd]
        assert sorted(done.urls) == sorted([*(f"{site.url}{path}/" for path in paths), site.url + odd])
        assert len([path for path in paths if path in done.requests]) == 3
