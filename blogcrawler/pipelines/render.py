"""First stage: render, where that brings comments.

Where a blog's pages are shown by scripts, the spider has had them rendered before they came here. What is left to this
stage are posts whose comments alone are loaded by script: the page as it was sent is kept, since rules were learned
from such pages, and the page with its comments is put beside it. Where the comment system tells them all to whoever
asks as its script does, no browser is needed.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.browser import Renderer, beside, recognise, thread_of
from blogcrawler.pipelines.asking import ask, told_comments
from blogcrawler.pipelines.media_store import file_store
from blogcrawler.pipelines.pictures import keep_picture
from blogcrawler.pipelines.second_look import shows_more

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from blogcrawler.browser import CommentSystem, Thread
    from blogcrawler.items import Page, Record
    from blogcrawler.pipelines.asking import Outcome

__all__ = ["RenderPipeline"]

TRIES = 3
NO_ANSWER = "its server does not answer"
NO_BROWSER = "only a browser would show them"
NOT_SHOWN = "its page could not be shown in a browser"


class _Shown(NamedTuple):
    """A page as readers see it, and the thread that its comments were asked for in, where that was enough."""

    page: Page
    thread: Thread | None = None


class RenderPipeline:
    """Gets the comments that scripts load.

    Where a comment system has not answered on the first posts, no further one is rendered for it. Counts the posts
    whose comments are lost under `blogcrawler/comments/lost/NAME`.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._files = file_store(crawler.settings)
        #: by the comment systems of posts: how often they have not answered, those that have, and who is asking
        self._in_vain: Counter[tuple[str, ...]] = Counter()
        self._answering: set[tuple[str, ...]] = set()
        self._asking: defaultdict[tuple[str, ...], asyncio.Lock] = defaultdict(asyncio.Lock)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl."""
        return cls(crawler)

    async def process_item(self, item: Record) -> Record:
        """Put the page of a post with its comments beside the one that was sent; keep the picture of it."""
        if item.material is not None:
            page = item.material.page
            shown = await self._with_comments(page)
            if shown is not None:
                told = told_comments(shown.thread, page.url) if shown.thread is not None else None
                item.material = replace(item.material, shown=shown.page, told_comments=told)
            await keep_picture(item, shown.page if shown is not None else page, self._files)
        return item

    async def _with_comments(self, page: Page) -> _Shown | None:
        """A post's page with the comments that scripts load; None where there are none, or they cannot be had."""
        found = recognise(page.body)
        for system in found:
            if system.gone:
                self._lose([system], system.gone)
        alive = [system for system in found if not system.gone]
        if page.is_rendered or not alive or not self.crawler.settings.getbool("COMMENTS"):
            return None
        names = tuple(system.name for system in alive)
        if names in self._answering:
            return await self._got(page, alive)
        async with self._asking[names]:  # as long as nobody knows whether they answer, one post asks after the other
            if self._in_vain[names] < TRIES:
                return await self._got(page, alive)
        self._lose(alive, NO_ANSWER)
        return None

    async def _got(self, page: Page, alive: list[CommentSystem]) -> _Shown | None:
        """A page with the comments of its systems, in the cheapest way; None where they cannot be had."""
        names = tuple(system.name for system in alive)
        if len(alive) == 1 and (thread := thread_of(alive[0], page.body, page.url)) is not None:
            outcome = await self._asked(thread)
            if outcome == "unreachable":  # for the browser, too, whose requests go the same way
                self._note_silence(alive)
                return None
            if outcome == "told" and thread.is_whole:
                self._answering.add(names)
                self._inc(f"asked/{thread.system}")
                return _Shown(replace(page, body=beside(page.body, thread.html()), tree=None), thread)
        return await self._rendered(page, alive)

    async def _asked(self, thread: Thread) -> Outcome:
        assert self.crawler.engine is not None
        asked = await ask(self.crawler.engine, thread)
        self._inc("requests", asked.requests)
        return asked.outcome

    async def _rendered(self, page: Page, alive: list[CommentSystem]) -> _Shown | None:
        renderer = self.crawler.get_extension(Renderer)
        if renderer is None or not renderer.can_render:
            self._lose(alive, NO_BROWSER)
            return None
        rendition = await renderer.show_kept(page, lambda _: "leads on to another page")
        if rendition is None:
            self._lose(alive, NO_BROWSER if not renderer.can_render else NOT_SHOWN)
            return None
        if not rendition.unanswered or shows_more(rendition.page, page):
            self._answering.add(tuple(system.name for system in alive))
            return _Shown(rendition.page)
        self._note_silence(alive)
        return None

    def _note_silence(self, systems: list[CommentSystem]) -> None:
        self._in_vain[tuple(system.name for system in systems)] += 1
        self._lose(systems, NO_ANSWER)

    def _inc(self, name: str, count: int = 1) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"blogcrawler/comments/{name}", count)

    def _lose(self, systems: list[CommentSystem], because: str) -> None:
        assert self.crawler.stats is not None
        for system in systems:
            self.crawler.stats.set_value(f"blogcrawler/comments/because/{system.name}", because)
            self.crawler.stats.inc_value(f"blogcrawler/comments/lost/{system.name}")
