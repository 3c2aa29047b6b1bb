"""The Scrapy spider that crawls a blog: converts the crawl's tasks to requests, and passes the responses to the
crawl."""

from __future__ import annotations

import asyncio
import gc
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.core.scraper import Scraper as ScrapyScraper
from scrapy.exceptions import CloseSpider

from blogcrawler.backend import Archive
from blogcrawler.capture import capture_failed
from blogcrawler.crawl.blog_lease import BlogLease
from blogcrawler.crawl.context import CrawlContext, Outcome
from blogcrawler.crawl.ending import Ending
from blogcrawler.crawl.faults import fault, watch_log
from blogcrawler.crawl.fetcher import Fetcher, page_of
from blogcrawler.crawl.intake import Intake
from blogcrawler.crawl.journal import Journal
from blogcrawler.crawl.loop import ITEMS_IN_WORK
from blogcrawler.crawl.options import CrawlOptions
from blogcrawler.crawl.pages import give_up, mode_of, note_duplicate, redirect_refusal
from blogcrawler.crawl.reasons import ALREADY_FETCHED, LEADS_AWAY, NO_POST, TOO_SLOW
from blogcrawler.crawl.records import note_record, page_done
from blogcrawler.crawl.tasks import CrawlOver, FetchPage, FetchPart, HandOn, Probe, TakePage, Task
from blogcrawler.downloader import (
    CAPTURE_ARGUMENTS,
    RedirectRefused,
    capture_settings,
    check_capture_arguments,
    gate_failed,
    is_gate_gone,
    server_gone,
)
from blogcrawler.downloader.in_flight import noting_read
from blogcrawler.downloader.reasons import BROKE, reason_of
from blogcrawler.errors import (
    TEMPORARY,
    BackendUnavailable,
    BeingCrawled,
    BlogcrawlerError,
    LeftBehind,
    OutOfMemory,
    PageTooSlow,
    RedisUnavailable,
    RemovedOnRequest,
    Unchanged,
    is_lack_of_memory,
)
from blogcrawler.items import Page
from blogcrawler.reporting import Tally
from blogcrawler.shared_crawl.delegation import Delegation
from blogcrawler.shared_crawl.page_messages import queue_of
from blogcrawler.shared_crawl.worker import Worker
from blogcrawler.spiders.scraper import Scraper
from blogcrawler.time_limit import set_time_limit, watch
from blogcrawler.urls import identity, origin, parse_start_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator
    from typing import Self

    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure

    from blogcrawler.errors import Unreachable
    from blogcrawler.items import Record


class BlogSpider(Spider):
    """Crawls one blog.

    Arguments: `url`, the URL of the blog's home page, its feed or a post; `source`, a place of captures to read instead
    of the web; `at`, or `from` and `to`, the time of these captures.

    `fatal` and `fault` are messages for the user that explain an unsuccessful crawl.
    """

    #: maximum number of records of one page in the pipeline
    custom_settings = {"CONCURRENT_ITEMS": ITEMS_IN_WORK}  # noqa: RUF012  Scrapy's name
    arguments = frozenset({"url", *CAPTURE_ARGUMENTS})
    #: True if the crawl looks at all posts of a blog
    looks_at_all = True
    #: True if several processes may work on one blog
    may_share = False

    def __init__(self, url: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        self.url = url
        self.outcome = Outcome(url or "")
        self._ctx: CrawlContext | None = None
        #: servers that have responded
        self._answering: set[str] = set()
        #: meta keys of requests that workers may make
        self._delegate: dict[str, Any] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401
        """Create the spider and connect it to Scrapy's signals."""
        captured = {name: kwargs.pop(name) for name in CAPTURE_ARGUMENTS if name in kwargs}
        crawler.settings.setdict(capture_settings(captured, crawler.settings), priority="cmdline")
        # before the library is loaded: with more threads, fits of the frontier take twenty times as long
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        spider = super().from_crawler(crawler, *args, **kwargs)
        set_time_limit(crawler.settings.getfloat("PAGE_TIME_LIMIT"))
        watch_log(spider)
        handlers = {
            signals.scheduler_empty: spider.note_news,
            signals.item_scraped: spider.item_ended,
            signals.item_dropped: spider.item_dropped,
            signals.item_error: spider.item_failed,
            signals.spider_error: spider.page_failed,
            signals.engine_stopped: spider.all_is_written,
            capture_failed: spider.outcome.fail,
            gate_failed: spider.outcome.fail,
            server_gone: spider.end_without_server,
        }
        for signal, handler in handlers.items():
            crawler.signals.connect(handler, signal)
        return spider

    @classmethod
    def check_arguments(cls, given: dict[str, str]) -> None:
        """Raise BadArgument for invalid arguments."""
        check_capture_arguments(given)

    def compose(self, ctx: CrawlContext) -> AsyncIterator[Task]:
        """The tasks of the crawl: first those of its steps, then those of its loop."""
        raise NotImplementedError

    @property
    def fatal(self) -> BlogcrawlerError | None:
        """Why the crawl could not do its job."""
        return self.outcome.fatal

    @property
    def fault(self) -> BlogcrawlerError | None:
        """Why a crawl that ended regularly was not successful."""
        return self.outcome.fault

    @property
    def home(self) -> str:
        """The blog's home page; empty until it is known."""
        return self._ctx.home if self._ctx is not None else ""

    @property
    def ctx(self) -> CrawlContext:
        """The shared state of the crawl, once it has begun."""
        return cast("CrawlContext", self._ctx)  # Scrapy reads all attributes, also before that

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests for the crawl's tasks until it is over."""
        if not gc.isenabled():  # the start of the program
            gc.freeze()  # imported modules stay in memory and need no garbage collection
            gc.enable()
        outcome = self.outcome
        if outcome.fatal is not None:
            raise CloseSpider("failed")
        outcome.on_end = self._close
        loop = asyncio.get_running_loop()
        watch(loop)
        try:
            self._open(loop)
            async for request in self._enter():
                yield request
            async for task in self.compose(self.ctx):
                yield self.request_for(task)
        except LeftBehind as error:
            outcome.fail(error)
        except BlogcrawlerError as error:
            is_closing, outcome.fatal = outcome.fatal is not None, outcome.fatal or error
            if not is_closing:
                raise CloseSpider("failed") from error
        except CrawlOver as end:
            raise CloseSpider(end.reason) from None
        except Exception as error:
            if is_lack_of_memory(error):
                outcome.fatal = outcome.fatal or OutOfMemory()
                raise CloseSpider("failed") from error
            self.logger.exception("Unexpected error; the crawl ends.")
            outcome.fatal = outcome.fault = outcome.fault or fault(self.url or "", error)
            raise CloseSpider("failed") from error

    async def _enter(self) -> AsyncIterator[Request]:
        """Lease the blog; while another process crawls it, yield the requests that it wants.

        Raises BlogcrawlerError.
        """
        ctx, connect = self.ctx, self.crawler.signals.connect
        if not self.may_share or not ctx.settings["FRONTIER_URL"]:
            ctx.lease.enter(ctx.start_url)
            return
        delegation = Delegation(ctx, queue_of(ctx.settings, ctx.lease.own_holder))
        self._delegate = {"delegate": delegation.fetch}
        connect(delegation.close, signals.engine_stopped)
        worker = Worker(ctx)
        connect(worker.leave, signals.engine_stopped)
        while True:
            async for request in worker.requests():
                yield request
            # before the lease, since other processes look for the queue as soon as the blog is leased
            await delegation.open()
            with suppress(BeingCrawled):  # another process got the lease first
                ctx.lease.enter(ctx.start_url)
                return

    def _open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open archive and lease. Raises BlogcrawlerError."""
        settings, stats = self.settings, self.crawler.stats
        assert stats is not None
        assert self.crawler.engine is not None
        if type(self.crawler.engine.scraper) is ScrapyScraper:  # and is not user input
            self.crawler.engine.scraper.__class__ = Scraper
        start_url = parse_start_url(self.url or "")
        options = CrawlOptions.from_settings(settings, self.name, looks_at_all=self.looks_at_all)

        def lose(loss: BlogcrawlerError) -> None:  # called in another thread
            with suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(self.outcome.fail, loss)

        lease = BlogLease(settings, on_lost=lose)
        self._ctx = ctx = CrawlContext(
            start_url,
            options,
            settings,
            self.outcome,
            Fetcher(self.crawler, self._note_broken),
            Tally(stats),
            Archive.open(settings["DATABASE_URL"], patience_s=settings.getfloat("BACKEND_PATIENCE")),
            lease,
            Journal(),
            options.stop_rules.harvest(),
        )
        self._intake, self._ending = Intake(ctx), Ending(ctx)

    def closed(self, reason: str) -> None:
        """Save the results of the crawl."""
        if self._ctx is not None:
            self._ending.count_results(reason)

    def all_is_written(self) -> None:
        """Record how the crawl ended, after all outputs are closed."""
        if self._ctx is not None:
            self._ending.record_end()

    def is_ending(self) -> bool:
        """True if the crawl should wait for nothing any more."""
        is_stopping = self._ctx is not None and (self._ctx.is_late or self._ctx.is_stopping)
        return is_stopping or self.fatal is not None or not self.crawler.crawling

    def note_news(self) -> None:
        """Wake the loop."""
        if self._ctx is not None:
            self._ctx.news.set()

    def end_without_server(self, error: Unreachable) -> None:
        """End the crawl, since a server was unavailable for too long.

        If it is not the blog's, the blog is not blamed.
        """
        home = self._ctx.home if self._ctx is not None else ""
        if error.url in {origin(home or parse_start_url(self.url or "")), *self._answering}:
            self.outcome.fail(error)

    def _close(self, reason: str) -> None:
        self.note_news()
        assert self.crawler.engine is not None
        self._closing = asyncio.ensure_future(_close(self.crawler.engine, reason))

    def _note_broken(self, error: BaseException) -> None:
        """Record an error of a request if it is a programming error."""
        engine = self.crawler.engine
        if is_lack_of_memory(error):
            self.outcome.fail(OutOfMemory())
        # the gate rejects requests at the end of a crawl
        elif reason_of(error) == BROKE and engine is not None and engine.spider is not None:
            self.logger.error("Unexpected error during a request.", exc_info=error)
            self.outcome.note_fault(error)

    def request_for(self, task: Task) -> Request:
        """The request for a task."""
        address, meta = self.ctx.fetcher.sessions.address, {"render": self.ctx.fetcher.rendering.of_posts}
        match task:
            case FetchPage(url):
                check = {"check_redirect": lambda to: redirect_refusal(self.ctx, url, self._own(to, url))}
                check |= {"render": mode_of(self.ctx, url)} | self._delegate
                return self._ask(address(url), self.parse, self.failed, check, asked=url)
            case FetchPart(url):
                self.ctx.asked += 1
                meta |= {"check_redirect": lambda to: None if self._is_own(to, url) else LEADS_AWAY} | self._delegate
                return self._ask(address(url), self.parse_part, self.part_failed, meta, asked=url, part=task)
            case Probe(url):
                meta |= {"dont_cache": True}
                return self._ask(address(url), self.probed, self.not_probed, meta, asked=url, probe=task)
            case TakePage(page, is_last):
                meta_kept = {"page": page, "dont_redirect": True, "is_last": is_last}
                return self._ask(page.url, self.parse, self.failed, meta_kept, asked=page.url)
            case HandOn():
                meta_kept = {"page": Page(self.ctx.home, b""), "dont_redirect": True}
                return self._ask(self.ctx.home, self.hand_on, None, meta_kept, task=task)

    def _ask(self, url: str, callback: Any, errback: Any, meta: dict[str, Any], **kwargs: Any) -> Request:  # noqa: ANN401
        return Request(url, callback, errback=errback, dont_filter=True, meta=meta, cb_kwargs=kwargs)

    def _own(self, target: str, asked: str) -> str:
        return self.ctx.fetcher.sessions.own(target, asked)

    def _is_own(self, target: str, asked: str) -> bool:
        return identity(self._own(target, asked)) == identity(asked)

    def _done(self, meta: dict[str, Any], outcome: Iterable[Record | Task]) -> Iterator[Record | Request]:
        """Yield the results of a page: records, and requests for tasks."""
        with self.ctx.ending_without_archive():
            for one in noting_read(meta, outcome):
                yield self.request_for(one) if isinstance(one, Task) else one

    def _fetched(self, response: Response, asked: str) -> Page:
        """The page of a response, or the page that a worker fetched."""
        self.ctx.tally.pages += 1
        self._answering.add(origin(response.url))
        return self.ctx.fetcher.sessions.inward(response.meta.get("page") or page_of(response), asked)

    def parse(self, response: Response, asked: str) -> Iterator[Record | Request]:
        """Process a page that was fetched or was already available."""
        page = response.meta["page"] if "is_last" in response.meta else self._fetched(response, asked)
        is_last, handed_in = response.meta.get("is_last", False), response.meta.get("handed_in")
        yield from self._done(response.meta, self._intake.process(page, asked, is_last=is_last, handed_in=handed_in))

    def parse_part(self, response: Response, asked: str, part: FetchPart) -> Iterator[Record | Request]:
        """Process a further page of an article."""
        page, handed_in = self._fetched(response, asked), response.meta.get("handed_in")
        yield from self._done(response.meta, self._intake.process_part(page, part, handed_in))

    def hand_on(self, response: Response, task: HandOn) -> Iterator[Record | Request]:
        """Yield records whose pages need not be fetched."""
        yield from self._done(response.meta, task.records())

    def probed(self, response: Response, asked: str, probe: Probe) -> None:
        """Process the response of a probe."""
        with self.ctx.ending_without_archive():
            probe.note(self._fetched(response, asked))

    def not_probed(self, failure: Failure) -> None:
        """Continue after a failed probe."""
        failure.request.cb_kwargs["probe"].note(None)  # type: ignore[attr-defined]

    def failed(self, failure: Failure) -> None:
        """Handle a page that could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        assert failure.value is not None
        self.note_news()
        if is_gate_gone(failure.value):  # nothing was requested: the page remains for the next crawl
            return
        self._note_broken(failure.value)
        if is_lack_of_memory(failure.value):  # the crawl ends here
            return
        asked, reason = request.cb_kwargs["asked"], reason_of(failure.value)
        with self.ctx.ending_without_archive():
            if isinstance(failure.value, RedirectRefused) and reason == ALREADY_FETCHED:
                note_duplicate(self.ctx, asked, self._own(failure.value.target, asked))
            else:
                give_up(self.ctx, asked, reason, detours=request.meta.get("redirect_times", 0))

    def part_failed(self, failure: Failure) -> Iterator[Record | Request]:
        """Handle a further page that could not be fetched: the record is made from the other pages, unless the crawl
        is over."""
        self.failed(failure)
        error = failure.value
        if error is not None and not (is_gate_gone(error) or is_lack_of_memory(error)):
            request: Request = failure.request  # type: ignore[attr-defined]
            yield from self._done(request.meta, self._intake.go_on_without(request.cb_kwargs["part"]))

    def page_failed(self, failure: Failure, response: Response | Failure) -> None:
        """Handle an unexpected error in a page callback or error callback, or an unavailable service."""
        request: Request = response.request  # type: ignore[union-attr, assignment]
        asked = str(request.cb_kwargs.get("asked", request.url))
        self._give_up_broken(asked, failure.value, BROKE)

    def _give_up_broken(self, url: str, error: BaseException | None, reason: str) -> None:
        """Give up a page after an unexpected error; end the crawl if it lacks something that every page needs."""
        if error is not None and is_lack_of_memory(error):
            error = OutOfMemory()
        if isinstance(error, TEMPORARY):
            self.outcome.fail(error)
            return
        with self.ctx.ending_without_archive():
            give_up(self.ctx, url, TOO_SLOW if isinstance(error, PageTooSlow) else reason)
        self.note_news()

    def item_ended(self, item: Record) -> None:
        """Record that a post left the pipeline; if no stage has saved it, its page is finished now."""
        with self.ctx.ending_without_archive():
            if item.page_url in self.ctx.in_work:
                note_record(self.ctx, item)
                page_done(self.ctx, item)
        self.note_news()

    def item_dropped(self, item: Record, exception: BaseException) -> None:
        """Record that a stage dropped a post; if the archive cannot be written, the crawl is over."""
        cause = exception.__cause__
        if isinstance(cause, BackendUnavailable | RedisUnavailable):
            self.ctx.in_work.pop(item.page_url, None)
            self.outcome.fail(cause)
            return
        with self.ctx.ending_without_archive():
            if not isinstance(cause, Unchanged | RemovedOnRequest):  # otherwise nothing new was found
                self.ctx.tally.failure(TOO_SLOW if isinstance(cause, PageTooSlow) else NO_POST, item.url)
                note_record(self.ctx, item)
            page_done(self.ctx, item)
        self.note_news()

    def item_failed(self, item: Record, failure: Failure) -> None:
        """Record an unexpected error of a stage, or an unavailable service."""
        self.ctx.in_work.pop(item.page_url, None)
        self._give_up_broken(item.page_url, failure.value, "could not be saved")


async def _close(engine: ExecutionEngine, reason: str) -> None:
    with suppress(RuntimeError):  # the crawl is already closed
        await engine.close_spider_async(reason=reason)
