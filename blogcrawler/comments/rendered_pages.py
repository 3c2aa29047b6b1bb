"""Posts that announce comments which no source has: whether a browser shows them.

No entry of systems.toml describes the system that loads them: it may be the blog's own. So this is measured, after all
other sources: where a post's entry or page announces comments, and the browser shows more than was sent, comments are
looked for in the rendered page; then also on posts that do not say whether they have some.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.browser import has_scripts
from blogcrawler.comments.page_rules import tree_of
from blogcrawler.comments.systems import recognise
from blogcrawler.dom import inline_text
from blogcrawler.wrapper.comments import announced

if TYPE_CHECKING:
    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.items import Page, Record

TRIES = 3
UNREAD = 15
"""Rendered pages with more text in which no comment is found, before no other is rendered: rules need some pages."""
ALIKE = 3
"""Posts whose pages announce the same number, from which it is not their own."""
LEAST = 30
"""Characters that comments add to a page at least, if only to say that there is none yet."""
LOST = "posts that announce some"
NOWHERE = "they are found neither in the pages nor in a browser"
NO_BROWSER = "the pages do not have them, and there is no browser to show them"


class RenderedPages:
    """Renders the pages of one crawl's posts, as long as that brings comments."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._trying = asyncio.Lock()
        self._is_announced = False
        #: pages by the number of comments that they announce
        self._numbers: Counter[int | None] = Counter()
        self._in_vain = 0
        self._unread = 0
        self._brings_text = False
        self._brings_comments = False

    def see(self, item: Record) -> None:
        """Take note of a post before its comments are asked for."""
        self._is_announced |= bool(item.comment_count)
        if item.comment_count is None:
            self._numbers[_announced_on(_page_of(item))] += 1

    def announced(self, item: Record) -> int | None:
        """The number of comments that the entry of a post without any so far announces, or else its page.

        A number that the pages of all posts have is that of all of the blog's comments.
        """
        if item.comment_count is not None:
            return item.comment_count
        count = _announced_on(_page_of(item))
        if count and self._numbers.total() >= ALIKE and len(self._numbers) == 1:
            return None
        self._is_announced |= bool(count)
        return count

    async def render(self, item: Record) -> Page | None:
        """The rendered page of a post without any comment so far; None where that may not help, or shows no more."""
        page = _page_of(item)
        assert item.material is not None
        if item.material.shown is not None or page.is_rendered or recognise(page.body) or not _may_bring_more(page):
            return None
        if self._brings_text:
            return await self._rendered(page) if self._is_worth_it else None
        async with self._trying:  # as long as it is not known to help, one post is rendered after the other
            return await self._rendered(page) if self._is_worth_it and self._is_announced else None

    def note(self, item: Record, announced: int | None, *, was_rendered: bool) -> None:
        """Learn from the outcome for a post that has `announced` comments, and count it where these are lost."""
        if item.comments:
            self._brings_comments |= was_rendered
            return
        self._unread += was_rendered
        if announced and not recognise(_page_of(item).body):
            self._crawl.lose(LOST, NOWHERE if self._crawl.can_render else NO_BROWSER)

    @property
    def _is_worth_it(self) -> bool:
        return self._brings_comments or (self._in_vain < TRIES and self._unread < UNREAD)

    async def _rendered(self, page: Page) -> Page | None:
        if not self._crawl.can_render:
            return None
        rendition = await self._crawl.show(page, with_frames=True)
        if rendition is None or not shows_more(rendition.page, page):
            self._in_vain += not self._brings_text
            return None
        self._brings_text = True
        return rendition.page


def shows_more(rendered: Page, sent: Page) -> bool:
    """True if a rendered page has more text than the one that was sent."""
    return _length(rendered) >= _length(sent) + LEAST


def _page_of(item: Record) -> Page:
    assert item.material is not None
    return item.material.page


def _announced_on(page: Page) -> int | None:
    """The number of comments that a page announces; 0 counts only where no comment system is to replace it."""
    tree = tree_of(page)
    count = announced(tree, page.url) if tree is not None else None
    return None if count == 0 and recognise(page.body) else count


def _length(page: Page) -> int:
    """Characters of the visible text of a page."""
    tree = tree_of(page)
    return len(inline_text(tree)) if tree is not None else 0


def _may_bring_more(page: Page) -> bool:
    """True if a page runs anything that may show comments, or holds another document."""
    tree = tree_of(page)
    return tree is not None and (has_scripts(tree) or next(tree.iter("iframe"), None) is not None)
