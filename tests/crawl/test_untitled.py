"""Blogs without a feed whose posts have no titles are found by what their lists show: date, permalink, and text."""

from __future__ import annotations

import pytest

from tests.crawl.blog import make_posts, serve
from tests.crawl.running import crawl
from tests.crawl.untitled import Notes

pytestmark = pytest.mark.slow

PICTURE = '<div class="photo"><a href="{path}"><img src="/{number}.jpg" alt=""></a><p>{text}</p><b>{day}</b></div>'
BLOGS = {
    "the date is the link": Notes(),
    "the address has the date": Notes(form="/{at:%Y/%m/%d/%H%M%S}.html"),
    "a sign is the link": Notes(
        note='<article><p>{text}</p><footer><time>{day}</time> <a href="{path}">#</a></footer></article>'
    ),
    "a word is the link": Notes(note='<h5>{day}</h5><p>{text}</p><p><a href="{path}">Permalink</a></p>'),
    "pictures": Notes(make_posts(27), note=PICTURE, form="/photo/{number}/"),
}


@pytest.mark.parametrize("name", BLOGS)
def test_untitled_posts_are_found(tmp_path, name):
    blog = BLOGS[name]
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        for post in blog.posts:
            record = done.record(site.url + blog.path(post))
            assert record["title"] is None
            assert record["published"] == post.published.date().isoformat()
            assert blog.text(post) in record["content_text"]
