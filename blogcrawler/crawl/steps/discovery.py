"""The step that discovers a blog, that is its feed or the posts that its pages list, and the tokens in its
addresses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.browser import LIST
from blogcrawler.browser.need import Rendering, tree_of
from blogcrawler.crawl.blocked_site import blocked, check_start, locked, refused
from blogcrawler.crawl.sessions import NO_SESSIONS, Sessions, find_sessions
from blogcrawler.crawl.steps.beginning import START, begin_anew, is_cut_short
from blogcrawler.crawl.steps.rendered_pages import filled, render_routes
from blogcrawler.downloader.reasons import sentence_of
from blogcrawler.errors import EmptyFeed, NoFeed, NotAWebPage, Unreachable
from blogcrawler.feeds import Feed
from blogcrawler.feeds.discovery import BUSY, Discovery, StartRefused, discover
from blogcrawler.purposes import Purpose
from blogcrawler.urls import canonicalise, identity, same_site

if TYPE_CHECKING:
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page


async def find_blog(ctx: CrawlContext, *, has_export: bool = False) -> None:
    """Find the blog's feed or lists, and begin its crawl. Captures need have neither if there is an export.

    Raises Unreachable, NotAWebPage, NoFeed, EmptyFeed, or NoPages if it needs a browser.
    """
    home = ctx.archive.find_blog(ctx.start_url)
    start_url = _original_start(ctx, home)
    try:
        discovery = await _FirstPages(ctx, start_url, home).discover()
    except (EmptyFeed, NoFeed, NotAWebPage, Unreachable):
        if not has_export or ctx.fetcher.captured is None:
            raise
        url = home or canonicalise(start_url)
        discovery = Discovery(Feed(url, "synthetic"), url, None, None, None)
    if discovery.start is not None:
        check_start(ctx, discovery.start)
    render_routes(ctx, discovery.feed)
    begin_anew(ctx, replace(discovery, start_url=start_url))


def _original_start(ctx: CrawlContext, home: str | None) -> str:
    """The address where an incomplete crawl of this home page began; otherwise the given address.

    A home page is the address that a feed declares, and by which monitors and workers know a blog: it may not exist.
    """
    if home is None or identity(ctx.start_url) != identity(home) or not is_cut_short(ctx, home):
        return ctx.start_url
    return str(ctx.archive.load_source_state(home, START).get("url", ctx.start_url))


class _FirstPages:
    """Fetches pages to find a blog, each once, and removes session tokens as soon as they are known.

    `home` is the blog's home page if the archive has the blog.
    """

    def __init__(self, ctx: CrawlContext, start_url: str, home: str | None) -> None:
        self.ctx, self.start_url, self.home = ctx, start_url, home
        self._fetched: dict[str, Page] = {}
        #: whether the start page redirects to another site, and whether it is read without following this redirect
        self._leads_away = self._stays = False

    async def discover(self) -> Discovery:
        """Find the blog's feed or lists. If its home page redirects to another site without a blog, such as its owner's
        page, the blog may still be at its old place."""
        rendering = self.ctx.fetcher.rendering
        try:
            return await self._discover()
        except (NoFeed, Unreachable, NotAWebPage):
            if not self._leads_away:
                raise
            self._fetched.clear()
            self._stays, self.ctx.fetcher.rendering = True, rendering
            self.ctx.fetcher.use(NO_SESSIONS)
            with suppress(NoFeed, Unreachable, NotAWebPage):
                return await self._discover()
            raise

    async def _discover(self) -> Discovery:
        """Find the feed or lists; in rendered pages if the start page is empty without scripts."""
        try:
            discovery = await self._search()
        except NoFeed as error:
            if not await self._fill():
                raise self._refusal() or error from None
        else:
            if not discovery.lists or not await self._fill():
                return discovery
        self.ctx.fetcher.rendering = Rendering(of_posts=True, of_lists=True)
        return await self._search()

    async def _search(self) -> Discovery:
        try:
            return await discover(self.start_url, self._fetch, self._settle)
        except StartRefused as error:
            raise refused(error.page, self.start_url) from None

    async def _fetch(self, url: str) -> Page:
        """The page at an address. Raises Unreachable."""
        if url not in self._fetched:
            fetcher = self.ctx.fetcher
            is_busy = self.start_url in self._fetched and self._fetched[self.start_url].status in BUSY
            render = fetcher.rendering.of_lists and LIST
            more: dict[str, object] = {"dont_retry": is_busy}
            if url == self.start_url:
                more |= {"dont_redirect": True} if self._stays else {"check_redirect": self._note_redirect}
            try:
                self._fetched[url] = await fetcher.get(url, Purpose.SOURCE, render=render, **more)
            except Exception as error:
                raise Unreachable(f"{url} cannot be fetched: {sentence_of(error)}", url=url) from error
        return self._fetched[url]

    def _note_redirect(self, target: str) -> None:
        self._leads_away = not same_site(target, self.start_url)

    async def _settle(self, start: Page) -> Page:
        """Check with the first page whether the site's addresses carry tokens; returns this page without them."""
        fetcher = self.ctx.fetcher
        if fetcher.sessions.place is None:
            known = NO_SESSIONS if self.home is None else Sessions.kept_of(self.ctx.archive, self.home)
            fetcher.use(await find_sessions(start, self.start_url, lambda url: _download(self.ctx, url), known))
            pages = self._fetched | {self.start_url: start}
            self._fetched = {url: fetcher.sessions.inward(page, url) for url, page in pages.items()}
        return self._fetched[self.start_url]

    async def _fill(self) -> bool:
        """Render the start page if it waits for scripts to fill it; True if they did."""
        page = await filled(self.ctx, self._fetched[self.start_url])
        if page is not None:
            self._fetched[self.start_url] = page
        return page is not None

    def _refusal(self) -> Unreachable | None:
        """The error of a site that refuses the crawler, if this is why nothing was found."""
        # file servers ignore the query
        there = (page for page in self._fetched.values() if page.status == 200)
        pages = {identity(page.url.partition("?")[0]): page for page in there}
        trees = [tree for page in pages.values() if (tree := tree_of(page)) is not None]
        start = self._fetched[self.start_url]
        start.tree = tree_of(start)
        return locked(self.start_url, start) or blocked(self.start_url, trees)


async def renew_sessions(ctx: CrawlContext) -> None:
    """Use the session tokens of a crawl that was cut short, and fetch a fresh one, since the last one is old by now."""
    ctx.fetcher.use(Sessions.kept_of(ctx.archive, ctx.home))
    if ctx.fetcher.sessions.answers != "directly":
        with suppress(Exception):  # the old one may still be valid
            ctx.fetcher.sessions.inward(await _download(ctx, ctx.start_url), ctx.home)


async def _download(ctx: CrawlContext, url: str) -> Page:
    page = await ctx.fetcher.download(url, render=ctx.fetcher.rendering.of_lists)
    ctx.tally.pages += 1
    return page
