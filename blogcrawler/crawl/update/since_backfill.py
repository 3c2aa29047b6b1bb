"""An update from a time that the user has named: what is new or was changed since then, fetched or from the archive.

What an entry shows to be as it is kept needs no request. Where the feed does not reach back to the time, and no sitemap
shows what was changed, the feed's archive is read until it does; the rest comes from the archive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.steps.reemission import recalled
from blogcrawler.crawl.tasks import HandOn
from blogcrawler.crawl.update.feed_archive import reaches_back, read_feed_archive
from blogcrawler.crawl.update.since import is_since
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.frontier import Stop
    from blogcrawler.items import Record

__all__ = ["ArchivedRecords", "read_back"]


async def read_back(ctx: CrawlContext) -> StepResult:
    """Read on in the feed's archive, if the feed does not reach back to the user's time."""
    update: UpdateState = ctx.update
    if update.feed is not None and not update.has_gap and not reaches_back(update, update.feed.entries):
        await read_feed_archive(ctx, update.feed)
    return StepResult()


@dataclass
class ArchivedRecords:
    """Hands on, at the end, the records of the archive that are wanted, and were not handed on before."""

    #: also those that earlier parts of the update have kept
    has_earlier_parts: bool
    is_done: bool = False

    def next_task(self, ctx: CrawlContext, stop: Stop | None) -> HandOn | None:  # noqa: ARG002  whatever ends the crawl
        """Hand them on, once."""
        is_wanted = self.has_earlier_parts or ctx.update.since is not None
        if self.is_done or not is_wanted:
            return None
        self.is_done = True
        return HandOn(lambda: self._records(ctx, ctx.update))

    def _records(self, ctx: CrawlContext, update: UpdateState) -> Iterator[Record]:
        done, known = set(update.handed_on), update.known
        if self.has_earlier_parts:
            urls = [url for url in ctx.archive.changed_since(ctx.home, known.begun) if identity(url) not in done]
            done.update(map(identity, urls))
            yield from recalled(ctx, urls)
        if update.since is None:
            return
        archived = min((post.first_seen for post in known), default=known.begun)
        found_first = update.memory.first_update if update.since < archived else None
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
