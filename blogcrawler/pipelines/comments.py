"""Third stage: comments, from the feeds and public endpoints that have them as data, and from the pages themselves.

The surest way comes first, and each is asked once: what a comment system has told the first stage already; the API
that the page names, which has all comments with their threads; the feed of the post's comments; and where these do not
tell all, what the page shows, by rules that are learned. Nothing is asked for a post that says it has none.
"""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from contextlib import asynccontextmanager
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem, NotConfigured

from blogcrawler.backend import LATE_COMMENTS, Archive, LatePosts
from blogcrawler.browser import own_threads
from blogcrawler.dom import comment_pages, parse_page
from blogcrawler.errors import BackendUnavailable, NotAWebPage, PageTooSlow
from blogcrawler.feeds.comments import CommentPages, Post
from blogcrawler.pipelines.anchors import anchors, beginning
from blogcrawler.pipelines.asking import ask, fetch, header_links, told_comments
from blogcrawler.pipelines.changes import Changes, changes, in_known_terms
from blogcrawler.pipelines.gathered import Gathered, put
from blogcrawler.pipelines.habits import Habits
from blogcrawler.pipelines.kept_book import KeptBook
from blogcrawler.pipelines.media_store import file_store
from blogcrawler.pipelines.on_pages import PageComments
from blogcrawler.pipelines.pictures import keep_picture
from blogcrawler.pipelines.rulebook import Rulebook
from blogcrawler.pipelines.second_look import SecondLook
from blogcrawler.routes import out_of_path
from blogcrawler.urls import is_http, same_site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Sequence
    from typing import Self

    from lxml.html import HtmlElement
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from blogcrawler.browser import Thread
    from blogcrawler.feeds.comments import CommentFeedAddress
    from blogcrawler.items import Comment, Page, Record, RecordSource
    from blogcrawler.pipelines.asking import HeaderLink
    from blogcrawler.pipelines.habits import Way

__all__ = ["CommentsPipeline"]

logger = logging.getLogger(__name__)

STATE = "comment habits"
"""Under which name the archive keeps what was learned about where comments can be had."""


class CommentsPipeline:
    """Puts into each record the comments that feeds and endpoints tell, and those that its page shows.

    What was learned of the pages is kept in the archive. Counts under `blogcrawler/comments/`: `found`, `posts` that
    have some, `cut` posts of which some are missing, `late` posts of which some could not be had at the time,
    `requests`, `in_vain` requests for what was no feed of the post's comments, and `since/new`, `since/edited`
    and `since/gone` on posts that were known before.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._home: str | None = None
        self._habits = Habits()
        #: of them, in the archive
        self._kept: dict[str, Any] = {}
        self._late: LatePosts | None = None
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

    async def open_spider(self) -> None:
        """Open the archive."""
        settings = self.crawler.settings
        self.archive = Archive.open(settings["DATABASE_URL"], patience_s=settings.getfloat("DATABASE_PATIENCE"))
        least = settings.getfloat("CONFIDENCE_MINIMUM")
        book = KeptBook(self.archive, Rulebook(least), is_shared=self._is_shared)
        self._pages = PageComments(self.crawler, book)
        self._files = file_store(self.crawler.settings)
        self._second_look = SecondLook(self.crawler)

    async def close_spider(self) -> None:
        """Keep which posts lack some, and close the archive."""
        try:
            if self._late is not None:
                self._inc("late", len(self._late))
                self._late.save()
        except BackendUnavailable as error:
            logger.error("%s", error)
        finally:
            self.archive.close()

    def _open(self, home: str) -> None:
        """Take up what earlier crawls have learned of the blog."""
        if self._home is None:
            self._home = home
            self._kept = self.archive.load_source_state(home, STATE)
            self._habits = Habits.from_dict(self._kept)
            self._late = LatePosts(self.archive, home, LATE_COMMENTS)
        self._learn_from_others()

    def _learn_from_others(self) -> None:
        """Take in what other spiders of the crawl have learned meanwhile."""
        if self._is_shared and self._home is not None:
            self._habits.take_in(self.archive.load_source_state(self._home, STATE))

    @property
    def _is_shared(self) -> bool:
        """May other spiders work on the same crawl?"""
        return bool(self.crawler.settings["FRONTIER_URL"]) and getattr(self.crawler.spider, "may_share", False)

    async def process_item(self, item: Record) -> Record:
        """Gather the comments of a post. An archive that cannot be written drops it: that is the drop's cause."""
        material, engine = item.material, self.crawler.engine
        if material is None:
            self._note_change(item)
        if material is not None and engine is not None:
            self._second_look.see(item)
            try:
                self._open(item.blog)
                gathered = await self._gather(item, material, engine)
                announced = item.comment_count if gathered.found else self._second_look.announced(item)
                shown = None if gathered.found or item.comment_count == 0 else await self._second_look.at(item)
                if shown is not None:
                    await self._read_again(gathered, item, shown)
                earlier = self.archive.record(item.blog, item.url)
            except BackendUnavailable as error:
                raise DropItem(str(error), log_level="ERROR") from error
            except PageTooSlow as error:
                logger.warning("%s is kept without its comments. %s", item.url, error)
                return item
            put(item, gathered)
            if not item.comments and item.comment_count is None:
                had_some = earlier is not None and bool(earlier.comments)
                item.comment_count = 0 if announced is None and gathered.is_empty and not had_some else announced
            self._second_look.note(item, announced, was_shown=shown is not None)
            self._count(item, gathered)
            self._note_late(item, gathered)
            self._keep()
            if gathered.is_answered and earlier is not None:
                self._compare(item, gathered, earlier.comments)
        return item

    def _keep(self) -> None:
        """Keep what was learned, for whoever goes on with the crawl and for updates."""
        assert self._late is not None
        assert self._home is not None
        try:
            if self._habits.to_dict() != self._kept:
                self._save_habits(self._home)
            self._late.save_now_and_then()
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error

    def _save_habits(self, home: str) -> None:
        with self.archive.transaction():
            self._learn_from_others()
            self._kept = self._habits.to_dict()
            self.archive.save_source_state(home, STATE, self._kept)

    def _note_late(self, item: Record, gathered: Gathered) -> None:
        """Remember a post of which a server could not tell comments that it may have."""
        assert self._late is not None
        has_all = gathered.is_whole or (item.comment_count is not None and len(item.comments) >= item.comment_count)
        entry = item.material.entry if item.material is not None else None
        feed = entry.comments_feed if entry is not None else None
        self._late.note(item.url, feed, is_late=gathered.is_late and not has_all)

    def _note_change(self, item: Record) -> None:
        """Tell what has become of the comments of a record that was made from the archive's."""
        try:
            earlier = self.archive.record(item.blog, item.url)
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error
        if earlier is not None:
            self._compare(item, Gathered(is_whole=True), earlier.comments)

    def _compare(self, item: Record, gathered: Gathered, earlier: Sequence[Comment]) -> None:
        """Tell what has changed since an earlier crawl."""
        item.comments = in_known_terms(item.comments, earlier)
        found = changes(item.comments, earlier, is_whole=gathered.is_whole)
        if found != Changes():
            logger.info("Comments of %s since the last crawl: %s.", item.url, found)
        for name, count in vars(found).items():
            self._inc(f"since/{name}", count)

    async def _gather(self, item: Record, material: RecordSource, engine: ExecutionEngine) -> Gathered:
        gathered, page = Gathered(is_late=self._habits.is_silent), material.page
        told = material.told_comments
        if told is not None and told.is_own:
            gathered.add(list(told.comments), is_whole=True, system=told.system)
        elif told is not None:
            gathered.add_embedded(list(told.comments), told.system)
        try:
            tree = parse_page(page)
        except NotAWebPage:
            return gathered
        gathered.is_empty = self._shows_none(page, tree)
        if item.comment_count == 0 or gathered.is_whole or gathered.is_empty:
            self._pages.remember(gathered, item, material)
            return gathered
        if not gathered.is_answered and (shown := await self._all_shown(item, material)) is not None:
            return shown
        addresses = self._habits.addresses(page, tree, material.entry)
        threads = self._threads(page, self._links)
        await self._ask_api(gathered, threads, page, engine)
        if not gathered.is_whole or (item.comment_count or 0) > gathered.found:
            await self._read_feeds(gathered, item, addresses, engine, can_ask=not threads)
        if not gathered.is_whole or _is_flat(gathered.comments):
            await self._pages.add_to(gathered, item, material)
        else:
            self._pages.remember(gathered, item, material)
        if gathered.is_whole and (found := gathered.comments):
            self._habits.see_comments(page, found)
        self._learn_from_others()
        gathered.is_empty = self._shows_none(page, tree)  # which other posts may have taught meanwhile
        return gathered

    async def _all_shown(self, item: Record, material: RecordSource) -> Gathered | None:
        """What a new post's page shows by rules that are known, where that is all, as far as anything tells.

        Nothing is asked for then: what is missing will be told by the feed of all comments, or by another number.
        """
        is_new = material.is_update and self.archive.record(item.blog, item.url) is None
        if not (is_new and self._pages.has_rules(item.blog)):
            return None
        shown = Gathered()
        await self._pages.add_to(shown, item, material)
        is_silent = not shown.found and not item.comment_count and not shown.total
        is_told = shown.is_whole and all(comment.published and comment.author for comment in shown.comments)
        return shown if is_told or is_silent else None

    async def _read_again(self, gathered: Gathered, item: Record, shown: Page) -> None:
        """Look for comments in a page as the browser shows it."""
        assert item.material is not None
        item.material = replace(item.material, shown=shown)
        item.provenance.rendered = True
        await self._pages.add_to(gathered, item, item.material)
        await keep_picture(item, shown, self._files)

    def _shows_none(self, page: Page, tree: HtmlElement) -> bool:
        """Does a page show no comment, nor lead to pages of comments, where others do?"""
        return self._habits.shows_none(page) and not comment_pages(tree, page.url)

    @staticmethod
    def _threads(page: Page, links: Iterable[HeaderLink]) -> list[Thread]:
        """The threads of the blog's own comments, by what the page and links in headers say."""
        added = "".join(f'<link rel="{escape(link.relation)}" href="{escape(link.url)}">' for link in links)
        return own_threads(page.body + added.encode("ascii", "xmlcharrefreplace"), out_of_path(page.url))

    async def _ask_api(self, gathered: Gathered, threads: list[Thread], page: Page, engine: ExecutionEngine) -> None:
        """Ask for the blog's own comments where it says that they can be asked for."""
        for thread in threads:
            async with self._turn("api"):
                if not self._habits.is_open("api"):
                    return
                requests, outcome, is_late = await ask(engine, thread)
                answered = outcome == "told"
                if is_late:
                    gathered.is_late |= self._habits.miss("api")
                else:
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
                    gathered.is_late |= self._habits.is_silent
                    continue
                pages = CommentPages(address.url, post, announced=item.comment_count, can_page=self._habits.can_page)
                links = await self._read(pages, engine)
                comments = pages.comments
                is_late = pages.is_late and same_site(address.url, page.url)
                if is_late:
                    gathered.is_late |= self._habits.miss(address.how)
                if pages.is_of_post or not is_late:
                    self._habits.learn(address.how, answered=bool(pages.is_of_post), comments=len(comments))
            if not pages.is_of_post:
                self._inc("in_vain")
                continue
            self._habits.can_page &= pages.has_made_pages is not False
            if can_ask and (pages.is_cut or _is_flat(comments)):
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
        source = item.provenance.fields.get("comments")
        if source is not None:
            assert self.crawler.stats is not None
            self.crawler.stats.inc_value(f"blogcrawler/fields/comments/{source.source}")

    def _inc(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        if count:
            self.crawler.stats.inc_value(f"blogcrawler/comments/{name}", count)


def _is_flat(comments: Sequence[Comment]) -> bool:
    """Do comments not tell who answers whom?"""
    return len(comments) > 1 and not any(comment.parent for comment in comments)


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
