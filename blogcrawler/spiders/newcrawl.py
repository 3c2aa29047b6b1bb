"""NewCrawl: from a blog's URL to a record of every post (URL → records).

The crawl begins with the blog's feed: the pages of its entries are fetched, and rules are learned from them. After
that, the frontier decides which page is fetched next. All state is saved after each page, so the same command continues
an interrupted crawl.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.blocked_site import ClosedSite, check_records
from blogcrawler.crawl.captured_pages import shows_blog
from blogcrawler.crawl.ending import nothing_is_left
from blogcrawler.crawl.loop import CrawlLoop, decide_page
from blogcrawler.crawl.steps import Step, run_steps
from blogcrawler.crawl.steps.beginning import keep_journal, recall_records, unprocessed_pages
from blogcrawler.crawl.steps.discovery import find_blog, renew_sessions
from blogcrawler.crawl.steps.first_learning import learn_blog
from blogcrawler.crawl.steps.listing_sources import list_posts
from blogcrawler.crawl.steps.refinement import Refinement
from blogcrawler.crawl.steps.rendered_pages import grown
from blogcrawler.crawl.steps.united_entries import PostsWithoutPage, resume_with, unite_entries
from blogcrawler.crawl.steps.unlinked_posts import UnlinkedPosts
from blogcrawler.crawl.tasks import TakePage
from blogcrawler.crawl.update.comment_feed import keep_comment_feed
from blogcrawler.errors import BadArgument
from blogcrawler.spiders.adapter import BlogSpider
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.items import Page


class NewCrawl(BlogSpider):
    """Archives a blog. Argument `entries`: an export of the blog, whose posts are added to those of its feed."""

    name = "newcrawl"
    may_share = True
    arguments = BlogSpider.arguments | {"entries"}

    def __init__(self, url: str | None = None, entries: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(url=url, **more)
        self._export = Path(entries) if entries else None

    @classmethod
    def check_arguments(cls, given: dict[str, str]) -> None:
        """Raise BadArgument for invalid arguments."""
        super().check_arguments(given)
        export = given.get("entries")
        if export and not Path(export).exists():
            raise BadArgument(f"There is no file or folder {export}. Give an export of WordPress, Blogger or Medium.")

    async def compose(self, ctx: CrawlContext) -> AsyncIterator[Task]:
        """Find the blog and learn from it, or continue an interrupted crawl; then fetch the remaining pages."""
        site, refinement, hooks = ClosedSite(ctx), Refinement(ctx), ctx.hooks
        unlinked = UnlinkedPosts(ctx)
        if ctx.fetcher.captured is not None:
            ctx.fetcher.captured.shows_blog = partial(shows_blog, ctx)
        hooks.prepare_record = refinement.prepare
        hooks.on_given_up.append(site.note_given_up)
        hooks.last_work += [
            site.probe,
            unlinked.fetch,
            partial(decide_page, ctx),
            refinement.release_last,
            PostsWithoutPage(ctx).hand_on,
        ]
        hooks.completeness += [partial(check_records, ctx), site.check, partial(nothing_is_left, ctx)]
        if is_resumed := resume_with(ctx, self._export):
            steps = [
                Step("renewing session tokens", partial(renew_sessions, ctx)),
                Step("reading fetched pages", partial(unprocessed_pages, ctx)),
                Step("copying archived records", partial(recall_records, ctx)),
            ]
        else:
            steps = [
                Step("finding the blog and its feed", partial(find_blog, ctx, has_export=self._export is not None)),
                Step("learning from the posts of the feed", partial(learn_blog, ctx)),
            ]
            if ctx.fetcher.captured is not None or self._export is not None:
                steps.insert(1, Step("uniting the entries of all feeds", partial(unite_entries, ctx, self._export)))
        if ctx.fetcher.captured is not None:
            steps.append(Step("listing captured pages", unlinked.list_pages))
        steps += [
            Step("reading lists of posts", partial(list_posts, ctx), is_optional=True),
            Step("reading the feed of all comments", partial(keep_comment_feed, ctx), is_optional=True),
        ]
        pages: list[Page] = []
        async for task in run_steps(ctx, steps, pages):
            yield task
        if not is_resumed:
            pages = [await grown(ctx, page) for page in pages]
        await keep_journal(ctx, self._intake)
        for page in {identity(page.url): page for page in pages}.values():
            yield TakePage(page)
        async for task in CrawlLoop(ctx, site.stop, site.is_waiting).run():
            yield task
