"""Articles that are spread over several pages are one record each."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

import pytest

from tests.crawl.blog import Blog, Post, make_posts, serve
from tests.crawl.running import crawl, kept
from tests.site import Reply

pytestmark = pytest.mark.slow


@dataclass
class SpreadBlog(Blog):
    """Some posts have a page for each paragraph; the feed brings the first page, or all."""

    spread: set[int] = field(default_factory=lambda: {1, 6, 7})
    #: address of a further page, from the post's
    further: str = "{path}{number}/"
    pager: str = '<p class="page-links">Pages: {links}</p>'
    feed_has_all: bool = False

    def routes(self, base: str) -> dict[str, Reply]:
        routes = super().routes(base)
        for at in self.spread:
            post = self.posts[at]
            for number in range(2, len(post.paragraphs) + 1):
                routes[self.address(post, number)] = Reply(self.part(post, number))
        return routes

    def address(self, post: Post, number: int) -> str:
        path = self.path(post)
        return path if number == 1 else self.further.format(path=path, number=number)

    def page(self, post: Post) -> str:
        return self.part(post, 1) if self.posts.index(post) in self.spread else super().page(post)

    def part(self, post: Post, number: int) -> str:
        count = len(post.paragraphs)
        numbers = [
            str(other) if other == number else f'<a href="{self.address(post, other)}">{other}</a>'
            for other in range(1, count + 1)
        ]
        text = f"<p>{escape(post.paragraphs[number - 1])}</p>{self.pager.format(links=' '.join(numbers))}"
        return super().page(post).replace(post.html, text)

    def feed(self, base: str) -> str:
        whole = super().feed(base)
        for at in () if self.feed_has_all else self.spread:
            post = self.posts[at]
            whole = whole.replace(escape(post.html), escape(f"<p>{post.paragraphs[0]}</p>"))
        return whole


def texts(done, site, blog) -> dict[str, str]:
    by_url = {record["url"]: record["content_text"] for record in done.records}
    return {post.slug: by_url.get(site.url + blog.path(post)) for post in blog.posts}


@pytest.mark.parametrize("further", ["{path}{number}/", "{path}?page={number}", "{path}page/{number}/"])
@pytest.mark.parametrize("feed_has_all", [True, False])
def test_pages_become_one(tmp_path, further, feed_has_all):
    blog = SpreadBlog(make_posts(12), in_feed=5, further=further, feed_has_all=feed_has_all)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert texts(done, site, blog) == {post.slug: post.text for post in blog.posts}
        pages = [target for target in done.requests if target not in {"/", "/feed.xml", "/robots.txt"}]
        assert len(pages) == len(set(pages))


def test_a_page_that_is_missing_costs_itself_alone(tmp_path):
    blog = SpreadBlog(make_posts(12), in_feed=5)
    post = blog.posts[6]
    with serve(blog) as site:
        site.routes[blog.address(post, 2)] = Reply("", 500)
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        assert texts(done, site, blog)[post.slug] == f"{post.paragraphs[0]}\n\n{post.paragraphs[2]}"
        assert any("500" in line for line in done.summary)


def test_lists_and_neighbours_are_no_pages_of_a_post(tmp_path):
    blog = SpreadBlog(make_posts(12), spread=set())
    with serve(blog) as site:
        for post, older in zip(blog.posts, blog.posts[1:], strict=False):
            reply = site.routes[blog.path(post)]
            more = f'<a rel="next" href="{blog.path(older)}">2</a><a href="/page/2/">2</a></article>'
            site.routes[blog.path(post)] = Reply(reply.body.replace("</article>", more))
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert {len(record["content_text"].split("\n\n")) for record in done.records} == {3}


@dataclass
class SeriesBlog(Blog):
    """The second part of a series is a post of its own, at an address below the first one's."""

    def path(self, post: Post) -> str:
        return f"{super().path(self.posts[8])}2/" if post is self.posts[7] else super().path(post)


def test_a_post_below_another_one_s_address_is_one_of_its_own(tmp_path):
    blog = SeriesBlog(make_posts(12), in_feed=5)
    first, second = blog.posts[8], blog.posts[7]
    with serve(blog) as site:
        reply = site.routes[blog.path(first)]
        more = f'<a href="{blog.path(second)}">Next part</a></article>'
        site.routes[blog.path(first)] = Reply(reply.body.replace("</article>", more))
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        found = texts(done, site, blog)
        assert found[second.slug] == second.text
        assert second.paragraphs[0] not in (found[first.slug] or "")
