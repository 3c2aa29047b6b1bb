"""The request for the blog's feed: where it was, or, if it has no entries there any more, where it is now."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from blogcrawler.backend import FeedState
from blogcrawler.crawl.conditional_requests import state_of
from blogcrawler.crawl.feed_discovery import header, without_pages
from blogcrawler.crawl.update.list_pages import fetch_home_page
from blogcrawler.crawl.update.lost_feed import LostFeed, has_known_posts
from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import Feed, parse_feed

if TYPE_CHECKING:
    from scrapy.http import Response

    from blogcrawler.crawl.context import CrawlContext

__all__ = ["changed_feed"]

logger = logging.getLogger(__name__)


async def changed_feed(ctx: CrawlContext) -> tuple[Feed | None, FeedState | None]:
    """The blog's feed, and its state, to be kept at the end; None where it is as it was, a synthetic one without it."""
    state = ctx.archive.load_feed_state(ctx.home)
    if state is None:
        return Feed(ctx.home, "synthetic"), None
    asker = ctx.fetcher.asker(is_unconditional=ctx.update.is_unconditional)
    response = await asker.ask(state)
    lost = LostFeed(ctx.archive, ctx.home)
    try:
        feed = _parsed(response) if response is not None else None
    except NotAFeed:
        return await _find_other_feed(ctx, lost, state)
    if feed is not None and not (feed.entries and (lost.since is None or _is_own_feed(ctx, feed))):
        return await _find_other_feed(ctx, lost, state)
    if lost.end():
        logger.info("The feed %s is back.", state.url)
    if response is None:
        logger.info("The feed %s has not changed.", state.url)
        return None, None
    return feed, state_of(response, state.url)


async def _find_other_feed(ctx: CrawlContext, lost: LostFeed, state: FeedState) -> tuple[Feed, FeedState | None]:
    """The feed of a blog whose feed has no entries where it was; a synthetic one where none is found."""
    start = await fetch_home_page(ctx)
    found = await lost.find(state.url, start, ctx.fetcher.source, lambda feed: _is_own_feed(ctx, feed))
    if found is None:
        logger.info(
            "The feed %s has told of no post since %s: what is new is looked for on the home page, in lists and "
            "sitemaps.",
            state.url,
            lost.since,
        )
        ctx.tally.feed_lost(state.url, lost.since or "")
        return Feed(ctx.home, "synthetic"), None
    logger.info("The feed is not at %s any more, but at %s.", state.url, found.feed.url)
    return found.feed, FeedState(found.feed.url, found.etag, found.last_modified)


def _parsed(response: Response) -> Feed:
    return without_pages(parse_feed(response.body, response.url, header(response, "Content-Type")))


def _is_own_feed(ctx: CrawlContext, feed: Feed) -> bool:
    """True if a feed is one of the whole blog."""
    known = ctx.update.known
    is_own = any(ctx.scope.covers(entry.url) or known.at(entry.url) is not None for entry in feed.entries)
    return is_own and has_known_posts(feed, known.by_key)
