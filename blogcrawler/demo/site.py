"""The demonstration blog as a whole: every address, and what is there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.demo import feed
from blogcrawler.demo.content import AUTHORS, data, load
from blogcrawler.demo.pages import Pages

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from blogcrawler.demo.content import Post

#: path of the page that is sent with status 404
NOT_FOUND = "/404.html"
#: entries in the main feed
IN_FEED = 8

_HTML = "text/html; charset=utf-8"
_RSS = "application/rss+xml; charset=utf-8"
_IMAGES = {"png": "image/png", "svg": "image/svg+xml"}


def build(
    base: str = "http://localhost", *, until: date | None = None, sitemap: bool = True
) -> dict[str, tuple[str, bytes]]:
    """The whole blog in memory: content type and body by path, percent-encoded.

    `base` is the origin under which it will be served. With `until` it is the blog as it was at the end of that day;
    raises ValueError where it had no post yet. Without `sitemap` its older posts are found by following links only.
    """
    base = base.rstrip("/")
    posts = load(until)
    resources = {path: (_HTML, page.encode()) for path, page in _pages(posts, base)}
    resources |= {path: (_RSS, xml.encode()) for path, xml in _feeds(posts, base)}
    resources |= {
        f"/files/{file.name}": (_IMAGES[file.name.rpartition(".")[2]], file.read_bytes())
        for file in (data() / "files").iterdir()
    }
    resources["/style.css"] = ("text/css; charset=utf-8", (data() / "theme" / "style.css").read_bytes())
    resources["/robots.txt"] = ("text/plain; charset=utf-8", _robots(base, sitemap=sitemap).encode())
    if sitemap:
        addresses = [(base + "/", posts[0].published), (base + "/about/", None)]
        addresses += [(base + post.path, post.updated or post.published) for post in posts]
        resources["/sitemap.xml"] = ("application/xml; charset=utf-8", feed.sitemap(addresses).encode())
    return resources


def redirects(*, until: date | None = None) -> dict[str, str]:
    """Old addresses, with their query, and the paths to which they moved for good."""
    moved = {f"/?p={post.id}": post.path for post in load(until)}
    return moved | {
        "/feed": "/feed.xml",
        "/feed/": "/feed.xml",
        "/rss.xml": "/feed.xml",
        "/index.html": "/",
        "/page/1/": "/",
    }


def _pages(posts: list[Post], base: str) -> Iterator[tuple[str, str]]:
    pages = Pages(posts, base)
    yield "/", pages.home(1)
    for number in range(2, pages.count + 1):
        yield f"/page/{number}/", pages.home(number)
    for index, post in enumerate(posts):
        yield post.path, pages.post(index)
        yield f"{post.path}print/", pages.printed(post)
    yield from _lists(posts, pages)
    yield "/archive/", pages.archive()
    yield "/about/", pages.about()
    yield NOT_FOUND, pages.not_found()


def _lists(posts: list[Post], pages: Pages) -> Iterator[tuple[str, str]]:
    for tag in sorted({tag for post in posts for tag in post.tags}):
        path = f"/tag/{tag}/"
        yield path, pages.listing(f"Notes on {tag}", [post for post in posts if tag in post.tags], path)
    for author in AUTHORS:
        path = f"/author/{author.lower()}/"
        yield path, pages.listing(f"Notes by {author}", [post for post in posts if post.author == author], path)
    for year in {post.published.year for post in posts}:
        path = f"/{year}/"
        yield path, pages.listing(f"Notes of {year}", [post for post in posts if post.published.year == year], path)


def _feeds(posts: list[Post], base: str) -> Iterator[tuple[str, str]]:
    yield "/feed.xml", feed.posts_feed(posts[:IN_FEED], base)
    yield "/comments/feed.xml", feed.comments_feed(posts, base)
    for post in posts:
        yield f"{post.path}feed/", feed.replies_feed(post, base)


def _robots(base: str, *, sitemap: bool) -> str:
    lines = ["User-agent: *", "Disallow: /?s=", "Disallow: /reply/", ""]
    return "\n".join(lines + ([f"Sitemap: {base}/sitemap.xml", ""] if sitemap else []))
