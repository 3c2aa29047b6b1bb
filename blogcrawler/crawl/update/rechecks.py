"""Recheck known posts whose changes no source announces reliably, by fetching some of their pages.

If sitemaps say that most posts were changed, a few of these are fetched, then more as long as some had changed. The
pages of the newest posts are requested in turn if validators show whether they have changed (RFC 9110, section 8.8),
and if there is no feed or a changed feed does not say which of its posts changed.
"""

from __future__ import annotations

import hashlib
import heapq
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.crawl.pages import add_entry, add_posts
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.steps.learning import fetch_post
from blogcrawler.crawl.update.feed_changes import is_as_kept
from blogcrawler.crawl.update.update_memory import RetrySchedule
from blogcrawler.downloader.reasons import is_gone, status_reason
from blogcrawler.items import Entry
from blogcrawler.serialise import dump, load
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.steps import States
    from blogcrawler.crawl.update.update_state import UpdateState
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Page

SCHEDULE, ASKED = "doubts", "asked pages"
"""Names of the states in the archive: when to trust sitemaps again that report most posts as changed, and which pages
were requested last."""
FIRST = 10
"""Number of posts of a sitemap that are fetched first; each next portion is twice as large."""
NEWEST = 10
"""Number of newest posts whose pages are requested in turn."""
MOST = 3
"""Number of requests of an update besides those for new and changed posts; rechecks use those that are left."""


class RecheckQueue:
    """Selects posts to fetch; those that were read most recently come last. O(n) in all."""

    def __init__(self, urls: Sequence[str] = ()) -> None:
        self._waiting, self._portion = list(urls), list[str]()
        self._size = FIRST
        self._has_found_change = False

    def note(self, changed: Container[str]) -> bool:
        """Note which posts of the last portion were `changed` (see `urls.identity`); True if any post was so far."""
        is_changed = any(identity(url) in changed for url in self._portion)
        self._has_found_change |= is_changed
        if self._portion and not is_changed:
            self._waiting = []
        return self._has_found_change

    def next_portion(self, changed: Container[str]) -> list[str]:
        """The addresses to fetch next: none if no post of the last portion was `changed`, or none is left.

        They are spread over all addresses, since neighbours may have been changed together.
        """
        self.note(changed)
        step = max(1, len(self._waiting) // self._size)
        self._portion = self._waiting[::step][: self._size]
        chosen = set(self._portion)
        self._waiting = [url for url in self._waiting if url not in chosen]
        self._size *= 2
        return self._portion


class ModifiedRecheck:
    """Fetches some of the posts that sitemaps report as changed, if they report most posts as changed. If none was
    changed, the pauses until the next attempt grow, since some servers report this every time."""

    def __init__(self, update: UpdateState) -> None:
        self._update = update
        self._schedule = RetrySchedule()
        self._queue = RecheckQueue()

    def load(self, states: States) -> None:
        """Restore when sitemaps are to be trusted next."""
        self._schedule = load(RetrySchedule, states.get(SCHEDULE, {}))

    def dump(self) -> States:
        return {SCHEDULE: dump(self._schedule)}

    async def run(self) -> None:
        """Prepare to fetch, at the end of the crawl, posts that may have changed, if the schedule allows it."""
        update, known = self._update, self._update.known.by_key
        if self._schedule.is_due:
            urls = sorted(update.doubtful, key=lambda url: (known[identity(url)].last_seen, url))
            self._queue = RecheckQueue(urls)
        update.is_recheck_put_off = bool(update.doubtful) and not self._schedule.is_due

    def refill(self) -> None:
        """Add posts that may have changed to the frontier."""
        add_posts(self._update.ctx, self._queue.next_portion(self._update.permalinks.saved))

    def complete(self) -> None:
        """Remember whether the sitemaps were right."""
        if self._update.doubtful:
            were_right = self._queue.note(self._update.permalinks.saved)
            self._schedule = RetrySchedule() if were_right else self._schedule.after()


async def recheck_pages(update: UpdateState) -> StepResult | None:
    """Request pages of the newest posts with the remaining requests; those that were not requested for longest come
    first."""
    ctx = update.ctx
    left = MOST + len(update.news.wanted) - ctx.tally.requests - ctx.frontier.pending_posts
    is_needless = update.is_lastmod_read or update.has_relearned or ctx.fetcher.rendering.of_posts
    if update.feed is None or left <= 0 or is_needless or update.since is not None:
        return None
    requested = ctx.archive.load_source_state(ctx.home, ASKED).get("asked", [])
    turns = {key: turn for turn, key in enumerate(requested)}
    entries = {identity(entry.url): entry for entry in _candidates(update, update.feed)}
    able = [key for key in entries if ctx.fetcher.has_validator(update.known.by_key[key].url)]
    keys = sorted(able, key=lambda key: turns.get(key, -1))[:left]
    pages = [page for key in keys if (page := await _changed_page(update, entries[key])) is not None]
    not_requested = [key for key in requested if key not in keys]
    ctx.archive.save_source_state(ctx.home, ASKED, {"asked": [*not_requested, *keys][-NEWEST:]})
    return StepResult(pages)


def _candidates(update: UpdateState, feed: Feed) -> Iterator[Entry]:
    """Entries of the newest posts whose changes no source announces."""
    ctx = update.ctx
    if ctx.archive.load_feed_state(ctx.home) is None:
        known = [post for post in update.known if post.gone is None and post.published]
        newest = heapq.nlargest(NEWEST, known, key=lambda post: post.published or "")
        yield from (Entry(post.url) for post in newest)
        return
    listed = {identity(entry.url) for entry in update.news.wanted}
    for entry in islice(feed.entries, NEWEST):
        post = update.known.by_key.get(identity(entry.url))
        is_there = post is not None and post.gone is None and identity(entry.url) not in listed
        if post is not None and is_there and not _announces_changes(update, entry, post):
            yield entry


def _announces_changes(update: UpdateState, entry: Entry, post: KnownPost) -> bool:
    """True if an entry changes whenever its post changes."""
    if entry.updated or (entry.content_html and not entry.is_summary):
        return True
    record = update.kept_record(post)
    return record is not None and is_as_kept(entry, record, post.last_seen)


async def _changed_page(update: UpdateState, entry: Entry) -> Page | None:
    """The page of a known post if it differs from that of its record, or is gone."""
    ctx, url = update.ctx, update.known.by_key[identity(entry.url)].url
    page, record = await fetch_post(ctx, url), ctx.archive.record(ctx.home, url)
    if isinstance(page, str):  # it may be available later
        return None
    if identity(page.url) != identity(url):  # the post has moved
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
