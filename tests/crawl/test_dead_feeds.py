"""Blogs whose feed leads nowhere are read from what their pages list."""

from __future__ import annotations

import socket
from contextlib import closing
from dataclasses import dataclass, replace

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl, query
from tests.site import LocalSite, Reply

COUNT = 12


@dataclass
class Moved(Blog):
    """A blog whose feed still names the addresses that its posts had before, and has no titles."""

    in_feed: int = COUNT
    #: posts of the feed whose links are right
    alive: int = 0

    def _item(self, post, base):
        number = self.posts.index(post)
        item = super()._item(post, base)
        if number < self.alive:
            return item
        item = item.replace(f"{base}{self.path(post)}", f"{base}/old{self.path(post)}")
        return item.replace(f"<title>{post.title}</title>", "<title>TODO</title>")


def answers(how: str, site: LocalSite, blog: Moved) -> None:
    """Have the old addresses of the posts answered."""
    for post in blog.posts:
        old = f"/old{blog.path(post)}"
        page = f"<h1>Not here</h1><p>There is nothing at {old}, which is a pity.</p><p>Perhaps it has moved away.</p>"
        if how == "page":
            site.routes[old] = Reply(blog._page("Lost", page))
        elif how == "home":
            site.routes[old] = Reply("", 302, headers={"Location": "/"})
        elif how == "gone":
            site.routes[old] = Reply("gone", 410)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["missing", "page", "home", "gone"])
def test_a_feed_of_dead_links_is_done_without(tmp_path, how):
    blog = Moved(make_posts(COUNT))
    with serve(blog) as site:
        answers(how, site, blog)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert any(f"since no entry of {site.url}/feed.xml leads to a post" in line for line in outcome.summary)
    for post in blog.posts:
        record = outcome.record(site.url + blog.path(post))
        assert (record["title"], record["content_text"]) == (post.title, post.text)


@pytest.mark.slow
def test_a_feed_of_dead_links_that_the_user_names(tmp_path):
    blog = Moved(make_posts(COUNT))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/feed.xml", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["missing", "page"])
def test_the_few_links_that_are_alive_are_learned_from(tmp_path, how):
    blog = Moved(make_posts(COUNT), alive=2)
    with serve(blog) as site:
        answers(how, site, blog)
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
def test_a_feed_of_a_host_that_is_gone(tmp_path):
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{probe.getsockname()[1]}"
    blog = Moved(make_posts(COUNT), feed_link=gone + "{path}", alive=COUNT)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site, RETRY_TIMES=0)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert query(tmp_path, "SELECT home FROM blog") == [(f"{site.url}/",)]


@pytest.mark.slow
@pytest.mark.parametrize("real", ["/atom.xml", "/rss.xml", "/index.xml"])
def test_a_feed_that_no_page_names_in_place_of_one_that_leads_to_no_post(tmp_path, real):
    """The only one that pages name is of sounds; it is not asked for posts, and the blog's own is at a usual place."""
    blog = Blog(make_posts(COUNT), in_feed=5, feed_path=real)
    with serve(blog) as site:
        episodes = [replace(post, slug=f"talk-{number}") for number, post in enumerate(blog.posts[:3])]
        talks = Blog(episodes, feed_link="{base}/{slug}.mp3", feed_path="/talks.xml")
        for path, reply in site.routes.items():
            if path != real:
                site.routes[path] = replace(reply, body=reply.body.replace(f'href="{real}"', 'href="/talks.xml"'))
        site.routes["/talks.xml"] = Reply(talks.feed(site.url), content_type="application/rss+xml")
        for number in range(3):
            site.routes[f"/talk-{number}.mp3"] = Reply(b"ID3" + bytes(900), content_type="audio/mpeg")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.code == 0, outcome.stderr
        assert outcome.urls == blog.urls(site.url)
        assert not any("no feed" in line for line in outcome.summary)
        record = outcome.record(site.url + blog.path(blog.posts[0]))
        assert (record["authors"], record["guid"]) == ([blog.posts[0].author], f"tag:{blog.posts[0].slug}")
        blog.posts = [*make_posts(COUNT + 1)[:1], *blog.posts]
        site.routes |= blog.routes(site.url)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl")
    assert outcome.urls == [site.url + blog.posts[0].path]


@pytest.mark.slow
def test_posts_that_look_alike_are_posts(tmp_path):
    """Two entries of one text, under a title that their pages show: not what is shown for lost pages."""
    posts = make_posts(8)
    twins = [
        type(post)(post.slug, "Photo of the day", "Ann Archer", posts[0].published, ("A lake.",)) for post in posts[:2]
    ]
    blog = Blog([*twins, *posts[2:]], in_feed=8)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
def test_an_update_of_a_blog_with_a_dead_feed_finds_what_its_lists_show(tmp_path):
    posts = make_posts(COUNT)
    with serve(Moved(posts[1:])) as site:
        assert crawl(tmp_path, f"{site.url}/", server=site).code == 0
        site.routes = Moved(posts).routes(site.url)
        outcome = crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl")
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == [site.url + posts[0].path]
