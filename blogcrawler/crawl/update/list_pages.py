"""How an update reads pages that list posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import all_links, mode_of, tree_or_give_up
from blogcrawler.downloader.reasons import sentence_of, status_reason
from blogcrawler.errors import Unreachable
from blogcrawler.frontier import Link
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.items import Page


async def fetch_home_page(ctx: CrawlContext) -> Page:
    """The home page. Raises Unreachable."""
    try:
        ctx.update.at_hand[ctx.home] = page = await _fetch_list(ctx, ctx.home)
    except Exception as error:
        raise Unreachable(f"{ctx.home} cannot be fetched: {sentence_of(error)}", url=ctx.home) from error
    if page.status >= 400:
        raise Unreachable(f"{ctx.home} answered {status_reason(page.status)}; try again later.", url=ctx.home)
    return page


async def links_of_list(ctx: CrawlContext, url: str) -> list[Link]:
    """The pages that a list links to; none where it cannot be fetched."""
    try:
        page = await _fetch_list(ctx, url)
    except Exception:  # noqa: BLE001  a list that cannot be fetched is none
        return []
    tree = tree_or_give_up(ctx, page) if page.status == 200 else None
    return [] if tree is None else all_links(ctx, tree, page.url)


def add_posts(ctx: CrawlContext, urls: Iterable[str], *, found_on: str | None = None) -> None:
    """Have posts fetched."""
    ctx.frontier.add_many([Link(url, is_post=True) for url in urls], found_on=found_on)
    ctx.frontier.flush()


async def _fetch_list(ctx: CrawlContext, url: str) -> Page:
    if (page := ctx.update.at_hand.pop(url, None)) is None:
        page = await ctx.fetcher.source(url, render=mode_of(ctx, url), purpose=Purpose.PAGE)
        ctx.tally.pages += 1
    return page
