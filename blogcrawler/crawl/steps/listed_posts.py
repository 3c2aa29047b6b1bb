"""The posts of a blog without a feed: which of the lists on its pages are of posts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.steps.learning import TRAINING_PAGES, readable, set_aside
from blogcrawler.feeds.synthetic import Candidate, confirm
from blogcrawler.time_limit import in_time
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds.synthetic import PostList
    from blogcrawler.items import Entry, Page

    PostPages = list[tuple[Page, Entry]]
    FetchEntries = Callable[[Sequence[Entry]], Awaitable[PostPages]]

SAMPLE = 10
"""Pages of a list that are fetched before more of it."""
MAX_LISTS = 8
"""Lists that are tried of a blog without a feed."""
ENOUGH_LISTED = 20
"""Posts from which no further list is tried."""
FEW = 8
"""Posts below which a list may be worse."""
HALF = 0.5
NEARLY = 0.9
"""Share of the quality of the first list of posts that a further one must have: others may be of pages with a date."""


async def read_lists(ctx: CrawlContext, lists: Sequence[PostList], fetch: FetchEntries) -> tuple[PostPages, list[Page]]:
    """The posts' pages that lists lead to, each with its synthetic entry; and pages that are no posts.

    The lists are tried one after another, until one turns out to be of posts: more of it is fetched then. While
    pages have no days, worse lists are tried, too; where those have some, pages without one are no posts.
    """
    posts: PostPages = []
    others: list[Page] = []
    first: PostList | None = None
    for listed in (*lists[:MAX_LISTS], *lists[MAX_LISTS:][-1:]):
        least = NEARLY if len(posts) >= FEW else HALF
        is_worse = first is not None and listed.quality < least * first.quality
        if len(posts) >= ENOUGH_LISTED or (is_worse and _have_days(posts)) or _is_limit_reached(ctx):
            break
        own, rest = await _read_list(ctx, listed, fetch, must_be_dated=is_worse)
        posts += own
        others += rest
        first = first or (listed if posts else None)
    if _have_days(posts):
        others += set_aside(ctx, [page for page, entry in posts if entry.published is None])
        posts = [(page, entry) for page, entry in posts if entry.published is not None]
    for page, entry in posts:
        ctx.entries[identity(page.url)] = entry
        ctx.archive.save_training_page(ctx.home, page, entry)
    return posts, others


async def _read_list(
    ctx: CrawlContext, listed: PostList, fetch: FetchEntries, *, must_be_dated: bool
) -> tuple[PostPages, list[Page]]:
    """The posts among the first pages of a list, and of the rest if most of these are posts; and the other pages."""
    posts: PostPages = []
    others: list[Page] = []
    for part in _samples(listed.entries):
        pages = readable(ctx, await fetch(part))
        told = in_time(pages, _confirmed)
        told = {url: entry for url, entry in told.items() if entry.published or not must_be_dated}
        own = [(page, told[page.url]) for page, _ in pages if page.url in told]
        posts += own
        others += set_aside(ctx, [page for page, _ in pages if page.url not in told])
        if 2 * len(own) < len(pages):
            break
    return posts, others


def _is_limit_reached(ctx: CrawlContext) -> bool:
    limit = ctx.options.stop_rules.page_limit
    return limit is not None and ctx.tally.pages >= limit


def _have_days(posts: PostPages) -> bool:
    """True if half of some posts have a day, or more."""
    return 0 < len(posts) <= 2 * sum(entry.published is not None for _, entry in posts)


def _confirmed(pages: Sequence[tuple[Page, Entry]]) -> dict[str, Entry]:
    """By a page's address its entry as the page says it, for pages that are posts."""
    found = [Candidate(page.tree, page.url, entry) for page, entry in pages if page.tree is not None]
    return {one.url: entry for one, entry in zip(found, confirm(found), strict=True) if entry is not None}


def _samples(entries: tuple[Entry, ...]) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """The first of a list, and some from all of the rest: older posts may be of another form."""
    rest = entries[SAMPLE:]
    return entries[:SAMPLE], rest[:: max(1, -(-len(rest) // (TRAINING_PAGES - SAMPLE)))]
