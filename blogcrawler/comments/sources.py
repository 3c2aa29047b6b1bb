"""Sources of a post's comments without a browser: the API that its page names, and the feed of its comments."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import nullcontext
from html import escape
from typing import TYPE_CHECKING

from blogcrawler.comments.endpoints import CommentRequest
from blogcrawler.comments.gathered import is_flat
from blogcrawler.comments.signs import knows_all_shown, shows_no_others
from blogcrawler.comments.threads import LATE, ask, own_threads
from blogcrawler.feeds.comments import CommentPages, Post
from blogcrawler.feeds.links import header_links
from blogcrawler.routes import out_of_path
from blogcrawler.urls import is_http, same_site

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from lxml.html import HtmlElement

    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.comments.gathered import Gathered
    from blogcrawler.comments.source_stats import CommentSource, CommentSourceStats
    from blogcrawler.comments.threads import Thread
    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Page, Record

HeaderLink = tuple[str, str]
"""The URL and relation of a link in the header of a response (RFC 8288)."""


class CommentSources:
    """Requests the sources of one blog's comments, until they prove to have none."""

    def __init__(self, crawl: Crawl, stats: CommentSourceStats) -> None:
        self._crawl, self._stats = crawl, stats
        #: links in headers that belong to the whole site and name its API
        self._site_links: list[HeaderLink] = []
        self._asking: defaultdict[CommentSource, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def add_to(self, gathered: Gathered, item: Record, tree: HtmlElement) -> None:
        """Add the comments of a post from its API, and from its feed if the API lacks some."""
        page = item.made_from.page
        addresses = self._stats.addresses(page, tree, item.made_from.entry)
        threads = _own_threads(page, self._site_links)
        await self._ask_api(gathered, threads, page)
        if not gathered.is_whole or (item.comment_count or 0) > gathered.found:
            await self._read_feeds(gathered, item, addresses, can_ask=not threads)

    async def _ask_api(self, gathered: Gathered, threads: Sequence[Thread], page: Page) -> None:
        for thread in threads:
            async with self._turn("api"):
                if not self._stats.is_open("api"):
                    return
                outcome = await ask(self._crawl.fetch, thread)
                if outcome in LATE:
                    gathered.is_late |= self._stats.miss("api")
                else:
                    self._stats.learn("api", answered=outcome == "answered", comments=len(thread.comments))
            if outcome == "answered":
                comments = thread.to_comments(page.url).comments
                is_whole = thread.is_whole and shows_no_others(page, thread.prefix, comments)
                gathered.add(comments, thread.system, is_whole=is_whole)
                return
            self._crawl.count("in_vain")

    async def _read_feeds(
        self, gathered: Gathered, item: Record, addresses: Sequence[CommentFeedAddress], *, can_ask: bool
    ) -> None:
        """Read the first feed of the post's comments. If comments or parents are missing, the API that the feed's
        headers name is requested."""
        page, entry = item.made_from.page, item.made_from.entry
        urls = dict.fromkeys([page.url, item.url, *([entry.url] if entry is not None else [])])
        post = Post(list(urls), item.guid, item.title)
        for address in addresses:
            source: CommentSource = address.how
            async with self._turn(source):
                if not self._stats.is_open(source):
                    gathered.is_late |= self._stats.is_silent
                    continue
                pages = CommentPages(address.url, post, announced=item.comment_count, can_page=self._stats.can_page)
                links = await self._read(pages)
                comments = pages.comments
                is_late = pages.is_late and same_site(address.url, page.url)
                if is_late:
                    gathered.is_late |= self._stats.miss(source)
                if pages.is_of_post or not is_late:
                    self._stats.learn(source, answered=bool(pages.is_of_post), comments=len(comments))
            if not pages.is_of_post:
                self._crawl.count("in_vain")
                continue
            self._stats.can_page &= pages.has_made_pages is not False
            if can_ask and (pages.is_cut or is_flat(comments)):
                await self._ask_api(gathered, _own_threads(page, links), page)
            known = [comment for part in (*gathered.parts, comments) for comment in part]
            is_whole = not pages.is_cut or (gathered.is_answered and knows_all_shown(page, known))
            gathered.add(comments, is_whole=is_whole)
            gathered.total = gathered.total if pages.total is None else pages.total
            return

    async def _read(self, pages: CommentPages) -> list[HeaderLink]:
        """Read all pages of a feed, and return the links in its headers; those of the whole site are stored."""
        links: list[HeaderLink] = []
        while (url := pages.next_url) is not None:
            answer = await self._crawl.fetch(CommentRequest(out_of_path(url)))
            pages.take(answer)
            if answer is not None and pages.is_of_post:
                named = header_links(answer.headers.get("link", ""))
                links = links or [(target, values["rel"]) for target, values in named if "rel" in values]
        self._site_links = self._site_links or [link for link in links if is_http(link[1])]
        return links

    def _turn(self, source: CommentSource) -> AbstractAsyncContextManager[None]:
        """Wait for the right to request a source: until it is known to have comments, it is requested for one post at a
        time."""
        return nullcontext() if self._stats.is_settled(source) else self._asking[source]


def _own_threads(page: Page, links: Sequence[HeaderLink]) -> list[Thread]:
    """The threads of the blog's own comments that the page and links in headers name."""
    added = "".join(f'<link rel="{escape(relation)}" href="{escape(url)}">' for url, relation in links)
    return own_threads(page.body + added.encode("ascii", "xmlcharrefreplace"), out_of_path(page.url))
