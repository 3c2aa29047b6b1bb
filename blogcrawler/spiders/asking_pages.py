"""Known posts that no feed and no sitemap tells of when they are changed: some of their pages are asked themselves."""

from __future__ import annotations

import hashlib
import heapq
from itertools import islice
from typing import TYPE_CHECKING

from scrapy import Request

from blogcrawler.downloader import RevalidationMiddleware
from blogcrawler.downloader.reasons import is_gone, status_reason
from blogcrawler.items import Entry
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.doubts import Doubting
from blogcrawler.spiders.looking_back import is_as_kept
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.backend import KnownPost
    from blogcrawler.crawl.update.feed_changes import News
    from blogcrawler.feeds import Feed
    from blogcrawler.items import Page

__all__ = ["AskingPages"]

STATE = "asked pages"
"""Under which name the archive keeps which pages were asked last."""
NEWEST = 10
"""Posts whose pages are asked in turn."""
MOST = 3
"""Requests of an update besides those for new and changed posts; what is left of them is for this."""


class AskingPages(Doubting):
    """An update that asks pages of the newest posts whether they have changed, those first that were not asked longest.

    It does so where the server can tell by a validator (RFC 9110, section 8.8), and where a feed that has changed does
    not say which of its posts were, or there is none.
    """

    async def _ask_pages(self, news: News, feed: Feed) -> list[Page]:
        """The pages that have changed, of as many as few requests are left for."""
        left = MOST + len(news.new) + len(news.changed) - self.tally.requests - self.frontier.pending_posts
        is_told = self._sitemaps_read is not None and self._has_lastmods
        is_of_use = not (is_told or self._has_relearned or self._rendering.of_posts or self._since is not None)
        if left <= 0 or not is_of_use:
            return []
        asked = self.archive.load_source_state(self.home, STATE).get("asked", [])
        turns = {key: turn for turn, key in enumerate(asked)}
        entries = {identity(entry.url): entry for entry in self._untold(news, feed)}
        keys = sorted(filter(self._can_be_asked, entries), key=lambda key: turns.get(key, -1))[:left]
        pages = [page for key in keys if (page := await self._changed_page(entries[key])) is not None]
        kept = [key for key in asked if key not in keys]
        self.archive.save_source_state(self.home, STATE, {"asked": [*kept, *keys][-NEWEST:]})
        return pages

    def _untold(self, news: News, feed: Feed) -> Iterator[Entry]:
        """Entries of the newest posts that nothing tells of when they are changed."""
        if self.archive.load_feed_state(self.home) is None:
            known = {post.url: post for post in self._known.values() if post.gone is None and post.published}
            newest = heapq.nlargest(NEWEST, known.values(), key=lambda post: post.published or "")
            yield from (Entry(post.url) for post in newest)
            return
        listed = {identity(entry.url) for entry in (*news.new, *news.changed)}
        for entry in islice(feed.entries, NEWEST):
            post = self._known.get(identity(entry.url))
            is_there = post is not None and post.gone is None and identity(entry.url) not in listed
            if is_there and not self._tells(entry, post):
                yield entry

    def _tells(self, entry: Entry, post: KnownPost | None) -> bool:
        """Does an entry say something else when its post is changed?"""
        if post is None:
            return False
        record = self.archive.record(self.home, post.url)
        is_whole = bool(entry.content_html) and not entry.is_summary
        return bool(entry.updated) or is_whole or (record is not None and is_as_kept(entry, record, post.last_seen))

    def _can_be_asked(self, key: str) -> bool:
        """Has the server given something by which it can tell whether a post's page has changed?"""
        cache = self.crawler.get_downloader_middleware(RevalidationMiddleware)
        url = self.sessions.address(self._known[key].url)
        return isinstance(cache, RevalidationMiddleware) and cache.has_validator(Request(url))

    async def _changed_page(self, entry: Entry) -> Page | None:
        """The page of a known post, if it is another one than that of its record, or is gone."""
        url = self._known[identity(entry.url)].url
        try:
            response = await self._fetch_post(url)
        except Exception:  # noqa: BLE001  it may answer another time
            return None
        self.tally.page()
        page, record = page_of(response), self.archive.record(self.home, url)
        if identity(page.url) != identity(url):  # it has moved
            self.frontier.add(url, is_post=True)
            return None
        is_same = record is not None and hashlib.sha256(page.body).hexdigest() == record.provenance.sha256
        if is_same or (page.status != 200 and not is_gone(status_reason(page.status))):
            return None
        if entry.title:
            self._add_entry(entry)
        self.frontier.redirected(url, page.url)
        self.frontier.flush()
        return page
