"""Read comments from a post's page, if feeds and endpoints do not return all of them.

Rules are learned from the first posts that need them. These posts wait for each other until there are enough of them,
or until no page is in flight.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from blogcrawler.browser.need import tree_of
from blogcrawler.comments.endpoints import CommentRequest
from blogcrawler.comments.page_rules import PostPage
from blogcrawler.dom import MOST_COMMENT_PAGES, comment_pages
from blogcrawler.items import Page
from blogcrawler.routes import out_of_path
from blogcrawler.urls import identity
from blogcrawler.wrapper.comments import align

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.comments.gathered import Gathered
    from blogcrawler.comments.page_rules import KeptPageRules, Reading
    from blogcrawler.items import Comment, Record
    from blogcrawler.wrapper.comments import CommentRules

TICK_S = 0.1
QUIET_S = 0.2
"""Seconds without activity after which no further posts are expected to arrive."""
AT_ONCE = 20
"""Number of waiting posts at which rules are learned. If the crawl is killed meanwhile, all of them are fetched again.
"""
OVER_S = 2.0
"""Seconds without any new page after which waiting ends, even if pages wait to be fetched, since the crawl is ending.
"""
MOST_TICKS = 20
"""Maximum number of intervals for which posts without comments wait for posts whose comments are still being read."""
STALE_PAGES = 2
"""Number of consecutive comment pages without a new comment after which no further page is requested."""
OTHER = 0.3
"""Minimum share of the comments from other sources that a page must show for its comments to count."""
ENOUGH_KNOWN = 3
"""Minimum number of comments from other sources for that check."""
OK = 200


class PageComments:
    """Reads the comments of one blog's posts from their pages, by rules that are learned and saved."""

    def __init__(self, crawl: Crawl, kept: KeptPageRules) -> None:
        self._crawl, self._kept, self._rules = crawl, kept, kept.rules
        self._waiting: list[PostPage] = []
        #: waiting posts from which no rules could be learned yet
        self._tried: set[PostPage] = set()
        #: posts that waited and show comments, which are still to be added
        self._to_read: set[PostPage] = set()
        #: comments of posts that waited, and the rules that found them
        self._found: dict[PostPage, tuple[Sequence[CommentRules], Reading]] = {}

    async def add_to(self, gathered: Gathered, item: Record) -> None:
        """Add the comments that a post's page and its further pages of comments show."""
        post, tree = self._post(gathered, item), tree_of(_page_of(item))
        if tree is None:
            return
        reading = self._rules.read(tree, post.page)
        if self._rules.lacks_rules(post, reading):
            await self._learn_with(post)
            rules, reading = self._found.pop(post, ((), reading))
            if self._rules.rules is not rules:
                reading = self._rules.read(tree, post.page)
        if gathered.total is None:
            gathered.total = reading.announced
        try:
            if reading.rules is not None and reading.comments:
                await self._add(gathered, item, reading, tree)
        finally:
            self._to_read.discard(post)
        if not reading.comments:
            await self._await_readers()
        self._kept.note(post, has_comments=bool(reading.comments or post.known))

    def remember(self, gathered: Gathered, item: Record) -> None:
        """Note a post whose comments are all known, so that rules can be learned from its page."""
        self._kept.note(self._post(gathered, item), has_comments=bool(gathered.comments))

    def _post(self, gathered: Gathered, item: Record) -> PostPage:
        known = tuple(gathered.comments) if gathered.own_parts or item.comment_count == 0 else None
        return PostPage(_page_of(item), item.made_from.wrapper, item.published, known, item.comment_count)

    async def _await_readers(self) -> None:
        """Wait until posts with comments have been read, since their pages show first where comments are."""
        for _ in range(MOST_TICKS):
            if not self._to_read:
                return
            await asyncio.sleep(TICK_S)

    async def _add(self, gathered: Gathered, item: Record, reading: Reading, tree: HtmlElement) -> None:
        assert reading.rules is not None
        known = gathered.comments
        shown, is_read = reading.comments, True
        announced = [count for count in (item.comment_count, reading.announced) if count is not None]
        if not gathered.is_whole and not (announced and len(shown) >= max(announced)):
            shown, is_read = await self._with_further_pages(gathered, shown, item, tree)
        aligned = align(shown, known)
        if is_read and len(known) >= ENOUGH_KNOWN and aligned.share < OTHER:
            return
        gathered.add_shown(aligned.comments, rule=reading.rules.xpath, confidence=reading.rules.confidence)
        totals = [count for count in (item.comment_count, gathered.total) if count is not None]
        is_enough = len(gathered.comments) >= max(totals) if totals else is_read
        if is_enough and (not known or aligned.share == 1):
            gathered.is_whole = True

    async def _learn_with(self, post: PostPage) -> None:
        """Wait until there are enough pages to learn from, or no more can come; then learn from all waiting pages. If
        nothing can be learned yet, posts that may have comments wait for further pages."""
        self._waiting.append(post)
        if len(self._waiting) >= AT_ONCE:
            self._learn(is_over=False)
        quiet_s = 0.0
        while post in self._waiting:
            await asyncio.sleep(TICK_S)
            quiet_s = quiet_s + TICK_S if self._crawl.is_stuck(len(self._waiting)) else 0.0
            if quiet_s >= QUIET_S and post in self._waiting:
                self._learn(is_over=quiet_s >= QUIET_S + OVER_S or not self._crawl.frontier("pending"))

    def _learn(self, *, is_over: bool) -> None:
        if not self._rules.may_teach([post for post in self._waiting if post not in self._tried], self._tried):
            if is_over:
                self._end_waiting()
            elif len(self._waiting) >= AT_ONCE:
                self._waiting = self._rules.promising(self._waiting)
            return
        waiting, self._waiting = self._waiting, []
        if readings := self._rules.learn(waiting):
            self._tried.clear()
            self._found.update((post, (self._rules.rules, reading)) for post, reading in readings.items())
            self._note_all(readings)
            self._kept.keep()
        else:
            self._waiting = self._rules.promising(waiting)
            self._tried = set(self._waiting)

    def _end_waiting(self) -> None:
        """Stop the waiting of posts without comments. If pages still wait to be fetched, only the least promising post
        stops waiting."""
        del self._waiting[-1 if self._crawl.frontier("pending") else 0 :]
        self._tried &= set(self._waiting)

    def _note_all(self, readings: Mapping[PostPage, Reading]) -> None:
        """Note all posts that have waited before their comments are added, so that the rules improve first."""
        for post, reading in readings.items():
            if reading.comments:
                self._to_read.add(post)
            self._kept.note(post, has_comments=bool(post.known or reading.comments))

    async def _with_further_pages(
        self, gathered: Gathered, first_comments: list[Comment], item: Record, tree: HtmlElement
    ) -> tuple[list[Comment], bool]:
        """The comments of all pages, and True if all pages could be read. A pager may leave out distant pages, so pages
        between lead to further ones."""
        page = _page_of(item)
        waiting = list(comment_pages_of(item, page, tree))
        asked = {identity(page.url)}
        further_comments: list[Comment] = []
        known = {comment.id for comment in first_comments if comment.id}
        stale, is_read = 0, True
        while waiting and stale < STALE_PAGES and len(asked) <= MOST_COMMENT_PAGES:
            address = waiting.pop(0)
            if identity(address) in asked:
                continue
            asked.add(identity(address))
            comments, further = await self._on_page(address, gathered)
            fresh = [comment for comment in comments if comment.id is None or comment.id not in known]
            known.update(comment.id for comment in fresh if comment.id)
            further_comments += fresh
            waiting += further
            stale = 0 if fresh else stale + 1
            is_read &= bool(comments)
        own = self._rules.read(tree, page, is_part=True).comments if further_comments else first_comments
        return [_with_known_parent(comment, known) for comment in (*own, *further_comments)], is_read

    async def _on_page(self, url: str, gathered: Gathered) -> tuple[list[Comment], list[str]]:
        """The comments of a further page, and the URLs of the pages to which it links."""
        answer = await self._crawl.fetch(CommentRequest(out_of_path(url)))
        if answer is None or answer.status != OK:
            gathered.is_late |= answer is not None and answer.is_late
            return [], []
        page = Page(answer.url, answer.body, answer.content_type)
        tree = tree_of(page)
        if tree is None:
            return [], []
        return self._rules.read(tree, page, is_part=True).comments, comment_pages(tree, page.url)


def comment_pages_of(item: Record, page: Page, tree: HtmlElement) -> Sequence[str]:
    """The URLs of the other comment pages to which a post's page links."""
    read = item.made_from.read_page
    if read is not None and read.page is page:
        return cast("Sequence[str]", read.comment_pages)
    return comment_pages(tree, page.url)


def _page_of(item: Record) -> Page:
    """The page that shows a post's comments: the rendered one, if there is one and no comment system has returned
    them."""
    material = item.made_from
    return material.page if material.system_comments is not None or material.shown is None else material.shown


def _with_known_parent(comment: Comment, ids: set[str]) -> Comment:
    """The comment, without its parent if that comment is missing."""
    return comment if comment.parent is None or comment.parent in ids else replace(comment, parent=None)
