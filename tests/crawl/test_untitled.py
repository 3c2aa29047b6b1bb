"""Blogs without a feed whose posts have no titles are found by what their lists show: date, permalink, and text."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Post, make_posts, serve
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


class Mixed(Notes):
    """Notes among posts with titles, which stand in their lists as these do."""

    def path(self, post: Post) -> str:
        return super().path(post) if self._number(post) % 3 else self.folder + post.path

    def _shown(self, post: Post) -> str:
        title = "" if self._number(post) % 3 else f'<h2><a href="{self.path(post)}">{post.title}</a></h2>'
        return super()._shown(post).replace("{title}", title)


@pytest.mark.parametrize(
    "note",
    [
        '<article>{{title}}<p>{text}</p><footer><a href="{path}"><time>{day}</time></a></footer></article>',
        '<div><small>{day}</small>{{title}}<p>{text}</p><p><a href="{path}">Permalink</a></p></div>',
    ],
)
def test_untitled_posts_among_others_are_found(tmp_path, note):
    blog = Mixed(make_posts(30), note=note, form="/{at:%Y/%m/%d}/{number}")
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        for post in blog.posts:
            record = done.record(site.url + blog.path(post))
            assert record["title"] == (None if blog._number(post) % 3 else post.title)
            assert record["published"] == post.published.date().isoformat()
