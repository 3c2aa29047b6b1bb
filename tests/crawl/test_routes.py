"""Blogs of one page, whose posts are what stands behind "#", are archived whole; others do not notice."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.browser.installed import needs_a_browser
from tests.crawl import running
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.routed import RoutedBlog
from tests.crawl.running import DATABASE, crawl_until, kept
from tests.site import Reply

pytestmark = [needs_a_browser, pytest.mark.slow]


def crawl(folder: Path, url: str, *more: str, **given: object) -> running.Outcome:
    return running.crawl(folder, url, *more, **{"RENDER": "auto", **given})


def check(outcome: running.Outcome, blog: RoutedBlog, base: str) -> None:
    """Each post is there once, with all that it says."""
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(base)
    for post in blog.posts:
        record = outcome.record(blog.url(post, base))
        assert (record["title"], record["authors"]) == (post.title, [post.author])
        assert record["published"][:10] == f"{post.published:%Y-%m-%d}"
        assert record["content_text"] == post.text
        assert f'href="{blog.url(blog.posts[0], base)}"' in record["content_html"]
        assert record["tags"] == [blog.tag(post)]
        assert record["provenance"]["rendered"]
        said = [comment["url"] for comment in record["comments"]]
        assert said == [f"{record['url']}#said-{post.slug}-{number}" for number in range(blog.comments)]


def database(folder: Path, query: str) -> list[str]:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        return sorted(row[0] for row in connection.execute(query))


@pytest.mark.parametrize(
    ("mark", "shell", "form"),
    [("#/", "/", "{path}"), ("#!", "/", "{path}"), ("#!/", "/app.html", "/post?id={slug}")],
    ids=["hash", "bang", "page and query"],
)
def test_posts_that_are_routes(tmp_path, mark, shell, form):
    blog = RoutedBlog(make_posts(11), in_feed=4, mark=mark, shell_path=shell, form=form)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}{shell}", server=site)
        check(outcome, blog, site.url)
        assert not any("%23" in target for target in outcome.requests)
        assert database(tmp_path, "SELECT url FROM post") == blog.urls(site.url)


def test_a_second_crawl_of_routes_finds_the_same(tmp_path):
    blog = RoutedBlog(make_posts(7), in_feed=4)
    with serve(blog) as site:
        for _ in range(2):
            check(crawl(tmp_path, f"{site.url}/"), blog, site.url)
        assert database(tmp_path, "SELECT url FROM post") == blog.urls(site.url)


def test_routes_that_a_sitemap_alone_lists(tmp_path):
    blog = RoutedBlog(make_posts(9), in_feed=4)
    with serve(blog) as site:
        for path in list(site.routes):
            if path.startswith("/data/page/") or path == "/data/":
                del site.routes[path]
        urls = "".join(f"<url><loc>{url}</loc></url>" for url in blog.urls(site.url))
        site.routes["/sitemap.xml"] = Reply(f"<urlset>{urls}</urlset>", content_type="text/xml")
        check(crawl(tmp_path, f"{site.url}/"), blog, site.url)


def test_routes_go_on_where_their_page_is_redirected_to(tmp_path):
    blog = RoutedBlog(make_posts(7), in_feed=4)
    with serve(blog) as site:
        site.routes["/blog/"] = site.routes["/"]
        site.routes["/"] = Reply("", 302, {"Location": "/blog/"})
        outcome = crawl(tmp_path, f"{site.url}/")
        assert outcome.urls == [url.replace("/#/", "/blog/#/") for url in blog.urls(site.url)]


def test_a_crawl_of_routes_that_was_killed_goes_on(tmp_path):
    blog = RoutedBlog(make_posts(12), in_feed=4)
    with serve(blog) as site:
        shown = lambda: len({path for path in site.paths if path.startswith("/data/2")})  # noqa: E731
        arguments = running.command(f"{site.url}/", RENDER="auto")
        code = crawl_until(tmp_path, arguments, lambda: shown() >= 8, lambda run: run.kill(), anew=True)
        assert code == -signal.SIGKILL
        last = crawl(tmp_path, f"{site.url}/")
        check(last, blog, site.url)
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


@pytest.mark.parametrize(
    "settings",
    [{"RENDER": "never"}, {"RENDER_BROWSER": "/bin/false"}, {"RENDER": "always", "RENDER_BROWSER": "/bin/false"}],
)
def test_without_a_browser_one_sentence_says_why_there_are_no_posts(tmp_path, settings):
    blog = RoutedBlog(make_posts(6), in_feed=4)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", **settings)
    assert (outcome.code, outcome.records) == (1, [])
    (sentence,) = outcome.sentences
    assert f"Scripts show the posts of {blog.url(blog.posts[0], site.url)}" in sentence


def test_what_stands_behind_a_hash_on_other_blogs_names_no_page(tmp_path):
    """As the links of some blogs' software for readers who want to join, and old scripts' links."""
    outcomes = []
    for extra in (
        "",
        '<a href="#/portal/signup">Join</a> <a href="/#/portal/account">You</a> <a href="#!">Up</a> <a href="#!/x">X</a>',
    ):
        blog = Blog(make_posts(9), in_feed=4)
        (folder := tmp_path / str(len(outcomes))).mkdir()
        with serve(blog) as site:
            for path, reply in list(site.routes.items()):
                if path != blog.feed_path:
                    site.routes[path] = Reply(str(reply.body).replace("</footer>", f"{extra}</footer>"))
            outcome = crawl(folder, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        outcomes.append(outcome)
    plain, other = outcomes
    assert sorted(other.requests) == sorted(plain.requests)
    assert other.summary == plain.summary
    assert not any("browser" in line for line in other.summary)
