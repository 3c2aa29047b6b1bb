"""NewCrawl: from a blog's address to a record of every post (URL → records).

The crawl begins with the blog's feed: its entries' pages are fetched and learned from. After that the frontier says
which page is next. All state is in the back end after each page, so the same command goes on with a crawl that was cut
short.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from blogcrawler.crawl.blocked_site import ClosedSite, check_records
from blogcrawler.crawl.ending import nothing_is_left
from blogcrawler.crawl.loop import CrawlLoop, decide_page
from blogcrawler.crawl.steps import run_steps
from blogcrawler.crawl.steps.beginning import keep_journal, pages_not_taken, recall_records, resume
from blogcrawler.crawl.steps.discovery import find_blog, renew_sessions
from blogcrawler.crawl.steps.first_learning import learn_blog
from blogcrawler.crawl.steps.listing_sources import list_posts
from blogcrawler.crawl.steps.refinement import Refinement
from blogcrawler.crawl.steps.rendered_pages import grown
from blogcrawler.crawl.tasks import TakePage
from blogcrawler.crawl.update.comment_feed import keep_comment_feed
from blogcrawler.spiders.adapter import BlogSpider
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.items import Page

STEPS = {
    "anew": (find_blog, learn_blog, list_posts, keep_comment_feed),
    "resumed": (renew_sessions, pages_not_taken, recall_records, list_posts, keep_comment_feed),
}
"""What is done before the frontier's pages are fetched, by how a crawl begins."""


class NewCrawl(BlogSpider):
    """Archives a blog."""

    name = "newcrawl"
    may_share = True

    async def compose(self, ctx: CrawlContext) -> AsyncIterator[Task]:
        """Find the blog and learn from it, or go on with a crawl that was cut short; then fetch what is left."""
        site = _add_hooks(ctx)
        beginning = resume(ctx)
        pages: list[Page] = []
        async for task in run_steps(ctx, STEPS[beginning], pages):
            yield task
        if beginning == "anew":
            pages = [await grown(ctx, page) for page in pages]
        await keep_journal(ctx, self._intake)
        for page in {identity(page.url): page for page in pages}.values():
            yield TakePage(page)
        async for task in CrawlLoop(ctx, site.stop, site.is_waiting).run():
            yield task


def _add_hooks(ctx: CrawlContext) -> ClosedSite:
    """Add what is called while the frontier's pages are fetched, and at the end; return what watches the site."""
    site, refinement = ClosedSite(ctx), Refinement(ctx)
    ctx.hooks.prepare_record = refinement.prepare
    ctx.hooks.on_given_up.append(site.note_given_up)
    ctx.hooks.last_work += [site.probe, partial(decide_page, ctx), refinement.release_last]
    ctx.hooks.completeness += [partial(check_records, ctx), site.check, partial(nothing_is_left, ctx)]
    return site
