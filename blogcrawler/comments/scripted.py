"""Comments that scripts load.

`EmbeddedSystems` handles comment systems that systems.toml describes: it requests the comments from the system, or else
renders the page in a browser.

`RenderedPages` handles all others, which may be the blog's own, after all other sources. If a post announces comments
and rendering adds text to its page, comments are searched in the rendered page. If that succeeds, posts that announce
no number are rendered, too.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.browser import has_scripts
from blogcrawler.browser.need import tree_of
from blogcrawler.comments.systems import recognise
from blogcrawler.comments.threads import ask, thread_of
from blogcrawler.dom import inline_text
from blogcrawler.wrapper.comments import announced

if TYPE_CHECKING:
    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.comments.systems import CommentSystem
    from blogcrawler.items import Page, Record, RecordSource

TRIES = 3
NO_ANSWER = "its server does not answer"
NO_BROWSER = "only a browser would show them"
NOT_SHOWN = "its page could not be shown in a browser"
UNREAD = 15
"""Number of rendered pages with more text, but without comments, after which no further page is rendered. Learning
rules needs several pages."""
ALIKE = 3
"""Number of posts from which an announced number that all of them share is not a post's own."""
LEAST = 30
"""Minimum number of characters that comments, or a note that there are none, add to a page."""
LOST = "posts that announce comments"
NOWHERE = "they are found neither in the pages nor in a browser"
NOTHING_SHOWS = "the pages do not have them, and there is no browser to show them"


class EmbeddedSystems:
    """The comment systems of one crawl's posts. A system that does not respond on the first posts is given up."""

    def __init__(self, crawl: Crawl, *, is_on: bool = True) -> None:
        self._crawl = crawl
        self._is_on = is_on
        #: by the comment systems of a post: number of failures; systems that have responded; locks for single requests
        self._in_vain: Counter[tuple[CommentSystem, ...]] = Counter()
        self._answering: set[tuple[CommentSystem, ...]] = set()
        self._asking: defaultdict[tuple[CommentSystem, ...], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self, post: RecordSource) -> RecordSource:
        """The post, with the comments that scripts load or with the rendered page; unchanged if there are none."""
        systems = recognise(post.page.body)
        for system in systems:
            if system.gone:
                self._crawl.lose(system.name, system.gone)
        alive = tuple(system for system in systems if not system.gone)
        if post.page.is_rendered or not alive or not self._is_on:
            return post
        if alive in self._answering:
            return await self._load(post, alive)
        async with self._asking[alive]:  # until it has responded, one request at a time
            if self._in_vain[alive] < TRIES:
                return await self._load(post, alive)
        self._lose(alive, NO_ANSWER)
        return post

    async def _load(self, post: RecordSource, alive: tuple[CommentSystem, ...]) -> RecordSource:
        page = post.page
        if len(alive) == 1 and (thread := thread_of(alive[0], page.body, page.url)) is not None:
            outcome = await ask(self._crawl.fetch, thread)
            if outcome == "unreachable":  # a browser could not reach it either
                return self._note_silence(post, alive)
            if outcome == "answered" and thread.is_whole:
                self._answering.add(alive)
                self._crawl.count(f"asked/{thread.system}")
                return replace(post, system_comments=thread.to_comments(page.url))
        rendition = await self._crawl.show(page)
        if rendition is None:
            self._lose(alive, NOT_SHOWN if self._crawl.can_render else NO_BROWSER)
            return post
        if not rendition.unanswered or shows_more(rendition.page, page):
            self._answering.add(alive)
            return replace(post, shown=rendition.page, system_comments=None)
        return self._note_silence(post, alive)

    def _note_silence(self, post: RecordSource, systems: tuple[CommentSystem, ...]) -> RecordSource:
        self._in_vain[systems] += 1
        self._lose(systems, NO_ANSWER)
        return post

    def _lose(self, systems: tuple[CommentSystem, ...], because: str) -> None:
        for system in systems:
            self._crawl.lose(system.name, because)


class RenderedPages:
    """Renders the pages of one crawl's posts while this finds comments."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._trying = asyncio.Lock()
        self._is_announced = False
        #: number of pages by the number of comments that they announce
        self._numbers: Counter[int | None] = Counter()
        self._in_vain = 0
        self._unread = 0
        self._brings_text = False
        self._brings_comments = False

    def see(self, item: Record) -> int | None:
        """Note a post before its comments are requested; return the number that its entry or else its page
        announces."""
        self._is_announced |= bool(item.comment_count)
        if item.comment_count is not None:
            return item.comment_count
        count = _announced_on(item.made_from.page)
        self._numbers[count] += 1
        return count

    def announced(self, item: Record, count: int | None) -> int | None:
        """The announced number of comments of a post for which no comment was found; `count` is the result of `see`.
        None if all pages announce the same number, which is then that of the whole blog."""
        if item.comment_count is not None:
            return item.comment_count
        if count and self._numbers.total() >= ALIKE and len(self._numbers) == 1:
            return None
        self._is_announced |= bool(count)
        return count

    async def render(self, item: Record) -> Page | None:
        """The rendered page of a post for which no comment was found; None if rendering may not help, or adds no
        text."""
        page = item.made_from.page
        if not self._crawl.can_render or item.made_from.shown is not None or page.is_rendered:
            return None
        if recognise(page.body) or not _may_bring_more(page):
            return None
        if self._brings_text:
            return await self._rendered(page) if self._is_worth_it else None
        async with self._trying:  # until rendering has helped, one page at a time
            return await self._rendered(page) if self._is_worth_it and self._is_announced else None

    def note(self, item: Record, announced: int | None, *, was_rendered: bool) -> None:
        """Learn from the result for a post that announces `announced` comments; count the post if they were not
        found."""
        if item.comments:
            self._brings_comments |= was_rendered
            return
        self._unread += was_rendered
        if announced and not recognise(item.made_from.page.body):
            self._crawl.lose(LOST, NOWHERE if self._crawl.can_render else NOTHING_SHOWS)

    @property
    def _is_worth_it(self) -> bool:
        return self._brings_comments or (self._in_vain < TRIES and self._unread < UNREAD)

    async def _rendered(self, page: Page) -> Page | None:
        rendition = await self._crawl.show(page, with_frames=True)
        if rendition is None or not shows_more(rendition.page, page):
            self._in_vain += not self._brings_text
            return None
        self._brings_text = True
        return rendition.page


def shows_more(rendered: Page, sent: Page) -> bool:
    """True if a rendered page has more text than the fetched one."""
    return _length(rendered) >= _length(sent) + LEAST


def _announced_on(page: Page) -> int | None:
    """The number of comments that a page announces; None for 0 if a comment system replaces the number."""
    tree = tree_of(page)
    count = announced(tree, page.url) if tree is not None else None
    return None if count == 0 and recognise(page.body) else count


def _length(page: Page) -> int:
    """Number of characters of the visible text of a page."""
    tree = tree_of(page)
    return len(inline_text(tree)) if tree is not None else 0


def _may_bring_more(page: Page) -> bool:
    """True if a page has scripts that may show comments, or an embedded document."""
    tree = tree_of(page)
    return tree is not None and (has_scripts(tree) or next(tree.iter("iframe"), None) is not None)
