"""The complete demonstration blog: all paths and their content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.demo.content import data, load
from blogcrawler.demo.pages import IN_FEED, NOT_FOUND, Pages

if TYPE_CHECKING:
    from datetime import date

__all__ = ["IN_FEED", "NOT_FOUND", "build", "redirects"]

_HTML = "text/html; charset=utf-8"
_RSS = "application/rss+xml; charset=utf-8"
_IMAGES = {"png": "image/png", "svg": "image/svg+xml"}


def build(
    base: str = "http://localhost", *, until: date | None = None, sitemap: bool = True
) -> dict[str, tuple[str, bytes]]:
    """Build the whole blog in memory: content type and body by percent-encoded path.

    `base` is the origin under which it will be served. With `until`, build the blog as it was at the end of that day;
    raises ValueError if it had no post yet. Without `sitemap`, older posts can only be found by following links.
    """
    pages = Pages(load(until), base.rstrip("/"))
    resources = {path: (_HTML, page.encode()) for path, page in pages.pages()}
    resources |= {path: (_RSS, xml.encode()) for path, xml in pages.feeds()}
    resources |= {
        f"/files/{file.name}": (_IMAGES[file.name.rpartition(".")[2]], file.read_bytes())
        for file in (data() / "files").iterdir()
    }
    resources["/style.css"] = ("text/css; charset=utf-8", (data() / "theme" / "style.css").read_bytes())
    robots = pages.file("robots.txt", sitemap=sitemap)
    resources["/robots.txt"] = ("text/plain; charset=utf-8", robots.encode())
    if sitemap:
        resources["/sitemap.xml"] = ("application/xml; charset=utf-8", pages.file("sitemap.xml").encode())
    return resources


def redirects(*, until: date | None = None) -> dict[str, str]:
    """Permanent redirects from old paths, with their query, to new paths."""
    moved = {f"/?p={post.id}": post.path for post in load(until)}
    return moved | {
        "/feed": "/feed.xml",
        "/feed/": "/feed.xml",
        "/rss.xml": "/feed.xml",
        "/index.html": "/",
        "/page/1/": "/",
    }
