"""The loop of a crawl: which page is fetched next, when to wait, and when the crawl is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import give_up, may_be_post
from blogcrawler.crawl.tasks import CrawlOver, FetchPage, TakePage
from blogcrawler.downloader.reasons import BROKE
from blogcrawler.frontier import Candidate, Link, Progress, Stop, StopReason, has_number
from blogcrawler.frontier.completeness import PendingPage
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task

POSTS_ASIDE = 200
"""The crawl stops fetching while this number of posts wait only for their files."""
ITEMS_IN_WORK = 30
"""The crawl stops fetching while this number of posts are in the pipeline. It must exceed the number of posts that wait
together for comment rules."""


class CrawlLoop:
    """Takes pages from the frontier until none is left or a stop rule ends the crawl.

    `closed` returns the stop for a site that refuses all requests, or None. `is_waiting` is true while no further page
    may be requested.
    """

    def __init__(
        self,
        ctx: CrawlContext,
        closed: Callable[[], Stop | None] = lambda: None,
        is_waiting: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ctx, self._closed, self._is_waiting = ctx, closed, is_waiting

    async def run(self) -> AsyncIterator[Task]:
        """The tasks of the crawl, one after another. Raises CrawlOver if a stop rule ends it."""
        ctx = self._ctx
        ctx.asked = ctx.tally.pages
        while not ctx.outcome.is_over:
            ctx.news.clear()
            self._give_up_lost()
            stop = self.stop()
            ctx.is_stopping = stop is not None
            is_busy = self._is_busy()
            url = None if is_busy or stop else self._next_url()
            ctx.tally.queue(len(ctx.frontier))
            ctx.tally.listed = len(ctx.coverage)
            if url is not None:
                ctx.asked += 1
                yield FetchPage(url)
            elif (task := self._last_task(stop)) is not None:
                yield task
            elif (is_busy and not stop) or ctx.is_working:
                await ctx.news.wait()
            elif stop:
                ctx.tally.stopped(**stop._asdict())
                raise CrawlOver(stop.rule)
            elif self.stop() is not None:
                continue  # choosing the next page has shown that no page is left
            else:
                if left_out := ctx.frontier.left_out:
                    ctx.tally.stopped(StopReason.KINDS_LEFT_OUT, pages=left_out)
                return

    def stop(self) -> Stop | None:
        """The stop that ends the crawl as soon as the pages in flight have arrived; None to go on."""
        if (closed := self._closed()) is not None:
            return closed
        ctx = self._ctx
        progress = Progress(
            pages=ctx.asked,
            elapsed_s=ctx.elapsed_s(),
            harvest=ctx.harvest,
            pending_posts=ctx.frontier.pending_posts,
            posts=ctx.classifier.known_posts,
            seeds=len(ctx.entries),
            most_listed=ctx.frontier.most_listed,
            found_on_posts=ctx.frontier.found_on_posts,
            has_promising_page=ctx.frontier.has_promising_page,
            coverage=ctx.coverage,
        )
        return ctx.options.stop_rules.check(progress)

    def _last_task(self, stop: Stop | None) -> Task | None:
        """The next task when no page is left to fetch; None if there is none."""
        works = self._ctx.hooks.last_work if self._ctx.is_quiet else ()
        return next((task for work in works if (task := work(stop)) is not None), None)

    def _give_up_lost(self) -> None:
        """Give up posts that count as in the pipeline though nothing is in flight, since an error has lost them."""
        ctx = self._ctx
        if ctx.in_work and not ctx.fetcher.is_working:
            for url in ctx.in_work.keys() - {record.page_url for record in ctx.sample.held}:
                del ctx.in_work[url]
                give_up(ctx, url, BROKE)

    def _is_busy(self) -> bool:
        """True while no further page may be requested."""
        ctx = self._ctx
        is_full = ctx.unread_posts >= ITEMS_IN_WORK or len(ctx.waiting_for_files) >= POSTS_ASIDE
        return is_full or ctx.fetcher.engine.needs_backout() or self._is_waiting() or self._is_exploring()

    def _is_exploring(self) -> bool:
        """True while a page is in flight and no post waits, since this page may show that the next one is not worth a
        request."""
        return not self._ctx.frontier.pending_posts and self._ctx.fetcher.is_reading

    def _next_url(self) -> str | None:
        """The next page to fetch: the best of the frontier; if it is empty, pages that further sources add."""
        url = self._best_url()
        for source in self._ctx.hooks.url_sources:
            if url is None and self._ctx.is_quiet:
                source()
                url = self._best_url()
        return url

    def _best_url(self) -> str | None:
        """The best page of the frontier; if a source has all posts, only posts and pages that check the source."""
        ctx = self._ctx
        if portion := ctx.coverage.next_portion(ctx.frontier.pending_posts):
            ctx.frontier.add_many([Link(url, is_post=True) for url in portion], found_on=ctx.home)
        if not ctx.coverage.is_whole:
            best = ctx.frontier.pop()
            return best.url if best is not None else None
        if (post := ctx.frontier.pop(posts_only=True)) is not None:
            return post.url
        return self._next_check_page() if ctx.is_quiet else None

    def _next_check_page(self) -> str | None:
        """A page that is fetched to check that a source has all posts."""
        ctx, coverage = self._ctx, self._ctx.coverage
        while (url := coverage.next_check_page(self._pending_pages)) is not None:
            is_waiting = ctx.frontier.status(url) in (None, "pending") and not ctx.frontier.is_mirrored(url)
            if is_waiting and ctx.frontier.redirected(url, url):
                ctx.journal.note("coverage", "note_asked", url, coverage.check.take_state())
                return url
            coverage.check.note_gone(url)  # it was fetched after it was chosen
        return None

    def _pending_pages(self) -> Iterator[PendingPage]:
        ctx = self._ctx
        ctx.frontier.flush()
        places, menu = ctx.classifier.places, ctx.classifier.menu
        for page in map(Candidate.from_row, ctx.frontier.store.load("pending")):
            url, key = page.url, identity(page.url)
            if not page.is_post and not ctx.frontier.is_mirrored(url):
                is_likely = may_be_post(ctx, url) and not ctx.coverage.knows(url)
                is_likely = is_likely or ctx.frontier.may_be_version(page)
                is_list = page.bonus > 0 or (key in menu and has_number(page.marks))
                yield PendingPage(url, is_likely, places.is_among_posts(key) is True, places.is_linked(key), is_list)


def decide_page(ctx: CrawlContext, stop: Stop | None) -> TakePage | None:
    """At the end of a crawl, decide about the next page that could not be classified."""
    return TakePage(ctx.undecided.pop(0), is_last=True) if ctx.undecided and ctx.is_at_end(stop) else None
