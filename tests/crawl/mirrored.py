"""A blog that is there under several addresses: hosts, schemes, copies for phones and printers, spellings of paths.

Each `Mirrored` says under which addresses a page is found, and which of them its pages link to.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from urllib.parse import urlsplit
from xml.sax.saxutils import escape as xml

from tests.crawl.blog import Blog, Post, make_posts
from tests.site import ProxySite, Reply

XML = "application/xml; charset=utf-8"
NEW, OLD = "http://example.org", "http://example.net"
OLD_POSTS = 30
"""Posts from this one on are old: their own links, and those of lists to them, are of older times."""


@dataclass
class Mirrored(Blog):
    """A blog with two addresses for each page. Pages are named by their paths."""

    posts: list[Post] = field(default_factory=lambda: make_posts(60))
    in_feed: int = 10
    per_page: int = 10
    has_canonical: bool = False
    has_sitemap: bool = False

    #: which address the crawl begins with
    start = f"{NEW}/"

    # -------------------------------------------------------------------------------------------------- what differs

    def addresses(self, path: str) -> list[str]:
        """Where a page is found, its own address first."""
        return [NEW + path]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        """What the page at an address writes to lead to another; `is_old` where that was long ago."""
        return path

    def copies(self, path: str) -> list[str]:
        """Other addresses of a post that its page leads to."""
        return []

    def in_feeds(self, path: str) -> str:
        """What the feed says is a post's address."""
        return self.addresses(path)[0]

    def in_sitemap(self, path: str) -> str:
        """The same of the sitemap: not the best one."""
        return self.addresses(path)[-1]

    def moved(self, url: str) -> str | None:
        """Where an address leads to, that answers with a redirect."""
        return None

    # ------------------------------------------------------------------------------------------------ what is the same

    @cached_property
    def pages(self) -> dict[str, str]:
        """The page at each address."""
        lists = [f"/page/{number}/" for number in range(2, -(-len(self.posts) // self.per_page) + 1)]
        paths = ["/", "/about/", *lists]
        found = {address: path for path in paths for address in self.addresses(path)}
        for post in self.posts:
            path = self.path(post)
            found |= dict.fromkeys([*self.addresses(path), *self.copies(path)], path)
        return found

    def answer(self, url: str) -> Reply:
        parts = urlsplit(url)
        if target := self.moved(url):
            return Reply("", 301, {"Location": target})
        if parts.path == self.feed_path:
            return Reply(self.feed(""), content_type=XML)
        if parts.path == "/sitemap.xml" and self.has_sitemap:
            urls = "".join(f"<url><loc>{xml(self.in_sitemap(self.path(post)))}</loc></url>" for post in self.posts)
            return Reply(
                f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>', content_type=XML
            )
        path = self.pages.get(url)
        if path is None:
            return Reply("not found", 404)
        return Reply(self._made(path, url))

    def _item(self, post: Post, base: str) -> str:
        return (
            super()
            ._item(post, base)
            .replace(f"<link>{self.path(post)}</link>", f"<link>{xml(self.in_feeds(self.path(post)))}</link>")
        )

    def feed(self, base: str) -> str:
        return super().feed(base).replace("<link>/</link>", f"<link>{self.addresses('/')[0]}</link>")

    @cached_property
    def _by_path(self) -> dict[str, int]:
        return {self.path(post): at for at, post in enumerate(self.posts)}

    def _made(self, path: str, at: str) -> str:
        number = self._by_path.get(path)
        if number is not None:
            main, title = self._post(number, at), self.posts[number].title
        elif path == "/about/":
            main, title = "<h1>About</h1><p>Words about this blog.</p>", "About"
        else:
            main, title = self._listed(int(path.strip("/").rpartition("/")[2] or 1), at), self.name
        canonical = f'<link rel="canonical" href="{escape(self.addresses(path)[0])}">' if self.has_canonical else ""
        home, about = (self.link(to, at, is_old=False) for to in ("/", "/about/"))
        return (
            f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{canonical}'
            f'<link rel="alternate" type="application/rss+xml" href="{self.feed_path}"></head><body><header>'
            f'<a class="home" href="{escape(home)}">{self.name}</a> <a href="{escape(about)}">About</a></header>'
            f"<main>{main}</main><footer>Words without meaning, all rights reserved.</footer></body></html>"
        )

    def _post(self, number: int, at: str) -> str:
        post, source = self.posts[number], random.Random(number)
        day = f"{post.published.day} {post.published:%B %Y}"
        near = [self.posts[to] for to in (number - 1, number + 1) if 0 <= to < len(self.posts)]
        told = [self.posts[source.randrange(number, len(self.posts))] for _ in range(2)]
        copies = [copy for copy in self.copies(self.path(post)) if copy != at]
        text = post.html + f"<p>As I wrote in {self._links(told, at, is_old=number >= OLD_POSTS)} before.</p>"
        return (
            f'<article class="post"><h1 class="headline">{escape(post.title)}</h1><p class="byline">By <span class="who">'
            f'{post.author}</span> on <time>{day}</time></p><div class="text">{text}</div></article>'
            f"<nav>{self._links(near, at, is_old=False)}</nav>"
            f'<p class="copies">{" ".join(f"""<a href="{escape(copy)}">Copy</a>""" for copy in copies)}</p>'
        )

    def _listed(self, number: int, at: str) -> str:
        first = (number - 1) * self.per_page
        items = "".join(
            f"<li><h2>{self._links([post], at, is_old=place >= OLD_POSTS)}</h2><p>{post.paragraphs[0][:80]} …</p></li>"
            for place, post in enumerate(self.posts[first : first + self.per_page], first)
        )
        older = self.link(f"/page/{number + 1}/", at, is_old=False)
        more = f'<a rel="next" href="{escape(older)}">Older</a>' if first + self.per_page < len(self.posts) else ""
        return f'<ul class="list">{items}</ul>{more}'

    def _links(self, posts: list[Post], at: str, *, is_old: bool) -> str:
        return " ".join(
            f'<a href="{escape(self.link(self.path(post), at, is_old=is_old))}">{escape(post.title)}</a>'
            for post in posts
        )


def mixed(one: str, other: str, at: str) -> str:
    """One of two, by chance, but the same at each time."""
    return random.Random(f"{one} {at}").choice((one, other))


class Hosts(Mirrored):
    """With "www." and without."""

    start = "http://www.example.org/"

    def addresses(self, path: str) -> list[str]:
        return [NEW + path, f"http://www.example.org{path}"]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(*self.addresses(path), at) if is_old else path


class Schemes(Mirrored):
    """With http and https."""

    start = f"{NEW}/"

    def addresses(self, path: str) -> list[str]:
        return [f"https://example.org{path}", NEW + path]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(*self.addresses(path), at) if is_old else path


class Secured(Schemes):
    """With https; http redirects."""

    def moved(self, url: str) -> str | None:
        return url.replace("http:", "https:") if url.startswith("http:") else None


class Mobile(Mirrored):
    """A host for phones, which each post leads to and which keeps to itself; it is where the crawl begins."""

    host = "http://m.example.org"
    start = f"{host}/"

    def addresses(self, path: str) -> list[str]:
        return [NEW + path, self.host + path]

    def copies(self, path: str) -> list[str]:
        return [self.host + path]


@dataclass
class Copied(Mirrored):
    """Copies of each post, in which the links are those of the post."""

    form: str = "{path}amp/"

    def copies(self, path: str) -> list[str]:
        return [NEW + self.form.format(path=path)]

    def in_sitemap(self, path: str) -> str:
        return self.copies(path)[0]


class Slashes(Mirrored):
    """With a slash at the end and without."""

    def addresses(self, path: str) -> list[str]:
        return [NEW + path, NEW + path.rstrip("/")] if path != "/" else [NEW + path]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(path, path.rstrip("/") or path, at)


class Files(Mirrored):
    """For a folder, and for the file that stands for it."""

    file = "default.htm"

    def addresses(self, path: str) -> list[str]:
        return [NEW + path, NEW + path + self.file]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(path, path + self.file, at)


class Letters(Mirrored):
    """In capital letters, for which the server does not care."""

    def path(self, post: Post) -> str:
        return f"/Posts/{post.slug.title()}/"

    def addresses(self, path: str) -> list[str]:
        return list(dict.fromkeys([NEW + path, NEW + path.lower()]))

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(path, path.lower(), at)


class Moved(Mirrored):
    """The blog has a new domain, and its old one still answers; old posts lead there, and some of the feed's do."""

    def addresses(self, path: str) -> list[str]:
        return [NEW + path, OLD + path]

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(path, OLD + path, at) if is_old else path

    def in_feeds(self, path: str) -> str:
        return (OLD if self._by_path[path] >= 4 else NEW) + path


class Categories(Mirrored):
    """Each post below its two categories; lists and posts link to one or the other."""

    def path(self, post: Post) -> str:
        return f"/code/{post.slug}/"

    def addresses(self, path: str) -> list[str]:
        return list(dict.fromkeys([NEW + path, NEW + path.replace("/code/", "/life/")]))

    def link(self, path: str, at: str, *, is_old: bool) -> str:
        return mixed(path, path.replace("/code/", "/life/"), at + path)


def copied(requests: Iterable[str], blog: Mirrored) -> int:
    """How many requests went to pages that were asked for under another address, or led there."""
    kinds = Counter(blog.pages[url] for url in requests if url in blog.pages and not blog.moved(url))
    return sum(count - 1 for count in kinds.values())


@contextmanager
def serve(blog: Mirrored) -> Iterator[ProxySite]:
    """The web with this blog."""
    with ProxySite(blog.answer) as site:
        yield site
