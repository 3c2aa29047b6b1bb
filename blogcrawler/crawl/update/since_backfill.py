"""An update from a time that the user has named: what is new or was changed since then, fetched or from the archive.

What an entry shows to be as it is kept needs no request. Where the feed does not reach back to the time, and no sitemap
shows what was changed, the feed's archive is read until it does; the rest comes from the archive.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import add_entry, post_sources
from blogcrawler.crawl.records import recalled
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.crawl.update.feed_changes import digest, is_as_kept
from blogcrawler.crawl.update.since import is_since
from blogcrawler.feeds.sources import FeedArchive
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Entry, Record


async def read_back(ctx: CrawlContext) -> StepResult:
    """Read on in the feed's archive, if the feed does not reach back to the user's time."""
    update = ctx.update
    if update.feed is not None and not update.has_gap and not _reaches_back(update, update.feed.entries):
        await read_feed_archive(ctx, update.feed)
    return StepResult()


async def read_feed_archive(ctx: CrawlContext, feed: Feed) -> bool:
    """Take in entries from page after page of a feed; True if it comes to posts that are known."""
    update = ctx.update
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
        if is_known and _reaches_back(update, found.entries):
            return True
        has_met |= is_known
    return has_met or source.outcome == "whole"


def is_due_since(ctx: CrawlContext, entry: Entry) -> bool:
    """True if an entry is of the user's time, and its post may say something else than what is kept."""
    update = ctx.update
    if update.since is None or not is_since(update.since, entry.published, entry.updated):
        return False
    if not entry.is_summary and update.digests.settled.get(identity(entry.url)) == digest(entry):
        return False
    post = update.known.of_entry(entry)
    record = ctx.archive.record(ctx.home, post.url) if post is not None else None
    return post is None or record is None or not is_as_kept(entry, record, post.last_seen)


def _reaches_back(update: UpdateState, entries: Iterable[Entry]) -> bool:
    """True if entries reach back to the user's time, or need not, since sitemaps have shown what was changed."""
    if update.since is None or update.is_lastmod_read:
        return True
    return any(entry.published and not is_since(update.since, entry.published) for entry in entries)


class ArchivedRecords:
    """Hands on, at the end, the records of the archive that are wanted, and were not handed on before."""

    def __init__(self) -> None:
        self._is_done = False

    def next_task(self, ctx: CrawlContext, stop: Stop | None) -> HandOn | None:  # noqa: ARG002  whatever ends the crawl
        """Hand them on, once."""
        if self._is_done:
            return None
        self._is_done = True
        return HandOn(partial(_archived_records, ctx)) if ctx.update.since or _lacks_earlier_parts(ctx) else None


def _lacks_earlier_parts(ctx: CrawlContext) -> bool:
    """True if the outputs have no records of earlier parts of the update."""
    return ctx.update.is_second_part and ctx.options.outputs_begin_anew


def _archived_records(ctx: CrawlContext) -> Iterator[Record]:
    update, known = ctx.update, ctx.update.known
    done = set(update.handed_on)
    if _lacks_earlier_parts(ctx):
        urls = [url for url in ctx.archive.changed_since(ctx.home, known.begun) if identity(url) not in done]
        done.update(map(identity, urls))
        yield from recalled(ctx, urls)
    if update.since is None:
        return
    archived = min((post.first_seen for post in known), default=known.begun)
    found_first = datetime.fromisoformat(update.memory.first_update) if update.since < archived else None
    for record in ctx.archive.records(ctx.home):
        key = identity(record.url)
        post = known.by_key.get(key)
        if post is not None and key not in done and _is_new(post, record, update.since, found_first):
            ctx.tally.recalled()
            yield record


def _is_new(post: KnownPost, record: Record, since: datetime, found_first: datetime | None) -> bool:
    """True if a post that is kept is new since a time, or it, or its comments, were changed.

    Of blogs that were archived later, `found_first` is when their first crawl had found all that it did: that these
    posts came in then says nothing.
    """
    if is_since(since, post.published, post.updated):
        return True
    is_of_first = found_first is not None and post.last_changed == post.first_seen < found_first
    if post.last_changed >= since and (not is_of_first or not post.published):
        return True
    return any(is_since(since, comment.published) for comment in record.comments)
