"""What an update learns where a blog was given another design: new posts' pages show that the wrapper fits no more."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from blogcrawler.crawl import browser_need
from blogcrawler.crawl.fetcher import page_of
from blogcrawler.crawl.pages import tree_of
from blogcrawler.crawl.steps.learning import TRAINING_PAGES, keep_rules, learned_of
from blogcrawler.crawl.wrapper_fit import Habits, share_that_fits
from blogcrawler.downloader.reasons import reason_of, status_reason
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page
    from blogcrawler.wrapper import Wrapper

TRIED = 3
"""Pages of new posts on which the wrapper is tried."""
LEARNED_FROM = 5
"""Pages that the wrapper was learned from that show what it finds as a rule."""
ENOUGH = 0.5
"""Share of them that it must fit."""
COMMENT_STATES = ("comments", "comment habits")
"""Names of the states of what was learned of comments, which does not hold for another design."""

logger = logging.getLogger(__name__)

PostPages = list[tuple["Page", "Entry"]]


@dataclass
class NewsPages:
    """The first pages of new and changed posts, on which the wrapper is tried, and others that it is learned from."""

    #: pages at hand, with their entries
    pages: PostPages = field(default_factory=list)
    #: why the others could not be fetched, by their addresses
    lost: dict[str, str] = field(default_factory=dict)

    async def fetch(self, ctx: CrawlContext, wanted: list[Entry], feed: Feed) -> None:
        """Fetch the first pages of some entries, and learn the wrapper anew where it does not fit them any more."""
        self.pages = await self._fetch_some(ctx, wanted[:TRIED])
        habits = _habits(ctx) if self.pages else None
        if share_that_fits(ctx.classifier.wrapper, self.pages, habits) < ENOUGH:
            ctx.update.has_relearned = True
            await self._learn_anew(ctx, feed, habits)

    async def _fetch_some(self, ctx: CrawlContext, entries: Iterable[Entry]) -> PostPages:
        """The pages of entries, as far as they can be fetched now."""
        found = []
        for entry in entries:
            if not ctx.scope.covers(entry.url):
                continue
            url = canonicalise(entry.url)
            try:
                response = await ctx.fetcher.post(url)
            except Exception as error:  # noqa: BLE001  one page never ends a crawl
                self.lost[url] = reason_of(error)
                continue
            ctx.tally.page()
            page = page_of(response)
            if page.status != 200:
                self.lost[url] = status_reason(page.status)
            elif tree_of(ctx, page) is not None:
                found.append((page, entry))
        return found

    async def _learn_anew(self, ctx: CrawlContext, feed: Feed, habits: Habits | None) -> None:
        """Learn from the pages of all entries, if known posts look different, too."""
        old = ctx.classifier.wrapper
        at_hand = {identity(entry.url) for _, entry in self.pages}
        others = [entry for entry in feed.entries if identity(entry.url) not in at_hand]
        others = others[: TRAINING_PAGES - len(self.pages)]
        first = await self._fetch_some(ctx, others[:TRIED])
        self.pages = [*self.pages, *first]
        if first and share_that_fits(old, first, habits) >= ENOUGH:
            return
        self.pages += await self._fetch_some(ctx, others[TRIED:])
        wrapper = learned_of(ctx, self.pages)
        if share_that_fits(wrapper, self.pages, habits) > share_that_fits(old, self.pages, habits):
            _keep(ctx, wrapper, self.pages)


def _habits(ctx: CrawlContext) -> Habits:
    """What is to be expected of pages whose entries do not bring the article."""
    kept = ctx.archive.load_training_pages(ctx.home)
    pages = [(page, entry) for page, entry in kept if entry.title][-LEARNED_FROM:]
    for page, _ in pages:
        page.tree = browser_need.tree_of(page)
    return Habits.of(ctx.classifier.wrapper, pages)


def _keep(ctx: CrawlContext, wrapper: Wrapper, training: PostPages) -> None:
    """Use a new wrapper from now on, and keep it with the pages that it was learned from."""
    logger.info("The blog's pages look different now; they were learned anew from %d of them.", len(training))
    ctx.tally.redesigned(len(training))
    old = ctx.classifier
    with ctx.archive.transaction():
        ctx.archive.forget_training_pages(ctx.home)
        ctx.archive.forget_source_states(ctx.home, COMMENT_STATES)
        for page, entry in training:
            ctx.entries[identity(page.url)] = entry
            ctx.archive.save_training_page(ctx.home, page, entry)
        keep_rules(ctx, wrapper, training, set(old.no_posts), old.feed_since, old.posts)
    ctx.classifier.know(post.url for post in ctx.update.known)
