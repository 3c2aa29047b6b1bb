"""A small blog to crawl, made of words without meaning, with whatever oddity a test wants."""

from __future__ import annotations

import random
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from html import escape
from typing import TYPE_CHECKING

from tests.site import LocalSite, Reply

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.demo import DemoServer

_SYLLABLES = [
    "ba",
    "cor",
    "de",
    "fin",
    "gal",
    "hem",
    "jun",
    "kel",
    "lom",
    "mar",
    "nos",
    "pir",
    "quen",
    "rus",
    "sil",
    "tam",
    "ul",
    "ver",
    "wen",
    "yor",
]
_AUTHORS = ("Ann Archer", "Bo Baker")
_RSS = "application/rss+xml; charset=utf-8"


@dataclass(frozen=True)
class Post:
    """A post; `path` is its permalink's, below the blog's folder."""

    slug: str
    title: str
    author: str
    published: datetime
    paragraphs: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/{self.published:%Y/%m}/{self.slug}/"

    @property
    def html(self) -> str:
        return "\n".join(f"<p>{escape(text)}</p>" for text in self.paragraphs)

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


def make_posts(count: int, *, seed: int = 1) -> list[Post]:
    """So many posts, newest first, the same for the same seed."""
    return [_post(number, random.Random(seed * 1000 + number)) for number in range(count, 0, -1)]


def _post(number: int, source: random.Random) -> Post:
    words = [_words(source, 3)[0] + str(number), *_words(source, 2)]
    paragraphs = tuple(" ".join(_words(source, source.randint(30, 60))).capitalize() + "." for _ in range(3))
    published = datetime(2020, 1, 5, 9, 30, tzinfo=UTC) + timedelta(days=23 * number, minutes=7 * number)
    return Post("-".join(words), " ".join(words).capitalize(), source.choice(_AUTHORS), published, paragraphs)


def _words(source: random.Random, count: int) -> list[str]:
    return ["".join(source.choices(_SYLLABLES, k=source.randint(1, 3))) for _ in range(count)]


@dataclass
class Blog:
    """A blog in a folder of a site; `routes` makes what `LocalSite` serves, given the site's address."""

    posts: list[Post] = field(default_factory=lambda: make_posts(8))
    in_feed: int = 4
    #: folder, without a slash at its end
    folder: str = ""
    feed_path: str = "/feed.xml"
    #: whether pages name the feed
    names_feed: bool = True
    per_page: int = 4
    language: str = "en"
    name: str = "Blog of words"
    #: HTML that stands on the home page below the posts
    extra: str = ""
    #: what the feed writes as the link of a post
    feed_link: str = "{base}{path}"
    #: items of the feed besides the posts', as XML
    odd_items: str = ""

    def routes(self, base: str) -> dict[str, Reply]:
        """Every page, by path."""
        pages = {f"{self.folder}/": self._list(1)}
        for number in range(2, -(-len(self.posts) // self.per_page) + 1):
            pages[f"{self.folder}/page/{number}/"] = self._list(number)
        pages[f"{self.folder}/about/"] = self._page("About", "<h1>About</h1><p>Words about this blog.</p>")
        pages |= {self.path(post): self.page(post) for post in self.posts}
        routes = {path: Reply(html) for path, html in pages.items()}
        routes[self.folder + self.feed_path] = Reply(self.feed(base), content_type=_RSS)
        return routes

    def path(self, post: Post) -> str:
        return self.folder + post.path

    def paths(self) -> list[str]:
        """The paths of all posts, sorted."""
        return sorted(map(self.path, self.posts))

    def urls(self, base: str) -> list[str]:
        """The addresses of all posts, sorted."""
        return [base + path for path in self.paths()]

    def page(self, post: Post) -> str:
        """A post's page."""
        day = f"{post.published.day} {post.published:%B %Y}"
        return self._page(
            post.title,
            f'<article class="post"><h1 class="headline">{escape(post.title)}</h1>'
            f'<p class="byline">By <span class="who">{post.author}</span> on <time>{day}</time></p>'
            f'<div class="text">{post.html}</div></article>',
        )

    def feed(self, base: str) -> str:
        """The newest posts as RSS with their whole articles."""
        items = "".join(self._item(post, base) for post in self.posts[: self.in_feed])
        return (
            '<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" '
            'xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
            f"<title>{self.name}</title><link>{base}{self.folder}/</link><description>Words</description>"
            f"<language>{self.language}</language>{items}{self.odd_items}</channel></rss>"
        )

    def _item(self, post: Post, base: str) -> str:
        link = self.feed_link.format(base=base, path=self.path(post), slug=post.slug)
        return (
            f"<item><title>{escape(post.title)}</title><link>{escape(link)}</link>"
            f'<guid isPermaLink="false">tag:{post.slug}</guid><dc:creator>{post.author}</dc:creator>'
            f"<pubDate>{format_datetime(post.published)}</pubDate>"
            f"<content:encoded>{escape(post.html)}</content:encoded></item>"
        )

    def listed(self, posts: Iterable[Post]) -> str:
        """A page that lists some posts."""
        return self._page(self.name, f'<ul class="list">{self._items(posts)}</ul>')

    def _items(self, shown: Iterable[Post]) -> str:
        return "".join(
            f'<li><h2><a href="{self.path(post)}">{escape(post.title)}</a></h2><p>{post.paragraphs[0][:80]} …</p></li>'
            for post in shown
        )

    def _list(self, number: int) -> str:
        items = self._items(self.posts[(number - 1) * self.per_page : number * self.per_page])
        older = f'<a rel="next" href="{self.folder}/page/{number + 1}/">Older</a>'
        more = older if number * self.per_page < len(self.posts) else ""
        return self._page(self.name, f'<ul class="list">{items}</ul>{more}{self.extra if number == 1 else ""}')

    def _page(self, title: str, main: str) -> str:
        feed = f'<link rel="alternate" type="application/rss+xml" href="{self.folder}{self.feed_path}">'
        return (
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
            f'{feed if self.names_feed else ""}</head><body><header><a class="home" href="{self.folder}/">{self.name}'
            f'</a> <a href="{self.folder}/about/">About</a></header><main>{main}</main>'
            "<footer>Words without meaning, all rights reserved.</footer></body></html>"
        )


class Site(LocalSite):
    """A site that tells what it was asked for."""

    @property
    def targets(self) -> list[str]:
        return self.paths

    def reset(self, *blogs: Blog) -> None:
        """Serve these blogs and nothing else."""
        self.routes = {path: reply for blog in blogs for path, reply in blog.routes(self.url).items()}


@dataclass(frozen=True)
class DemoTargets:
    """The demonstration blog's server, as one that tells what it was asked for."""

    server: DemoServer

    @property
    def targets(self) -> list[str]:
        return [target for _, target in self.server.requests]


@contextmanager
def serve(*blogs: Blog) -> Iterator[Site]:
    """A site with these blogs on it."""
    with Site({}) as site:
        site.reset(*blogs)
        yield site


def links(targets: Iterable[str]) -> str:
    """A list of links."""
    return "<ul>" + "".join(f'<li><a href="{escape(target)}">{escape(target)}</a></li>' for target in targets) + "</ul>"
