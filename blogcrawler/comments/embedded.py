"""Comments that the scripts of comment systems load: from the system itself where it tells them all to a plain
request, or else from the page as a browser shows it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.comments.rendered_pages import shows_more
from blogcrawler.comments.systems import recognise
from blogcrawler.comments.threads import ask, thread_of

if TYPE_CHECKING:
    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.comments.systems import CommentSystem
    from blogcrawler.items import RecordSource

TRIES = 3
NO_ANSWER = "its server does not answer"
NO_BROWSER = "only a browser would show them"
NOT_SHOWN = "its page could not be shown in a browser"


class EmbeddedSystems:
    """The comment systems of one crawl's posts.

    Where a system has not answered on the first posts, it is not asked again, and no page is rendered for it.
    """

    def __init__(self, crawl: Crawl, *, is_on: bool = True) -> None:
        self._crawl = crawl
        self._is_on = is_on
        #: by the comment systems of posts: how often they have not answered, those that have, and who is asking
        self._in_vain: Counter[tuple[CommentSystem, ...]] = Counter()
        self._answering: set[tuple[CommentSystem, ...]] = set()
        self._asking: defaultdict[tuple[CommentSystem, ...], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def load(self, post: RecordSource) -> RecordSource:
        """A post with the comments that scripts load, or the rendered page, beside its page; the same without any."""
        found = recognise(post.page.body)
        for system in found:
            if system.gone:
                self._crawl.lose(system.name, system.gone)
        alive = tuple(system for system in found if not system.gone)
        if post.page.is_rendered or not alive or not self._is_on:
            return post
        if alive in self._answering:
            return await self._load(post, alive)
        async with self._asking[alive]:  # as long as it is not known to answer, one post asks after the other
            if self._in_vain[alive] < TRIES:
                return await self._load(post, alive)
        self._lose(alive, NO_ANSWER)
        return post

    async def _load(self, post: RecordSource, alive: tuple[CommentSystem, ...]) -> RecordSource:
        page = post.page
        if len(alive) == 1 and (thread := thread_of(alive[0], page.body, page.url)) is not None:
            outcome = await ask(self._crawl.fetch, thread)
            if outcome == "unreachable":  # for the browser, too, whose requests go the same way
                return self._note_silence(post, alive)
            if outcome == "answered" and thread.is_whole:
                self._answering.add(alive)
                self._crawl.count(f"asked/{thread.system}")
                return replace(post, told_comments=thread.to_comments(page.url))
        rendition = await self._crawl.show(page)
        if rendition is None:
            self._lose(alive, NOT_SHOWN if self._crawl.can_render else NO_BROWSER)
            return post
        if not rendition.unanswered or shows_more(rendition.page, page):
            self._answering.add(alive)
            return replace(post, shown=rendition.page, told_comments=None)
        return self._note_silence(post, alive)

    def _note_silence(self, post: RecordSource, systems: tuple[CommentSystem, ...]) -> RecordSource:
        self._in_vain[systems] += 1
        self._lose(systems, NO_ANSWER)
        return post

    def _lose(self, systems: tuple[CommentSystem, ...], because: str) -> None:
        for system in systems:
            self._crawl.lose(system.name, because)
