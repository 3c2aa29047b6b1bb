"""The step of a new crawl that keeps what the feed of all comments says: later updates compare with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.comment_feed import CommentNews

if TYPE_CHECKING:
    from blogcrawler.crawl.context import CrawlContext

__all__ = ["keep_comment_feed"]


async def keep_comment_feed(ctx: CrawlContext) -> StepResult:
    """Ask for the feed, and keep what it says, unless that is known already."""
    news = CommentNews(ctx.archive, ctx.home, ctx.fetcher.asker())
    if ctx.options.comments and not news.is_kept:
        await news.ask(ctx.archive.load_feed_state(ctx.home))
        news.keep()
    return StepResult()
