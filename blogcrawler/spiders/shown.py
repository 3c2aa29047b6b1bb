"""A spider of blogs that has pages shown in the browser, where the blog needs that."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import Request

from blogcrawler.browser import GROWING, LIST, Renderer, grows, grows_by_script
from blogcrawler.crawl.blocked_site import blocked, locked
from blogcrawler.crawl.browser_need import (
    TRIED,
    Rendering,
    is_shell,
    leads_to,
    needs_browser,
    own_scripts,
    titles_in,
    tree_of,
)
from blogcrawler.crawl.feed_discovery import BUSY, discover
from blogcrawler.downloader import ending_without_gate, shown_response
from blogcrawler.downloader.reasons import NOT_SHOWN
from blogcrawler.errors import NoFeed, NoPages
from blogcrawler.purposes import Purpose
from blogcrawler.routes import is_routed, out_of_path
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.blog import BlogSpider
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from lxml.html import HtmlElement
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.crawl.feed_discovery import Discovery, Settle
    from blogcrawler.crawl.session_tokens import Sessions
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Link
    from blogcrawler.items import Entry, Page

__all__ = ["ShownPages", "first_route", "needs_a_browser"]


class ShownPages(BlogSpider):
    """Fetches pages outside of the frontier, as a reader sees them where the blog needs that. Setting: RENDER."""

    #: pages in a row that were shown since they may grow, and led to no new post
    _grown_in_vain: int

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401
        """A spider that renders all pages where the settings say so."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        is_always = str(crawler.settings["RENDER"]).strip().lower() == "always"
        spider._rendering = Rendering(of_posts=is_always, of_lists=is_always)
        spider._grown_in_vain = 0
        return spider

    async def _fetch(self, url: str, *, render: bool | str = False, **meta: object) -> Response:
        """Fetch a URL outside of the frontier: redirects, retries, robots.txt and delays apply."""
        answer = await self._download(self.sessions.renewed(url), render=render, **Purpose.SOURCE.meta | meta)
        return self.sessions.received(answer, url)

    async def _fetch_post(self, url: str) -> Response:
        """Fetch a post's page outside of the frontier."""
        answer = await self._download(self.sessions.address(url), render=self._rendering.of_posts)
        return self.sessions.received(answer, url)

    async def _download(self, url: str, *, render: bool | str = False, **meta: object) -> Response:
        engine = self.crawler.engine
        assert engine is not None
        try:
            with ending_without_gate():
                return await engine.download_async(Request(url, dont_filter=True, meta={"render": render, **meta}))
        except Exception as error:
            self._note_broken(error)
            raise

    async def _render(self, page: Page, *, is_list: bool = False, titles: tuple[str, ...] = ()) -> Page | None:
        renderer = self.crawler.get_extension(Renderer)
        rendition = await renderer.show_kept(page, is_list=is_list, titles=titles) if renderer is not None else None
        return rendition.page if rendition is not None else None

    def _use(self, sessions: Sessions) -> None:
        """Keep a site's tokens out of all that is read from now on, and of what the browser shows."""
        self.sessions = sessions
        if (renderer := self.crawler.get_extension(Renderer)) is not None:
            renderer.border = sessions

    def _is_rendered(self, url: str) -> bool | str:
        is_rendered = super()._is_rendered(url)
        return GROWING if not is_rendered and self._may_grow(url) else is_rendered

    def _may_grow(self, url: str) -> bool:
        """Is a page a list, for all that is known, of which the browser may show more?"""
        is_worth_it = self._grown_in_vain < TRIED and self._may_try()
        return is_worth_it and not self._rendering.of_posts and not self.reader.is_permalink(url)

    async def _grown(self, page: Page) -> Page:
        """A page that is at hand, as the browser shows it where it has a control that shows more of it."""
        is_whole = self._coverage is not None and self._coverage.is_whole
        is_list = identity(page.url) not in self._entries and self._may_grow(page.url)
        if page.is_rendered or is_whole or not is_list:
            return page
        may_grow = grows(page.body, page.url) or await self._grows_by_script(page)
        return (await self._render(page, is_list=True) if may_grow else None) or page

    async def _grows_by_script(self, page: Page) -> bool:
        """Has the blog's first page a script of its own that adds to it?"""
        tree = tree_of(page) if identity(page.url) == identity(self.home) else None
        for url in own_scripts(tree, page.url) if tree is not None else ():
            with suppress(Exception):  # whatever it was: a script that cannot be had adds nothing
                if grows_by_script((await self._download(url)).body, page.body):
                    return True
        return False

    def _take_other(self, page: Page, tree: HtmlElement, links: list[Link]) -> int:
        new_posts = super()._take_other(page, tree, links)
        if page.is_rendered and not self._rendering.of_lists:
            self._grown_in_vain = 0 if new_posts else self._grown_in_vain + 1
        return new_posts

    def _show_routes(self, feed: Feed) -> None:
        """Have all pages shown where posts are routes: servers send one page for all. Raises NoPages."""
        if first_route(feed) is None:
            return
        if self._may_try():
            self._rendering = Rendering(of_posts=True, of_lists=True)
        if not self._rendering.of_posts:
            raise needs_a_browser(feed)

    def _may_try(self) -> bool:
        """Is it still to be found out whether the blog needs a browser?"""
        renderer = self.crawler.get_extension(Renderer)
        return renderer is not None and renderer.can_render and renderer.mode == "auto"

    async def _discover(self, start_url: str, settle: Settle) -> Discovery:
        """Find the blog's feed or lists; in its rendered pages, where the start page is empty but for scripts.

        `settle` looks for sessions: in the first page, and in what it becomes if there were no links to see before.
        """
        asked: dict[str, Response] = {}

        async def fetch(url: str) -> Response:
            if url not in asked:
                is_busy = start_url in asked and asked[start_url].status in BUSY
                asked[url] = await self._fetch(url, render=self._rendering.of_lists and LIST, dont_retry=is_busy)
            return asked[url]

        async def settle_once(start: Response) -> Response:
            if self.sessions.place is None:
                settled = await settle(start)
                asked.update({url: self.sessions.received(other, url) for url, other in asked.items()})
                asked[start_url] = settled
            return asked[start_url]

        try:
            found = await discover(start_url, fetch, settle_once)
        except NoFeed as error:
            if not await self._fill(start_url, asked):
                # servers of files ignore what follows the question mark
                pages = {
                    identity(one.url.partition("?")[0]): page_of(one) for one in asked.values() if one.status == 200
                }
                trees = [tree for page in pages.values() if (tree := tree_of(page)) is not None]
                start = page_of(asked[start_url])
                start.tree = tree_of(start)
                raise locked(start_url, start) or blocked(start_url, trees) or error from None
        else:
            if not found.lists or not await self._fill(start_url, asked):
                return found
        self._rendering = Rendering(of_posts=True, of_lists=True)
        return await discover(start_url, fetch, settle_once)

    async def _fill(self, url: str, asked: dict[str, Response]) -> bool:
        """Have a page shown that waits for scripts to fill it; was it filled?"""
        page = page_of(asked[url])
        if not self._may_try() or (tree := tree_of(page)) is None or not is_shell(tree):
            return False
        shown = await self._render(page, is_list=True)
        if shown is None or (tree := tree_of(shown)) is None or is_shell(tree):
            return False
        asked[url] = _with(asked[url], shown)
        return True

    async def _as_shown(self, pages: list[tuple[Page, Entry]]) -> list[tuple[Page, Entry]]:
        """The posts' pages as readers see them, where these hold what the feed tells and the others do not."""
        if not self._rendering.of_posts and self._may_try():
            is_known = any(page.is_rendered for page, _ in pages)
            if is_known or await needs_browser(pages, self._render):
                self._rendering = Rendering(of_posts=True, of_lists=True)
                self.logger.info("Posts are shown by scripts: pages are read in a browser.")
        if not self._rendering.of_posts:
            return pages
        shown = await asyncio.gather(*(self._kept_as_shown(page, entry) for page, entry in pages))
        return [one for one in shown if one is not None]

    async def _kept_as_shown(self, page: Page, entry: Entry) -> tuple[Page, Entry] | None:
        """A post's page as readers see it; None where it cannot be shown and is of no use as it is."""
        if page.is_rendered:
            return page, entry
        shown = await self._render(page)
        if shown is None and not self._is_measured():
            return page, entry
        self.archive.forget_training_pages(self.home, url=page.url)
        if shown is None:
            self._give_up(canonicalise(entry.url), NOT_SHOWN)
            return None
        self.archive.save_training_page(self.home, shown, entry)
        return shown, entry

    async def _start_as_shown(self, found: Discovery, entries: Sequence[Entry]) -> Discovery:
        """What was found, with the pages that the crawl began with as readers see them, where that is needed."""
        if found.start is not None and not self._rendering.of_lists and self._may_try():
            page = page_of(found.start)
            tree = tree_of(page) if found.start.status == 200 else None
            if tree is not None and is_shell(tree) and not leads_to(tree, page.url, entries):
                shown = await self._shown_list(page, entries)
                tree = tree_of(shown) if shown is not None else None
                if shown is not None and tree is not None and leads_to(tree, shown.url, entries):
                    self._rendering = replace(self._rendering, of_lists=True)
                    self.logger.info("Lists of posts are shown by scripts: they are read in a browser.")
                    return replace(found, start=_with(found.start, shown))
        if not self._rendering.of_lists:
            return found
        start = await self._shown_response(found.start, entries) if found.start is not None else None
        pages = await asyncio.gather(*map(self._shown_response, found.pages))
        return replace(found, start=start, pages=tuple(filter(None, pages)))

    async def _shown_list(self, page: Page, entries: Sequence[Entry]) -> Page | None:
        """A list as readers see it; with links to its posts where it has none, though it holds some of their titles."""
        shown = await self._render(page, is_list=True)
        tree = tree_of(shown) if shown is not None else None
        if shown is None or tree is None or leads_to(tree, shown.url, entries):
            return shown
        titles = titles_in(tree, entries)
        other = await self._render(page, is_list=True, titles=titles) if titles else None
        tree = tree_of(other) if other is not None else None
        return other if other is not None and tree is not None and leads_to(tree, other.url, entries) else shown

    async def _shown_response(self, response: Response, entries: Sequence[Entry] = ()) -> Response | None:
        """A page as readers see it; None where it cannot be shown, so that the frontier is to have it fetched again."""
        page = page_of(response)
        if page.status != 200:
            return response
        if page.is_rendered:
            return await self._with_addresses(response, entries)
        shown = await self._shown_list(page, entries)
        if shown is None:
            return None if self._is_measured() else response
        return _with(response, shown)

    async def _with_addresses(self, response: Response, entries: Sequence[Entry]) -> Response:
        """A list that was shown before its posts were known; as `_shown_list`, from the page as it is sent."""
        page = page_of(response)
        tree = tree_of(page)
        titles = titles_in(tree, entries) if tree is not None and not leads_to(tree, page.url, entries) else ()
        if titles:
            with suppress(Exception):  # whatever it was: the list stays as it is
                shown = await self._render(
                    page_of(await self._fetch(page.url, purpose=Purpose.PAGE)), is_list=True, titles=titles
                )
                tree = tree_of(shown) if shown is not None else None
                if shown is not None and tree is not None and leads_to(tree, shown.url, entries):
                    return _with(response, shown)
        return response

    def _is_measured(self) -> bool:
        """Was it found out that the blog needs a browser, so that its pages say nothing without?"""
        renderer = self.crawler.get_extension(Renderer)
        return renderer is not None and renderer.mode == "auto"


def first_route(feed: Feed) -> str | None:
    """The first of a feed's posts that is a route of a page."""
    return next((entry.url for entry in feed.entries if is_routed(entry.url)), None)


def needs_a_browser(feed: Feed) -> NoPages:
    """How a crawl of posts that are routes ends where there is no browser."""
    url = out_of_path(first_route(feed) or feed.url)
    return NoPages(
        f"The posts of the blog are parts of one page, which scripts show ({url}), so they can only be read in a "
        "browser, and there is none or it could not show them; install one with playwright install --with-deps "
        "chromium, and leave RENDER=auto.",
        url=url,
    )


def _with(response: Response, shown: Page) -> Response:
    assert response.request is not None
    return shown_response(response, shown, response.request)
