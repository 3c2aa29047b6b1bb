"""Updates of blogs whose feed tells nothing any more."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.test_updates import put, update, without_robots
from tests.site import Reply

pytestmark = pytest.mark.slow

POSTS = make_posts(30)
EMPTY = '<rss version="2.0"><channel><title>Blog of words</title></channel></rss>'
LOST = {
    "gone": Reply("gone", status=410),
    "a page": Reply("<!DOCTYPE html><title>Welcome</title><p>There is nothing here."),
    "empty": Reply(EMPTY, content_type="application/rss+xml"),
}


def lose(site, blog, reply):
    put(site, blog)
    site.routes["/feed.xml"] = reply


@pytest.mark.parametrize("how", LOST)
def test_a_blog_whose_feed_is_lost_is_read_from_its_lists_for_few_requests(tmp_path, how):
    with serve() as site:
        put(site, Blog(POSTS[6:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        counts, known = [], 6
        for first in (5, 5, 5, 4, 4, 4, 4, 3):
            lose(site, Blog(POSTS[first:], in_feed=8), LOST[how])
            done = update(tmp_path, site)
            counts.append(len(without_robots(done.requests)) - len(done.records))
            assert done.urls == sorted(site.url + post.path for post in POSTS[first:known])
            assert f"the feed {site.url}/feed.xml has had no new post since " in "\n".join(done.summary)
            known = first
        assert [count > 5 for count in counts] == [True, True, False, True, False, False, False, True]
        assert {count for count in counts if count <= 5} == {2}, "the feed and the home page"


def test_a_feed_that_is_back_is_taken_up_at_once(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[6:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        for _ in range(3):
            lose(site, Blog(POSTS[5:], in_feed=8), LOST["gone"])
            update(tmp_path, site)
        put(site, Blog(POSTS[3:], in_feed=8))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[3:5])
        assert without_robots(done.requests)[0] == "/feed.xml"
        assert len(without_robots(done.requests)) == 3
        assert not any("has had no new post" in line for line in done.summary)
        assert without_robots(update(tmp_path, site).requests) == ["/feed.xml"]


def test_a_feed_that_the_home_page_names_is_taken_up_at_once(tmp_path):
    with serve() as site:
        put(site, Blog(POSTS[6:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        for _ in range(3):
            lose(site, Blog(POSTS[6:], in_feed=8), LOST["a page"])
            update(tmp_path, site)
        lose(site, Blog(POSTS[4:], in_feed=8, feed_path="/news/atom"), LOST["a page"])
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[4:6])
        assert without_robots(done.requests)[:3] == ["/feed.xml", "/", "/news/atom"]
        assert without_robots(update(tmp_path, site).requests) == ["/news/atom"]


def test_a_feed_of_a_part_of_the_blog_does_not_take_the_place_of_one_that_is_lost(tmp_path):
    class Parted(Blog):
        def routes(self, base):
            part = Blog(self.posts[::4], in_feed=8)
            return super().routes(base) | {"/part.xml": Reply(part.feed(base), content_type="application/rss+xml")}

        def _page(self, title, main):
            link = '<link rel="alternate" type="application/rss+xml" href="/part.xml">'
            return super()._page(title, main).replace("</head>", f"{link}</head>")

    with serve() as site:
        put(site, Parted(POSTS[6:], in_feed=8))
        crawl(tmp_path, f"{site.url}/")
        lose(site, Parted(POSTS[3:], in_feed=8), LOST["gone"])
        assert update(tmp_path, site).urls == sorted(site.url + post.path for post in POSTS[3:6])
        put(site, Parted(POSTS, in_feed=8))
        assert update(tmp_path, site).urls == sorted(site.url + post.path for post in POSTS[:3])


def test_a_feed_that_had_no_entries_yet_is_taken_up_when_it_has_some(tmp_path):
    with serve() as site:
        lose(site, Blog(POSTS[6:], in_feed=8), LOST["empty"])
        assert len(crawl(tmp_path, f"{site.url}/").records) == 24
        lose(site, Blog(POSTS[4:], in_feed=8), LOST["empty"])
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[4:6])
        assert len(without_robots(done.requests)) <= 3 + 2
        put(site, Blog(POSTS, in_feed=8))
        done = update(tmp_path, site)
        assert done.urls == sorted(site.url + post.path for post in POSTS[:4])
        assert {record["provenance"]["fields"]["title"]["source"] for record in done.records} == {"feed"}
        assert without_robots(update(tmp_path, site).requests) == ["/feed.xml"]
