"""Comments that a post's page shows, where feeds and endpoints do not tell all of them.

Rules are learned from the first posts that need them, which wait for each other: until there are enough of them, or
until nothing else is under way.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.dom import MOST_COMMENT_PAGES, comment_pages, parse_page
from blogcrawler.downloader.in_flight import is_stuck
from blogcrawler.errors import NotAWebPage
from blogcrawler.items import Page
from blogcrawler.pipelines.asking import fetch
from blogcrawler.pipelines.rulebook import Seen
from blogcrawler.urls import identity
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement
    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler

    from blogcrawler.items import Comment, Record, RecordSource
    from blogcrawler.pipelines.gathered import Gathered
    from blogcrawler.pipelines.kept_book import KeptBook
    from blogcrawler.pipelines.rulebook import Reading

__all__ = ["PageComments"]

TICK_S = 0.1
QUIET_S = 0.2
"""Seconds in which nothing was fetched or read, after which those that wait are all that can be had now."""
OTHERS_S, BUSY_S = 2.0, 30.0
"""The same where other spiders may have such posts: once they have read all that they have asked for, and before."""
AT_ONCE = 20
"""Posts that wait, from which rules are learned; a crawl that is killed meanwhile fetches all of them again."""
OVER_S = 2.0
"""Seconds without anything new after which no more is to come, though pages wait to be fetched: the crawl is to end."""
MOST_TICKS = 20
"""For which posts without comments wait for those that have some, at most: further pages of these may take long."""
STALE_PAGES = 2
"""Pages of comments in a row without a new one, after which no further is asked for."""
OTHER = 0.3
"""Share of the told comments below which what a page shows is something else."""
TOLD = 3
"""Told comments from which that tells anything."""
OK = 200


class PageComments:
    """Reads the comments of one blog's posts from their pages, by rules that are learned and kept."""

    def __init__(self, crawler: Crawler, kept: KeptBook) -> None:
        self.crawler, self.book = crawler, kept.book
        self._kept = kept
        self._waiting: dict[int, Seen] = {}
        #: of those that wait: from which nothing could be learned as yet
        self._tried: set[int] = set()
        #: of those that waited: what shows comments, and was not read by the new rules as yet
        self._telling: set[int] = set()

    def has_rules(self, home: str) -> bool:
        """Are there rules already, so that nobody waits for others?"""
        return self._kept.has_rules(home)

    async def add_to(self, gathered: Gathered, item: Record, material: RecordSource) -> None:
        """Add to what other sources have told of a post what its page shows, and the further pages of its comments."""
        self._kept.open(item.blog, material.wrapper)
        self._look()
        seen = _seen(gathered, item, material)
        try:
            tree = seen.parse()
        except NotAWebPage:
            return
        found = self.book.read(tree, seen.page)
        if self.book.lacks_rules(seen, tree, found):
            await self._learn_with(seen)
            found = self.book.read(tree, seen.page)
        if gathered.total is None:
            gathered.total = found.announced
        try:
            if found.rules is not None and found.comments:
                await self._add(gathered, item, seen, found, tree)
        finally:
            self._telling.discard(id(seen))
        if not found.comments:
            await self._let_others_tell()
        self._kept.note(seen, has_comments=bool(found.comments or seen.told))

    async def _let_others_tell(self) -> None:
        """Wait for those that waited for rules and have comments: they tell first where on pages comments are."""
        for _ in range(MOST_TICKS):
            if not (self._telling or (self._kept.are_others_telling and self.crawler.crawling)):
                return
            await asyncio.sleep(TICK_S)
            self._look()

    def remember(self, gathered: Gathered, item: Record, material: RecordSource) -> None:
        """Take in a post of which others have told all: pages of such posts teach how pages show comments."""
        self._kept.open(item.blog, material.wrapper)
        self._kept.note(_seen(gathered, item, material), has_comments=bool(gathered.comments))

    async def _add(self, gathered: Gathered, item: Record, seen: Seen, found: Reading, tree: HtmlElement) -> None:
        assert found.rules is not None
        told = gathered.comments
        shown, is_read = found.comments, True
        if not gathered.is_whole and not _are_all(len(shown), item.comment_count, found.announced):
            shown, is_read = await self._with_further_pages(gathered, shown, seen.page, tree)
        aligned = align(shown, told)
        if is_read and len(told) >= TOLD and aligned.share < OTHER:
            return
        gathered.add_shown(aligned.comments, rule=found.rules.xpath, confidence=found.rules.confidence)
        announced = [total for total in (item.comment_count, gathered.total) if total is not None]
        is_enough = len(gathered.comments) >= max(announced) if announced else is_read
        if is_enough and (not told or aligned.share == 1):
            gathered.is_whole = True

    # --------------------------------------------------------------------------------------------------------- learning

    async def _learn_with(self, seen: Seen) -> None:
        """Wait until there are enough pages to learn from, or no more can come; then learn from all that wait.

        Where nothing can be learned yet, those that may have comments wait on, for what pages to come may teach.
        """
        self._waiting[id(seen)] = seen
        self._kept.note_waiting(seen)
        if len(self._waiting) >= AT_ONCE:
            self._learn(is_over=False)
        quiet_s = 0.0
        while id(seen) in self._waiting:
            await asyncio.sleep(TICK_S)
            self._look()
            quiet_s = quiet_s + TICK_S if self._is_quiet() else 0.0
            if quiet_s >= self._quiet_after_s and id(seen) in self._waiting:
                self._learn(is_over=quiet_s >= self._quiet_after_s + OVER_S or self._can_none_come())

    def _learn(self, *, is_over: bool) -> None:
        if self._waiting and self._tried.issuperset(self._waiting):
            if is_over:
                self._waiting.clear()
                self._tried.clear()
            return
        if self._look(at_once=True):
            return
        waiting, self._waiting = self._waiting, {}
        if self._kept.learn(list(waiting.values())):
            self._tried.clear()
            self._note_all(waiting)
            self._kept.keep()
        else:
            self._waiting = {key: waiting[key] for key in self.book.promising(waiting)}
            self._tried = set(self._waiting)

    def _look(self, *, at_once: bool = False) -> bool:
        """Take in what other spiders have learned; with new rules, posts that these read, or that need none, go on."""
        is_news = self._kept.take_in(at_once=at_once)
        ready = {key: seen for key, seen in self._waiting.items() if is_news and self._is_ready(seen)}
        for key in ready:
            del self._waiting[key]
            self._tried.discard(key)
        self._note_all(ready)
        return is_news

    def _is_ready(self, seen: Seen) -> bool:
        tree = seen.parse()
        return not self.book.lacks_rules(seen, tree, self.book.read(tree, seen.page))

    def _note_all(self, waited: Mapping[int, Seen]) -> None:
        """Let posts that have waited make the rules better, before anything is read by these."""
        for key, seen in waited.items():
            shown = self.book.read(seen.parse(), seen.page).comments
            if shown:
                self._telling.add(key)
            self._kept.note(seen, has_comments=bool(seen.told or shown), is_read=False)

    def _is_quiet(self) -> bool:
        """Do all posts in the pipeline wait, and can no more come until they go on?"""
        engine = self._engine
        slot = engine.scraper.slot
        in_work = slot.itemproc_size if slot is not None else 0
        return in_work <= len(self._waiting) and is_stuck(engine)

    @property
    def _quiet_after_s(self) -> float:
        """Seconds of quiet after which is learned from what is there: other spiders may be about to teach more."""
        if not self._kept.is_shared or not self.crawler.crawling:
            return QUIET_S
        return BUSY_S if self._stat("is_read_elsewhere") else OTHERS_S

    def _can_none_come(self) -> bool:
        """Does no page wait to be fetched? Other spiders may have some."""
        return not self._kept.is_shared and not self._stat("pending")

    def _stat(self, name: str) -> int:
        """What the spider tells of its frontier."""
        assert self.crawler.stats is not None
        return int(self.crawler.stats.get_value(f"blogcrawler/frontier/{name}", 0))

    @property
    def _engine(self) -> ExecutionEngine:
        assert self.crawler.engine is not None
        return self.crawler.engine

    # ---------------------------------------------------------------------------------------------------------- pages

    async def _with_further_pages(
        self, gathered: Gathered, shown: list[Comment], page: Page, tree: HtmlElement
    ) -> tuple[list[Comment], bool]:
        """The comments of all pages, and whether all could be read. Pages far away are known from those between."""
        waiting = comment_pages(tree, page.url)
        asked = {identity(page.url)}
        found: list[Comment] = []
        known = {comment.id for comment in shown if comment.id}
        stale, is_read = 0, True
        while waiting and stale < STALE_PAGES and len(asked) <= MOST_COMMENT_PAGES:
            address = waiting.pop(0)
            if identity(address) in asked:
                continue
            asked.add(identity(address))
            comments, further = await self._on_page(address, gathered)
            fresh = [comment for comment in comments if comment.id is None or comment.id not in known]
            known.update(comment.id for comment in fresh if comment.id)
            found += fresh
            waiting += further
            stale = 0 if fresh else stale + 1
            is_read &= bool(comments)
        own = self.book.read(tree, page, is_part=True).comments if found else shown
        return [_known(comment, known) for comment in (*own, *found)], is_read

    async def _on_page(self, url: str, gathered: Gathered) -> tuple[list[Comment], list[str]]:
        """The comments of a further page, and the addresses of those that it leads to."""
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("blogcrawler/comments/requests")
        answer = await fetch(self._engine, url)
        if answer is None or answer.status != OK:
            gathered.is_late |= answer is not None and answer.is_late
            return [], []
        page = Page(answer.url, answer.body, answer.content_type)
        try:
            tree = parse_page(page)
        except NotAWebPage:
            return [], []
        return self.book.read(tree, page, is_part=True).comments, comment_pages(tree, page.url)


def _known(comment: Comment, ids: set[str]) -> Comment:
    """A comment without an answered one that is nowhere."""
    return comment if comment.parent is None or comment.parent in ids else replace(comment, parent=None)


def _seen(gathered: Gathered, item: Record, material: RecordSource) -> Seen:
    page = material.page if material.told_comments is not None or material.shown is None else material.shown
    told = tuple(gathered.comments) if gathered.has_told_own or item.comment_count == 0 else None
    return Seen(replace(page, tree=None), material.wrapper, item.published, told, item.comment_count)


def _are_all(found: int, *announced: int | None) -> bool:
    """Are so many comments as many as anyone announces?"""
    totals = [total for total in announced if total is not None]
    return bool(totals) and found >= max(totals)
