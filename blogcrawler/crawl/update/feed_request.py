"""Request the blog's feed at its known address or, if it has no entries there any more, find where it is now."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from blogcrawler.backend import FeedState
from blogcrawler.crawl.fetcher import state_of
from blogcrawler.crawl.pages import mode_of
from blogcrawler.crawl.update.update_memory import LOST_FEED, LostFeed, today
from blogcrawler.dates import Moment
from blogcrawler.downloader.reasons import sentence_of, status_reason
from blogcrawler.errors import NotAFeed, Unreachable
from blogcrawler.feeds import Feed, parse_feed
from blogcrawler.feeds.discovery import rediscover, without_pages
from blogcrawler.purposes import Purpose
from blogcrawler.serialise import dump, load
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.items import Page

MOST_IN_VAIN = 200
"""Maximum number of addresses that are remembered as having no feed."""
ENOUGH = 0.5
"""Share of the known posts of its period that a feed of the whole blog must have."""

logger = logging.getLogger(__name__)


async def ask_feed(update: UpdateState) -> None:
    """Request the blog's feed; a blog without a feed gets a synthetic one."""
    archive, home = update.ctx.archive, update.ctx.home
    state = archive.load_feed_state(home)
    if state is None:
        update.feed = Feed(home, "synthetic")
        return
    response = await update.asker.ask(state)
    lost = load(LostFeed, archive.load_source_state(home, LOST_FEED))
    feed = _feed_in(response) if response is not None else None
    if feed is not None and not (feed.entries and (lost.since is None or _is_own_feed(update, feed))):
        await _find_other_feed(update, lost, state)
        return
    if lost.since is not None:
        archive.forget_source_states(home, [LOST_FEED])
        logger.info("The feed %s is back.", state.url)
    if response is None:
        logger.info("The feed %s has not changed.", state.url)
    else:
        update.feed, update.feed_state = feed and _without_removed(update, feed), state_of(response, state.url)


def _without_removed(update: UpdateState, feed: Feed) -> Feed:
    """A feed without the posts that were removed on request."""
    removed = update.ctx.archive.removed(update.ctx.home)
    return replace(feed, entries=tuple(entry for entry in feed.entries if not removed.has(entry.url)))


def _feed_in(page: Page) -> Feed:
    """The feed in an answer; an empty synthetic feed if the answer is no feed."""
    try:
        return without_pages(parse_feed(page.body, page.url, page.content_type))
    except NotAFeed:
        return Feed(page.url, "synthetic")


async def _find_other_feed(update: UpdateState, lost: LostFeed, state: FeedState) -> None:
    """Find the new feed of a blog whose feed has no entries any more; if there is none, use a synthetic one."""
    ctx, guesses = update.ctx, lost.guesses
    start = await _fetch_home_page(update)
    tried = () if guesses.is_due else lost.in_vain
    discovery, in_vain = await rediscover(
        start,
        ctx.fetcher.get,
        besides={identity(state.url), *tried},
        has_guesses=guesses.is_due,
        is_own=partial(_is_own_feed, update),
    )
    if discovery is None:
        lost = LostFeed(lost.since or today(), guesses.after(), (*tried, *map(identity, in_vain))[:MOST_IN_VAIN])
        ctx.archive.save_source_state(ctx.home, LOST_FEED, dump(lost))
        logger.info(
            "The feed %s has had no new post since %s: new posts are looked for on the home page, in lists and "
            "sitemaps.",
            state.url,
            lost.since,
        )
        ctx.tally.lost_feed = (state.url, lost.since or "")
        update.feed = Feed(ctx.home, "synthetic")
        return
    ctx.archive.forget_source_states(ctx.home, [LOST_FEED])
    logger.info("The feed is not at %s any more, but at %s.", state.url, discovery.feed.url)
    update.feed = _without_removed(update, discovery.feed)
    update.feed_state = FeedState(discovery.feed.url, discovery.etag, discovery.last_modified)


async def _fetch_home_page(update: UpdateState) -> Page:
    """The home page. Raises Unreachable."""
    ctx = update.ctx
    try:
        page = await ctx.fetcher.get(ctx.home, Purpose.PAGE, render=mode_of(ctx, ctx.home))
    except Exception as error:
        raise Unreachable(f"{ctx.home} cannot be fetched: {sentence_of(error)}", url=ctx.home) from error
    ctx.tally.pages += 1
    update.home_page = page
    if page.status >= 400:
        raise Unreachable(f"{ctx.home} answered {status_reason(page.status)}; try again later.", url=ctx.home)
    return page


def _is_own_feed(update: UpdateState, feed: Feed) -> bool:
    """True if a feed is of the whole blog: it has most known posts of its period, unlike the feed of a
    category. O(n)."""
    ctx, known = update.ctx, update.known
    if not any(ctx.scope.covers(entry.url) or known.at(entry.url) is not None for entry in feed.entries):
        return False
    times = [moment for entry in feed.entries if (moment := Moment.parse_iso(entry.published)) is not None]
    if not times:
        return True
    oldest = reduce(lambda first, other: other if first.is_after(other) else first, times)
    listed = {identity(entry.url) for entry in feed.entries} | {entry.guid for entry in feed.entries if entry.guid}
    held = [
        not listed.isdisjoint((identity(post.url), post.guid))
        for post in known
        if post.gone is None
        and (published := Moment.parse_iso(post.published)) is not None
        and published.is_after(oldest)
    ]
    return sum(held) >= ENOUGH * len(held)
