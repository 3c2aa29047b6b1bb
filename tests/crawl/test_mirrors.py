"""A blog whose pages are there under several addresses: each post becomes one record, and is fetched once."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.crawl.mirrored import (
    Categories,
    Copied,
    Files,
    Hosts,
    Letters,
    Mobile,
    Moved,
    Schemes,
    Secured,
    Slashes,
    copied,
    serve,
)
from tests.crawl.running import crawl

pytestmark = pytest.mark.slow

BLOGS = {
    "hosts": Hosts(),
    "schemes": Schemes(),
    "schemes, redirected": Secured(),
    "mobile": Mobile(has_canonical=True),
    "print": Copied(form="/print{path}"),
    "slashes": Slashes(),
    "slashes, canonical": Slashes(has_canonical=True),
    "categories": Categories(),
    "categories, canonical": Categories(has_canonical=True),
    "files": Files(has_canonical=True),
    "letters": Letters(has_sitemap=True),
    "moved": Moved(has_sitemap=True),
}


@pytest.mark.parametrize("name", BLOGS)
def test_each_post_is_fetched_once(tmp_path, name):
    blog = BLOGS[name]
    with serve(blog) as web:
        done = crawl(tmp_path, blog.start, server=web, proxy=web.url, DOWNLOAD_VERIFY_CERTIFICATES=False)
    assert done.code == 0, done.stderr
    assert Counter(map(blog.pages.get, done.urls)) == Counter(blog.paths()), "each post once"
    assert copied(done.requests, blog) <= max(5, 0.05 * len(done.requests))
