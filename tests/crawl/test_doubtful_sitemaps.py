"""Updates of blogs whose sitemap says of most pages that they were changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.test_updates import put, update, without_robots
from tests.site import Reply

pytestmark = pytest.mark.slow

POSTS = make_posts(40)


def put_with_sitemap(site, posts, day):
    blog = Blog(posts, in_feed=4)
    put(site, blog)
    lines = "".join(f"<url><loc>{url}</loc><lastmod>{day}</lastmod></url>" for url in blog.urls(site.url))
    site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")


def later(days):
    return f"{datetime.now(UTC) + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}"


def mended(post):
    return replace(post, paragraphs=(*post.paragraphs[:-1], "It was mended much later."))


def test_where_most_posts_were_changed_all_of_these_are_told(tmp_path):
    with serve() as site:
        put_with_sitemap(site, POSTS[1:], "2020-01-01")
        crawl(tmp_path, f"{site.url}/")
        changed = [mended(post) if at % 4 else post for at, post in enumerate(POSTS[5:])]
        put_with_sitemap(site, [*POSTS[:5], *changed], later(1))
        done = update(tmp_path, site)
        wanted = [POSTS[0], *(post for post in changed if post not in POSTS)]
        assert done.urls == sorted(site.url + post.path for post in wanted)
        assert {record["content_text"] for record in done.records} == {post.text for post in wanted}


def test_where_only_the_sitemap_is_new_few_posts_are_looked_at_and_ever_more_seldom(tmp_path):
    with serve() as site:
        put_with_sitemap(site, POSTS[6:], "2020-01-01")
        crawl(tmp_path, f"{site.url}/")
        counts = []
        for first in (5, 4, 3, 2, 1):
            put_with_sitemap(site, POSTS[first:], later(9 - first))
            done = update(tmp_path, site)
            assert done.urls == [site.url + POSTS[first].path]
            counts.append(len(without_robots(done.requests)) - 1)
        assert counts == [12, 12, 2, 12, 2], "the feed, the sitemap, and some of the known posts"
        rest = [POSTS[1], *map(mended, POSTS[2:])]
        told = []
        for title in ("One", "Two", "Three"):
            put_with_sitemap(site, [replace(POSTS[0], title=title), *rest], later(9))
            told.append(len(update(tmp_path, site).records))
        assert told == [1 + 2, 1, 1 + 36], "what the feed tells, and all when it is time"


def test_a_sitemap_that_cannot_be_had_is_asked_again(tmp_path):
    with serve() as site:
        put_with_sitemap(site, POSTS[2:], "2020-01-01")
        crawl(tmp_path, f"{site.url}/")
        changed = mended(POSTS[20])
        put_with_sitemap(site, [*POSTS[1:20], changed, *POSTS[21:]], "2020-01-01")
        there = site.routes["/sitemap.xml"].body.replace(
            f"{changed.path}</loc><lastmod>2020-01-01", f"{changed.path}</loc><lastmod>{later(1)}"
        )
        site.routes["/sitemap.xml"] = Reply("later", status=503)
        assert update(tmp_path, site, RETRY_TIMES=0, BACKOFF_TIMES=0).urls == [site.url + POSTS[1].path]
        put_with_sitemap(site, [*POSTS[:20], changed, *POSTS[21:]], "2020-01-01")
        site.routes["/sitemap.xml"] = Reply(there, content_type="application/xml")
        assert update(tmp_path, site).urls == sorted(site.url + post.path for post in (POSTS[0], changed))


def test_a_post_that_the_feed_no_longer_has_keeps_the_time_that_the_feed_told(tmp_path):
    """Its page shows the day in another zone."""

    class East(Blog):
        def page(self, post):
            return super().page(replace(post, published=post.published + timedelta(hours=2)))

    def put_all(blog, days):
        put(site, blog)
        lines = "".join(
            f"<url><loc>{site.url}{post.path}</loc><lastmod>{days.get(post.path, '2020-01-01')}</lastmod></url>"
            for post in blog.posts
        )
        site.routes["/sitemap.xml"] = Reply(f"<urlset>{lines}</urlset>", content_type="application/xml")

    posts = [replace(post, published=post.published.replace(hour=23, minute=30)) for post in POSTS]
    changed = mended(posts[14])
    with serve() as site:
        put_all(East(posts[10:], in_feed=8), {})
        first = crawl(tmp_path, f"{site.url}/")
        assert first.record(site.url + changed.path)["published"] == changed.published.isoformat()
        blog = East([*posts[:14], changed, *posts[15:]], in_feed=12)
        put_all(blog, dict.fromkeys((post.path for post in posts[12:18]), later(1)))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in (*posts[:10], changed))
        assert done.record(site.url + changed.path)["published"] == changed.published.isoformat()
