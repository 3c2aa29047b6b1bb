"""How an update finds posts that the feed does not have: between its entries and what is known, and changed ones.

The feed's archive comes first, then sitemaps, then the blog's lists, each until it shows posts that are known.
"""

from __future__ import annotations

import heapq
import logging
from collections import deque
from typing import TYPE_CHECKING

from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.feed_archive import read_feed_archive
from blogcrawler.crawl.update.list_pages import add_posts, links_of_list
from blogcrawler.crawl.update.list_walk import ListWalk
from blogcrawler.crawl.update.neighbours import Neighbours
from blogcrawler.crawl.update.sitemap_changes import read_sitemaps
from blogcrawler.crawl.update.update_state import MOST_UNAVAILABLE
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import KnownPosts, UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Link
    from blogcrawler.items import Entry

__all__ = ["GapFilling", "read_unavailable"]

NEWEST = 5
"""Known posts, one of which shows that a list has come to them."""

logger = logging.getLogger(__name__)


async def read_unavailable(ctx: CrawlContext) -> StepResult:
    """Ask for the pages that the last crawl could not fetch, and take in the posts that its lists show."""
    update: UpdateState = ctx.update
    memory = update.memory
    posts, lists = list(memory.unavailable), deque(memory.unavailable_lists)
    for _ in range(MOST_UNAVAILABLE if lists else 0):
        links = await links_of_list(ctx, lists.popleft())
        fresh = [link for link in links if identity(link.url) not in memory.queued]
        memory.queued.update(identity(link.url) for link in fresh)
        posts += [link.url for link in fresh if link.is_post and update.is_unknown(link.url)]
        lists.extend(link.url for link in fresh if not link.is_post)
        if not lists:
            break
    add_posts(ctx, posts, found_on=ctx.home)
    return StepResult()


class GapFilling:
    """Fills the gap between the feed and what is known, and holes in the feed."""

    def __init__(self, update: UpdateState) -> None:
        self._update = update
        #: all of the blog's pages are read, for want of lists that lead to what is known
        self._reads_all = False
        #: there may be posts that are looked for
        self._has_gap = False
        self._neighbours = Neighbours()

    async def run(self, ctx: CrawlContext) -> StepResult:
        """Look for posts that the feed does not have, in sources that are read to the known ones."""
        update, feed, news = self._update, self._update.feed, self._update.news
        if feed is None:
            return StepResult()
        if update.has_gap:
            self._has_gap = True
            await self._walk_back(ctx, feed, news.new)
        elif update.has_holes and (news.new or update.is_second_part):
            self._has_gap = True
            await self._fill_holes(ctx, news.new)
        if update.memory.sitemaps_read is None:
            await read_sitemaps(ctx, news.new)
        return StepResult()

    async def _walk_back(self, ctx: CrawlContext, feed: Feed, news: Sequence[Entry]) -> None:
        """Find the posts between those of the feed and those that are known."""
        if feed.kind != "synthetic" and await read_feed_archive(ctx, feed):
            return
        if news and await read_sitemaps(ctx, news, is_gap=True):
            return
        if await _read_lists(ctx, news):
            return
        if not news and await read_sitemaps(ctx, news, is_gap=True):
            return
        logger.info("Neither the feed nor a list leads back to what is known: all of the blog's pages are read.")
        self._reads_all = True
        ctx.frontier.add(ctx.home, is_post=False)

    async def _fill_holes(self, ctx: CrawlContext, news: Sequence[Entry]) -> None:
        """Find the new posts that a feed lacks among its others: the blog's lists show them, or its sitemaps."""
        before = ctx.frontier.pending_posts
        if not await _read_lists(ctx, news):
            await read_sitemaps(ctx, news, is_gap=True)
        self._update.has_holes = ctx.frontier.pending_posts > before

    def links_to_follow(self, links: list[Link], url: str) -> list[Link]:  # noqa: ARG002  a hook of the crawl
        """The links of a page that are followed: none, unless all of the blog is read."""
        if self._has_gap:
            self._neighbours.note(links)
        return [link for link in links if self._update.is_unknown(link.url)] if self._reads_all else []

    def refill(self, ctx: CrawlContext) -> None:
        """Add pages that stand where new posts lead to others, and that no list has shown."""
        if self._has_gap:
            posts = self._neighbours.next_posts(ctx.classifier.places, lambda url: self._is_unseen(ctx, url))
            add_posts(ctx, posts, found_on=ctx.home)

    def _is_unseen(self, ctx: CrawlContext, url: str) -> bool:
        return self._update.is_unknown(url) and ctx.frontier.status(url) is None


async def _read_lists(ctx: CrawlContext, news: Sequence[Entry]) -> bool:
    """Take in the posts of the blog's lists, from the home page on; True if they lead to posts that are known."""
    update: UpdateState = ctx.update
    walk = ListWalk(
        [ctx.home, *update.memory.lists],
        update.known.was_known,
        newest=_newest(update.known),
        no_posts=update.memory.no_posts,
        news={identity(entry.url) for entry in news},
    )
    while (url := walk.next_url) is not None:
        walk.take(url, await links_of_list(ctx, url))
    add_posts(ctx, [url for url in walk.posts.values() if update.known.at(url) is None], found_on=ctx.home)
    return walk.is_back and (bool(walk.posts) or not news)


def _newest(known: KnownPosts) -> set[str]:
    """The newest of the posts that were known before, among those whose day of publication is known."""
    dated = [(post.published, post.url) for post in known if post.published and known.was_known(post.url)]
    return {identity(url) for _, url in heapq.nlargest(NEWEST, dated)}
