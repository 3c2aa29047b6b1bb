"""Collect the comments of each post from their sources, the most reliable first. Each source is requested once.

1. the comment system of the post's page; it was requested before (`scripted`)
2. the API that the page names, and the feed of the post's comments (`sources`)
3. if comments are still missing, the page itself, by learned rules (`page_comments`)
4. the page as a browser shows it (`scripted`)

Nothing is asked for a post that announces no comments, or where trusted signs exclude comments (`signs`). No page is
rendered where a complete source, which has comments of other posts, has none of this one.
"""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.backend import COMMENT_FEED, LATE_COMMENTS, LatePosts
from blogcrawler.browser.need import tree_of
from blogcrawler.comments.gathered import Gathered, compare, is_flat, put
from blogcrawler.comments.page_comments import PageComments, comment_pages_of
from blogcrawler.comments.page_rules import KeptPageRules, PageRules
from blogcrawler.comments.scripted import RenderedPages
from blogcrawler.comments.signs import CommentedPosts, PageSigns
from blogcrawler.comments.source_stats import CommentSourceStats
from blogcrawler.comments.sources import CommentSources
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from blogcrawler.backend import Archive
    from blogcrawler.comments.crawl import Crawl
    from blogcrawler.items import Record
    from blogcrawler.wrapper import Wrapper

EXPORT = "export"
"""Name of the system in the provenance of comments from an export of the blog."""
STATE = "comment habits"
"""Name under which the archive stores the statistics of sources."""


class CommentGatherer:
    """Gathers the comments of one blog's posts, and saves what it learns. Raises BackendUnavailable. Rules with a
    confidence below `least` are not used."""

    def __init__(self, archive: Archive, home: str, wrapper: Wrapper, crawl: Crawl, *, least: float) -> None:
        self._archive, self._home, self._crawl = archive, home, crawl
        self._kept: dict[str, Any] = archive.load_source_state(home, STATE)
        self._stats = CommentSourceStats.from_dict(self._kept)
        #: posts in the feed of all comments; None until it was read
        self._commented: CommentedPosts | None = None
        #: held while the sources of a post are requested to confirm a sign
        self._proving = asyncio.Lock()
        self._late = LatePosts(archive, home, LATE_COMMENTS)
        self._sources = CommentSources(crawl, self._stats)
        self._page_rules = PageRules(least)
        kept = KeptPageRules(archive, home, wrapper, self._page_rules)
        self._pages = PageComments(crawl, kept)
        self._rendered_pages = RenderedPages(crawl)

    async def add_to(self, item: Record) -> Gathered:
        """Add the comments of a post to its record."""
        announced_number = self._rendered_pages.see(item)
        gathered = await self._gather(item)
        announced = item.comment_count if gathered.found else self._rendered_pages.announced(item, announced_number)
        has_none = item.comment_count == 0 or (not announced and self._sources_exclude_comments(gathered))
        can_have_some = not gathered.found and not has_none
        rendered = await self._rendered_pages.render(item) if can_have_some else None
        if rendered is not None:
            item.material = replace(item.made_from, shown=rendered)
            item.provenance.rendered = True
            await self._pages.add_to(gathered, item)
        earlier = self._archive.record(item.blog, item.url)
        put(item, gathered)
        if not item.comments and item.comment_count is None:
            had_some = earlier is not None and bool(earlier.comments)
            item.comment_count = 0 if announced is None and gathered.is_empty and not had_some else announced
        self._rendered_pages.note(item, announced, was_rendered=rendered is not None)
        self._note_late(item, gathered)
        self._keep()
        self._archive.removed(item.blog).take_out_comments(item)
        if gathered.is_answered and earlier is not None:
            compare(item, earlier.comments, self._crawl, is_whole=gathered.is_whole)
        return gathered

    def close(self) -> None:
        """Save the list of posts with missing comments."""
        self._crawl.count("late", len(self._late))
        self._late.save()

    async def _gather(self, item: Record) -> Gathered:
        page, loaded = item.made_from.page, item.made_from.system_comments
        gathered = Gathered(is_late=self._stats.is_silent)
        if loaded is not None:
            gathered.add(loaded.comments, loaded.system, is_whole=loaded.is_own, is_embedded=not loaded.is_own)
        exported = item.made_from.entry.comments if item.made_from.entry is not None else None
        if exported or (exported is not None and not page.status):
            gathered.add(exported, EXPORT, is_whole=not page.status)
            gathered.is_cut = False  # nothing says that there are newer ones
        tree = tree_of(page)
        if tree is None:
            return gathered
        signs = PageSigns(page, tree, self._signs_of_feed(item))
        if item.comment_count == 0 or gathered.is_whole or self._shows_none(gathered, item, signs):
            self._pages.remember(gathered, item)
            return gathered
        if not gathered.is_answered and (shown := await self._all_shown(item)) is not None:
            return shown
        async with self._proving if self._stats.signs.are_unconfirmed(signs) else nullcontext():
            if self._shows_none(gathered, item, signs):
                self._pages.remember(gathered, item)
                return gathered
            await self._sources.add_to(gathered, item, tree)
            if is_known := gathered.is_whole and bool(gathered.own_parts):
                self._stats.signs.learn(signs, gathered.comments)
        if not gathered.is_whole or is_flat(gathered.comments):
            await self._pages.add_to(gathered, item)
        else:
            self._pages.remember(gathered, item)
        if gathered.is_whole and gathered.own_parts and not is_known:
            self._stats.signs.learn(signs, gathered.comments)
        self._shows_none(gathered, item, signs)  # other posts may have confirmed signs in the meantime
        return gathered

    async def _all_shown(self, item: Record) -> Gathered | None:
        """The comments that known rules find on a new post's page; None if comments may be missing.

        No source is requested for such a post: later updates notice missing comments by the feed of all comments, or by
        another announced number.
        """
        is_new = item.made_from.is_update and self._archive.record(item.blog, item.url) is None
        if not (is_new and self._page_rules.rules):
            return None
        gathered = Gathered()
        await self._pages.add_to(gathered, item)
        is_silent = not gathered.found and not item.comment_count and not gathered.total
        is_told = gathered.is_whole and all(comment.published and comment.author for comment in gathered.comments)
        return gathered if is_told or is_silent else None

    def _sources_exclude_comments(self, gathered: Gathered) -> bool:
        """True if a complete source, or trusted signs, have had comments of other posts and have none of this one."""
        return self._stats.signs.have_seen_comments and (gathered.is_whole or gathered.is_empty)

    def _shows_none(self, gathered: Gathered, item: Record, signs: PageSigns) -> bool:
        """Note whether trusted signs exclude comments of a post, and its page links to no further pages of comments."""
        is_excluded = item.comment_count is None and self._stats.signs.exclude_comments(signs)
        gathered.is_empty = is_excluded and not comment_pages_of(item, signs.page, signs.tree)
        return gathered.is_empty

    def _signs_of_feed(self, item: Record) -> Mapping[str, bool]:
        """The sign of the feed of all comments for a post. Empty in an update, since the archive then has an earlier
        state of this feed."""
        if item.made_from.is_update:
            return {}
        if self._commented is None and (state := self._archive.load_source_state(self._home, COMMENT_FEED)):
            self._commented = CommentedPosts.from_state(state)
        return self._commented.signs(identity(item.url), item.published) if self._commented is not None else {}

    def _keep(self) -> None:
        """Save what was learned, for a resumed crawl and for updates."""
        if self._stats.to_dict() != self._kept:
            self._kept = self._stats.to_dict()
            self._archive.save_source_state(self._home, STATE, self._kept)
        self._late.save_now_and_then()

    def _note_late(self, item: Record, gathered: Gathered) -> None:
        """Note whether a server failed to return comments of a post, so that a later crawl requests them again."""
        has_all = gathered.is_whole or (item.comment_count is not None and len(item.comments) >= item.comment_count)
        entry = item.made_from.entry
        feed = entry.comments_feed if entry is not None else None
        self._late.note(item.url, feed, is_late=gathered.is_late and not has_all)
