"""Blogs among traps of every kind, each site with addresses of its own forms."""

from __future__ import annotations

import json

import pytest

from blogcrawler import settings
from tests.crawl.blog import make_posts
from tests.crawl.running import crawl
from tests.crawl.trapped import ALL, TrappedBlog, serve, trapped

pytestmark = pytest.mark.slow

MOST = {"folders": 0.05, "queries": 0.3, "flat": 0.45}
"""Share of all requests that traps may take, twelve kinds of them beside forty posts: two of each
kind that adds something to a post's address are looked at, since translations may be there. Where no links between posts confirm
that a list has all of them, five pages in vain are needed to end; where posts are words at the top of the site, addresses
that lead nowhere cannot be told from them until some were tried, and tags of tags have the addresses of tags."""
SLOW = """
import asyncio


class Reading:
    async def process_spider_output(self, response, result):
        await asyncio.sleep(0.05)
        async for one in result:
            yield one


class Keeping:
    async def process_item(self, item):
        await asyncio.sleep(1)
        return item
"""
"""Extensions of somebody's own, by which pages are read some time after they were fetched, and records kept later."""


class Asked:
    """What a site was asked for."""

    def __init__(self, site):
        self._site = site

    @property
    def targets(self):
        return self._site.paths


@pytest.mark.parametrize("name", ALL)
def test_all_posts_are_found_at_little_cost(tmp_path, name):
    blog = TrappedBlog(forms=ALL[name])
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=Asked(site), TIME_LIMIT=60)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url), "each post once"
    assert len(done.requests) < 2 * len(blog.posts) + 20
    found = trapped(done.requests, blog)
    assert found.total() <= MOST[name] * len(done.requests), found


@pytest.mark.parametrize(
    ("name", "kind", "lists_all", "most"),
    [
        ("flat", "lost", True, 11),
        ("flat", "lost", False, 11),
        ("queries", "session", True, 9),
        ("folders", "calendar", False, 11),
        ("folders", "maze", False, 8),
        ("folders", "dangling", True, 10),
        ("folders", "paging", False, 7),
    ],
)
def test_one_kind_of_traps(tmp_path, name, kind, lists_all, most):
    """Where no page lists all posts, a kind of traps is given up after ten pages, and one more that was under way."""
    blog = TrappedBlog(
        posts=make_posts(90),
        forms=ALL[name],
        only=kind,
        has_archive=lists_all,
        lost_shows="sorry" if lists_all else "the newest post",
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=Asked(site), TIME_LIMIT=60)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url), "each post once"
    assert sum(trapped(done.requests, blog).values()) <= most


def test_lists_wait_for_posts_that_are_not_read_yet(tmp_path, monkeypatch):
    """However many records of other posts are in the pipeline: each of these posts leads to the next one.

    A list that is asked for too early finds the posts in their place. What posts lead to checks no list then.
    """
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    blog = TrappedBlog(posts=make_posts(24), in_feed=8)
    with serve(blog) as site:
        done = crawl(
            tmp_path,
            f"{site.url}/",
            server=Asked(site),
            TIME_LIMIT=60,
            SPIDER_MIDDLEWARES=json.dumps({"slow.Reading": 100}),
            ITEM_PIPELINES=json.dumps({**settings.ITEM_PIPELINES, "slow.Keeping": 600}),
        )
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url), "each post once"
    first = done.requests.index(blog.path(blog.posts[0]))
    assert set(done.requests[first:][: len(blog.posts) + 1]) == {*map(blog.path, blog.posts), "/sitemap.xml"}
