"""Entries of feeds are candidates: feeds also hold pages about the blog, and lists of its posts."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import crawl
from tests.site import Reply

pytestmark = pytest.mark.slow

COUNT = 10


@dataclass
class Hugo(Blog):
    """A blog whose feed holds pages, too: `day` is what it says of theirs."""

    in_feed: int = COUNT
    day: str = "<pubDate>Mon, 01 Jan 0001 00:00:00 +0000</pubDate>"
    static: tuple[str, ...] = ("contact", "uber-mich")

    def routes(self, base):
        items = (
            f"<item><title>{name.title()}</title><link>{base}/{name}/</link><guid>{base}/{name}/</guid>{self.day}</item>"
            for name in self.static
        )
        self.odd_items = "".join(items)
        text = "<p>Words of some length that say who writes here, and why.</p>"
        pages = {f"/{name}/": Reply(self._page(name, f"<h1>{name.title()}</h1>{text}")) for name in self.static}
        self.extra = "".join(f'<a href="/{name}/">{name}</a>' for name in self.static)
        return super().routes(base) | pages


@pytest.mark.parametrize("day", [Hugo.day, "", "<pubDate>0001-01-01T00:00:00Z</pubDate>"])
def test_entries_without_a_date_are_no_posts_for_that(tmp_path, day):
    blog = Hugo(make_posts(COUNT), day=day)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        assert crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl").records == []
    assert outcome.code == 0


@dataclass
class Framed(Hugo):
    """A blog whose pages all have the same links, at the top or at the side, and whose feed dates its pages."""

    day: str = "<pubDate>Mon, 01 Mar 2021 10:00:00 GMT</pubDate>"
    #: posts that all pages link to
    linked: int = 0
    #: of the newest posts, those at the top of the site
    moved: int = 0

    def path(self, post):
        return f"/{post.slug}/" if self.posts.index(post) < self.moved else super().path(post)

    def routes(self, base):
        links = [f"/{name}/" for name in self.static] + [self.path(post) for post in self.posts[: self.linked]]
        frame = "<ul>" + "".join(f'<li><a href="{link}">{link.strip("/")}</a></li>' for link in links) + "</ul></body>"
        day = "<p>By Ann on <time>1 March 2021</time></p></body>"
        routes = super().routes(base)
        pages = {
            path: reply.body.replace("</body>", day) for path, reply in routes.items() if path[1:-1] in self.static
        }
        texts = {path: reply.body for path, reply in routes.items() if path != self.feed_path} | pages
        return routes | {path: Reply(text.replace("</body>", frame)) for path, text in texts.items()}


@pytest.mark.parametrize("static", [("about",), ("contact", "uber-mich")])
def test_pages_with_a_date_that_the_menu_names_are_no_posts(tmp_path, static):
    blog = Framed(make_posts(COUNT), static=static)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        assert crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl").records == []
    assert outcome.code == 0


@pytest.mark.parametrize(("linked", "moved"), [(COUNT, 0), (3, 0), (5, 1), (COUNT, 1), (3, 2)])
def test_posts_that_all_pages_link_to_are_posts(tmp_path, linked, moved):
    blog = Framed(make_posts(COUNT), static=(), linked=linked, moved=moved)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)


def test_where_no_entry_has_a_date_all_are_posts(tmp_path):
    @dataclass
    class Undated(Blog):
        def feed(self, base):
            return super().feed(base).replace("pubDate", "when")

    blog = Undated(make_posts(COUNT), in_feed=COUNT)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.urls == blog.urls(site.url)


@pytest.mark.parametrize("card", ['<h2><a href="{path}">{title}</a></h2>', '<a href="{path}"><h3>{title}</h3></a>'])
def test_lists_in_the_feed_teach_nothing_and_are_no_posts(tmp_path, card):
    """A section's page stands in the feed with the date of its newest post, and lists of the same form do not."""

    @dataclass
    class Sections(Blog):
        def routes(self, base):
            sections = {"/units/north/": self.posts[:2], "/units/south/": self.posts[2:3], "/by/ann/": self.posts[4:5]}
            self.odd_items = "".join(
                f"<item><title>Section {path.split('/')[2]}</title><link>{base}{path}</link>"
                "<pubDate>Sun, 05 Jan 2020 10:00:00 GMT</pubDate></item>"
                for path in sections
                if path.startswith("/units")
            )
            self.extra = "".join(f'<a href="{path}">{path}</a>' for path in sections)
            return super().routes(base) | {path: Reply(self._section(path, own)) for path, own in sections.items()}

        def _section(self, path, posts):
            cards = "".join(
                '<article class="post">'
                + card.format(path=self.path(post), title=post.title)
                + f'<p class="byline">By <span class="who">{post.author}</span> on '
                f"<time>{post.published.day} {post.published:%B %Y}</time></p></article>"
                for post in posts
            )
            return self._page(path, f'<h1 class="headline">{path}</h1>{cards}')

    blog = Sections(make_posts(COUNT), in_feed=8)
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.code == 0, outcome.stderr
    assert outcome.urls == blog.urls(site.url)
    assert [record["title"] for record in outcome.records if record["comments"]] == []


@pytest.mark.parametrize("shown", ["", "<time datetime={0:%Y-%m-%d}>{0:%d %B %Y}</time> "])
def test_dated_lists_of_tags_and_posts_in_the_feed_are_no_posts(tmp_path, shown):
    """They have no article of their own, and the feed says nothing of them but their title and day."""

    @dataclass
    class Tagged(Hugo):
        day: str = "<pubDate>Sun, 05 Jan 2020 10:00:00 GMT</pubDate>"
        static: tuple[str, ...] = ("topics", "topics/sea")

        def routes(self, base):
            routes = super().routes(base)
            posts = [
                f'{shown.format(post.published)}<a href="{self.path(post)}">{post.title}</a>' for post in self.posts
            ]
            for name, items in {"topics": ['<a href="/topics/sea/">sea</a> 9'], "topics/sea": posts}.items():
                text = "".join(f"<li>{item}</li>" for item in items)
                routes[f"/{name}/"] = Reply(self._page(name, f"<h1>{name}</h1><ul>{text}</ul>"))
            return routes

    blog = Tagged(make_posts(COUNT))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert outcome.urls == blog.urls(site.url)
        assert crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl").records == []
    assert outcome.code == 0


def test_pages_of_a_feed_that_has_one_date_for_all(tmp_path):
    """The dates of posts stand on their pages alone, and the feed's pages have none."""

    @dataclass
    class Built(Hugo):
        day: str = "<pubDate>Sun, 05 Jan 2025 10:00:00 GMT</pubDate>"

        def feed(self, base):
            return re.sub("<pubDate>.*?</pubDate>", self.day, super().feed(base))

    blog = Built(make_posts(COUNT))
    with serve(blog) as site:
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
        assert crawl(tmp_path, f"{site.url}/", server=site, spider="updatecrawl").records == []
    assert outcome.urls == blog.urls(site.url)
    assert all(record["published"] for record in outcome.records)


def test_records_with_neither_title_nor_date_are_no_success(tmp_path):
    pages = {
        f"/{name}/": f"<html><body><div><p>{'Words about ' + name + ' . ' * 3}</p></div></body></html>"
        for name in "abc"
    }
    items = "".join(f"<item><link>http://HOST{path}</link></item>" for path in pages)
    blog = Blog([])
    with serve(blog) as site:
        host = site.url.removeprefix("http://")
        feed = f"<rss version='2.0'><channel><title>x</title>{items.replace('HOST', host)}</channel></rss>"
        site.routes = {path: Reply(page) for path, page in pages.items()}
        site.routes["/"] = Reply(
            "<html><head><link rel='alternate' type='application/rss+xml' href='/f'></head></html>"
        )
        site.routes["/f"] = Reply(feed, content_type="application/rss+xml")
        outcome = crawl(tmp_path, f"{site.url}/", server=site)
    assert outcome.records
    assert outcome.code == 1
    assert "neither a title nor a date" in outcome.sentences[0]
