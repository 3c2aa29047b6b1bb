"""What all spiders of blogs share: feeding the engine from the frontier, taking in pages, and coming to an end.

A page's links are written to the frontier together with the fact that it is done, and a post's page is done when its
record left the pipeline, and not before. So a crawl that ends, however it ends, can be gone on with.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider

from blogcrawler.dom import MAX_PAGES, first_page, further_pages, parse
from blogcrawler.downloader import RedirectRefused
from blogcrawler.errors import BackendUnavailable, BlogcrawlerError, NotAWebPage, Unreachable
from blogcrawler.frontier import Link, Stop, StopRules
from blogcrawler.items import Entry, Page, Record, RecordSource
from blogcrawler.reporting import Tally
from blogcrawler.similarity import fold
from blogcrawler.spiders.discovery import header
from blogcrawler.spiders.reasons import (
    ALREADY_FETCHED,
    LEADS_AWAY,
    NO_POST,
    NO_WEB_PAGE,
    is_temporary,
    is_unanswered,
    reason_of,
    status_reason,
)
from blogcrawler.spiders.sample import SIZE, Sample, refined
from blogcrawler.urls import canonicalise, identity

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from lxml.html import HtmlElement
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from blogcrawler.backend import Archive
    from blogcrawler.frontier import Frontier
    from blogcrawler.spiders.coverage import Coverage
    from blogcrawler.spiders.reader import Reader
    from blogcrawler.wrapper import Wrapper

__all__ = ["BlogSpider", "now", "page_of"]

COMPLETE = frozenset({"finished", "harvest", "complete"})
"""Reasons to end after which the next crawl begins anew."""
UNANSWERED = 8
"""Requests in a row without an answer after which the server is taken to be down."""
UNANSWERED_AT_END = 3
"""The same when nothing else is left to ask for: what hangs now may lead to more."""
ITEMS_IN_WORK = 16
"""Posts in the pipeline above which no further page is asked for."""
COVERAGE = "coverage"
"""Under which name the archive keeps what is believed of the source that lists the posts."""
MOST_UNDECIDED = 100
"""Pages that are kept in memory until more pages tell whether they are posts."""


class BlogSpider(Spider):
    """Crawls one blog: `prepare` says how it begins.

    Arguments: `url`, the address of the blog's home page, of its feed or of a post. Settings: PAGE_LIMIT, TIME_LIMIT,
    HARVEST_WINDOW, HARVEST_MINIMUM. `fatal` is the sentence for the user when the crawl could not do its job.
    """

    arguments = frozenset({"url"})
    archive: Archive
    frontier: Frontier
    reader: Reader
    tally: Tally
    home: str

    def __init__(self, url: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        self.url = url
        self.fatal: str | None = None
        self._entries: dict[str, Entry] = {}
        self._in_work: dict[str, int] = {}
        self._sample = Sample()
        self._undecided: list[Page] = []
        self._coverage: Coverage | None = None
        self._news = asyncio.Event()
        self._asked = 0
        self._unanswered = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401
        """A spider that is told what becomes of its requests and items."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider._note_news, signals.scheduler_empty)
        crawler.signals.connect(spider.item_ended, signals.item_scraped)
        crawler.signals.connect(spider.item_dropped, signals.item_dropped)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        crawler.signals.connect(spider.page_failed, signals.spider_error)
        return spider

    def prepare(self) -> AsyncIterator[Request]:
        """Set archive, home, frontier and reader; yield the pages that are at hand after that, see `kept`."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------- the whole crawl

    async def start(self) -> AsyncIterator[Any]:
        """Prepare, then feed the engine from the frontier until nothing is left or a stop rule says so."""
        assert self.crawler.stats is not None
        self.tally = Tally(self.crawler.stats)
        self._begin = monotonic()
        self.stop_rules = _stop_rules(self.settings)
        self._harvest = self.stop_rules.harvest()
        try:
            async for request in self.prepare():
                yield request
            async for request in self._crawl():
                yield request
        except BlogcrawlerError as error:
            self.fatal = self.fatal or str(error)
            raise CloseSpider("failed") from error

    def closed(self, reason: str) -> None:
        """Write down how the crawl ended; one that was cut short goes on when it is started again."""
        if not hasattr(self, "archive"):
            return
        try:
            if hasattr(self, "frontier"):
                self.frontier.flush()
                started = self.archive.blog(self.home).crawl_started
                if self.tally.found_of_expected is not None and started is not None:
                    self.tally.kept(len(self.archive.urls(self.home, since=started)))
                self.archive.finish_crawl(self.home, now=now(), reason=reason, complete=reason in COMPLETE)
        except BackendUnavailable as error:
            self.fatal = self.fatal or str(error)
        finally:
            self.archive.close()

    async def _crawl(self) -> AsyncIterator[Request]:
        engine = self.crawler.engine
        assert engine is not None
        self._asked = self.tally.pages
        while not self.fatal:
            self._news.clear()
            self._check_server(UNANSWERED)
            stop = self._stop()
            busy = engine.needs_backout() or len(self._in_work) >= ITEMS_IN_WORK
            url = None if busy or stop else self._next_url()
            self.tally.queue(len(self.frontier))
            if url is not None:
                self._asked += 1
                yield self._request(url)
            elif self._undecided and self._is_at_end(stop) and self._only_sample_in_work():
                yield self.kept(self._undecided.pop(0), is_last=True)
            elif self._sample.held and self._only_sample_in_work():
                yield self._release_request()
                await self._news.wait()
            elif (busy and not stop) or self._is_working():
                await self._news.wait()
            elif stop:
                self.tally.stopped(stop.because)
                raise CloseSpider(stop.rule)
            else:
                self._check_server(UNANSWERED_AT_END)
                if self.frontier.dropped:
                    left = f"{self.frontier.dropped} pages of kinds that brought no new post"
                    self.tally.stopped(f"nothing was left but {left}")
                return

    def _stop(self) -> Stop | None:
        """The rule that ends the crawl as soon as the pages under way are in."""
        stop = self.stop_rules.check(
            pages=self._asked,
            elapsed_s=self.elapsed_s(),
            harvest=self._harvest,
            pending_posts=self.frontier.pending_posts,
        )
        coverage = self._coverage
        if stop is None and coverage is not None and coverage.is_proven and not self.frontier.pending_posts:
            return Stop("complete", coverage.because)
        return stop

    def _next_url(self) -> str | None:
        """What to fetch next: the frontier's best; but where a source has all posts, no more than proves that."""
        coverage = self._coverage
        if coverage is not None:
            portion = coverage.next_portion(self.frontier.pending_posts)
            self.frontier.add_many([Link(url, is_post=True) for url in portion], found_on=self.home)
        if coverage is None or not coverage.is_whole:
            best = self.frontier.pop()
            return best.url if best is not None else None
        if (post := self.frontier.pop(posts_only=True)) is not None:
            return post.url
        if not self._only_sample_in_work():
            return None
        url = coverage.next_proof(self._pending_pages, self.reader.places)
        if url is not None:
            self.frontier.redirected(url, url)
        return url

    def _pending_pages(self) -> list[str]:
        self.frontier.flush()
        return [row["url"] for row in self.frontier.store.load() if row["status"] == "pending" and not row["is_post"]]

    def _judge(self, url: str, *, is_post: bool) -> None:
        """Tell the source that lists posts what became of a page."""
        if self._coverage is not None and self._coverage.judge(url, is_post=is_post):
            self.logger.info("The %s does not tell all posts, as %s shows.", self._coverage.source, url)
            self.frontier.reclassify(self._is_post_link)
            self._save_coverage()

    def _is_post_link(self, url: str) -> bool:
        """Is a link to be followed as one to a post? Where a source has all posts, that is for it to say."""
        if not self.reader.is_permalink(url):
            return False
        return self._coverage is None or not self._coverage.is_whole or self._coverage.expects(url)

    def _alias(self, url: str, target: str) -> None:
        if self._coverage is not None:
            self._coverage.alias(url, target)

    def _save_coverage(self) -> None:
        """Keep what is believed of the source that lists posts."""
        if self._coverage is not None:
            state = {"source": self._coverage.source, "is_whole": self._coverage.is_whole}
            self.archive.save_source_state(self.home, COVERAGE, state)

    def elapsed_s(self) -> float:
        """Seconds since the crawl began."""
        return monotonic() - self._begin

    def _check_server(self, most: int) -> None:
        if self._unanswered >= most:
            raise Unreachable(
                f"{self.home} has stopped answering: the last {self._unanswered} requests failed. What was found is "
                "kept; try again later, the same command goes on from here.",
                url=self.home,
            )

    def _is_at_end(self, stop: Stop | None) -> bool:
        """Will no later crawl go on from here? Else what is undecided is left to that."""
        return stop is None or stop.rule in COMPLETE

    def _is_working(self) -> bool:
        return bool(self._in_work) or self._is_fetching()

    def _only_sample_in_work(self) -> bool:
        return len(self._in_work) <= len(self._sample.held) and not self._is_fetching()

    def _is_fetching(self) -> bool:
        engine = self.crawler.engine
        assert engine is not None
        assert engine.scraper.slot is not None
        assert engine.scheduler is not None
        return bool(
            engine.downloader.active or not engine.scraper.slot.is_idle() or engine.scheduler.has_pending_requests()
        )

    def _note_news(self) -> None:
        self._news.set()

    @contextmanager
    def _ending_without_archive(self) -> Iterator[None]:
        """When the archive cannot be written any more the crawl is over, and `fatal` says why."""
        try:
            yield
        except BackendUnavailable as error:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        if self.fatal is not None:
            return
        self.fatal = str(error)
        self._news.set()
        engine = self.crawler.engine
        assert engine is not None
        self._closing = asyncio.ensure_future(engine.close_spider_async(reason="failed"))

    # ------------------------------------------------------------------------------------------------ requests, pages

    def _request(self, url: str) -> Request:
        return Request(
            url,
            dont_filter=True,
            errback=self.failed,
            cb_kwargs={"asked": url},
            meta={"check_redirect": lambda target: self._redirect_refusal(url, target)},
        )

    def kept(self, page: Page, *, is_last: bool = False) -> Request:
        """The request for a page that is at hand already: it goes the way of all pages, but is not fetched.

        `is_last`: nothing else is left that could tell whether it is a post.
        """
        return Request(
            page.url,
            dont_filter=True,
            errback=self.failed,
            cb_kwargs={"asked": page.url},
            meta={"page": page, "dont_redirect": True, "is_last": is_last},
        )

    def _redirect_refusal(self, asked: str, target: str) -> str | None:
        """Why the target of a redirect needs no request; None where it does."""
        if not self.reader.scope.covers(target):
            return LEADS_AWAY
        if identity(target) != identity(asked) and self.frontier.status(target) in ("done", "claimed"):
            return ALREADY_FETCHED
        return None

    def parse(self, response: Response, asked: str) -> Iterator[Record | Request]:
        """Take in a page that was fetched."""
        page: Page | None = response.meta.get("page")
        if page is None:
            page = page_of(response)
            self.tally.page()
            self._unanswered = 0
        with self._ending_without_archive():
            yield from self._take_in(page, asked, is_last=response.meta.get("is_last", False))

    def _take_in(self, page: Page, asked: str, *, is_last: bool) -> Iterator[Record | Request]:
        if page.status != 200:
            self._give_up(asked, status_reason(page.status))
            return
        if identity(page.url) != identity(asked):
            self._alias(asked, page.url)
            if not self.frontier.redirected(asked, page.url):
                self.frontier.flush()
                return
        tree = self._tree_of(page)
        if tree is not None:
            entry = self._entry_of(page.url) or self._entry_of_redirected(asked, page, tree)
            yield from self._take(page, tree, entry, is_last=is_last)

    def _entry_of(self, url: str) -> Entry | None:
        """What the feed, or another source, says of the post at a URL."""
        key = identity(url)
        return self._entries.get(key) or self.archive.source_entry(self.home, key)

    def _entry_of_redirected(self, asked: str, page: Page, tree: HtmlElement) -> Entry | None:
        """The entry of the address that was asked for, where the page that it led to is a post."""
        if identity(asked) == identity(page.url) or identity(page.url) in self.reader.no_posts:
            return None
        entry = self._entry_of(asked)
        return entry if entry is not None and self.reader.wrapper.is_post(tree, page.url, page.fetched_at) else None

    def failed(self, failure: Failure) -> None:
        """A page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        assert failure.value is not None
        asked, reason = request.cb_kwargs["asked"], reason_of(failure.value)
        self._unanswered = self._unanswered + 1 if is_unanswered(reason) else 0
        self._news.set()
        with self._ending_without_archive():
            if isinstance(failure.value, RedirectRefused) and reason == ALREADY_FETCHED:
                self._alias(asked, failure.value.target)
                self.frontier.redirected(asked, failure.value.target)
                self.frontier.flush()
            else:
                self._give_up(asked, reason)

    def _take(
        self, page: Page, tree: HtmlElement, entry: Entry | None, *, is_last: bool, is_apart: bool = False
    ) -> Iterator[Record | Request]:
        """A page's links go to the frontier; a post goes to the pipeline, and its page is done when it comes out."""
        links = self._links(tree, page.url)
        post_links = sum(link.is_post and not link.in_menu for link in links)
        other = self.reader.canonical(tree, page.url)
        if other is not None:
            self._alias(page.url, other)
            links = [Link(other, self._is_post_link(other)), *links]
        first = first_page(tree, page.url) if entry is None and not is_apart else None
        is_further = first is not None and self.reader.is_permalink(first)
        reads = other is None and not is_further
        is_last = is_last or len(self._undecided) >= MOST_UNDECIDED
        is_post = entry is not None or (reads and self.reader.verdict(tree, page.url, page.fetched_at, is_last=is_last))
        if is_post is None:
            self.frontier.add_many(links, found_on=page.url)
            self._undecided.append(replace(page, tree=None))
            return
        if not is_post:
            if self.reader.looks_like_post(page.url) and not is_further:
                self.tally.failure(NO_POST, page.url)
            self._judge(page.url, is_post=False)
            self._harvest.record(self.frontier.commit_page(page.url, yield_=post_links, links=links, is_post=False))
            return
        self._judge(page.url, is_post=True)
        if self.reader.add_post(tree, page.url, page.fetched_at):
            self.frontier.reclassify(self._is_post_link)
            self._save_state()
        further = [url for url in further_pages(tree, page.url) if self.reader.scope.covers(url)]
        for url in further:
            self.frontier.redirected(url, url)  # nothing else is to fetch it
        self.frontier.add_many(links, found_on=page.url)
        self._in_work[page.url] = post_links
        self.tally.post()
        source = RecordSource(page, self.reader.wrapper, entry)
        yield from self._gather(source, further)

    # ------------------------------------------------------------------------------- articles that have several pages

    def _gather(self, source: RecordSource, waiting: list[str]) -> Iterator[Record | Request]:
        """The record of a post, or a request for the next of the article's pages."""
        known = {identity(page.url) for page in (source.page, *source.more_pages)}
        url = next((url for url in waiting if identity(url) not in known), None)
        if url is None or len(known) >= MAX_PAGES:
            yield from self._hand_on(Record(self.home, canonicalise(source.page.url), source=source))
            return
        self._asked += 1
        yield Request(
            url,
            dont_filter=True,
            callback=self.parse_further,
            errback=self.further_failed,
            cb_kwargs={"asked": url, "source": source, "waiting": waiting},
            meta={"check_redirect": lambda target: None if identity(target) == identity(url) else LEADS_AWAY},
        )

    def parse_further(
        self, response: Response, asked: str, source: RecordSource, waiting: list[str]
    ) -> Iterator[Record | Request]:
        """Take in a further page of an article."""
        page = page_of(response)
        self.tally.page()
        self._unanswered = 0
        with self._ending_without_archive():
            if page.status != 200:
                self._give_up(asked, status_reason(page.status))
            tree = self._tree_of(page) if page.status == 200 else None
            if tree is None:
                yield from self._gather(source, _behind(waiting, asked))
                return
            if not self._goes_on(source.page, tree, page):  # a post of its own, below the address of another one
                yield from self._take(page, tree, None, is_last=True, is_apart=True)
                yield from self._gather(source, _behind(waiting, asked))
                return
            found = [url for url in further_pages(tree, page.url, source.page.url) if self.reader.scope.covers(url)]
            for url in found:
                if self.frontier.status(url) in (None, "pending"):
                    self.frontier.redirected(url, url)
            self.frontier.commit_page(asked, yield_=None, links=self._links(tree, page.url))
            left = list(dict.fromkeys([*_behind(waiting, asked), *found]))
            yield from self._gather(replace(source, more_pages=(*source.more_pages, page)), left)

    def _goes_on(self, first: Page, tree: HtmlElement, page: Page) -> bool:
        """Has a further page the title of the article's first one, or none?"""
        begun = self._tree_of(first)
        titles = [
            fold(self.reader.wrapper.extract(one, url).title or "")
            for one, url in ((begun, first.url), (tree, page.url))
            if one is not None
        ]
        return "" in titles or titles[0].startswith(titles[-1]) or titles[-1].startswith(titles[0])

    def further_failed(self, failure: Failure) -> Iterator[Record | Request]:
        """A further page could not be fetched: the record is made from what is there."""
        self.failed(failure)
        request: Request = failure.request  # type: ignore[attr-defined]
        kept = request.cb_kwargs
        with self._ending_without_archive():
            yield from self._gather(kept["source"], _behind(kept["waiting"], kept["asked"]))

    # ------------------------------------------------------------------------------- posts that the feed does not have

    def _hand_on(self, record: Record) -> Iterator[Record]:
        if not self._sample.wants(record, self.reader.wrapper):
            yield _brought_up_to_date(record, self.reader.wrapper)
            return
        self._sample.held.append(record)
        if record.material is not None:  # so that no crawl that goes on fetches it again
            self.archive.save_training_page(self.home, record.material.page, Entry(record.material.page.url))
        if len(self._sample.held) >= SIZE:
            yield from self._release()

    def _release(self, *, is_last: bool = False) -> Iterator[Record]:
        held = self._sample.take()
        kept = self.archive.load_training_pages(self.home)
        training = [(page, entry) for page, entry in kept if identity(page.url) in self._entries]
        self.reader.wrapper = refined(self.reader.wrapper, training, held, is_last=is_last)
        self.archive.save_wrapper(self.home, self.reader.wrapper.to_dict())
        yield from self._sample.settled(held, self.reader.wrapper, is_last=is_last)

    def _release_request(self) -> Request:
        request = self.kept(Page(self.home, b""))
        return request.replace(callback=self.release, cb_kwargs={"asked": self.home})

    def release(self, response: Response, asked: str) -> Iterator[Record]:  # noqa: ARG002
        """The records that were held, when nothing else is left to fetch."""
        with self._ending_without_archive():
            yield from self._release(is_last=True)

    def _links(self, tree: HtmlElement, url: str) -> list[Link]:
        found = self.reader.found_links(tree, url)
        return [replace(link, is_post=self._is_post_link(link.url)) for link in found]

    def _tree_of(self, page: Page) -> HtmlElement | None:
        """The tree of a page; None for one that cannot be read, which is noted."""
        try:
            page.tree = parse(page.body, content_type=page.content_type) if page.tree is None else page.tree
        except NotAWebPage:
            self._give_up(page.url, NO_WEB_PAGE)
        return page.tree

    def _give_up(self, url: str, reason: str) -> None:
        self.tally.failure(reason, url)
        self._judge(url, is_post=False)
        self.frontier.failed(url, reason, gone=not is_temporary(reason))
        self.frontier.flush()

    def _save_state(self) -> None:
        entries = {key: entry.to_dict() for key, entry in self._entries.items()}
        self.archive.save_crawl_state(self.home, {"reader": self.reader.to_dict(), "entries": entries})

    # ---------------------------------------------------------------------------------------------------------- items

    def item_ended(self, item: Record) -> None:
        """A post left the pipeline: now its page is done."""
        with self._ending_without_archive():
            post_links = self._in_work.pop(_page_url(item), None)
            if post_links is not None:
                self.frontier.done(_page_url(item), yield_=post_links, is_post=True)
                self.frontier.flush()
        self._news.set()

    def item_dropped(self, item: Record, exception: BaseException) -> None:
        """A stage refused a post; when it did because the archive cannot be written, the crawl is over."""
        if not isinstance(exception.__cause__, BackendUnavailable):
            self.tally.failure(NO_POST, item.url)
            self.item_ended(item)
            return
        self._in_work.pop(_page_url(item), None)
        self._fail(exception.__cause__)

    def page_failed(self, response: Response) -> None:
        """The program broke on a page; the log tells how."""
        with self._ending_without_archive():
            self._give_up(_asked_of(response), "broke the program, see the log")
        self._news.set()

    def item_failed(self, item: Record) -> None:
        """A stage broke on a post."""
        self._in_work.pop(_page_url(item), None)
        with self._ending_without_archive():
            self._give_up(_page_url(item), "could not be kept")
        self._news.set()


def _behind(waiting: list[str], asked: str) -> list[str]:
    return [url for url in waiting if identity(url) != identity(asked)]


def _brought_up_to_date(record: Record, wrapper: Wrapper) -> Record:
    """The record, to be made by the wrapper as it is now: it may have been refined while pages were under way."""
    if record.material is not None and record.material.wrapper is not wrapper:
        record.material = replace(record.material, wrapper=wrapper)
    return record


def _asked_of(response: Response) -> str:
    return str(response.cb_kwargs.get("asked", response.url))


def page_of(response: Response) -> Page:
    """What of a response a record is made from."""
    return Page(
        response.url,
        response.body,
        header(response, "Content-Type"),
        response.status,
        now().isoformat(timespec="seconds"),
    )


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def _page_url(item: Record) -> str:
    return item.material.page.url if item.material is not None else item.url


def _stop_rules(settings: BaseSettings) -> StopRules:
    return StopRules(
        page_limit=settings.getint("PAGE_LIMIT") or None,
        time_limit_s=settings.getfloat("TIME_LIMIT") or None,
        harvest_window=settings.getint("HARVEST_WINDOW") or None,
        harvest_min=settings.getint("HARVEST_MINIMUM"),
    )
