"""End a crawl: decide whether anything is left for the next one, and record the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend import Failed
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.evidence import note_sources
from blogcrawler.crawl.reasons import NO_POST
from blogcrawler.downloader.reasons import is_gone, is_temporary
from blogcrawler.errors import BackendUnavailable, NotArchived, RedisUnavailable
from blogcrawler.routes import out_of_path
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.crawl.context import CrawlContext


class Ending:
    """Counts the results of a crawl when it stops, and records its end when all outputs are closed."""

    def __init__(self, ctx: CrawlContext) -> None:
        self._ctx = ctx
        self._end: tuple[str, bool] | None = None

    def count_results(self, reason: str) -> None:
        """Count the results, unless another process has taken over the blog meanwhile."""
        ctx = self._ctx
        self._end = reason, False
        if not ctx.has_begun or ctx.lease.is_elsewhere or ctx.outcome.is_left_behind:
            return
        try:
            ctx.frontier.flush()
            ctx.tally.left_out = len(ctx.archive.removed(ctx.home).met)
            blog = ctx.archive.blog(ctx.home)
            is_compared = not ctx.tally.is_update or ctx.tally.found_of_expected is not None
            if is_compared and blog.crawl_started is not None:
                ctx.tally.archived = asdict(ctx.archive.queries.contents(blog.id, since=blog.crawl_started))
            ctx.tally.listed_gone = self._listed_gone()
            self._end = reason, all(check(reason) for check in ctx.hooks.completeness)
        except (BackendUnavailable, RedisUnavailable) as error:
            ctx.outcome.fatal = ctx.outcome.fatal or error

    def _listed_gone(self) -> dict[str, int]:
        """The number of listed posts that the server says do not exist, by HTTP status."""
        failed = self._ctx.frontier.store.load("failed")
        statuses = ((row["reason"] or "")[:3] for row in failed if self._ctx.coverage.lists(row["url"]))
        return dict(Counter(filter(is_gone, statuses)))

    def record_end(self) -> None:
        """Record how the crawl ended, and let other processes crawl the blog.

        A crawl that was cut short resumes when it is started again, and completes its outputs.
        """
        ctx = self._ctx
        try:
            if self._end is not None:
                self._record_end(*self._end)
        except (BackendUnavailable, RedisUnavailable) as error:
            ctx.outcome.fatal = ctx.outcome.fatal or error
        finally:
            ctx.archive.close()
            ctx.lease.close()

    def _record_end(self, reason: str, is_complete: bool) -> None:
        """Record the end in one transaction, so that no process sees a blog whose crawl has ended but that is still due
        or leased."""
        ctx, outcome = self._ctx, self._ctx.outcome
        is_ours = ctx.has_begun and not ctx.lease.is_elsewhere
        with ctx.lease.releasing(ctx.archive):
            if is_ours:
                self._finish(str(outcome.fatal or reason), is_complete=is_complete)
            if not isinstance(outcome.fatal, NotArchived):
                home = ctx.home if ctx.has_begun else None
                is_done = is_complete and not ctx.tally.left_for_later
                ctx.lease.note_end(ctx.archive, home, reason, fatal=outcome.fatal or outcome.fault, complete=is_done)

    def _finish(self, reason: str, *, is_complete: bool) -> None:
        """Record how the crawl ended; what a blocked crawl has learned is deleted, so that the next crawl
        starts anew."""
        ctx = self._ctx
        if ctx.is_blocked:
            reason = str(ctx.outcome.fault)
            ctx.archive.save_crawl_state(ctx.home, None)
            ctx.archive.forget_training_pages(ctx.home)
        with ctx.archive.transaction():
            for write in ctx.hooks.at_end:
                write(reason, is_complete)
            note_sources(ctx)
            are_all = is_complete and ctx.options.looks_at_all
            ctx.archive.failures(ctx.home).note(self._lost_posts(), are_all=are_all)
            ctx.archive.finish_crawl(ctx.home, now=datetime.now(UTC), reason=reason, complete=is_complete)

    def _lost_posts(self) -> Iterator[Failed]:
        """Pages at posts' addresses that could not be fetched, and pages that a source lists but that are no posts."""
        ctx, now = self._ctx, datetime.now(UTC)
        for row in ctx.frontier.store.load("failed"):
            if row["is_post"]:
                reason = row["reason"] or ""
                yield Failed(out_of_path(row["url"]), reason, now, is_temporary(reason))
        announced = ctx.archive.source_entry_urls(ctx.home)
        for row in ctx.frontier.store.load("done") if announced else ():
            if row["was_post"] is False and identity(row["url"]) in announced:
                yield Failed(out_of_path(row["url"]), NO_POST, now)


def nothing_is_left(ctx: CrawlContext, reason: str) -> bool:
    """True if nothing is left for a next crawl. Pages that could not be fetched are requested once more."""
    left = ctx.frontier.unavailable
    is_tried_again = 0 < ctx.tried_again <= left
    if reason in COMPLETE and left and not is_tried_again:
        ctx.tally.left_for_later = left
        return False
    return reason in COMPLETE
