"""The request for the blog's feed: where it was, or, if it has no entries there any more, where it is now."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from functools import partial, reduce
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import FeedState
from blogcrawler.crawl.feed_discovery import rediscover, without_pages
from blogcrawler.crawl.fetcher import state_of
from blogcrawler.crawl.update.list_pages import fetch_home_page
from blogcrawler.crawl.update.update_memory import RetrySchedule
from blogcrawler.dates import Moment
from blogcrawler.errors import NotAFeed
from blogcrawler.feeds import Feed, parse_feed
from blogcrawler.serialise import dump, load
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from blogcrawler.backend import Archive, KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.feed_discovery import Discovery
    from blogcrawler.crawl.fetch import Fetch
    from blogcrawler.items import Page

STATE = "lost feed"
"""Name of the state that the archive keeps: since when that is so, and what was tried."""
MOST_IN_VAIN = 200
"""Addresses that are remembered as those of no feed."""
AFTER_THE_FIRST_CRAWL = RetrySchedule(pause=4, left=4)
"""A blog whose feed has no entries yet is young, or has no other one."""
ENOUGH = 0.5
"""Least share of the known posts of its time that a feed of the whole blog has."""

logger = logging.getLogger(__name__)


class LostFeed:
    """Looks for a blog's feed: what the home page names is tried once, usual places after longer and longer pauses."""

    def __init__(self, archive: Archive, home: str) -> None:
        self._archive, self._home = archive, home
        self._kept: dict[str, Any] = archive.load_source_state(home, STATE)

    @property
    def since(self) -> str | None:
        """The day since which the feed has no entries; None while it has."""
        return self._kept.get("since")

    async def find(self, url: str, start: Page, fetch: Fetch, is_own: Callable[[Feed], bool]) -> Discovery | None:
        """The blog's feed, as its home page leads to it now that the one at a URL is lost; None where none is found."""
        guesses = load(RetrySchedule, self._kept.get("guesses", {}))
        tried = [] if guesses.is_due else list(self._kept.get("in_vain", ()))
        besides = {identity(url), *tried}
        found, in_vain = await rediscover(start, fetch, besides=besides, has_guesses=guesses.is_due, is_own=is_own)
        if found is not None:
            self.end()
            return found
        self._keep(guesses.after(), [*tried, *map(identity, in_vain)])
        return None

    def begin(self) -> None:
        """Note that the feed that a first crawl has found is empty; it has tried all other places."""
        self._keep(AFTER_THE_FIRST_CRAWL, [])

    def end(self) -> bool:
        """Note that the blog has a feed with entries; True if it had none before."""
        was_lost = self.since is not None
        if was_lost:
            self._archive.forget_source_states(self._home, [STATE])
        self._kept = {}
        return was_lost

    def _keep(self, guesses: RetrySchedule, in_vain: list[str]) -> None:
        self._kept = {
            "since": self.since or datetime.now(UTC).date().isoformat(),
            "guesses": dump(guesses),
            "in_vain": in_vain[:MOST_IN_VAIN],
        }
        self._archive.save_source_state(self._home, STATE, self._kept)


async def ask_feed(ctx: CrawlContext) -> None:
    """Ask for the blog's feed; a synthetic one stands for none."""
    update, state = ctx.update, ctx.archive.load_feed_state(ctx.home)
    if state is None:
        update.feed = Feed(ctx.home, "synthetic")
        return
    response = await update.asker.ask(state)
    lost = LostFeed(ctx.archive, ctx.home)
    feed = _feed_in(response) if response is not None else None
    if feed is not None and not (feed.entries and (lost.since is None or _is_own_feed(ctx, feed))):
        await _find_other_feed(ctx, lost, state)
        return
    if lost.end():
        logger.info("The feed %s is back.", state.url)
    if response is None:
        logger.info("The feed %s has not changed.", state.url)
    else:
        update.feed, update.feed_state = feed, state_of(response, state.url)


def _feed_in(page: Page) -> Feed:
    """The feed in an answer; one without entries where that is no feed."""
    try:
        return without_pages(parse_feed(page.body, page.url, page.content_type))
    except NotAFeed:
        return Feed(page.url, "synthetic")


async def _find_other_feed(ctx: CrawlContext, lost: LostFeed, state: FeedState) -> None:
    """Find the feed of a blog whose feed has no entries where it was; a synthetic one stands for none."""
    start = await fetch_home_page(ctx)
    found = await lost.find(state.url, start, ctx.fetcher.source, partial(_is_own_feed, ctx))
    if found is None:
        logger.info(
            "The feed %s has told of no post since %s: what is new is looked for on the home page, in lists and "
            "sitemaps.",
            state.url,
            lost.since,
        )
        ctx.tally.lost_feed = (state.url, lost.since or "")
        ctx.update.feed = Feed(ctx.home, "synthetic")
        return
    logger.info("The feed is not at %s any more, but at %s.", state.url, found.feed.url)
    ctx.update.feed = found.feed
    ctx.update.feed_state = FeedState(found.feed.url, found.etag, found.last_modified)


def _is_own_feed(ctx: CrawlContext, feed: Feed) -> bool:
    """True if a feed is one of the whole blog."""
    known = ctx.update.known
    is_own = any(ctx.scope.covers(entry.url) or known.at(entry.url) is not None for entry in feed.entries)
    return is_own and _has_known_posts(feed, known.by_key)


def _has_known_posts(feed: Feed, known: Mapping[str, KnownPost]) -> bool:
    """True if a feed has most of the known posts of its time, as one of a part of the blog has not. O(n)."""
    times = [moment for entry in feed.entries if (moment := Moment.parse_iso(entry.published)) is not None]
    if not times:
        return True
    oldest = reduce(lambda first, other: other if first.is_after(other) else first, times)
    there = {identity(entry.url) for entry in feed.entries} | {entry.guid for entry in feed.entries if entry.guid}
    posts = {post.url: post for post in known.values() if post.gone is None}
    held = [
        identity(post.url) in there or post.guid in there
        for post in posts.values()
        if (published := Moment.parse_iso(post.published)) is not None and published.is_after(oldest)
    ]
    return sum(held) >= ENOUGH * len(held)
