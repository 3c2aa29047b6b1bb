"""The older entries of a feed, read page after page until they come to what the archive has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import add_entry, post_sources
from blogcrawler.crawl.update.feed_changes import digest, is_as_kept
from blogcrawler.crawl.update.since import is_since
from blogcrawler.feeds.sources import FeedArchive
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry

__all__ = ["is_due_since", "reaches_back", "read_feed_archive"]


async def read_feed_archive(ctx: CrawlContext, feed: Feed) -> bool:
    """Take in entries from page after page of a feed; True if it comes to posts that are known."""
    update: UpdateState = ctx.update
    sources = post_sources(ctx)
    kept = sources.kept()
    source = FeedArchive(feed, kept[0].generators if kept is not None else ())
    has_met = False
    while (url := source.next_url) is not None:
        found = source.take(await sources.answer(url))
        for entry in found.entries:
            if update.known.at(entry.url) is None or is_due_since(ctx, entry):
                add_entry(ctx, entry)
        ctx.frontier.flush()
        is_known = any(update.known.was_known(entry.url) for entry in found.entries)
        if is_known and reaches_back(update, found.entries):
            return True
        has_met |= is_known
    return has_met or source.outcome == "whole"


def is_due_since(ctx: CrawlContext, entry: Entry) -> bool:
    """True if an entry is of the user's time, and its post may say something else than what is kept."""
    update: UpdateState = ctx.update
    if update.since is None or not is_since(update.since, entry.published, entry.updated):
        return False
    if not entry.is_summary and update.digests.settled.get(identity(entry.url)) == digest(entry):
        return False
    post = update.known.of_entry(entry)
    record = ctx.archive.record(ctx.home, post.url) if post is not None else None
    return post is None or record is None or not is_as_kept(entry, record, post.last_seen)


def reaches_back(update: UpdateState, entries: Iterable[Entry]) -> bool:
    """True if entries reach back to the user's time, or need not, since sitemaps have shown what was changed."""
    if update.since is None or update.memory.is_lastmod_read:
        return True
    return any(entry.published and not is_since(update.since, entry.published) for entry in entries)
