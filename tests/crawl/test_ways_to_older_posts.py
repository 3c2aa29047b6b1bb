"""Older posts are found whatever the way to them is, and the way is not longer than it must be."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from xml.sax.saxutils import escape as xml

import pytest

from tests.crawl.blog import Blog, Post, links, make_posts, serve
from tests.crawl.running import crawl
from tests.site import Reply

pytestmark = pytest.mark.slow

XML = "application/xml; charset=utf-8"


@dataclass
class Archived(Blog):
    """The home page has the newest posts and leads to no others."""

    posts: list[Post] = field(default_factory=lambda: make_posts(60))
    in_feed: int = 5

    def _list(self, number: int) -> str:
        return super()._list(number).replace(">Older<", "><")

    def routes(self, base: str) -> dict[str, Reply]:
        routes = super().routes(base)
        paged = [path for path in routes if "/page/" in path]
        return {path: reply for path, reply in routes.items() if path not in paged} | self.ways()

    def ways(self) -> dict[str, Reply]:
        return {}

    def listing(self, title: str, posts: list[Post], more: str = "") -> Reply:
        items = "".join(f'<li><a href="{self.link(post)}">{escape(post.title)}</a></li>' for post in posts)
        return Reply(self._page(title, f"<h1>{title}</h1><ul>{items}</ul>{more}"))

    def link(self, post: Post) -> str:
        """What lists link to."""
        return self.path(post)


def by_year(posts: list[Post]) -> dict[int, list[Post]]:
    return {year: list(of) for year, of in groupby(posts, key=lambda post: post.published.year)}


class Yearly(Archived):
    """One list for each year, the newest of which is the archive: that it has all known posts says nothing."""

    def ways(self) -> dict[str, Reply]:
        years = by_year(self.posts)
        menu = links([f"/archive/{year}/" for year in years])
        lists = {f"/archive/{year}/": self.listing(str(year), posts, menu) for year, posts in years.items()}
        return lists | {"/archive/": self.listing("Archive", next(iter(years.values())), menu)}

    def _list(self, number: int) -> str:
        return super()._list(number).replace("</ul>", '</ul><a href="/archive/">Archive</a>')


class OnlyMonths(Yearly):
    """The archive lists the months in the way in which each month lists its posts."""

    def ways(self) -> dict[str, Reply]:
        months = {f"/archive/{month}/": list(of) for month, of in groupby(self.posts, key=lambda post: post.path[1:8])}
        items = "".join(f'<li><a href="{path}">{path[9:16]}</a></li>' for path in months)
        archive = Reply(self._page("Archive", f"<h1>Archive</h1><ul>{items}</ul>"))
        return {path: self.listing(path[9:16], posts) for path, posts in months.items()} | {"/archive/": archive}


class ShortLinks(Yearly):
    """The lists have short links, which the server redirects."""

    def link(self, post: Post) -> str:
        return f"/?p={self.posts.index(post) + 1}"

    def ways(self) -> dict[str, Reply]:
        moved = {
            self.link(post): Reply("", 301, content_type="text/html", headers={"Location": self.path(post)})
            for post in self.posts
        }
        return super().ways() | moved


class Related(Yearly):
    """Old posts are at other addresses, and end with headings that lead to others."""

    def path(self, post: Post) -> str:
        at = self.posts.index(post)
        return super().path(post) if at < 30 else f"/node/{at}-{post.slug}"

    def page(self, post: Post) -> str:
        at = self.posts.index(post)
        others = [self.posts[(at + step) % len(self.posts)] for step in (7, 13)]
        more = "".join(f'<h3><a href="{self.path(other)}">{escape(other.title)}</a></h3>' for other in others)
        return super().page(post).replace("</div></article>", f"<div>{more}</div></div></article>")


class Chained(Archived):
    """Each post leads to the one before it; nothing lists them."""

    def page(self, post: Post) -> str:
        at = self.posts.index(post)
        older = self.posts[at + 1 : at + 2]
        more = "".join(f'<a rel="prev" href="{self.path(other)}">{escape(other.title)}</a>' for other in older)
        return super().page(post).replace("</article>", f"</article><nav>{more}</nav>")


@pytest.mark.parametrize(
    ("kind", "others"), [(Yearly, 12), (OnlyMonths, 65), (ShortLinks, 12), (Related, 12), (Chained, 6)]
)
def test_all_are_found(tmp_path, kind, others):
    blog = kind()
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
    pages = [target for target in done.requests if not target.startswith("/?p=")]
    assert len(pages) <= len(blog.posts) + others


class Copied(Chained):
    """Each post has copies, which lead to its neighbours as it does itself."""

    def routes(self, base: str) -> dict[str, Reply]:
        routes = super().routes(base)
        copies = {f"{self.path(post)}amp/": routes[self.path(post)] for post in self.posts}
        return routes | copies | {f"{self.path(post)}?print=1": routes[self.path(post)] for post in self.posts}

    def page(self, post: Post) -> str:
        path = self.path(post)
        return (
            super()
            .page(post)
            .replace("</nav>", f'</nav><p><a href="{path}amp/">AMP</a> <a href="{path}?print=1">Print</a></p>')
        )


def test_copies_of_posts_are_left_alone(tmp_path):
    blog = Copied()
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
    assert sum(target.endswith(("amp/", "?print=1")) for target in done.requests) <= 0.05 * len(done.requests)


@dataclass
class Moved(Blog):
    """All posts are linked among each other and are in the archive, but those of the time before the blog moved."""

    posts: list[Post] = field(default_factory=lambda: make_posts(60))
    old: list[Post] = field(default_factory=lambda: make_posts(15, seed=9))

    def page(self, post: Post) -> str:
        if post in self.old:
            return super().page(post)
        at = self.posts.index(post)
        near = [self.posts[(at + step) % len(self.posts)] for step in (1, 7, -1, -11)]
        return super().page(post).replace("</main>", f"<p>{links([self.path(other) for other in near])}</p></main>")

    def old_path(self, post: Post) -> str:
        return f"/diary/{post.slug}.html"

    def routes(self, base: str) -> dict[str, Reply]:
        lists = {
            "/archives/": [(self.path(post), post) for post in self.posts],
            "/archive.html": [(self.old_path(post), post) for post in self.old],
        }
        routes = super().routes(base) | {self.old_path(post): Reply(self.page(post)) for post in self.old}
        for path, listed in lists.items():
            items = "".join(f'<li><a href="{target}">{escape(post.title)}</a></li>' for target, post in listed)
            routes[path] = Reply(self._page("Archive", f"<h1>Archive</h1><ul>{items}</ul>"))
        menu = '<nav><a href="/archives/">Archive</a> <a href="/archive.html">Archive 2004-2009</a></nav></header>'
        return {
            path: Reply(str(reply.body).replace("</header>", menu), content_type=reply.content_type)
            for path, reply in routes.items()
        }


def test_a_list_of_the_time_before_is_looked_at_though_another_has_all_that_is_known(tmp_path):
    blog = Moved()
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == sorted(blog.urls(site.url) + [site.url + blog.old_path(post) for post in blog.old])


@dataclass
class HalfListed(Blog):
    """A source has the newest half of the posts; pages of lists have all. Posts do not lead to each other."""

    posts: list[Post] = field(default_factory=lambda: make_posts(60))
    source: str = "sitemap"
    in_feed: int = 5

    def routes(self, base: str) -> dict[str, Reply]:
        newest = self.posts[: len(self.posts) // 2]
        if self.source == "sitemap":
            urls = "".join(f"<url><loc>{xml(base + self.path(post))}</loc></url>" for post in newest)
            whole = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
            return super().routes(base) | {"/sitemap.xml": Reply(whole, content_type=XML)}
        parts = [newest[at : at + self.in_feed] for at in range(0, len(newest), self.in_feed)]
        feeds = {self.feed_at(number): self.part(base, parts, number) for number in range(len(parts))}
        return super().routes(base) | {path: Reply(text, content_type=XML) for path, text in feeds.items()}

    def feed_at(self, number: int) -> str:
        return f"/feed-{number}.xml" if number else self.feed_path

    def part(self, base: str, parts: list[list[Post]], number: int) -> str:
        items = "".join(self._item(post, base) for post in parts[number])
        older = f'<atom:link rel="next" href="{base}{self.feed_at(number + 1)}"/>' if number + 1 < len(parts) else ""
        begun, _, _ = super().feed(base).partition("<item>")
        named = begun.replace("<rss ", '<rss xmlns:atom="http://www.w3.org/2005/Atom" ')
        return f"{named}{older}{items}</channel></rss>"


@pytest.mark.parametrize("source", ["sitemap", "feed"])
def test_a_source_that_ends_too_early_is_no_proof(tmp_path, source):
    blog = HalfListed(source=source)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
    assert "is incomplete: " in done.stderr


class BesideGoods(Blog):
    """The sitemap lists the posts, and as many pages at addresses of their form that are none, which lead on."""

    def routes(self, base: str) -> dict[str, Reply]:
        goods = [f"/{2018 + at % 3}/{at % 12 + 1:02}/kit-{at}-of-parts/" for at in range(len(self.posts))]
        made = {path: Reply(self._page("Kit", f'<h2>{path}</h2><a href="/cart?x={path}">Buy</a>')) for path in goods}
        urls = "".join(f"<url><loc>{base}{path}</loc></url>" for path in [*self.paths(), *goods])
        whole = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
        return super().routes(base) | made | {"/sitemap.xml": Reply(whole, content_type=XML)}


def test_pages_of_a_proof_are_fetched_once(tmp_path):
    blog = BesideGoods(make_posts(60), in_feed=10)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
    assert done.repeated == {}
