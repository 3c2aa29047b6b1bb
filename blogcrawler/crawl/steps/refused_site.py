"""Sites that do not let the crawler in: which error their crawl ends with, and what is kept of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.blocked_site import blocked
from blogcrawler.crawl.browser_need import shows, tree_of
from blogcrawler.crawl.context import COMPLETE
from blogcrawler.crawl.feed_discovery import REFUSALS, refused
from blogcrawler.crawl.fetcher import page_of
from blogcrawler.downloader.reasons import advice_of
from blogcrawler.errors import NoPages, Unreachable
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from scrapy.http import Response

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.feed_discovery import Discovery
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry, Page

__all__ = ["check_records", "check_start", "no_pages", "note_blocked"]


def check_start(ctx: CrawlContext, start: Response) -> None:
    """Make a crawl that comes to its end no success if its start page was refused, and was not read later."""

    def note_refused(reason: str) -> bool:
        if reason in COMPLETE and ctx.frontier.status(start.url) != "done":
            ctx.outcome.fault = ctx.outcome.fault or refused(start, start.url)
        return True  # whether the site is blocked is for the next to check

    if start.status in REFUSALS:
        ctx.hooks.completeness.insert(0, note_refused)


def check_records(ctx: CrawlContext, reason: str) -> bool:
    """False if most records are hardly posts, which is fatal, or if the site shows none."""
    bare, records = ctx.tally.bare_records, ctx.tally.records
    if reason in COMPLETE and 2 * bare > records and ctx.fatal is None:
        message = f"{bare} of {records} records of {ctx.home} have neither a title nor a date, so they are hardly "
        ctx.outcome.fatal = NoPages(
            f"{message}posts; if the blog has a feed, give its address with -a url=.", url=ctx.home
        )
    return ctx.fatal is None and not ctx.is_blocked


def note_blocked(ctx: CrawlContext, found: Discovery, entries: list[tuple[Page, Entry]]) -> None:
    """Note where no page shows its post, since all are one: such a crawl is no success, whatever its feed tells."""
    start = tree_of(page_of(found.start)) if found.start is not None else None
    others = [page for page, _ in entries if identity(page.url) != identity(found.home)]
    trees = [tree for page in others if (tree := tree_of(page)) is not None]
    if not found.lists and not any(page.tree is not None and shows(page.tree, entry) for page, entry in entries):
        ctx.outcome.fault = ctx.outcome.fault or blocked(ctx.home, [start, *trees] if start is not None else trees)


def no_pages(ctx: CrawlContext, feed: Feed) -> NoPages | Unreachable:
    """The error of a crawl whose feed leads to no post: unreachable where a site answers with what is no post's."""
    reasons, advice = ", ".join(ctx.tally.failures), next(filter(None, map(advice_of, ctx.tally.failures)), None)
    own = [page for key, (page, _) in ctx.answers.items() if identity(page.url) == key]
    trees = [tree for page in own if (tree := tree_of(page)) is not None]
    message = (
        f"None of the {len(feed.entries)} entries of {feed.url} leads to a page that can be read ({reasons}); "
        f"{advice or 'check whether the blog is still there'}."
    )
    if advice and trees:
        return Unreachable(f"{message} Nothing but what its feed tells could be kept.", url=feed.url)
    return blocked(ctx.home, trees) or NoPages(message, url=feed.url)
