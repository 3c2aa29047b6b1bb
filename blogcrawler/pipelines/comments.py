"""Third stage: comments, from the feeds and public endpoints that have them as data.

The cheapest way comes first, and each is asked once: what a comment system has told the first stage already; the API
that the page names, which has all comments with their threads; the feed of the post's comments. Nothing is asked for a
post that says it has none.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured

from blogcrawler.browser import own_threads
from blogcrawler.dom import parse
from blogcrawler.errors import NotAWebPage
from blogcrawler.feeds.comments import CommentPages, Post, by_time, merge
from blogcrawler.items import FieldSource
from blogcrawler.pipelines.anchors import anchors, beginning
from blogcrawler.pipelines.asking import ask, fetch, header_links, told_comments
from blogcrawler.pipelines.habits import Habits
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from typing import Self

    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from blogcrawler.browser import Thread
    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Comment, Page, Record, RecordSource
    from blogcrawler.pipelines.asking import HeaderLink
    from blogcrawler.pipelines.habits import Way

__all__ = ["CommentsPipeline"]

CONFIDENCE, CUT_CONFIDENCE = 0.99, 0.8
"""In comments of a feed that has all of them, and of one that lacks some."""


@dataclass
class Gathered:
    """The comments of a post, as far as its sources have told them: each source's are a list, the best first."""

    parts: list[list[Comment]] = field(default_factory=list)
    #: names of the endpoints that have told some
    systems: list[str] = field(default_factory=list)
    #: has a source answered that knows the post?
    is_answered: bool = False
    #: does a source have all comments, as far as it tells?
    is_whole: bool = False
    #: does one lack some, as far as it tells?
    is_cut: bool = False
    #: what a source announces
    total: int | None = None

    @property
    def found(self) -> int:
        """Comments of the source that told most."""
        return max(map(len, self.parts), default=0)

    def add(
        self,
        comments: list[Comment],
        *,
        is_whole: bool,
        is_cut: bool | None = None,
        total: int | None = None,
        system: str = "",
    ) -> None:
        """Take in what a source told. One that is not `is_whole` lacks some, unless it is told not to be `is_cut`."""
        self.parts.append(comments)
        self.is_cut |= not is_whole if is_cut is None else is_cut
        self.is_answered = True
        self.is_whole |= is_whole
        self.total = total if total is not None else self.total
        self.systems += [system] if system else []


class CommentsPipeline:
    """Puts into each record the comments that feeds and endpoints tell.

    Counts under `blogcrawler/comments/`: `found`, `posts` that have some, `cut` posts of which some are missing,
    `requests`, and `in_vain` requests for what was no feed of the post's comments.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._habits = Habits()
        #: what headers have said of the whole site: where its API is
        self._links: list[HeaderLink] = []
        #: as long as nobody knows whether a way leads to comments, one post asks after the other
        self._asking: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl; none where COMMENTS is off."""
        if not crawler.settings.getbool("COMMENTS"):
            raise NotConfigured
        return cls(crawler)

    async def process_item(self, item: Record) -> Record:
        """Gather the comments of a post."""
        material, engine = item.material, self.crawler.engine
        if material is not None and engine is not None:
            gathered = await self._gather(item, material, engine)
            put(item, gathered)
            self._count(item, gathered)
        return item

    async def _gather(self, item: Record, material: RecordSource, engine: ExecutionEngine) -> Gathered:
        gathered, page = Gathered(), material.page
        told = material.told_comments
        if told is not None:
            # the blog may have comments of its own besides those of a system, which has told all of its
            gathered.add(list(told.comments), is_whole=told.is_own, is_cut=False, system=told.system)
        if item.comment_count == 0 or gathered.is_whole or self._habits.shows_none(page):
            return gathered
        try:
            tree = page.tree if page.tree is not None else parse(page.body, content_type=page.content_type)
        except NotAWebPage:
            return gathered
        addresses = self._habits.addresses(page, tree, material.entry)
        threads = self._threads(page, self._links)
        await self._ask_api(gathered, threads, page, engine)
        if not gathered.is_whole or (item.comment_count or 0) > gathered.found:
            await self._read_feeds(gathered, item, addresses, engine, can_ask=not threads)
        if gathered.is_whole and (found := merge(*gathered.parts)):
            self._habits.see_comments(page, found)
        return gathered

    @staticmethod
    def _threads(page: Page, links: Iterable[HeaderLink]) -> list[Thread]:
        """The threads of the blog's own comments, by what the page and links in headers say."""
        added = "".join(f'<link rel="{escape(link.relation)}" href="{escape(link.url)}">' for link in links)
        return own_threads(page.body + added.encode("ascii", "xmlcharrefreplace"), page.url)

    async def _ask_api(self, gathered: Gathered, threads: list[Thread], page: Page, engine: ExecutionEngine) -> None:
        """Ask for the blog's own comments where it says that they can be asked for."""
        for thread in threads:
            async with self._turn("api"):
                if not self._habits.is_open("api"):
                    return
                requests, outcome = await ask(engine, thread)
                answered = outcome == "told"
                self._habits.learn("api", answered=answered, comments=len(thread.comments))
            self._inc("requests", requests)
            if answered:
                told = told_comments(thread, page.url)
                is_whole = thread.is_whole and shows_no_others(page, thread.prefix, told.comments)
                gathered.add(list(told.comments), is_whole=is_whole, system=told.system)
                return
            self._inc("in_vain")

    async def _read_feeds(
        self,
        gathered: Gathered,
        item: Record,
        addresses: list[CommentFeedAddress],
        engine: ExecutionEngine,
        *,
        can_ask: bool,
    ) -> None:
        """Read the first feed that is of the post's comments.

        One that is cut, or does not tell who answers whom, may name the API in its headers.
        """
        assert item.material is not None
        page, entry = item.material.page, item.material.entry
        urls = dict.fromkeys([page.url, item.url, *([entry.url] if entry is not None else [])])
        post = Post(list(urls), item.guid, item.title)
        for address in addresses:
            async with self._turn(address.how):
                if not self._habits.is_open(address.how):
                    continue
                pages = CommentPages(address.url, post, announced=item.comment_count, can_page=self._habits.can_page)
                links = await self._read(pages, engine)
                comments = pages.comments
                self._habits.learn(address.how, answered=bool(pages.is_of_post), comments=len(comments))
            if not pages.is_of_post:
                self._inc("in_vain")
                continue
            self._habits.can_page &= pages.has_made_pages is not False
            is_flat = len(comments) > 1 and not any(comment.parent for comment in comments)
            if can_ask and (pages.is_cut or is_flat):
                await self._ask_api(gathered, self._threads(page, links), page, engine)
            is_whole = not pages.is_cut or (gathered.is_answered and _completes(comments, gathered, page))
            gathered.add(comments, is_whole=is_whole, total=pages.total)
            return

    async def _read(self, pages: CommentPages, engine: ExecutionEngine) -> list[HeaderLink]:
        """Read a feed to its end; the links in its headers, of which those of the whole site are kept."""
        links: list[HeaderLink] = []
        while (url := pages.next_url) is not None:
            self._inc("requests")
            answer = await fetch(engine, url)
            pages.take(answer)
            if answer is not None and pages.is_of_post:
                links = links or header_links(answer)
        self._links = self._links or [link for link in links if is_http(link.relation)]
        return links

    @asynccontextmanager
    async def _turn(self, way: Way) -> AsyncIterator[None]:
        """Wait for one's turn in a way of which nobody knows yet whether it leads to comments."""
        if self._habits.is_settled(way):
            yield
            return
        async with self._asking[way]:
            yield

    def _count(self, item: Record, gathered: Gathered) -> None:
        self._inc("found", len(item.comments))
        self._inc("posts", int(bool(item.comments)))
        self._inc("cut", int(gathered.is_cut and not gathered.is_whole))
        if "comments" in item.provenance.fields:
            assert self.crawler.stats is not None
            self.crawler.stats.inc_value("blogcrawler/fields/comments/feed")

    def _inc(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        if count:
            self.crawler.stats.inc_value(f"blogcrawler/comments/{name}", count)


def shows_no_others(page: Page, prefix: str, comments: Sequence[Comment]) -> bool:
    """Does a page show, at anchors that are comments' ids, some of these comments and no other?

    An API may keep back what pages show: that of WordPress tells no pingbacks.
    """
    shown, known = anchors(page, prefix), {comment.id for comment in comments}
    return shown <= known if shown else not known


def _completes(comments: Sequence[Comment], gathered: Gathered, page: Page) -> bool:
    """Are all comments known that a page shows, with those of a feed that is cut?"""
    told = [comment for part in (*gathered.parts, comments) for comment in part]
    shown = anchors(page, beginning(told) or "")
    return bool(shown) and shown <= {comment.id for comment in told}


def put(record: Record, gathered: Gathered) -> None:
    """Put what was gathered into a record, each comment once, from the first to the last."""
    if not gathered.is_answered:
        return
    record.comments = by_time(merge(record.comments, *gathered.parts))
    found, told = len(record.comments), record.comment_count
    if gathered.is_whole or (told is not None and told < found):
        record.comment_count = max(found, told or 0) if not gathered.is_whole else found
    elif told is None:
        record.comment_count = gathered.total
    is_whole = gathered.is_whole or record.comment_count == found
    confidence = CONFIDENCE if is_whole else CUT_CONFIDENCE
    record.provenance.fields["comments"] = FieldSource("feed", ", ".join(gathered.systems) or None, confidence)
