"""How a crawl begins that is not the first on its blog: others work on it, or an earlier one was cut short."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from blogcrawler.crawl.browser_need import Rendering
from blogcrawler.crawl.classifier import PostClassifier
from blogcrawler.crawl.refinement import Sample
from blogcrawler.crawl.shared_settings import disagreement, terms
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.steps.discovery import is_cut_short
from blogcrawler.crawl.steps.reemission import recalled
from blogcrawler.errors import BeingCrawled, UnreadableRules
from blogcrawler.items import Entry
from blogcrawler.serialise import load
from blogcrawler.urls import routed
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.crawl.context import CrawlContext

    Beginning = Literal["joined", "resumed", "anew"]

logger = logging.getLogger(__name__)


async def resume(ctx: CrawlContext) -> Beginning:
    """Take up what others are at work on, or what is left of a crawl that was cut short; "anew" where neither is."""
    has_joined = await ctx.group.find_place(ctx.archive, ctx.start_url)
    home = ctx.archive.find_blog(ctx.start_url)
    if home and has_joined and _joins(ctx, home):
        return "joined"
    return "resumed" if home and is_cut_short(ctx, home) and _go_on(ctx, home) else "anew"


def _joins(ctx: CrawlContext, home: str) -> bool:
    """Take up what others are at work on. False for what nobody is, and which was begun by another version."""
    trouble = disagreement(terms(ctx.settings), ctx.group.terms, home)
    if trouble is None and _go_on(ctx, home, has_joined=True):
        return True
    if ctx.group.leave_unread():
        return False
    raise trouble or BeingCrawled(
        f"Another spider is about to begin the crawl of {home} anew, since what was left of it cannot be read by "
        "this version of blogcrawler. Start this one again to help."
    )


def _go_on(ctx: CrawlContext, home: str, *, has_joined: bool = False) -> bool:
    """Take up a crawl that was cut short after its wrapper was learned, or that others are at work on."""
    if not _load(ctx, home):
        return False
    ctx.home = home
    ctx.scope = ctx.classifier.scope
    if any(entry.is_synthetic for entry in ctx.entries.values()):
        ctx.tally.no_feed()
    ctx.classifier.know(_archived_urls(ctx))
    if (started := ctx.archive.blog(home).crawl_started) is not None:
        ctx.tally.goes_on(started)
    if has_joined and not ctx.group.is_alone:
        ctx.frontier = ctx.group.frontier(ctx.archive, home)
        ctx.tried_again = ctx.group.tried_again(ctx.archive, home)
        return True
    ctx.group.confirm()
    ctx.archive.start_crawl(home, now=datetime.now(UTC))
    if not has_joined:
        ctx.group.take_up(ctx.archive, home)
    ctx.frontier = ctx.group.frontier(ctx.archive, home)
    ctx.tried_again = ctx.frontier.unavailable
    again = ctx.frontier.resume(retry_failed=True)
    logger.info("Going on with the crawl of %s: %d URLs wait, %d of them again.", home, len(ctx.frontier), again)
    return True


def _load(ctx: CrawlContext, home: str) -> bool:
    """Load what a crawl has learned; False where it has not, or that cannot be read."""
    state, kept = ctx.archive.load_crawl_state(home), ctx.archive.load_wrapper(home)
    if state is None or kept is None:
        return False
    if ctx.group.is_lost(ctx.archive, home):
        logger.info("What waits for the crawl of %s was in a Redis; beginning anew.", home)
        return False
    try:
        ctx.classifier = PostClassifier.from_dict(state["reader"], Wrapper.from_dict(kept))
        ctx.entries = load(dict[str, Entry], state["entries"])
        ctx.fetcher.rendering = Rendering.from_dict(state.get("rendering", {}))
        ctx.sample = Sample(state.get("samples", 0))
    except (UnreadableRules, KeyError, TypeError, ValueError, AttributeError):
        logger.info("The crawl of %s was begun by another version; beginning anew.", home)
        return False
    return True


def _archived_urls(ctx: CrawlContext) -> Iterator[str]:
    """The addresses of the posts that this crawl has kept, as it names their pages."""
    started = ctx.archive.blog(ctx.home).crawl_started
    return map(routed, ctx.archive.urls(ctx.home, since=started) if started else ())


async def recall_records(ctx: CrawlContext) -> StepResult:
    """Bring the records of the crawl's first part into outputs that begin anew."""
    if not ctx.options.outputs_begin_anew:
        return StepResult()
    return StepResult(records=recalled(ctx, [url for url in _archived_urls(ctx) if ctx.frontier.status(url) == "done"]))


async def pages_not_taken(ctx: CrawlContext) -> StepResult:
    """The pages that were learned from, as far as the last crawl has not come to them."""
    pages = [page for page, _ in ctx.archive.load_training_pages(ctx.home)]
    waiting = [page for page in pages if ctx.frontier.status(page.url) == "pending"]
    for page in waiting:
        ctx.frontier.redirected(page.url, page.url)
    return StepResult(waiting)
