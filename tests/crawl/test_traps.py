"""Blogs among traps of every kind, each site with addresses of its own forms."""

from __future__ import annotations

import pytest

from tests.crawl.running import crawl
from tests.crawl.trapped import ALL, TrappedBlog, serve, trapped

pytestmark = pytest.mark.slow

MOST = {"folders": 0.05, "queries": 0.4, "flat": 0.45}
"""Share of all requests that traps may take. Where no links between posts confirm that a list has all of them, ten pages
in vain are needed to end; where posts are words at the top of the site, addresses that lead nowhere cannot be told from
them until some were tried, and tags of tags have the addresses of tags."""


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
    assert sum(trapped(done.requests, blog).values()) <= MOST[name] * len(done.requests)
