"""UpdateCrawl: from a blog in the archive and a time to what is new since then (URL × time → records).

The feed is asked whether it has changed, and says which posts are new or were changed: these are fetched, and read by
the wrapper that is kept, which is learned anew only where it does not fit any more. What feeds have said counts as
known when all of it is done, and all outputs are written: an update that was cut short is made again by the next, which
hands on the records of both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.loop import CrawlLoop, UndecidedPages
from blogcrawler.crawl.tasks import HandOn, TakePage
from blogcrawler.crawl.update.gap_filling import GapFilling, read_unavailable
from blogcrawler.crawl.update.known_blog import begin_update
from blogcrawler.crawl.update.modified_recheck import ModifiedRecheck
from blogcrawler.crawl.update.page_recheck import recheck_pages
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.crawl.update.since_backfill import ArchivedRecords, read_back
from blogcrawler.crawl.update.update_records import ask_comment_feed, hand_on_comments, hand_on_media, prepare_record
from blogcrawler.errors import TemporaryFailure
from blogcrawler.spiders.adapter import BlogSpider
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.items import Page

__all__ = ["UpdateCrawl"]

A_DAY_S = 24 * 3600


class UpdateCrawl(BlogSpider):
    """Brings a blog's archive up to date. Argument `since`: a time from which on all that is new is handed on."""

    name = "updatecrawl"
    looks_at_all = False
    arguments = frozenset({"url", "since"})
    custom_settings = {"HARVEST_WINDOW": 100, "ROBOTSTXT_LIFETIME": A_DAY_S}  # noqa: RUF012  Scrapy's name

    def __init__(self, url: str | None = None, since: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(url=url, **more)
        self._since = parse_since(since) if since else None

    @classmethod
    def check_arguments(cls, given: dict[str, str]) -> None:
        """Raise BadArgument for what cannot be meant."""
        if given.get("since"):
            parse_since(given["since"])

    async def compose(self, ctx: CrawlContext) -> AsyncIterator[Task]:
        """Run the steps of an update; then take in their pages, and fetch what they have found."""
        ctx.tally.updates()
        update, feed = begin_update(ctx, self._since)
        gaps, recheck = GapFilling(update), ModifiedRecheck(update)
        _connect(ctx, update, gaps, recheck)
        ctx.hooks.at_end.append(_writing_end(ctx, update, [feed.complete, recheck.complete, update.memory.complete]))
        pages: list[Page] = []
        for step in (
            feed.ask,
            ask_comment_feed,
            feed.find,
            hand_on_comments,
            hand_on_media,
            read_unavailable,
            feed.fetch,
            gaps.run,
            recheck.run,
            read_back,
            recheck_pages,
        ):
            result = await step(ctx)
            pages += result.pages
            if result.records:
                yield HandOn(partial(iter, result.records))
        for page in pages:
            yield TakePage(page)
        async for task in CrawlLoop(ctx).run():
            yield task


def _connect(ctx: CrawlContext, update: UpdateState, gaps: GapFilling, recheck: ModifiedRecheck) -> None:
    """Have the crawl ask an update's parts what comes next, and report what becomes of pages and records."""
    hooks, permalinks = ctx.hooks, update.permalinks
    hooks.link_filter = gaps.links_to_follow
    hooks.url_sources += [gaps, recheck]
    has_earlier_parts = update.is_second_part and ctx.options.outputs_begin_anew
    hooks.last_work += [UndecidedPages(), ArchivedRecords(has_earlier_parts)]
    hooks.prepare_record = partial(prepare_record, ctx)
    hooks.on_alias.append(permalinks.note)
    hooks.on_record += [permalinks.after_saving, lambda record: update.handed_on.add(identity(record.url))]
    is_complete = partial(update.memory.is_complete, ctx)
    hooks.completeness.append(is_complete)

    def settle(reason: str) -> None:
        if is_complete(reason):
            permalinks.settle(ctx.classifier.places.is_linked)

    hooks.at_stop.append(settle)


def _writing_end(
    ctx: CrawlContext, update: UpdateState, parts: list[Callable[[CrawlContext], None]]
) -> Callable[[str, bool], None]:
    """What keeps what the feeds said, if all that they led to is done, and what was asked for if it could not be."""

    def write(reason: str, is_complete: bool) -> None:  # noqa: ARG001  a hook of the crawl
        if is_complete and ctx.fatal is None:
            for complete in parts:
                complete(ctx)
            if update.comments is not None:
                update.comments.keep()
        if update.late_media is not None and isinstance(ctx.fatal, TemporaryFailure):
            update.late_media.give_back()

    return write
