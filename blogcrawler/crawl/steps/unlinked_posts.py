"""The step that lists captured pages of posts to which no captured page links."""

from __future__ import annotations

from posixpath import commonpath
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from blogcrawler.crawl.pages import add_posts
from blogcrawler.crawl.tasks import FetchPage
from blogcrawler.urls import same_site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.frontier import Stop


class UnlinkedPosts:
    """Captured pages with addresses of posts to which no captured page links."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._pages: Sequence[str] = ()

    async def list_pages(self) -> None:
        """List the captured pages of the blog. Raises Unreachable."""
        ctx = self._ctx
        assert ctx.fetcher.captured is not None
        posts = [url for url in ctx.classifier.posts if same_site(url, ctx.home)]
        # the home page may be a page beside the posts
        folder = commonpath([urlsplit(url).path or "/" for url in (ctx.home, *posts)])
        self._pages = await ctx.fetcher.captured.pages(urljoin(ctx.home, f"{folder.rstrip('/')}/"))

    def fetch(self, stop: Stop | None) -> FetchPage | None:
        """When no page is left to fetch: the first of the posts, while the others are added to the frontier."""
        ctx = self._ctx
        if not self._pages or not ctx.is_at_end(stop):
            return None
        urls = [_as_at(ctx.home, url) for url in self._pages]
        self._pages = ()
        add_posts(ctx, [url for url in urls if ctx.classifier.scope.covers(url) and ctx.classifier.is_permalink(url)])
        first = ctx.frontier.pop(posts_only=True)
        return FetchPage(first.url) if first is not None else None


def _as_at(home: str, url: str) -> str:
    """An address with the scheme and host of the home page, if only "www." and https distinguish them."""
    own = urlsplit(home)
    return urlsplit(url)._replace(scheme=own.scheme, netloc=own.netloc).geturl() if same_site(url, home) else url
