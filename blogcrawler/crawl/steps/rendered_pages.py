"""Read pages in a browser if the blog needs that: its start page, its posts, and lists that grow."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.browser import grows, grows_by_script, need
from blogcrawler.browser.need import Rendering, is_shell, leads_to, tree_of
from blogcrawler.crawl.pages import give_up, may_grow
from blogcrawler.downloader.reasons import NOT_SHOWN
from blogcrawler.errors import NoPages
from blogcrawler.purposes import Purpose
from blogcrawler.routes import is_routed, out_of_path
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.items import Entry, Page

logger = logging.getLogger(__name__)


def render_routes(ctx: CrawlContext, feed: Feed) -> None:
    """Render all pages if posts are routes, for which servers send one page. Raises NoPages."""
    if first_route(feed) is None:
        return
    if ctx.fetcher.can_try:
        ctx.fetcher.rendering = Rendering(of_posts=True, of_lists=True)
    if not ctx.fetcher.rendering.of_posts:
        raise needs_a_browser(feed)


def first_route(feed: Feed) -> str | None:
    """The first of a feed's posts that is a route: a fragment of another page's URL."""
    return next((entry.url for entry in feed.entries if is_routed(entry.url)), None)


def needs_a_browser(feed: Feed) -> NoPages:
    """The error of a crawl whose posts are routes, if there is no browser."""
    url = out_of_path(first_route(feed) or feed.url)
    return NoPages(
        f"Scripts show the posts of {url}, so a browser is needed, and none could show them. Install one: "
        "playwright install --with-deps chromium, and leave RENDER=auto.",
        url=url,
    )


async def filled(ctx: CrawlContext, page: Page) -> Page | None:
    """The rendered form of a page that scripts fill with content; None if the page is not of this kind, or stays
    empty."""
    rendered = await ctx.fetcher.render(page, is_list=True) if ctx.fetcher.can_try and _is_shell(page) else None
    if rendered is None or tree_of(rendered) is None or _is_shell(rendered):
        return None
    return rendered


async def start_as_shown(ctx: CrawlContext, discovery: Discovery, entries: Sequence[Entry]) -> Discovery:
    """The discovery with the first pages of the crawl as rendered, if that is needed."""
    if not ctx.fetcher.rendering.of_lists and ctx.fetcher.can_try:
        return await _start_if_it_needs_scripts(ctx, discovery, entries)
    if not ctx.fetcher.rendering.of_lists:
        return discovery
    start = await _list_as_shown(ctx, discovery.start, entries) if discovery.start is not None else None
    pages = await asyncio.gather(*(_list_as_shown(ctx, page, ()) for page in discovery.pages))
    return replace(discovery, start=start, pages=tuple(filter(None, pages)))


async def _start_if_it_needs_scripts(ctx: CrawlContext, discovery: Discovery, entries: Sequence[Entry]) -> Discovery:
    """The discovery with the start page as rendered, if only then it leads to posts; then lists need a browser."""
    if discovery.start is None or discovery.start.status != 200:
        return discovery
    page = discovery.start
    rendered = await _shown_list(ctx, page, entries) if _is_shell(page) and not _leads_to(page, entries) else None
    if rendered is None or not _leads_to(rendered, entries):
        return discovery
    ctx.fetcher.rendering = replace(ctx.fetcher.rendering, of_lists=True)
    logger.info("Scripts create the lists of posts, so they are read in a browser.")
    return replace(discovery, start=rendered)


async def _list_as_shown(ctx: CrawlContext, page: Page, entries: Sequence[Entry]) -> Page | None:
    """A list as rendered; None if that fails, so that the frontier requests it again."""
    if page.status != 200:
        return page
    if page.is_rendered:
        return await _with_addresses(ctx, page, entries)
    return await _shown_list(ctx, page, entries) or (None if ctx.fetcher.is_measured else page)


async def _shown_list(ctx: CrawlContext, page: Page, entries: Sequence[Entry]) -> Page | None:
    """A list as rendered, with links added to titles of posts that it shows without links."""
    rendered = await ctx.fetcher.render(page, is_list=True)
    titles = _unlinked_titles(rendered, entries) if rendered is not None else ()
    return (await _linked(ctx, page, titles, entries) if titles else None) or rendered


async def _with_addresses(ctx: CrawlContext, page: Page, entries: Sequence[Entry]) -> Page:
    """A list that was rendered before its posts were known, with links added to the titles of its posts."""
    if titles := _unlinked_titles(page, entries):
        with suppress(Exception):  # after any error the list stays as it is
            sent = await ctx.fetcher.get(page.url, Purpose.PAGE, render=False)
            return await _linked(ctx, sent, titles, entries) or page
    return page


async def _linked(ctx: CrawlContext, page: Page, titles: tuple[str, ...], entries: Sequence[Entry]) -> Page | None:
    """A list with links at the titles of its posts; None if these links lead to no post."""
    rendered = await ctx.fetcher.render(page, is_list=True, titles=titles)
    return rendered if rendered is not None and _leads_to(rendered, entries) else None


def _unlinked_titles(page: Page, entries: Sequence[Entry]) -> tuple[str, ...]:
    """The titles of posts that a page shows; none if it links to one of the posts."""
    tree = tree_of(page)
    return () if tree is None or _leads_to(page, entries) else need.titles_in(tree, entries)


def _is_shell(page: Page) -> bool:
    tree = tree_of(page)
    return tree is not None and is_shell(tree)


def _leads_to(page: Page, entries: Sequence[Entry]) -> bool:
    tree = tree_of(page)
    return tree is not None and leads_to(tree, page.url, entries)


async def posts_as_shown(ctx: CrawlContext, pages: list[tuple[Page, Entry]]) -> list[tuple[Page, Entry]]:
    """The posts' pages as rendered, if only then they show what the feed says."""
    if not ctx.fetcher.rendering.of_posts and ctx.fetcher.can_try:
        is_known = any(page.is_rendered for page, _ in pages)
        if is_known or await need.needs_browser(pages, ctx.fetcher.render):
            ctx.fetcher.rendering = Rendering(of_posts=True, of_lists=True)
            logger.info("Scripts create the posts, so pages are read in a browser.")
    if not ctx.fetcher.rendering.of_posts:
        return pages
    rendered = await asyncio.gather(*(_post_as_shown(ctx, page, entry) for page, entry in pages))
    return [pair for pair in rendered if pair is not None]


async def _post_as_shown(ctx: CrawlContext, page: Page, entry: Entry) -> tuple[Page, Entry] | None:
    """A post's page as rendered; None if it cannot be rendered and is of no use as it is."""
    if page.is_rendered:
        return page, entry
    rendered = await ctx.fetcher.render(page)
    if rendered is None and not ctx.fetcher.is_measured:
        return page, entry
    ctx.archive.forget_training_pages(ctx.home, url=page.url)
    if rendered is None:
        give_up(ctx, canonicalise(entry.url), NOT_SHOWN)
        return None
    ctx.archive.save_training_page(ctx.home, rendered, entry)
    return rendered, entry


async def grown(ctx: CrawlContext, page: Page) -> Page:
    """A page at hand, as rendered if it has a control that shows more of it."""
    is_list = identity(page.url) not in ctx.entries and may_grow(ctx, page.url)
    if page.is_rendered or ctx.coverage.is_whole or not is_list:
        return page
    has_more = grows(page) or await _grows_by_script(ctx, page)
    return (await ctx.fetcher.render(page, is_list=True) if has_more else None) or page


async def _grows_by_script(ctx: CrawlContext, page: Page) -> bool:
    """True if the blog's first page has a script of its own that adds posts to it."""
    tree = tree_of(page) if identity(page.url) == identity(ctx.home) else None
    for url in need.own_scripts(tree, page.url) if tree is not None else ():
        with suppress(Exception):  # a script that cannot be fetched adds nothing
            if grows_by_script((await ctx.fetcher.download(url)).body, tree):
                return True
    return False
