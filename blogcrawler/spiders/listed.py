"""What a crawl asks before it looks for posts: where else they are listed, and how far to believe that."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from blogcrawler.crawl.browser_need import tree_of
from blogcrawler.crawl.coverage import Coverage
from blogcrawler.crawl.duplicates import Copies, Shown
from blogcrawler.crawl.post_sources import Basis, OlderPosts, generator, robots_sitemaps, root_of_api
from blogcrawler.feeds.sources import FeedArchive, Sitemaps
from blogcrawler.frontier import Link
from blogcrawler.spiders.base import page_of
from blogcrawler.spiders.blog import COVERAGE
from blogcrawler.spiders.training import TrainingSpider, learned
from blogcrawler.urls import identity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blogcrawler.crawl.feed_discovery import Discovery
    from blogcrawler.crawl.post_sources import Listed
    from blogcrawler.feeds.sources import Source
    from blogcrawler.items import Entry, Page
    from blogcrawler.wrapper import Wrapper

__all__ = ["ListedPosts"]

T = TypeVar("T")

SAMPLE = 10
"""Posts of a source that are fetched to prove it, and that the wrapper is learned from anew."""
FEWEST_KNOWN = 3
"""Known posts that a sitemap must have to be believed."""
LOOKS = (5, 20, 80, 320, inf)
"""Documents of a source after which, each time, is looked at …"""
LOOKED_AT = 3
"""… posts of those that it told of last."""
MOST_FOR_PATTERN = 300
"""Addresses that the permalink pattern is learned from; more show no other forms."""


class ListedPosts(TrainingSpider):
    """A crawl that knows the blog's feed, and asks where else its posts are listed."""

    async def _basis(self, found: Discovery, pages: list[Page]) -> Basis:
        """What other sources begin with: what the feed, the start page, a post's page and robots.txt name."""
        start = page_of(found.start) if found.start is not None and found.start.status == 200 else None
        named = [(page, tree_of(page)) for page in (start, *pages[:1]) if page is not None]
        roots = (root_of_api(tree, page.url, found.start if page is start else None) for page, tree in named)
        return Basis(
            home=self.home,
            feed=None if found.lists else found.feed,
            known=tuple(page.url for page in pages),
            generators=tuple(name for _, tree in named for name in generator(tree)),
            api_root=next(filter(None, roots), None),
            sitemaps=await robots_sitemaps(self.crawler, self.home, self._fetch),
        )

    def _older(self) -> OlderPosts:
        return OlderPosts(self.archive, self.home, self.frontier, self._fetch, self._scope.covers)

    async def _list_posts(
        self, basis: Basis, states: Mapping[str, dict[str, Any]] = MappingProxyType({})
    ) -> list[Page]:
        """Read the cheapest sources of the blog's posts, until one has all; the pages that are at hand then."""
        older = self._older()
        pages: list[Page] = []
        seen = list(self.archive.source_entry_urls(self.home).values())
        for source in basis.sources(self.settings, self._looks_like_post, seen):
            if source.name in states:
                _resume(source, states[source.name])
            before = older.listed_before(source.name) if source.name in states else {}
            listed, looked_at = await self._read(source, older)
            pages += looked_at
            if source.outcome == "reading":
                break
            if source.outcome == "absent":
                continue
            if isinstance(source, Sitemaps):
                self._believe_sitemap(source, basis, before | listed)
            else:
                pages += await self._believe_entries(source, basis, older)
            if self._coverage is not None and self._coverage.is_whole:
                break
        self._expect(basis)
        self._save_coverage()
        return pages

    async def _read(self, source: Source, older: OlderPosts) -> tuple[Listed, list[Page]]:
        """Read a source to its end; the pages that it lists without saying more, and those that are at hand.

        Of a long one some of the posts that it tells of are looked at on the way: what servers make up has no end.
        """
        listed: Listed = {}
        looked_at: list[Page] = []
        for most in LOOKS:
            is_over = partial(self._has_no_time_to_list, older, older.documents + most)
            listed |= await older.read(source, self._looks_like_post, is_over)
            if source.outcome != "reading" or self._has_no_time_to_list(older):
                break
            if not isinstance(source, Sitemaps):
                is_credible, pages = await self._look_at(older)
                looked_at += pages
                if not is_credible:
                    self.archive.forget_source_entries(self.home)
                    source.outcome = "absent"
                    break
        return listed, looked_at

    async def _look_at(self, older: OlderPosts) -> tuple[bool, list[Page]]:
        """Fetch a few of the posts that were told of last: are most of them posts, and none that are known?"""
        wanted = _spread(older.latest, LOOKED_AT)
        found = self._own_pages(await self._fetch_pages(wanted, {}), {identity(self.home), *self.reader.no_posts})
        pages = [page for page, _ in found if self._tree_of(page) is not None]
        good = _count_posts(self.reader.wrapper, pages, [page for page, _ in self._training])
        if self._has_no_time_to_list(older) or 2 * good >= len(wanted):
            return True, pages
        self.logger.info("The list goes on to what is no post: %d of %d are.", good, len(wanted))
        return False, self._set_aside(pages)

    def _looks_like_post(self, url: str) -> bool:
        return self.reader.is_permalink(url)

    def _has_no_time_to_list(self, older: OlderPosts, documents: float = inf) -> bool:
        """Is a limit reached? Of documents as many are read as of pages, and no more than `documents`."""
        limit, left = self.stop_rules.page_limit, self._time_left_s()
        most = inf if limit is None else limit
        is_read = older.documents >= min(most, documents) or self.tally.pages >= most
        return is_read or (left is not None and left <= 1.0)

    async def _go_on_listing(self) -> list[Page]:
        """Go on with the sources of a crawl that was cut short, or with what was believed of them."""
        self._scope = self.reader.scope
        kept = self._older().kept()
        if kept is None:
            return []
        basis, states = kept
        if COVERAGE not in states:
            training = self.archive.load_training_pages(self.home)
            self._training = [(page, entry) for page, entry in training if identity(page.url) in self._entries]
            return await self._list_posts(basis, states)
        self._believe_as_before(basis, states)
        return []

    def _go_on_as_listed(self) -> None:
        """Believe of the sources what the crawl does that this spider has joined."""
        self._scope = self.reader.scope
        kept = self._older().kept()
        if kept is not None and COVERAGE in kept[1]:
            self._believe_as_before(*kept)

    def _believe_as_before(self, basis: Basis, states: Mapping[str, dict[str, Any]]) -> None:
        self._expect(basis, states)
        believed = states[COVERAGE]
        self._coverage = self._new_coverage(believed["source"], is_whole=believed["is_whole"])
        self._add_listed(self._coverage, self._older().listed_before(Sitemaps.name))

    def _add_listed(self, coverage: Coverage, listed: Listed) -> None:
        for document, urls in listed.items():
            coverage.add_doubtful(filter(self._looks_like_post, urls), document)
            coverage.add_others(url for url in urls if not self._looks_like_post(url))

    def _new_coverage(self, name: str, *, is_whole: bool) -> Coverage:
        coverage = Coverage(name, is_whole=is_whole)
        coverage.add(self.archive.source_entry_urls(self.home).values())
        coverage.add(entry.url for entry in self._entries.values())
        coverage.add(self.reader.posts)
        return coverage

    def _believe_sitemap(self, source: Sitemaps, basis: Basis, listed: Listed) -> None:
        """A sitemap has all posts if it has the known ones; the newest may be missing, of which the feed tells."""
        newest = [identity(url) for url in basis.known[: len(source.missing)]]
        is_stale = basis.feed is not None and 2 * len(newest) <= len(basis.known) and set(newest) == set(source.missing)
        is_whole = source.outcome == "whole" and len(basis.known) >= FEWEST_KNOWN and (not source.missing or is_stale)
        self._coverage = self._new_coverage(source.name, is_whole=is_whole)
        self._add_listed(self._coverage, listed)

    async def _believe_entries(self, source: Source, basis: Basis, older: OlderPosts) -> list[Page]:
        """Fetch some posts that a source tells of; if they are posts, all are, and the wrapper is learned anew."""
        told = self.archive.source_entry_urls(self.home)
        new = [key for key in told if key not in self._entries]
        wanted = list(self.archive.source_entries(self.home, _spread(new, SAMPLE)).values())
        kept = {identity(page.url): page for page, _ in self.archive.load_training_pages(self.home)}
        sample = self._own_pages(await self._fetch_pages(wanted, kept), {identity(self.home), *self.reader.no_posts})
        sample = [(page, entry) for page, entry in sample if self._tree_of(page) is not None]
        exact = self.archive.source_entries(self.home, self._entries)
        known = [(page, _enriched(entry, exact.get(identity(page.url)))) for page, entry in self._training]
        known = [(page, entry) for page, entry in known if self._tree_of(page) is not None]
        wrapper = learned([*known, *sample], self.archive.corrections(self.home).all())
        good = _count_posts(wrapper, [page for page, _ in sample], [page for page, _ in known])
        if wanted and 2 * good < len(wanted):
            self.logger.info("What the %s tells is not believed: %d of %d are posts.", source.name, good, len(wanted))
            self.archive.forget_source_entries(self.home)
            return self._set_aside([page for page, _ in sample])
        is_whole = source.outcome == "whole" and self._has_known(source, basis, told)
        with self.archive.transaction():
            self._entries = {key: _enriched(entry, exact.get(key)) for key, entry in self._entries.items()}
            self._training = [*known, *sample]
            for page, entry in self._training:
                self.archive.save_training_page(self.home, page, entry)
            self._relearn(wrapper, list(told), _oldest(older.days) if is_whole else None)
            self.frontier.add_many([Link(told[key], is_post=True) for key in new])
            self.frontier.flush()
        self._coverage = self._new_coverage(source.name, is_whole=is_whole)
        return [page for page, _ in sample]

    def _relearn(self, wrapper: Wrapper, keys: list[str], since: str | None) -> None:
        """A new reader, with the addresses of posts that a source tells of; `since` is the day of the oldest."""
        spread = self.archive.source_entries(self.home, _spread(keys, MOST_FOR_PATTERN))
        more = [entry.url for entry in spread.values()]
        self._keep_rules(wrapper, self._training, set(self.reader.no_posts), since or self.reader.feed_since, more)

    def _has_known(self, source: Source, basis: Basis, told: Mapping[str, str]) -> bool:
        """Does a source tell of the posts that are known? A feed's archive is the feed's own."""
        return isinstance(source, FeedArchive) or {identity(url) for url in basis.known} <= told.keys()

    def _expect(self, basis: Basis, states: Mapping[str, dict[str, Any]] | None = None) -> None:
        """Tell how many posts a source announces."""
        states = self.archive.load_source_states(self.home) if states is None else states
        told = [(state.get("total"), name) for name, state in states.items()]
        told.append((basis.feed.total if basis.feed is not None else None, "feed"))
        for total, name in told:
            if isinstance(total, int) and total > 0:
                self.tally.expected(total, name)
                return


def _count_posts(wrapper: Wrapper, pages: Iterable[Page], known: Iterable[Page]) -> int:
    """How many pages are posts, each but once and none of those known."""
    copies = Copies()
    for page in known:
        if page.tree is not None:
            copies.note_post(Shown(wrapper.extract(page.tree, page.url, page.fetched_at)), identity(page.url))
    count = 0
    for page in pages:
        if page.tree is None or not wrapper.is_post(page.tree, page.url, page.fetched_at):
            continue
        shown, name = Shown(wrapper.extract(page.tree, page.url, page.fetched_at)), identity(page.url)
        count += copies.same_post(shown, name) is None
        copies.note_post(shown, name)
    return count


def _resume(source: Source, state: Mapping[str, Any]) -> None:
    """Go on with a source from its state; from its beginning where another version kept it."""
    with suppress(KeyError, TypeError, ValueError):
        source.resume(state)


def _enriched(entry: Entry, exact: Entry | None) -> Entry:
    """An entry with what another source knows better: the whole article in place of a summary; all, of a list's."""
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
    )


def _spread(items: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of some items, from all of them evenly."""
    return items[:: max(1, -(-len(items) // most))]


def _oldest(days: Sequence[str | None]) -> str | None:
    """The first day; None where a day is not known."""
    known = [day for day in days if day is not None]
    return min(known) if known and len(known) == len(days) else None
