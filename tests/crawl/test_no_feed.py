"""Blogs whose feed was taken away are crawled from what their pages list."""

from __future__ import annotations

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import command, crawl, run
from tests.site import Reply

COUNT = 12


class Unfed(Blog):
    """A blog without a feed."""

    def routes(self, base):
        routes = super().routes(base)
        del routes[self.folder + self.feed_path]
        return routes


class Archived(Unfed):
    """A blog whose home page shows no posts; a page of archives lists them by day."""

    def routes(self, base):
        routes = super().routes(base)
        items = "".join(
            f'<tr><td>{post.published:%Y-%m-%d}</td><td><a href="{self.path(post)}">{post.title}</a></td></tr>'
            for post in self.posts
        )
        routes[f"{self.folder}/archives/"] = Reply(self._page("Archives", f"<h1>Archives</h1><table>{items}</table>"))
        hello = '<h1>Hello</h1><p>These are words.</p><a href="/archives/">All posts</a>'
        routes[f"{self.folder}/"] = Reply(self._page(self.name, hello))
        return routes


class Manual(Unfed):
    """A blog with a home page that presents its parts, on undated pages; only a menu lists the posts, without days."""

    def routes(self, base):
        routes = super().routes(base)
        links = "".join(f'<li><a href="{self.path(post)}">{post.title}</a></li>' for post in self.posts)
        parts = {name: f"{name} has all that we ever wrote of it. " * 4 for name in ("Gardens", "Harbours", "Kitchens")}
        cards = "".join(
            f'<div><h2><a href="/{name}/">{name}</a></h2><p>{text}</p></div>' for name, text in parts.items()
        )
        menu = f"<nav><ul>{links}</ul></nav>"
        routes[f"{self.folder}/"] = Reply(self._page(self.name, f"{cards}{menu}"))
        for name, text in parts.items():
            routes[f"{self.folder}/{name}/"] = Reply(self._page(name, f"<h1>{name}</h1><div><p>{text}</p></div>{menu}"))
        return routes


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Unfed, Archived, Manual])
def test_all_posts_are_found_and_read(tmp_path, kind):
    blog = kind(names_feed=False, posts=make_posts(COUNT))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert any("no feed: posts were found by the blog's list pages" in line for line in outcome.summary)
    for post in blog.posts:
        record = outcome.record(site.url + blog.path(post))
        assert record["title"] == post.title
        assert record["published"] == post.published.date().isoformat()
        assert record["content_text"] == post.text
        assert record["blog"] == f"{site.url}/"
        assert {value["source"] for value in record["provenance"]["fields"].values()} <= {
            "rule",
            "metadata",
            "fallback",
        }


@pytest.mark.slow
def test_where_all_links_are_dead_the_sitemap_in_the_blog_s_folder_leads_to_the_posts(tmp_path):
    blog = Unfed(names_feed=False, folder="/moved", posts=make_posts(COUNT))
    with serve(blog) as site:
        for path in [path for path in site.routes if path.startswith("/moved")]:
            page = site.routes[path]
            site.routes[path] = Reply(page.body.replace('href="/moved/', 'href="/before/'), page.status)
        urls = "".join(f"<url><loc>{url}</loc></url>" for url in blog.urls(site.url))
        site.routes["/moved/sitemap.xml"] = Reply(f"<urlset>{urls}</urlset>", content_type="application/xml")
        outcome = crawl(tmp_path, f"{site.url}/moved/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.slow
def test_the_start_may_be_a_post(tmp_path):
    blog = Unfed(names_feed=False, posts=make_posts(COUNT))
    with serve(blog) as site:
        outcome = crawl(tmp_path, site.url + blog.path(blog.posts[0]), server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert {record["blog"] for record in outcome.records} == {f"{site.url}/"}


@pytest.mark.slow
def test_the_rules_can_be_shown(tmp_path):
    blog = Unfed(names_feed=False, posts=make_posts(COUNT))
    with serve(blog) as site:
        assert crawl(tmp_path, f"{site.url}/", server=site).code == 0
        shown = run(tmp_path, [*command("x")[:3], "rules", f"{site.url}/", "-s", "DATABASE_URL=sqlite:///archive.db"])
    assert shown.code == 0, shown.stderr
    assert "published" in shown.stdout


@pytest.mark.slow
def test_pages_that_are_no_blog_are_refused_in_a_sentence(tmp_path):
    blog = Unfed(names_feed=False, posts=[])
    with serve(blog) as site:
        shop = "".join(f'<li><a href="/thing-{number}/">A thing of number {number}</a></li>' for number in range(9))
        site.routes["/"] = Reply(f"<html><body><ul>{shop}</ul></body></html>")
        for number in range(9):
            site.routes[f"/thing-{number}/"] = Reply("<html><body><p>Buy it, it is a thing.</p></body></html>")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 1
    assert len(outcome.sentences) == 1
    assert "No feed was found" in outcome.sentences[0]


@pytest.mark.slow
def test_a_blog_in_a_folder_is_not_mixed_with_the_one_around_it(tmp_path):
    blog = Unfed(names_feed=False, folder="/tr", posts=make_posts(8))
    other = Archived(names_feed=False, posts=make_posts(8, seed=2), name="Another blog")
    blog.extra = '<a href="/archives/">Archives of another blog</a>'
    with serve(blog, other) as site:
        outcome = crawl(tmp_path, f"{site.url}/tr/", "-s", "PAGE_LIMIT=12", server=site)
    assert outcome.code == 0, outcome.stderr
    assert {url for url in outcome.urls if "/tr/" in url} == set(outcome.urls)
