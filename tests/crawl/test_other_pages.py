"""Crawls of blogs whose other pages look like posts, and whose old posts have addresses of another form."""

from __future__ import annotations

import pytest

from tests.crawl.blog import make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.weblog import Static, Weblog, number

pytestmark = pytest.mark.slow

DATED = (Static("/now/", "Now", dated=True), Static("/uses/", "Uses", dated=True), Static("/about/", "About"))


@pytest.mark.parametrize("has_attachments", [True, False])
def test_all_posts_and_no_other_pages_are_kept(tmp_path, has_attachments):
    blog = Weblog(
        make_posts(16),
        in_feed=6,
        old_from=8,
        statics=DATED,
        popular=(9, 14),
        old_form=lambda post: f"/archives/{number(post):06}.html",
        old_template="table",
        has_attachments=has_attachments,
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert set(done.repeated) <= {"/robots.txt"}, "a page that cannot be told at first is not fetched again"


def test_pages_that_cannot_be_told_yet_are_told_when_a_limit_ends_the_crawl(tmp_path):
    blog = Weblog(make_posts(16), in_feed=6, statics=DATED, popular=(9, 14))
    with serve(blog) as site:
        first = crawl(tmp_path, f"{site.url}/", PAGE_LIMIT=14)
        assert first.code == 0, first.stderr
        last = crawl(tmp_path, f"{site.url}/")
        assert last.code == 0, last.stderr
        assert last.urls == blog.urls(site.url)
