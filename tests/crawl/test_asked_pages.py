"""Updates of blogs that do not tell which of their posts were changed: some pages are asked themselves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.test_updates import Short, archive, put, update, without_robots
from tests.site import Reply, Validators

pytestmark = pytest.mark.slow

POSTS = make_posts(30)


def mended(post):
    return replace(post, paragraphs=(*post.paragraphs[:-1], "It ends in another way."))


def put_without_feed(site, posts):
    put(site, Blog(posts, names_feed=False))
    del site.routes["/feed.xml"]


def test_posts_of_a_feed_of_summaries_are_asked_in_turn(tmp_path):
    with serve() as site:
        put(site, Short(POSTS[6:], in_feed=6))
        crawl(tmp_path, f"{site.url}/")
        posts, told = [*POSTS[:9], mended(POSTS[9]), *POSTS[10:]], []
        for first in (5, 4, 3):
            put(site, Short(posts[first:], in_feed=7))
            done = update(tmp_path, site)
            told += done.urls
            assert len(without_robots(done.requests)) == 3 + 1
            assert len(done.records) <= 2
        assert sorted(told) == sorted(site.url + post.path for post in (*posts[3:6], posts[9]))
        assert without_robots(update(tmp_path, site).requests) == ["/feed.xml"]
        with archive(tmp_path) as kept:
            assert kept.record(f"{site.url}/", site.url + posts[9].path).content_text == posts[9].text


def test_posts_of_a_blog_without_a_feed_are_asked_in_turn(tmp_path):
    with serve() as site:
        put_without_feed(site, POSTS)
        crawl(tmp_path, f"{site.url}/")
        put_without_feed(site, [*POSTS[:7], mended(POSTS[7]), *POSTS[8:]])
        site.routes[POSTS[8].path] = Reply("gone", status=410)
        done = [update(tmp_path, site) for _ in range(5)]
        assert {len(without_robots(one.requests)) for one in done} == {3}
        assert [url for one in done for url in one.urls] == [site.url + POSTS[7].path]
        with archive(tmp_path) as kept:
            assert list(kept.gone(f"{site.url}/")) == [site.url + POSTS[8].path]


@pytest.mark.parametrize("why", ["the feed has whole articles", "the server gives no validators"])
def test_where_it_would_be_of_no_use_no_page_is_asked(tmp_path, why):
    kind = Blog if why == "the feed has whole articles" else Short

    def serve_posts(posts):
        put(site, kind(posts, in_feed=6))
        if kind is Short:
            without = Validators(etags=False, modified=None)
            routes = kind(posts, in_feed=6).routes(site.url)
            site.routes |= {path: without.of(reply) for path, reply in routes.items() if path != "/feed.xml"}

    with serve() as site:
        serve_posts(POSTS[1:])
        crawl(tmp_path, f"{site.url}/")
        serve_posts(POSTS)
        assert without_robots(update(tmp_path, site).requests) == ["/feed.xml", POSTS[0].path]
