"""Posts that announce comments of which nobody tells any: whether a browser shows them.

No table knows the system that loads them: it may be the blog's own. So this is measured, after all other ways have
been tried: where a post's entry or page announces comments, and the browser shows more than was sent, comments are
looked for in what it shows; then also on posts of which nobody says whether they have some.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.browser import Renderer, has_scripts, recognise
from blogcrawler.dom import inline_text, parse_page
from blogcrawler.errors import NotAWebPage
from blogcrawler.wrapper.comments import announced

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from blogcrawler.items import Page, Record

__all__ = ["LOST", "SecondLook", "shows_more"]

TRIES = 3
UNREAD = 15
"""Pages that show more in which no comment is found, after which no further is shown: rules need some to be learned."""
ALIKE = 3
"""Posts whose pages say the same number, from which that tells something."""
LEAST = 30
"""Characters that comments add to a page at least, if only to say that there is none yet."""
LOST = "posts that announce some"
NOWHERE = "they are found neither in the pages nor in a browser"
NO_BROWSER = "the pages do not have them, and there is no browser to show them"


class SecondLook:
    """Shows the posts of one crawl once more, as long as that brings comments."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._trying = asyncio.Lock()
        self._is_announced = False
        #: how many posts' pages say each number of comments; None where they say none
        self._said: Counter[int | None] = Counter()
        self._in_vain = 0
        self._unread = 0
        self._brings_text = False
        self._brings_comments = False

    def see(self, item: Record) -> None:
        """Take note of a post before its comments are asked for."""
        self._is_announced |= bool(item.comment_count)
        if item.comment_count is None:
            self._said[_said_on(item)] += 1

    def announced(self, item: Record) -> int | None:
        """How many comments a post without any so far has, as its entry says, or else its page.

        What the pages of all posts say alike is the number of all of the blog's comments.
        """
        if item.comment_count is not None:
            return item.comment_count
        count = _said_on(item)
        if count and self._said.total() >= ALIKE and len(self._said) == 1:
            return None
        self._is_announced |= bool(count)
        return count

    async def at(self, item: Record) -> Page | None:
        """The page of a post without any comment so far, as the browser shows it where that may help; else None."""
        assert item.material is not None
        page = item.material.page
        if item.material.shown is not None or page.is_rendered or recognise(page.body) or not _may_bring(page):
            return None
        if self._brings_text:
            return await self._shown(page) if self._is_worth_it else None
        async with self._trying:  # as long as nobody knows whether it helps, one post is shown after the other
            if not self._is_worth_it or not self._is_announced:
                return None
            return await self._shown(page)

    def note(self, item: Record, announced: int | None, *, was_shown: bool) -> None:
        """Learn what came of a look at a post that has `announced` comments, and tell where these are lost."""
        if item.comments:
            self._brings_comments |= was_shown
            return
        self._unread += was_shown
        if announced and item.material is not None and not recognise(item.material.page.body):
            self._lose(NOWHERE if self._renderer is not None else NO_BROWSER)

    @property
    def _is_worth_it(self) -> bool:
        return self._brings_comments or (self._in_vain < TRIES and self._unread < UNREAD)

    @property
    def _renderer(self) -> Renderer | None:
        renderer = self.crawler.get_extension(Renderer)
        return renderer if renderer is not None and renderer.can_render else None

    async def _shown(self, page: Page) -> Page | None:
        renderer = self._renderer
        if renderer is None:
            return None
        rendition = await renderer.show_kept(page, lambda _: "leads on to another page", with_frames=True)
        if rendition is None or not shows_more(rendition.page, page):
            self._in_vain += not self._brings_text
            return None
        self._brings_text = True
        return rendition.page

    def _lose(self, because: str) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.set_value(f"blogcrawler/comments/because/{LOST}", because)
        self.crawler.stats.inc_value(f"blogcrawler/comments/lost/{LOST}")


def _said_on(item: Record) -> int | None:
    """How many comments a post's page says it has; where a comment system is to say it, 0 stands there until then."""
    assert item.material is not None
    page = item.material.page
    try:
        count = announced(parse_page(page), page.url)
    except NotAWebPage:
        return None
    return None if count == 0 and recognise(page.body) else count


def shows_more(shown: Page, sent: Page) -> bool:
    """Has a rendered page more text than the one that was sent?"""
    return _length(shown) >= _length(sent) + LEAST


def _length(page: Page) -> int:
    """Characters of what a reader sees of a page."""
    try:
        tree = parse_page(page)
    except NotAWebPage:
        return 0
    return len(inline_text(tree))


def _may_bring(page: Page) -> bool:
    """Does a page run anything that may show comments, or hold another document?"""
    try:
        tree = parse_page(page)
    except NotAWebPage:
        return False
    return has_scripts(tree) or next(tree.iter("iframe"), None) is not None
