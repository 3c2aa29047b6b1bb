"""Known posts whose changes no feed and no sitemap announces: some of their pages are asked themselves.

That is done where the server can tell a change by a validator (RFC 9110, section 8.8), and where a feed that has
changed does not say which of its posts were, or there is none.
"""

from __future__ import annotations

import hashlib
import heapq
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.crawl.fetcher import page_of
from blogcrawler.crawl.pages import add_entry
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.update.feed_changes import is_as_kept
from blogcrawler.downloader.reasons import is_gone, status_reason
from blogcrawler.items import Entry
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Page

STATE = "asked pages"
"""Name of the state that the archive keeps: which pages were asked last."""
NEWEST = 10
"""Posts whose pages are asked in turn."""
MOST = 3
"""Requests of an update besides those for new and changed posts; what is left of them is for this."""


async def recheck_pages(ctx: CrawlContext) -> StepResult:
    """Ask as many pages of the newest posts as requests are left for, those first that were not asked longest."""
    update = ctx.update
    left = MOST + len(update.news.wanted) - ctx.tally.requests - ctx.frontier.pending_posts
    is_needless = update.is_lastmod_read or update.has_relearned or ctx.fetcher.rendering.of_posts
    if update.feed is None or left <= 0 or is_needless or update.since is not None:
        return StepResult()
    asked = ctx.archive.load_source_state(ctx.home, STATE).get("asked", [])
    turns = {key: turn for turn, key in enumerate(asked)}
    entries = {identity(entry.url): entry for entry in _candidates(ctx, update.feed)}
    able = [key for key in entries if ctx.fetcher.has_validator(update.known.by_key[key].url)]
    keys = sorted(able, key=lambda key: turns.get(key, -1))[:left]
    pages = [page for key in keys if (page := await _changed_page(ctx, entries[key])) is not None]
    kept = [key for key in asked if key not in keys]
    ctx.archive.save_source_state(ctx.home, STATE, {"asked": [*kept, *keys][-NEWEST:]})
    return StepResult(pages)


def _candidates(ctx: CrawlContext, feed: Feed) -> Iterator[Entry]:
    """Entries of the newest posts whose changes nothing announces."""
    update = ctx.update
    if ctx.archive.load_feed_state(ctx.home) is None:
        known = [post for post in update.known if post.gone is None and post.published]
        newest = heapq.nlargest(NEWEST, known, key=lambda post: post.published or "")
        yield from (Entry(post.url) for post in newest)
        return
    listed = {identity(entry.url) for entry in update.news.wanted}
    for entry in islice(feed.entries, NEWEST):
        post = update.known.by_key.get(identity(entry.url))
        is_there = post is not None and post.gone is None and identity(entry.url) not in listed
        if post is not None and is_there and not _announces_changes(ctx, entry, post):
            yield entry


def _announces_changes(ctx: CrawlContext, entry: Entry, post: KnownPost) -> bool:
    """True if an entry says something else when its post is changed."""
    if entry.updated or (entry.content_html and not entry.is_summary):
        return True
    record = ctx.archive.record(ctx.home, post.url)
    return record is not None and is_as_kept(entry, record, post.last_seen)


async def _changed_page(ctx: CrawlContext, entry: Entry) -> Page | None:
    """The page of a known post, if it is another one than that of its record, or is gone."""
    url = ctx.update.known.by_key[identity(entry.url)].url
    try:
        response = await ctx.fetcher.post(url)
    except Exception:  # noqa: BLE001  it may answer another time
        return None
    ctx.tally.page()
    page, record = page_of(response), ctx.archive.record(ctx.home, url)
    if identity(page.url) != identity(url):  # it has moved
        ctx.frontier.add(url, is_post=True)
        return None
    is_same = record is not None and hashlib.sha256(page.body).hexdigest() == record.provenance.sha256
    if is_same or (page.status != 200 and not is_gone(status_reason(page.status))):
        return None
    if entry.title:
        add_entry(ctx, entry)
    ctx.frontier.redirected(url, page.url)
    ctx.frontier.flush()
    return page
