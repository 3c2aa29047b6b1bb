"""The shared state of the steps of a crawl: the blog, what is known about it, and the progress."""

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
"""Reasons to end after which the next crawl starts from the beginning."""

logger = logging.getLogger(__name__)


@dataclass
class Outcome:
    """Why a crawl failed, if it did."""

    #: the address that the crawl was asked for
    url: str
    #: why the crawl could not do its job; a sentence for the user
    fatal: BlogcrawlerError | None = None
    #: why a crawl that reached its end still failed: the first program error, or a site that shows no posts
    fault: BlogcrawlerError | None = None
    #: whether another process has crawled the blog, and nothing is left to do
    is_left_behind: bool = False
    #: called with the reason why the engine is to stop
    on_end: Callable[[str], None] = field(default=lambda _: None)

    @property
    def is_over(self) -> bool:
        """True if the crawl must end at once."""
        return self.fatal is not None or self.is_left_behind

    def fail(self, error: BlogcrawlerError) -> None:
        """End the crawl because it cannot do its job."""
        if self.is_over:
            return
        self.is_left_behind = isinstance(error, LeftBehind)
        if self.is_left_behind:
            logger.warning("%s", error)
        else:
            self.fatal = error
        self.on_end("left_behind" if self.is_left_behind else "failed")

    def note_fault(self, error: BaseException | None = None, *, is_over: bool = False) -> None:
        """Record an unexpected error. The crawl continues without the affected part, unless it `is_over`; the log has
        the details."""
        self.fault = self.fault or fault(self.url, error)
        if is_over:
            self.fail(self.fault)


@dataclass
class Hooks:
    """Functions that are called at certain moments of a crawl, in the order of these lists."""

    #: called when the frontier is empty and nothing is in flight; may add URLs to it
    url_sources: list[Callable[[], None]] = field(default_factory=list)
    #: called when nothing is left to fetch, with the stop that ends the crawl; returns remaining work
    last_work: list[Callable[[Stop | None], Task | None]] = field(default_factory=list)
    #: selects the links of a page to follow; `url` is the page's
    link_filter: Callable[[list[Link], str], list[Link]] | None = None
    #: called with both addresses of a page that turned out to have another one
    on_alias: list[Callable[[str, str], None]] = field(default_factory=list)
    #: called with the address of a page that could not be fetched, and the reason
    on_given_up: list[Callable[[str, str], None]] = field(default_factory=list)
    #: called with a record that leaves the pipeline
    on_record: list[Callable[[Record], None]] = field(default_factory=list)
    #: turns the record of a post into the records to send to the pipeline now
    prepare_record: Callable[[Record], Iterable[Record]] = field(default=lambda record: [record])
    #: called with the reason of the end; returns whether nothing is left for a next crawl
    completeness: list[Callable[[str], bool]] = field(default_factory=list)
    #: called in the transaction that records the end, with its reason and whether the crawl is complete
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
    #: the lease of the blog
    lease: BlogLease
    #: what was learned, for a resumed crawl
    journal: Journal
    harvest: Harvest
    hooks: Hooks = field(default_factory=Hooks)
    #: home page of the blog; empty until it is known
    home: str = ""
    #: data about posts from the feed and other sources, by `urls.identity` of their pages
    entries: dict[str, Entry] = field(default_factory=dict)
    #: responses for the addresses of entries, except 404 and 410
    answers: dict[str, tuple[Page, Entry]] = field(default_factory=dict)
    #: pages from which the wrapper was learned
    training: list[tuple[Page, Entry]] = field(default_factory=list)
    #: the discovered feed of the blog, or the posts that its pages list
    discovery: Discovery | None = None
    #: what a listing source lists; empty without such a source
    coverage: Coverage = field(default_factory=Coverage)
    #: records that wait until the wrapper is refined
    sample: Sample = field(default_factory=Sample)
    #: pages that wait until other pages show whether they are posts
    undecided: list[Page] = field(default_factory=list)
    #: number of links to posts, by page address, of the posts in the pipeline
    in_work: dict[str, int] = field(default_factory=dict)
    #: page addresses of posts in the pipeline that wait for nothing but their files
    waiting_for_files: list[str] = field(default_factory=list)
    #: number of requested pages
    asked: int = 0
    #: number of pages that an earlier run of the crawl could not fetch
    tried_again: int = 0
    #: consecutive pages that were rendered because they may grow, and that led to no new post
    grown_in_vain: int = 0
    #: whether the crawl ends as soon as the work in flight is finished
    is_stopping: bool = False
    #: set when a page or record has arrived
    news: asyncio.Event = field(default_factory=asyncio.Event)
    began: float = field(default_factory=monotonic)
    scope: Scope = field(init=False)
    classifier: PostClassifier = field(init=False)
    _frontier: Frontier | None = None

    @property
    def frontier(self) -> Frontier:
        """The pages of the blog that wait, are in flight or were read."""
        assert self._frontier is not None
        return self._frontier

    @frontier.setter
    def frontier(self, frontier: Frontier) -> None:
        self._frontier = frontier

    @property
    def has_begun(self) -> bool:
        """True once the blog is known and has a frontier."""
        return self._frontier is not None

    @property
    def has_learned(self) -> bool:
        """True once posts of the blog are known and pages can be classified."""
        return "classifier" in vars(self)

    @property
    def fatal(self) -> BlogcrawlerError | None:
        """Why the crawl could not do its job; None if it could."""
        return self.outcome.fatal

    @property
    def is_blocked(self) -> bool:
        """True if no page shows its post, so that only the feed says anything about the blog."""
        return isinstance(self.outcome.fault, Unreachable)

    def elapsed_s(self) -> float:
        """Seconds since the crawl began."""
        return monotonic() - self.began

    def time_left_s(self) -> float | None:
        """Seconds until the time limit, at least one; None without a limit."""
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
        """True if no page is in flight and no post in the pipeline, except posts that are held or wait for their
        files."""
        is_fetching = self.fetcher.is_fetching(aside=len(self.waiting_for_files))
        return self.unread_posts <= len(self.sample.held) and not is_fetching

    @property
    def unread_posts(self) -> int:
        """Number of posts in the pipeline that wait for anything besides their files."""
        return len(self.in_work.keys() - set(self.waiting_for_files))

    @property
    def is_working(self) -> bool:
        """True while a page is in flight or a post is in the pipeline."""
        return bool(self.in_work) or self.fetcher.is_working

    def is_at_end(self, stop: Stop | None) -> bool:
        """True if no later crawl resumes this one; otherwise undecided pages are left to the later crawl."""
        return stop is None or stop.rule in COMPLETE

    @contextmanager
    def waiting_for_files_of(self, record: Record) -> Iterator[None]:
        """Continue the crawl as if this record had left the pipeline."""
        self.waiting_for_files.append(record.page_url)
        self.news.set()
        with self.fetcher.not_counting(record):
            try:
                yield
            finally:
                self.waiting_for_files.remove(record.page_url)

    @contextmanager
    def ending_without_archive(self) -> Iterator[None]:
        """End the crawl when the archive, or the Redis that crawlers share, is no longer available."""
        try:
            yield
        except (BackendUnavailable, RedisUnavailable) as error:
            self.outcome.fail(error)

    @contextmanager
    def tolerating(self, part: str) -> Iterator[None]:
        """Continue without `what` if an unexpected error occurs in the block, or if it takes too long."""
        try:
            yield
        except PageTooSlow as error:
            logger.warning("The crawl continues without %s. %s", part, error)
        except (BlogcrawlerError, CrawlOver):
            raise
        except Exception as error:
            if is_lack_of_memory(error):
                raise
            logger.exception("The program failed; the crawl continues without %s.", part)
            self.outcome.note_fault(error)
