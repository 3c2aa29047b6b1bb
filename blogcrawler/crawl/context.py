"""What the steps of one crawl share: the blog, what is known of it, and how the crawl stands."""

from __future__ import annotations

import asyncio
import logging
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from blogcrawler.crawl.faults import fault
from blogcrawler.crawl.sample import Sample
from blogcrawler.crawl.tasks import CrawlOver
from blogcrawler.errors import (
    BackendUnavailable,
    BlogcrawlerError,
    LeftBehind,
    PageTooSlow,
    RedisUnavailable,
    Unreachable,
    is_lack_of_memory,
)
from blogcrawler.frontier.coverage import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.settings import BaseSettings

    from blogcrawler.backend import Archive
    from blogcrawler.crawl.blog_lease import BlogLease
    from blogcrawler.crawl.classifier import PostClassifier
    from blogcrawler.crawl.fetcher import Fetcher
    from blogcrawler.crawl.journal import Journal
    from blogcrawler.crawl.options import CrawlOptions
    from blogcrawler.crawl.tasks import Task
    from blogcrawler.feeds.discovery import Discovery
    from blogcrawler.frontier import Frontier, Link, Stop
    from blogcrawler.frontier.stop_rules import Harvest
    from blogcrawler.items import Entry, Page, Record
    from blogcrawler.reporting import Tally
    from blogcrawler.urls import Scope

COMPLETE = frozenset({"finished", "harvest", "complete"})
"""Reasons to end after which the next crawl begins anew."""

logger = logging.getLogger(__name__)


@dataclass
class Outcome:
    """Why a crawl is no success, if it is none."""

    #: what it asked for
    url: str
    #: why the crawl could not do its job, a sentence for the user
    fatal: BlogcrawlerError | None = None
    #: why a crawl that came to its end is no success: the first error of the program, or a site that shows no posts
    fault: BlogcrawlerError | None = None
    #: another process has crawled the blog, and nothing is left to do
    is_left_behind: bool = False
    #: called with the reason for which the engine is to stop
    on_end: Callable[[str], None] = field(default=lambda _: None)

    @property
    def is_over(self) -> bool:
        """True if the crawl is to end at once."""
        return self.fatal is not None or self.is_left_behind

    def fail(self, error: BlogcrawlerError) -> None:
        """End the crawl, since it cannot do its job."""
        if self.is_over:
            return
        self.is_left_behind = isinstance(error, LeftBehind)
        if self.is_left_behind:
            logger.warning("%s", error)
        else:
            self.fatal = error
        self.on_end("left_behind" if self.is_left_behind else "failed")

    def note_fault(self, error: BaseException | None = None, *, is_over: bool = False) -> None:
        """The program broke: the crawl goes on without what it broke on, unless it `is_over`; the log tells more."""
        self.fault = self.fault or fault(self.url, error)
        if is_over:
            self.fail(self.fault)


@dataclass
class Hooks:
    """What is called at certain moments of a crawl, in the order of these lists."""

    #: add URLs to the frontier, if there are any, when it has none and nothing is under way
    url_sources: list[Callable[[], None]] = field(default_factory=list)
    #: asked for what is left to do when there is nothing to fetch, and given the rule that ends the crawl
    last_work: list[Callable[[Stop | None], Task | None]] = field(default_factory=list)
    #: chooses the links of a page that are followed; `url` is the page's
    link_filter: Callable[[list[Link], str], list[Link]] | None = None
    #: a page turned out to have another address: both
    on_alias: list[Callable[[str, str], None]] = field(default_factory=list)
    #: a page could not be fetched: its address, and why
    on_given_up: list[Callable[[str, str], None]] = field(default_factory=list)
    #: a record left the pipeline
    on_record: list[Callable[[Record], None]] = field(default_factory=list)
    #: makes of a post's record those that are handed to the pipeline now
    prepare_record: Callable[[Record], Iterable[Record]] = field(default=lambda record: [record])
    #: by the reason of the end, whether nothing is left for a next crawl
    completeness: list[Callable[[str], bool]] = field(default_factory=list)
    #: called in the transaction that writes down the end: its reason, and whether the crawl is complete
    at_end: list[Callable[[str, bool], None]] = field(default_factory=list)


@dataclass
class CrawlContext:
    """One crawl of a blog."""

    #: the address that the user gave
    start_url: str
    options: CrawlOptions
    settings: BaseSettings
    outcome: Outcome
    fetcher: Fetcher
    tally: Tally
    archive: Archive
    #: the right to crawl the blog, which one crawl at a time has
    lease: BlogLease
    #: what is learned, for a crawl that goes on with this one
    journal: Journal
    harvest: Harvest
    hooks: Hooks = field(default_factory=Hooks)
    #: of the blog; empty until that is known
    home: str = ""
    #: what feed and other sources say of posts, by `urls.identity` of their pages
    entries: dict[str, Entry] = field(default_factory=dict)
    #: what came at the addresses of entries, unless it says that nothing is there
    answers: dict[str, tuple[Page, Entry]] = field(default_factory=dict)
    #: pages that the wrapper was learned from
    training: list[tuple[Page, Entry]] = field(default_factory=list)
    #: the blog's feed, or what its pages list, as the crawl has found it
    found: Discovery | None = None
    #: what a source lists; nothing where there is none
    coverage: Coverage = field(default_factory=Coverage)
    #: posts that wait until the wrapper is refined
    sample: Sample = field(default_factory=Sample)
    #: pages that wait until others tell whether they are posts
    undecided: list[Page] = field(default_factory=list)
    #: posts in the pipeline, by the address of their page, each with its number of links to posts
    in_work: dict[str, int] = field(default_factory=dict)
    #: posts in the pipeline that wait for nothing but their files, by the address of their page
    waiting_for_files: list[str] = field(default_factory=list)
    #: pages that were asked for
    asked: int = 0
    #: pages that an earlier part of the crawl could not have
    tried_again: int = 0
    #: pages in a row that were shown in the browser since they may grow, and led to no new post
    grown_in_vain: int = 0
    #: the crawl ends as soon as what is under way is in
    is_stopping: bool = False
    #: set when something has come in
    news: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=monotonic)
    scope: Scope = field(init=False)
    classifier: PostClassifier = field(init=False)
    _frontier: Frontier | None = None

    @property
    def frontier(self) -> Frontier:
        """The pages of the blog that wait, are under way, or were read."""
        assert self._frontier is not None
        return self._frontier

    @frontier.setter
    def frontier(self, frontier: Frontier) -> None:
        self._frontier = frontier

    @property
    def has_begun(self) -> bool:
        """True once the blog is known, and has a frontier."""
        return self._frontier is not None

    @property
    def fatal(self) -> BlogcrawlerError | None:
        """Why the crawl could not do its job."""
        return self.outcome.fatal

    @property
    def is_blocked(self) -> bool:
        """True if no page shows its post, so that nothing is known of the blog but what its feed tells."""
        return isinstance(self.outcome.fault, Unreachable)

    def elapsed_s(self) -> float:
        """Seconds since the crawl began."""
        return monotonic() - self.began

    def time_left_s(self) -> float | None:
        """Seconds until the time limit, at least one; None where there is none."""
        limit = self.options.stop_rules.time_limit_s
        return None if limit is None else max(1.0, limit - self.elapsed_s())

    def without_removed(self, scope: Scope, home: str) -> Scope:
        """The scope of a blog without the posts that were removed on request."""
        removed = self.archive.removed(home)
        return replace(scope, is_removed=removed.has) if removed else scope

    @property
    def is_late(self) -> bool:
        """True if the time limit has passed."""
        limit = self.options.stop_rules.time_limit_s
        return limit is not None and self.elapsed_s() >= limit

    @property
    def is_quiet(self) -> bool:
        """True if nothing is under way but posts that are held, or wait for their files."""
        is_fetching = self.fetcher.is_fetching(aside=len(self.waiting_for_files))
        return self.unread_posts <= len(self.sample.held) and not is_fetching

    @property
    def unread_posts(self) -> int:
        """Number of posts in the pipeline from which more is to come than their files."""
        return len(self.in_work.keys() - set(self.waiting_for_files))

    @property
    def is_working(self) -> bool:
        """True while a page is under way, or a post in the pipeline."""
        return bool(self.in_work) or self.fetcher.is_working

    def is_at_end(self, stop: Stop | None) -> bool:
        """True if no later crawl goes on from here; else what is undecided is left to that."""
        return stop is None or stop.rule in COMPLETE

    @contextmanager
    def waiting_for_files_of(self, record: Record) -> Iterator[None]:
        """Go on with the crawl as if a record had left the pipeline."""
        self.waiting_for_files.append(record.page_url)
        self.news.set()
        with self.fetcher.not_counting(record):
            try:
                yield
            finally:
                self.waiting_for_files.remove(record.page_url)

    @contextmanager
    def ending_without_archive(self) -> Iterator[None]:
        """End the crawl when the archive, or what crawlers share, cannot be written any more."""
        try:
            yield
        except (BackendUnavailable, RedisUnavailable) as error:
            self.outcome.fail(error)

    @contextmanager
    def tolerating(self, what: str) -> Iterator[None]:
        """Go on without something where the program breaks in it, or it takes too long."""
        try:
            yield
        except PageTooSlow as error:
            logger.warning("The crawl goes on without %s. %s", what, error)
        except (BlogcrawlerError, CrawlOver):
            raise
        except Exception as error:
            if is_lack_of_memory(error):
                raise
            logger.exception("The program broke; the crawl goes on without %s.", what)
            self.outcome.note_fault(error)
