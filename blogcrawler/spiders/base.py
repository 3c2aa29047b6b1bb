"""A spider that is fed from the frontier: it asks for pages, keeps count of what is under way, and comes to an end.

A page is done when what it led to was taken in, and a post's page when its record left the pipeline, and not before. So
a crawl that ends, however it ends, can be gone on with.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider

from blogcrawler.backend import Archive, Failed
from blogcrawler.capture import PLACE, capture_failed
from blogcrawler.crawl.blog_lease import BlogLease
from blogcrawler.crawl.faults import fault, watch_log
from blogcrawler.crawl.feed_discovery import header
from blogcrawler.crawl.group import Alone, group_name, group_of
from blogcrawler.crawl.reasons import ALREADY_FETCHED, NO_POST, TOO_SLOW
from blogcrawler.crawl.session_tokens import NO_SESSIONS, Sessions
from blogcrawler.downloader import (
    KEPT_AT,
    RENDERED,
    SCREENSHOT,
    RedirectRefused,
    gate_failed,
    is_gate_gone,
    server_gone,
)
from blogcrawler.downloader.in_flight import is_fetching, is_reading, noting_read
from blogcrawler.downloader.reasons import BROKE, is_temporary, reason_of
from blogcrawler.errors import (
    BackendUnavailable,
    BlogcrawlerError,
    LeftBehind,
    NotArchived,
    OutOfMemory,
    PageTooSlow,
    RedisUnavailable,
    TemporaryFailure,
    is_lack_of_memory,
)
from blogcrawler.frontier import Progress, StopReason, StopRules
from blogcrawler.items import Page
from blogcrawler.reporting import Tally
from blogcrawler.routes import out_of_path
from blogcrawler.time_limit import set_time_limit, watch
from blogcrawler.urls import identity, origin, parse_start_url

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from blogcrawler.errors import BeingCrawled, Unreachable
    from blogcrawler.frontier import Frontier, Stop
    from blogcrawler.items import Record

__all__ = ["COMPLETE", "FrontierSpider", "now", "page_of"]

COMPLETE = frozenset({"finished", "harvest", "complete"})
"""Reasons to end after which the next crawl begins anew."""
FORGOTTEN = (
    "The Redis that FRONTIER_URL names has forgotten what was left to fetch; see that it writes it to disk "
    "(appendonly). The records are kept; started again the crawl begins anew."
)
ITEMS_IN_WORK = 30
"""Posts in the pipeline above which no further page is asked for; more than wait to learn how comments are shown."""


class FrontierSpider(Spider):
    """Crawls what its frontier holds: `prepare` says how it begins, `_take_in` what a page leads to.

    Settings: PAGE_LIMIT, TIME_LIMIT, HARVEST_WINDOW, HARVEST_MINIMUM, DATABASE_URL, DATABASE_PATIENCE. `fatal` is why
    the crawl could not do its job, a sentence for the user.
    """

    #: does a crawl look at all posts of a blog?
    looks_at_all = True
    #: may several spiders work on one blog?
    may_share = False

    archive: Archive
    frontier: Frontier
    tally: Tally
    home: str
    #: of the site, while its addresses carry any
    sessions: Sessions = NO_SESSIONS

    #: among other crawls on the archive, from the beginning on
    standing: BlogLease | None = None

    def __init__(self, url: str | None = None, **more: Any) -> None:  # noqa: ANN401
        super().__init__(**more)
        self.url = url
        self.fatal: BlogcrawlerError | None = None
        #: why a crawl that came to its end is no success: the first error of the program, or a site that shows no posts
        self.fault: BlogcrawlerError | None = None
        #: was nothing done since something else was asked for than can be done?
        self._is_refused = False
        #: posts in the pipeline, by the address of their page, each with its number of links to posts
        self._in_work: dict[str, int] = {}
        self._news = asyncio.Event()
        self._asked = 0
        #: pages that an earlier part of the crawl could not have
        self._tried_again = 0
        #: servers that have answered
        self._answering: set[str] = set()
        #: is the crawl to end as soon as what is under way is in?
        self._is_stopping = False
        #: why the crawl came to an end, and whether it is complete
        self._end: tuple[str, bool] | None = None
        #: have the other spiders of the crawl gone on without this one?
        self._is_left_behind = False
        #: that this one works with
        self._group = Alone()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401
        """A spider that is told what becomes of its requests and items."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        set_time_limit(crawler.settings.getfloat("PAGE_TIME_LIMIT"))
        watch_log(spider)
        crawler.signals.connect(spider._note_news, signals.scheduler_empty)
        crawler.signals.connect(spider.item_ended, signals.item_scraped)
        crawler.signals.connect(spider.item_dropped, signals.item_dropped)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        crawler.signals.connect(spider.page_failed, signals.spider_error)
        crawler.signals.connect(spider.all_is_written, signals.engine_stopped)
        crawler.signals.connect(spider._fail, capture_failed)
        crawler.signals.connect(spider._fail, gate_failed)
        crawler.signals.connect(spider._end_without_server, server_gone)
        return spider

    def prepare(self) -> AsyncIterator[Request]:
        """Set archive, home and frontier; yield the pages that are at hand after that, see `kept`."""
        raise NotImplementedError

    def _open_archive(self) -> Archive:
        patience_s = self.settings.getfloat("DATABASE_PATIENCE")
        return Archive.open(self.settings["DATABASE_URL"], patience_s=patience_s)

    # ------------------------------------------------------------------------------------------------- the whole crawl

    async def start(self) -> AsyncIterator[Any]:
        """Prepare, then feed the engine from the frontier until nothing is left or a stop rule says so."""
        if self.fatal is not None:
            raise CloseSpider("failed")
        assert self.crawler.stats is not None
        self.tally = Tally(self.crawler.stats)
        self._begin = monotonic()
        self.stop_rules = _stop_rules(self.settings)
        self._harvest = self.stop_rules.harvest()
        loop = asyncio.get_running_loop()
        watch(loop)
        try:
            start_url = parse_start_url(self.url or "")
            group = group_name(self.settings, start_url) if self.may_share else None
            if self.may_share:
                self._group = group_of(self.settings)
            self.standing = BlogLease(self.settings, on_lost=lambda loss: self._lose(loop, loss), group=group)
            self.standing.enter(start_url)
            async for request in self.prepare():
                yield request
            async for request in self._crawl():
                yield request
        except LeftBehind as error:
            self._fail(error)
        except BlogcrawlerError as error:
            is_closing, self.fatal = self.fatal is not None, self.fatal or error
            self._is_refused = isinstance(error, NotArchived)
            if not is_closing:
                raise CloseSpider("failed") from error
        except CloseSpider:
            raise
        except Exception as error:
            if is_lack_of_memory(error):
                self.fatal = self.fatal or OutOfMemory()
                raise CloseSpider("failed") from error
            self.logger.exception("The program broke; the crawl ends.")
            self.fatal = self.fault = self.fault or fault(self.url or "", error)
            raise CloseSpider("failed") from error

    def closed(self, reason: str) -> None:
        """Take stock of the crawl; not of one whose blog another process has got meanwhile."""
        self._end = reason, False
        if not hasattr(self, "frontier") or self._is_elsewhere() or self._is_left_behind:
            return
        try:
            self.frontier.flush()
            self._count_kept()
            self._end = reason, self._is_complete(reason)
        except LeftBehind as error:
            self.logger.warning("%s", error)
        except (BackendUnavailable, RedisUnavailable) as error:
            self.fatal = self.fatal or error

    def all_is_written(self) -> None:
        """Write down how the crawl ended, after all outputs are closed, and let others crawl the blog.

        A crawl that was cut short goes on when it is started again, and brings what they lack.
        """
        try:
            if self._end is not None:
                self._write_down(*self._end)
        except LeftBehind as error:
            self.logger.warning("%s", error)
            if self.standing is not None:
                self.standing.leave_to_others()
        except (BackendUnavailable, RedisUnavailable) as error:
            self.fatal = self.fatal or error
        finally:
            self._group.close()
            if hasattr(self, "archive"):
                self.archive.close()
            if self.standing is not None:
                self.standing.close()

    def _write_down(self, reason: str, is_complete: bool) -> None:
        """All in one transaction, so that nobody sees a blog that is done and still due, or still claimed."""
        if self.standing is None:
            return
        home = self.home if hasattr(self, "frontier") else None
        archive = self.archive if hasattr(self, "archive") else self.standing.archive
        if not self._group.leave():  # the last one writes it
            self.standing.leave_to_others()
            return
        ours = None if self._is_elsewhere() else home
        with self.standing.leaving(archive):
            if ours is not None:
                self._finish(str(self.fatal or reason), is_complete=is_complete)
                self._group.give_back(archive, ours, is_complete=is_complete)
            if not self._is_refused:
                is_done = is_complete and not self.tally.left_for_later
                self.standing.note_end(archive, home, reason, fatal=self.fatal or self.fault, complete=is_done)
        if ours is not None:
            self._group.note_written()

    def _is_elsewhere(self) -> bool:
        return self.standing is not None and self.standing.is_elsewhere

    def _lose(self, loop: asyncio.AbstractEventLoop, loss: BeingCrawled) -> None:
        """Another process has got the blog; called in another thread."""
        with suppress(RuntimeError):  # the loop may be over
            loop.call_soon_threadsafe(self._fail, loss)

    def _finish(self, reason: str, *, is_complete: bool) -> None:
        with self.archive.transaction():
            self.archive.failures(self.home).note(self._lost_posts(), are_all=is_complete and self.looks_at_all)
            self.archive.finish_crawl(self.home, now=now(), reason=reason, complete=is_complete)

    def _lost_posts(self) -> Iterator[Failed]:
        """What stands where posts are and could not be had, and what a source tells of and was no post."""
        for row in self.frontier.store.load("failed"):
            if row["is_post"]:
                reason = row["reason"] or ""
                yield Failed(out_of_path(row["url"]), reason, now(), is_temporary(reason))
        announced = self.archive.source_entry_urls(self.home)
        for row in self.frontier.store.load("done") if announced else ():
            if row["was_post"] is False and identity(row["url"]) in announced:
                yield Failed(out_of_path(row["url"]), NO_POST, now())

    def _is_complete(self, reason: str) -> bool:
        """Is nothing left that the next crawl goes on with? Pages that could not be had are tried once more."""
        left = self.frontier.unavailable
        is_tried_again = 0 < self._tried_again <= left
        if reason in COMPLETE and left and not is_tried_again:
            self.tally.unavailable(left)
            return False
        return reason in COMPLETE

    def _count_kept(self) -> None:
        """Tell how many posts are kept, where a source announced how many there are."""
        started = self.archive.blog(self.home).crawl_started
        if self.tally.found_of_expected is not None and started is not None:
            self.tally.kept(len(self.archive.urls(self.home, since=started)))

    async def _crawl(self) -> AsyncIterator[Request]:
        engine = self.crawler.engine
        assert engine is not None
        self._asked = self.tally.pages
        while not (self.fatal or self._is_left_behind):
            self._news.clear()
            self._give_up_lost()
            self._group.catch_up()
            stop = self._group.stop or self._stop()
            self._is_stopping = stop is not None
            if stop:
                self._group.end(stop)
            busy = engine.needs_backout() or self._has_enough_in_work() or self._is_exploring() or self._has_its_share()
            url = None if busy or stop else self._next_url()
            self.tally.queue(len(self.frontier), is_read_elsewhere=self._group.is_reading)
            if url is not None:
                self._asked += 1
                yield self._request(url)
            elif (request := self._left_over(stop)) is not None:
                yield request
            elif (busy and not stop) or self._is_working() or self._group.is_reading:
                await self._group.news(self._news)
            elif stop:
                self.tally.stopped(**stop._asdict())
                raise CloseSpider(stop.rule)
            elif self._are_others_at_work():
                await self._group.news(self._news)
            elif self._stop() is not None:
                continue  # to look for the next page has shown that there is none
            else:
                if left_out := self.frontier.left_out:
                    self.tally.stopped(StopReason.KINDS_LEFT_OUT, pages=left_out)
                return

    def _stop(self) -> Stop | None:
        """The rule that ends the crawl as soon as the pages under way are in."""
        progress = Progress(
            pages=self._asked + self._group.pages,
            elapsed_s=self.elapsed_s(),
            harvest=self._harvest,
            pending_posts=self.frontier.pending_posts,
            posts=self._known_posts(),
            seeds=self._seeds(),
            most_listed=self.frontier.most_listed,
            found_on_posts=self.frontier.found_on_posts,
            may_tell_more=self.frontier.may_tell_more,
            is_proving=self._is_proving(),
        )
        return self.stop_rules.check(progress)

    def _has_enough_in_work(self) -> bool:
        """Are so many posts in the pipeline that no further page should be asked for?"""
        return len(self._in_work) >= ITEMS_IN_WORK

    def _is_exploring(self) -> bool:
        """Is a page under way while no post waits? It may tell that the next one is not worth a request."""
        return not self.frontier.pending_posts and (is_reading(self.crawler.engine) or self._group.is_reading)

    def _has_its_share(self) -> bool:
        """Are so many pages under way here that the few posts that wait are for the other spiders?"""
        waiting = self.frontier.pending_posts
        if self._group.spiders == 1 or not waiting:
            return False
        assert self.crawler.engine is not None
        own = sum("asked" in request.cb_kwargs for request in self.crawler.engine.downloader.active)
        return own >= ceil((waiting + own) / self._group.spiders)

    def _are_others_at_work(self) -> bool:
        """May other spiders still lead to pages, or have they left some?"""
        waiting = len(self.frontier)
        return self._group.are_others_at_work() or len(self.frontier) > waiting

    def _known_posts(self) -> int:
        """How many posts were found, in this crawl and in what it goes on with."""
        return 0

    def _seeds(self) -> int:
        """How many of them the crawl began with."""
        return 0

    def _is_proving(self) -> bool:
        """Is it being proven that a source has all posts?"""
        return False

    def _next_url(self) -> str | None:
        """What to fetch next; None where nothing can be fetched now."""
        best = self.frontier.pop()
        return best.url if best is not None else None

    def _left_over(self, stop: Stop | None) -> Request | None:  # noqa: ARG002
        """What is still to be done with pages that are at hand, when there is nothing to fetch."""
        return None

    def elapsed_s(self) -> float:
        """Seconds since the crawl began."""
        return monotonic() - self._begin

    def note_fault(self, error: BaseException | None = None, *, is_over: bool = False) -> None:
        """The program broke. The crawl goes on without what it broke on, unless it `is_over`; the log tells more."""
        self.fault = self.fault or fault(self.url or "", error)
        if is_over:
            self._fail(self.fault)

    def _note_broken(self, error: BaseException) -> None:
        """Note an error of a request, if it is one of the program."""
        engine = self.crawler.engine
        if reason_of(error) == BROKE and engine is not None and engine.spider is not None:  # which refuses at the end
            self.logger.error("The program broke while it fetched something.", exc_info=error)
            self.note_fault(error)

    @contextmanager
    def _tolerating(self, step: str) -> Iterator[None]:
        """A step without which a crawl can go on, where the program breaks in it or it takes too long."""
        try:
            yield
        except PageTooSlow as error:
            self.logger.warning("The crawl goes on without %s. %s", step, error)
        except (BlogcrawlerError, CloseSpider):
            raise
        except Exception as error:
            if is_lack_of_memory(error):
                raise
            self.logger.exception("The program broke; the crawl goes on without %s.", step)
            self.note_fault(error)

    def _give_up_lost(self) -> None:
        """Give up posts that are in work for all that is known, while nothing is: an error has lost them."""
        if self._in_work and not is_fetching(self.crawler.engine):
            for url in self._in_work.keys() - self._held_posts():
                del self._in_work[url]
                self._give_up(url, BROKE)

    def _held_posts(self) -> set[str]:
        """The addresses of the pages of posts that are held back."""
        return set()

    def is_ending(self) -> bool:
        """True if nothing is to be waited for any more."""
        limit = self.stop_rules.time_limit_s
        is_late = limit is not None and self.elapsed_s() >= limit
        return is_late or self._is_stopping or self.fatal is not None or not self.crawler.crawling

    def _end_without_server(self, error: Unreachable) -> None:
        """A server was away for too long; another one than the blog's tells nothing of the blog."""
        home = getattr(self, "home", None) or parse_start_url(self.url or "")
        if error.url in {origin(home), *self._answering}:
            self._fail(error)

    def _is_working(self) -> bool:
        return bool(self._in_work) or is_fetching(self.crawler.engine)

    def _note_news(self) -> None:
        self._news.set()

    @contextmanager
    def _ending_without_archive(self) -> Iterator[None]:
        """When the archive, or a frontier elsewhere, cannot be written any more the crawl is over; `fatal` says why."""
        try:
            yield
        except (BackendUnavailable, RedisUnavailable) as error:
            self._fail(error)

    def _fail(self, error: BlogcrawlerError) -> None:
        if self.fatal is not None or self._is_left_behind:
            return
        self._is_left_behind = isinstance(error, LeftBehind) and not self._is_forgotten(error)
        if self._is_left_behind:
            self.logger.warning("%s", error)
        elif isinstance(error, LeftBehind):
            self.fatal = RedisUnavailable(FORGOTTEN)
        else:
            self.fatal = error
        self._news.set()
        if not hasattr(self, "stop_rules"):
            return  # it has not begun, and does not
        engine = self.crawler.engine
        assert engine is not None
        reason = "left_behind" if self._is_left_behind else "failed"
        self._closing = asyncio.ensure_future(_close(engine, reason))

    def _is_forgotten(self, error: LeftBehind) -> bool:
        """Is a crawl of several spiders over that none of them has ended?"""
        return error.is_over and self.archive.blog(self.home).crawl_finished is None

    # ------------------------------------------------------------------------------------------------ requests, pages

    def _request(self, url: str) -> Request:
        return Request(
            self.sessions.address(url),
            dont_filter=True,
            errback=self.failed,
            cb_kwargs={"asked": url},
            meta={
                "check_redirect": lambda target: self._redirect_refusal(url, self.sessions.own(target, url)),
                "render": self._is_rendered(url),
            },
        )

    def _is_rendered(self, url: str) -> bool | str:  # noqa: ARG002
        """Is a page shown in the browser before it is read? See `downloader.render`."""
        return False

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
        if identity(target) != identity(asked) and self.frontier.status(target) in ("done", "claimed"):
            return ALREADY_FETCHED
        return None

    def parse(self, response: Response, asked: str) -> Iterator[Record | Request]:
        """Take in a page that was fetched."""
        page: Page | None = response.meta.get("page")
        if page is None:
            page = self._fetched(response, asked)
        with self._ending_without_archive():
            outcome = self._take_in(page, asked, is_last=response.meta.get("is_last", False))
            yield from noting_read(response.meta, outcome)

    def _fetched(self, response: Response, asked: str) -> Page:
        """The page that a request brought."""
        self.tally.page()
        self._answering.add(origin(response.url))
        return page_of(self.sessions.received(response, asked))

    def _take_in(self, page: Page, asked: str, *, is_last: bool) -> Iterator[Record | Request]:
        """What a page leads to. It was asked for under an address; `is_last`: nothing is left that could tell more."""
        raise NotImplementedError

    def failed(self, failure: Failure) -> None:
        """A page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        assert failure.value is not None
        self._news.set()
        if is_gate_gone(failure.value):  # nobody was asked: the page waits for the next crawl
            return
        self._note_broken(failure.value)
        asked, reason = request.cb_kwargs["asked"], reason_of(failure.value)
        with self._ending_without_archive():
            if isinstance(failure.value, RedirectRefused) and reason == ALREADY_FETCHED:
                self._found_again(asked, self.sessions.own(failure.value.target, asked))
            else:
                self._give_up(asked, reason, detours=request.meta.get("redirect_times", 0))

    def _found_again(self, asked: str, target: str) -> None:
        """A page turned out to be one that was fetched before."""
        self.frontier.redirected(asked, target)
        self._harvest.record(0)
        self.frontier.flush()

    def _give_up(self, url: str, reason: str, *, detours: int = 0) -> None:
        """Note that a page is lost, and why; `detours`: how many redirects led to that."""
        if reason == BROKE:
            self.note_fault()
        self.tally.failure(reason, out_of_path(url))
        self.frontier.failed(url, reason, gone=not is_temporary(reason), detours=detours)
        if not is_temporary(reason):
            self._harvest.record(0)
        self.frontier.flush()

    # ---------------------------------------------------------------------------------------------------------- items

    def item_ended(self, item: Record) -> None:
        """A post left the pipeline: now its page is done."""
        with self._ending_without_archive():
            post_links = self._in_work.pop(item.page_url, None)
            if post_links is not None:
                self.frontier.done(item.page_url, yield_=post_links, is_post=True)
                self.frontier.flush()
        self._news.set()

    def item_dropped(self, item: Record, exception: BaseException) -> None:
        """A stage refused a post; when it did because the archive cannot be written, the crawl is over."""
        if not isinstance(exception.__cause__, BackendUnavailable):
            self.tally.failure(_reason_in_page(exception.__cause__) or NO_POST, item.url)
            self.item_ended(item)
            return
        self._in_work.pop(item.page_url, None)
        self._fail(exception.__cause__)

    def page_failed(self, failure: Failure, response: Response | Failure) -> None:
        """The program broke on a page, or on an error in place of one; or what the crawl needs for it is away."""
        if self._is_fatal(failure.value):
            return
        with self._ending_without_archive():
            self._give_up(_asked_of(response), _reason_in_page(failure.value) or BROKE)
        self._news.set()

    def _is_fatal(self, error: BaseException | None) -> bool:
        """End the crawl, and return True, where it lacks what each page and post needs."""
        if error is not None and is_lack_of_memory(error):
            error = OutOfMemory()
        if isinstance(error, TemporaryFailure):
            self._fail(error)
        return isinstance(error, TemporaryFailure)

    def item_failed(self, item: Record, failure: Failure) -> None:
        """A stage broke on a post; or what it needs is away."""
        self._in_work.pop(item.page_url, None)
        if self._is_fatal(failure.value):
            return
        with self._ending_without_archive():
            self._give_up(item.page_url, _reason_in_page(failure.value) or "could not be kept")
        self._news.set()


async def _close(engine: ExecutionEngine, reason: str) -> None:
    with suppress(RuntimeError):  # it is closed already
        await engine.close_spider_async(reason=reason)


def _reason_in_page(error: BaseException | None) -> str | None:
    """Why a page is given up, where that is its own fault."""
    return TOO_SLOW if isinstance(error, PageTooSlow) else None


def _asked_of(response: Response | Failure) -> str:
    request: Request = response.request  # type: ignore[union-attr, assignment]
    return str(request.cb_kwargs.get("asked", request.url))


def page_of(response: Response) -> Page:
    """What of a response a record is made from.

    A page that has not changed since an earlier crawl says "2 days ago" as it did then: its time is that of its body.
    """
    before: float | None = response.meta.get(KEPT_AT, response.meta.get("cache_timestamp"))
    fetched = now() if before is None else datetime.fromtimestamp(before, UTC)
    return Page(
        response.url,
        response.body,
        header(response, "Content-Type"),
        response.status,
        fetched.isoformat(timespec="seconds"),
        is_rendered=RENDERED in response.flags,
        is_cut="truncated" in response.flags,
        screenshot=response.meta.get(SCREENSHOT),
        warc=response.meta.get(PLACE),
    )


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def _stop_rules(settings: BaseSettings) -> StopRules:
    return StopRules(
        page_limit=settings.getint("PAGE_LIMIT") or None,
        time_limit_s=settings.getfloat("TIME_LIMIT") or None,
        harvest_window=settings.getint("HARVEST_WINDOW") or None,
        harvest_min=settings.getint("HARVEST_MINIMUM"),
        patience=settings.getint("HARVEST_PATIENCE") or None,
        seen_again=settings.getfloat("HARVEST_SEEN_AGAIN"),
    )
