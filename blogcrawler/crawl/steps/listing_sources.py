"""The step that reads the sources that list a blog's posts, and decides how far they are trusted."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import filterfalse
from math import inf
from typing import TYPE_CHECKING, Any

from blogcrawler.crawl.duplicates import Copies
from blogcrawler.crawl.pages import COVERAGE, add_posts, may_be_post, save_coverage
from blogcrawler.crawl.post_sources import OlderPosts
from blogcrawler.crawl.read_page import read
from blogcrawler.crawl.steps import StepResult
from blogcrawler.crawl.steps.learning import (
    fetch_pages,
    keep_rules,
    learn_with_corrections,
    own_pages,
    readable,
    set_aside,
    spread,
)
from blogcrawler.feeds.sources import FeedArchive, Sitemaps
from blogcrawler.frontier.coverage import Coverage
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blogcrawler.crawl.context import CrawlContext
    from blogcrawler.crawl.post_sources import Basis, Listed
    from blogcrawler.crawl.steps.learning import PostPages
    from blogcrawler.feeds.sources import Source
    from blogcrawler.items import Entry, Page
    from blogcrawler.wrapper import Wrapper

    States = Mapping[str, dict[str, Any]]

SAMPLE = 10
"""Number of posts of a source that are fetched to check it, and from which the wrapper is learned again."""
FEWEST_KNOWN = 3
"""Minimum number of known posts that a sitemap must contain to be trusted."""
LOOKS = (5, 20, 80, 320, inf)
"""Numbers of documents of a source after which some of its last posts are fetched …"""
LOOKED_AT = 3
"""… and the number of these posts."""
MOST_FOR_PATTERN = 300
"""Maximum number of addresses from which the permalink pattern is learned; more show no other forms."""

logger = logging.getLogger(__name__)


async def list_posts(ctx: CrawlContext) -> StepResult | None:
    """Read the cheapest sources of the blog's posts until one has all; returns the pages at hand afterwards.

    A resumed crawl goes on with the sources, or with the coverage that was stored.
    """
    stored = OlderPosts(ctx).kept()
    if stored is None:
        return None
    if COVERAGE in stored[1]:
        _Sources(ctx, *stored).restore_coverage()
        return None
    if not ctx.training:
        pages = ctx.archive.load_training_pages(ctx.home)
        ctx.training = [(page, entry) for page, entry in pages if identity(page.url) in ctx.entries]
    return StepResult(await _Sources(ctx, *stored).read_all())


@dataclass
class _Sources:
    """Reads the sources that list a blog's posts."""

    ctx: CrawlContext
    basis: Basis
    #: states of the sources from an earlier run of the crawl, by name
    states: States

    def __post_init__(self) -> None:
        self.older = OlderPosts(self.ctx)

    async def read_all(self) -> list[Page]:
        """Read the sources, the cheapest first, until one has all posts; returns the pages at hand afterwards."""
        ctx = self.ctx
        pages: list[Page] = []
        read_urls = list(ctx.archive.source_entry_urls(ctx.home).values())
        for source in self.basis.sources(self._looks_like_post, read_urls):
            before: Listed = {}
            if source.name in self.states:
                with suppress(KeyError, TypeError, ValueError):  # start from the beginning if another version stored it
                    source.resume(self.states[source.name])
                before = self.older.listed_before(source.name)
            listed, looked_at = await self._read(source)
            pages += looked_at
            if source.outcome == "reading":
                break
            if source.outcome == "absent":
                continue
            if isinstance(source, Sitemaps):
                self._believe_sitemap(source, before | listed)
            else:
                pages += await self._believe_entries(source)
            if ctx.coverage.is_whole:
                break
        self._announce(ctx.archive.load_source_states(ctx.home))
        save_coverage(ctx)
        return pages

    def restore_coverage(self) -> None:
        """Restore the trust in the source that an earlier run of the crawl had."""
        self._announce(self.states)
        believed = self.states[COVERAGE]
        listed = self.older.listed_before(Sitemaps.name)
        self._believe(believed["source"], listed, is_whole=believed["is_whole"])

    def _announce(self, states: States) -> None:
        """Report to the user how many posts a source announces."""
        totals = [(state.get("total"), name) for name, state in states.items()]
        totals.append((self.basis.feed.total if self.basis.feed is not None else None, "feed"))
        for total, name in totals:
            if isinstance(total, int) and total > 0:
                self.ctx.tally.expected(total, name)
                return

    async def _read(self, source: Source) -> tuple[Listed, list[Page]]:
        """Read a source to its end; returns the pages that it lists without further data, and the pages at hand.

        While a long source is read, some of its posts are fetched: lists that servers generate may have no end.
        """
        listed: Listed = {}
        looked_at: list[Page] = []
        for most in LOOKS:
            is_over = partial(self._has_no_time, self.older.documents + most)
            listed |= await self.older.read(source, self._looks_like_post, is_over)
            if source.outcome != "reading" or self._has_no_time():
                break
            if not isinstance(source, Sitemaps):
                is_credible, pages = await self._look_at_latest()
                looked_at += pages
                if not is_credible:
                    self.ctx.archive.forget_source_entries(self.ctx.home)
                    source.outcome = "absent"
                    break
        return listed, looked_at

    async def _look_at_latest(self) -> tuple[bool, list[Page]]:
        """Fetch a few of the last listed posts; returns whether most are new posts, and their pages."""
        wanted = spread(self.older.latest, LOOKED_AT)
        posts = await self._posts_of(wanted, {})
        pages = [page for page, _ in posts]
        good = _count_posts(self.ctx.classifier.wrapper, pages, [page for page, _ in self.ctx.training])
        if self._has_no_time() or 2 * good >= len(wanted):
            return True, pages
        logger.info("The last listed pages are not posts: only %d of %d are.", good, len(wanted))
        return False, set_aside(self.ctx, pages)

    async def _posts_of(self, entries: Sequence[Entry], at_hand: dict[str, Page]) -> PostPages:
        """The pages of entries that can be read and are the entries' own."""
        no_posts = {identity(self.ctx.home), *self.ctx.classifier.no_posts}
        return readable(self.ctx, own_pages(self.ctx, await fetch_pages(self.ctx, entries, at_hand), no_posts))

    def _looks_like_post(self, url: str) -> bool:
        return self.ctx.classifier.is_permalink(url)

    def _has_no_time(self, documents: float = inf) -> bool:
        """True if a limit is reached: as many documents as pages are allowed, and no more than `documents`."""
        limit, left = self.ctx.options.stop_rules.page_limit, self.ctx.time_left_s()
        most = inf if limit is None else limit
        is_read = self.older.documents >= min(most, documents) or self.ctx.tally.pages >= most
        return is_read or (left is not None and left <= 1.0)

    def _believe(self, name: str, listed: Listed, *, is_whole: bool) -> None:
        """Record the coverage of a source, which has all posts or some; `listed` are pages without further data."""
        ctx = self.ctx
        coverage = Coverage(name, is_whole=is_whole, may_be_post=partial(may_be_post, ctx))
        coverage.add(ctx.archive.source_entry_urls(ctx.home).values())
        coverage.add(entry.url for entry in ctx.entries.values())
        coverage.add(ctx.classifier.posts)
        for document, urls in listed.items():
            coverage.add_likely(filter(self._looks_like_post, urls), document)
            coverage.add_others(filterfalse(self._looks_like_post, urls))
        ctx.coverage = coverage

    def _believe_sitemap(self, source: Sitemaps, listed: Listed) -> None:
        """Trust a sitemap if it has the known posts; the newest may be missing if the feed has them."""
        known, missing = self.basis.known, source.missing
        newest = [identity(url) for url in known[: len(missing)]]
        is_stale = self.basis.feed is not None and 2 * len(newest) <= len(known) and set(newest) == set(missing)
        is_whole = source.outcome == "whole" and len(known) >= FEWEST_KNOWN and (not missing or is_stale)
        self._believe(source.name, listed, is_whole=is_whole)

    async def _believe_entries(self, source: Source) -> list[Page]:
        """Fetch some posts of a source; if they are posts, trust all its entries and learn the wrapper again."""
        ctx, archive = self.ctx, self.ctx.archive
        listed_urls = archive.source_entry_urls(ctx.home)
        new = [key for key in listed_urls if key not in ctx.entries]
        wanted = list(archive.source_entries(ctx.home, spread(new, SAMPLE)).values())
        at_hand = {identity(page.url): page for page, _ in archive.load_training_pages(ctx.home)}
        sample = await self._posts_of(wanted, at_hand)
        exact = archive.source_entries(ctx.home, ctx.entries)
        known = readable(ctx, [(page, enriched(entry, exact.get(identity(page.url)))) for page, entry in ctx.training])
        wrapper = learn_with_corrections(ctx, [*known, *sample])
        pages = [page for page, _ in sample]
        good = _count_posts(wrapper, pages, [page for page, _ in known])
        if wanted and 2 * good < len(wanted):
            logger.info("The %s is ignored: only %d of %d listed URLs are posts.", source.name, good, len(wanted))
            archive.forget_source_entries(ctx.home)
            return set_aside(ctx, pages)
        has_known = {identity(url) for url in self.basis.known} <= listed_urls.keys()
        is_whole = source.outcome == "whole" and (has_known or isinstance(source, FeedArchive))
        with archive.transaction():
            ctx.entries = {key: enriched(entry, exact.get(key)) for key, entry in ctx.entries.items()}
            ctx.training = [*known, *sample]
            for page, entry in ctx.training:
                archive.save_training_page(ctx.home, page, entry)
            self._keep_rules(wrapper, list(listed_urls), is_whole=is_whole)
            add_posts(ctx, [listed_urls[key] for key in new])
        self._believe(source.name, {}, is_whole=is_whole)
        return pages

    def _keep_rules(self, wrapper: Wrapper, keys: list[str], *, is_whole: bool) -> None:
        """Make a new classifier that also knows the addresses of posts that a source lists."""
        ctx, old = self.ctx, self.ctx.classifier
        more = ctx.archive.source_entries(ctx.home, spread(keys, MOST_FOR_PATTERN)).values()
        days = [day for day in self.older.days if day is not None]
        has_all_days = is_whole and bool(days) and len(days) == len(self.older.days)
        since = min(days) if has_all_days else old.feed_since
        keep_rules(ctx, wrapper, ctx.training, set(old.no_posts), since, [entry.url for entry in more])


def _count_posts(wrapper: Wrapper, pages: Iterable[Page], known: Iterable[Page]) -> int:
    """Number of pages that are posts, without duplicates of each other and of known posts."""
    copies = Copies()
    for page in known:
        if page.tree is not None:
            post = read(page, wrapper)
            copies.note_post(post.shown, post.key)
    count = 0
    for page in pages:
        if page.tree is not None and (post := read(page, wrapper)).is_post:
            count += copies.same_post(post.shown, post.key) is None
            copies.note_post(post.shown, post.key)
    return count


def enriched(entry: Entry, exact: Entry | None) -> Entry:
    """An entry with better data from another source: the whole article instead of a summary; everything for an entry
    from a list."""
    if exact is None:
        return entry
    if entry.is_synthetic:
        return exact
    is_shorter = not entry.content_html or (entry.is_summary and not exact.is_summary)
    content = exact if is_shorter and exact.content_html else entry
    return replace(
        entry,
        content_html=content.content_html,
        is_summary=content.is_summary,
        authors=entry.authors or exact.authors,
        tags=entry.tags or exact.tags,
        comments=exact.comments if entry.comments is None else entry.comments,
    )
