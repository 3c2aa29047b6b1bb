"""Learn the wrapper again if the pages of new posts show that the blog has a new design."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from blogcrawler.browser.need import tree_of
from blogcrawler.crawl.pages import tree_or_give_up
from blogcrawler.crawl.steps.learning import TRAINING_PAGES, fetch_post, keep_rules, learn_with_corrections
from blogcrawler.downloader.reasons import status_reason
from blogcrawler.urls import canonicalise, identity
from blogcrawler.wrapper.fit import Habits, share_that_fits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.steps.learning import PostPages
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry
    from blogcrawler.wrapper import Wrapper

TRIED = 3
"""Number of pages of new posts on which the wrapper is tested."""
LEARNED_FROM = 5
"""Number of training pages of the wrapper that are read to find out which fields it usually extracts."""
ENOUGH = 0.5
"""Share of the tested pages that it must fit."""
COMMENT_STATES = ("comments", "comment habits")
"""Names of the states with what was learned about comments, which a new design invalidates."""

logger = logging.getLogger(__name__)


async def try_wrapper(update: UpdateState, wanted: Sequence[Entry], feed: Feed, lost: dict[str, str]) -> PostPages:
    """Fetch the first pages of some entries, and learn the wrapper again if it no longer fits them.

    Returns all pages that were fetched; failed addresses and their reasons are added to `lost`.
    """
    ctx, old = update.ctx, update.ctx.classifier.wrapper
    pages = await _fetch(ctx, wanted[:TRIED], lost)
    habits = _habits(ctx) if pages else None
    if share_that_fits(old, pages, habits) >= ENOUGH:
        return pages
    update.has_relearned = True
    at_hand = {identity(entry.url) for _, entry in pages}
    others = [entry for entry in feed.entries if identity(entry.url) not in at_hand][: TRAINING_PAGES - len(pages)]
    known = await _fetch(ctx, others[:TRIED], lost)
    pages += known
    if known and share_that_fits(old, known, habits) >= ENOUGH:  # known posts have the old design
        return pages
    pages += await _fetch(ctx, others[TRIED:], lost)
    wrapper = learn_with_corrections(ctx, pages)
    if share_that_fits(wrapper, pages, habits) > share_that_fits(old, pages, habits):
        _keep(ctx, wrapper, pages)
        ctx.classifier.add_known_posts(post.url for post in update.known)
    return pages


async def _fetch(ctx: CrawlContext, entries: Sequence[Entry], lost: dict[str, str]) -> PostPages:
    pages = []
    for entry in entries:
        if ctx.scope.covers(entry.url):
            url = canonicalise(entry.url)
            page = await fetch_post(ctx, url)
            if isinstance(page, str) or page.status != 200:
                lost[url] = page if isinstance(page, str) else status_reason(page.status)
            elif tree_or_give_up(ctx, page) is not None:
                pages.append((page, entry))
    return pages


def _habits(ctx: CrawlContext) -> Habits:
    """What the wrapper usually finds on pages whose entries lack the article."""
    training_pages = ctx.archive.load_training_pages(ctx.home)
    pages = [(page, entry) for page, entry in training_pages if entry.title][-LEARNED_FROM:]
    for page, _ in pages:
        page.tree = tree_of(page)
    return Habits.of(ctx.classifier.wrapper, pages)


def _keep(ctx: CrawlContext, wrapper: Wrapper, training: PostPages) -> None:
    """Use a new wrapper from now on, and store it with its training pages."""
    logger.info("The blog's template has changed; new rules were learned from %d pages.", len(training))
    ctx.tally.learned_anew = len(training)
    old = ctx.classifier
    with ctx.archive.transaction():
        ctx.archive.forget_training_pages(ctx.home)
        ctx.archive.forget_source_states(ctx.home, COMMENT_STATES)
        for page, entry in training:
            ctx.entries[identity(page.url)] = entry
            ctx.archive.save_training_page(ctx.home, page, entry)
        keep_rules(ctx, wrapper, training, set(old.no_posts), old.feed_since, old.posts)
