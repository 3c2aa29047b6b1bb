"""UpdateCrawl: from a blog in the archive and a time to the changes since then (URL × time → records).

The feed shows which posts are new or changed. These are fetched and read with the stored wrapper, which is only learned
again if it no longer fits. Feed entries count as known when all their posts are processed and all outputs are written:
the next update repeats an interrupted update, and outputs the records of both.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.loop import CrawlLoop, decide_page
from blogcrawler.crawl.steps import Step, run_steps
from blogcrawler.crawl.tasks import TakePage
from blogcrawler.crawl.update.feed_news import FeedNews
from blogcrawler.crawl.update.feed_request import ask_feed
from blogcrawler.crawl.update.gap_filling import GapFilling, read_unavailable
from blogcrawler.crawl.update.rechecks import ModifiedRecheck, recheck_pages
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.crawl.update.update_records import (
    ask_comment_feed,
    hand_on_archived,
    hand_on_comments,
    hand_on_media,
    prepare_record,
)
from blogcrawler.crawl.update.update_state import begin_update, complete_steps
from blogcrawler.spiders.adapter import BlogSpider

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.items import Page

A_DAY_S = 24 * 3600


class UpdateCrawl(BlogSpider):
    """Updates a blog's archive. Argument `since`: output all changes since this time."""

    name = "updatecrawl"
    looks_at_all = False
    arguments = BlogSpider.arguments | {"since"}
    custom_settings = BlogSpider.custom_settings | {"HARVEST_WINDOW": 100, "ROBOTSTXT_LIFETIME": A_DAY_S}

    def __init__(self, url: str | None = None, since: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(url=url, **more)
        self._since = parse_since(since) if since else None

    @classmethod
    def check_arguments(cls, given: dict[str, str]) -> None:
        """Raise BadArgument for invalid arguments."""
        super().check_arguments(given)
        if given.get("since"):
            parse_since(given["since"])

    async def compose(self, ctx: CrawlContext) -> AsyncIterator[Task]:
        """Run the steps of an update; then process their pages, and fetch the posts found."""
        ctx.tally.is_update = True
        update = begin_update(ctx, self._since)
        news, gaps, recheck = FeedNews(update), GapFilling(update), ModifiedRecheck(update)
        ctx.hooks.link_filter = gaps.links_to_follow
        ctx.hooks.url_sources += [gaps.refill, recheck.refill]
        ctx.hooks.last_work += [partial(decide_page, ctx), partial(hand_on_archived, update)]
        ctx.hooks.prepare_record = partial(prepare_record, update)
        ctx.hooks.on_record.append(update.permalinks.after_saving)
        ctx.hooks.on_alias.append(update.permalinks.note)
        ctx.hooks.completeness.append(update.is_complete)
        ctx.hooks.at_end.append(partial(complete_steps, update, [update.comments, news, recheck]))
        steps = [
            Step("reading the feed", partial(ask_feed, update)),
            Step("reading the feed of all comments", partial(ask_comment_feed, update), update.comments),
            Step("comparing the feed", news.find, news),
            Step("updating comments", partial(hand_on_comments, update)),
            Step("fetching missing files", partial(hand_on_media, ctx)),
            Step("retrying pages", partial(read_unavailable, update)),
            Step("fetching new and changed posts", news.fetch),
            Step("finding gaps", gaps.run),
            Step("checking changed pages", recheck.run, recheck),
            Step("checking the newest posts", partial(recheck_pages, update)),
        ]
        pages: list[Page] = []
        async for task in run_steps(ctx, steps, pages):
            yield task
        for page in pages:
            yield TakePage(page)
        async for task in CrawlLoop(ctx).run():
            yield task
