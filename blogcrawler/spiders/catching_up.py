"""How an update finds the posts that the feed does not tell: between its entries and what is known, and changed ones.

The feed's archive comes first, then sitemaps, then the blog's lists, each until it shows posts that are known.
"""

from __future__ import annotations

import heapq
from collections import deque
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.post_sources import DOCUMENTS
from blogcrawler.crawl.update.list_walk import ListWalk
from blogcrawler.crawl.update.neighbours import Neighbours
from blogcrawler.dates import Moment
from blogcrawler.downloader.reasons import sentence_of, status_reason
from blogcrawler.errors import Unreachable
from blogcrawler.feeds.sources import ChangedPages, FeedArchive, Sitemaps, sitemap_guesses
from blogcrawler.frontier import Link
from blogcrawler.purposes import Purpose
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.remembering import MOST_LEFT, Remembering
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import Collection

    from lxml.html import HtmlElement
    from scrapy.http import Response

    from blogcrawler.feeds import Feed
    from blogcrawler.items import Entry

__all__ = ["CatchingUp"]

NEWEST = 5
"""Known posts, one of which tells that a list has come to them."""
FEW_SITEMAPS = 2
"""Sitemaps that are asked one by one; of more the index tells which have changed."""


class CatchingUp(Remembering):
    """An update that goes on where the feed ends."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        #: are all of the blog's pages read, for want of lists that lead to what is known?
        self._walks = False
        #: may there be posts between those that the feed tells and those that are known?
        self._has_gap = False
        #: has the feed lacked new posts when it told of others last?
        self._has_holes = False
        self._neighbours = Neighbours()
        #: pages that were fetched for another purpose before
        self._at_hand: dict[str, Response] = {}

    async def _read_what_was_left(self) -> None:
        """Ask for the pages that the last crawl could not have, and take in the posts that its lists show."""
        posts, lists = list(self._left), deque(self._left_lists)
        for _ in range(MOST_LEFT if lists else 0):
            fresh = [link for link in await self._links_of(lists.popleft()) if identity(link.url) not in self._queued]
            self._queued.update(identity(link.url) for link in fresh)
            posts += [link.url for link in fresh if link.is_post and self._is_of_interest(link.url)]
            lists.extend(link.url for link in fresh if not link.is_post)
            if not lists:
                break
        self.frontier.add_many([Link(url, is_post=True) for url in posts], found_on=self.home)
        self.frontier.flush()

    # ------------------------------------------------------------------------------------------------ back to the known

    async def _walk_back(self, feed: Feed, news: list[Entry]) -> None:
        """Find the posts between those of the feed and those that are known."""
        self._has_gap = True
        if feed.kind != "synthetic" and await self._read_archive(feed):
            return
        if news and await self._read_sitemap(news, is_gap=True):
            return
        if await self._read_lists(news):
            return
        if not news and await self._read_sitemap(news, is_gap=True):
            return
        self.logger.info("Neither the feed nor a list leads back to what is known: all of the blog's pages are read.")
        self._walks = True
        self.frontier.add(self.home, is_post=False)

    async def _fill_holes(self, news: list[Entry]) -> None:
        """Find the new posts that a feed lacks among its others: the blog's lists show them, or its sitemaps."""
        self._has_gap = True
        before = self.frontier.pending_posts
        if not await self._read_lists(news):
            await self._read_sitemap(news, is_gap=True)
        self._has_holes = self.frontier.pending_posts > before

    async def _read_archive(self, feed: Feed) -> bool:
        """Take in entries from page after page of a feed; does it come to posts that are known?"""
        if not self.settings.getbool("FEED_ARCHIVE_ENABLED"):
            return False
        kept, older = self._older().kept(), self._older()
        source = FeedArchive(feed, kept[0].generators if kept is not None else ())
        has_met = False
        while (url := source.next_url) is not None:
            found = source.take(await older.answer(url))
            for entry in filter(self._is_wanted, found.entries):
                self._add_entry(entry)
            self.frontier.flush()
            has_met |= any(self._was_known(entry.url) for entry in found.entries)
            if self._is_back(found.entries):
                return True
        return has_met or source.outcome == "whole"

    def _is_wanted(self, entry: Entry) -> bool:
        """Is an entry of a feed's archive one of a post that is to be fetched?"""
        return not self._is_known(entry.url)

    def _is_back(self, entries: Collection[Entry]) -> bool:
        """Have a feed's archive, and its last page, come to what is known?"""
        return any(self._was_known(entry.url) for entry in entries)

    async def _read_lists(self, news: list[Entry]) -> bool:
        """Take in the posts of the blog's lists, from the home page on; do they lead to posts that are known?"""
        walk = ListWalk(
            [self.home, *self._lists],
            self._was_known,
            newest=self._newest(),
            in_vain=self._in_vain,
            news={identity(entry.url) for entry in news},
        )
        while (url := walk.next_url) is not None:
            walk.take(url, await self._links_of(url))
        posts = [url for url in walk.posts.values() if not self._is_known(url)]
        self.frontier.add_many([Link(url, is_post=True) for url in posts], found_on=self.home)
        self.frontier.flush()
        return walk.is_back and (bool(walk.posts) or not news)

    def _newest(self) -> set[str]:
        """The newest of the posts that were known before, as far as they tell when they were published."""
        known = {post.url: post for post in self._known.values() if self._was_known(post.url)}
        dated = [(post.published, url) for url, post in known.items() if post.published]
        return {identity(url) for _, url in heapq.nlargest(NEWEST, dated)}

    async def _home_page(self) -> Response:
        """The home page. Raises Unreachable."""
        try:
            self._at_hand[self.home] = response = await self._list_page(self.home)
        except Exception as error:
            raise Unreachable(f"{self.home} cannot be fetched: {sentence_of(error)}", url=self.home) from error
        if response.status >= 400:
            raise Unreachable(f"{self.home} answered {status_reason(response.status)}; try again later.", url=self.home)
        return response

    async def _list_page(self, url: str) -> Response:
        """A page that lists posts."""
        if (response := self._at_hand.pop(url, None)) is None:
            response = await self._fetch(url, render=self._is_rendered(url), purpose=Purpose.PAGE)
            self.tally.page()
        return response

    async def _links_of(self, url: str) -> list[Link]:
        """The pages that a list links to; none where it cannot be had."""
        try:
            response = await self._list_page(url)
        except Exception:  # noqa: BLE001  a list that cannot be had is none
            return []
        page = page_of(response)
        tree = self._tree_of(page) if page.status == 200 else None
        return [] if tree is None else super()._links(tree, page.url)

    def _links(self, tree: HtmlElement, url: str) -> list[Link]:
        """The pages that a page leads to, as far as they are of interest: none, unless all of the blog is read."""
        found = super()._links(tree, url)
        if self._has_gap:
            self._neighbours.note(found)
        return [link for link in found if self._is_of_interest(link.url)] if self._walks else []

    def _next_url(self) -> str | None:
        """What to fetch next: at the end, what stands where new posts lead to others, and no list has shown."""
        url = super()._next_url()
        if url is not None or not self._has_gap or not self._only_sample_in_work():
            return url
        posts = self._neighbours.next_posts(self.reader.places, self._is_unseen)
        self.frontier.add_many([Link(url, is_post=True) for url in posts], found_on=self.home)
        self.frontier.flush()
        return super()._next_url()

    def _is_unseen(self, url: str) -> bool:
        return self._is_of_interest(url) and self.frontier.status(url) is None

    def _is_of_interest(self, url: str) -> bool:
        return not self._is_known(url) and identity(url) not in self._in_vain

    # -------------------------------------------------------------------------------------------------------- sitemaps

    async def _read_sitemap(self, news: list[Entry], *, is_gap: bool = False) -> bool:
        """Take in what sitemaps say is new or was changed since the last crawl; do they tell all that the feed does?

        Where there `is_gap` between the feed and what is known, also what is new of sitemaps that do not tell times.
        """
        if not self.settings.getbool("SITEMAP_ENABLED") or not (self._has_lastmods or is_gap):
            return False
        times = [time for time in (self._since, self._sitemaps_since) if time is not None]
        since = min(times).isoformat() if times else "0001-01-01"
        source = ChangedPages(self._sitemaps(is_gap=is_gap), since, self._is_changed)
        older = self._older()
        while (url := source.next_url) is not None:
            source.take(await older.answer(url))
            if not source.is_cut:
                self._has_lastmods, self._sitemaps_read = source.is_dated, self._begun
            if not is_gap and any(map(self._was_known, source.undated)):  # posts are there, and not when they changed
                break
        told = {url for url in source.pages if self._scope.covers(url)}
        undated = [url for url in source.undated if is_gap and self._scope.covers(url)]
        fresh = [url for url in (*told, *undated) if self._looks_like_post(url) and self._is_of_interest(url)]
        changed = [url for url in told - source.doubtful if self._is_changed(url, source.pages[url])]
        self.frontier.add_many([Link(url, is_post=True) for url in sorted({*fresh, *changed})])
        self.frontier.flush()
        self._doubtful = told & source.doubtful
        return bool(news) and {identity(entry.url) for entry in news} <= set(map(identity, told))

    def _sitemaps(self, *, is_gap: bool) -> list[str]:
        """Those that have posts, or what leads to them; where there `is_gap`, also one that is new."""
        kept = self._older().kept()
        if kept is None:
            return []
        basis, states = kept
        read = states.get(Sitemaps.name, {}).get(DOCUMENTS, [])
        if 0 < len(read) <= FEW_SITEMAPS:
            return list(read)
        return list(basis.sitemaps or (sitemap_guesses(self.home, basis.generators)[:1] if read or is_gap else ()))

    def _is_changed(self, url: str, time: str) -> bool:
        """Was a post changed since it was last read?"""
        post, changed = self._known.get(identity(url)), Moment.parse_iso(time)
        if post is None or changed is None or canonicalise(url) != canonicalise(post.url):
            return False
        read = Moment.parse_iso(post.last_seen.isoformat())
        return read is None or not read.is_after(changed)
