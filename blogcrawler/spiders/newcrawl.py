"""NewCrawl: from a blog's address to a record of every post (URL → records).

The order of things is told in `start`: find the feed, fetch its entries' pages, learn from them, then fetch the best URL
of the frontier whenever a download slot is free. All state is in the back end after each page, so the same command goes
on with a crawl that was cut short.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider

from blogcrawler.backend import Archive, FeedState
from blogcrawler.dom import parse
from blogcrawler.errors import BackendUnavailable, BlogcrawlerError, NoPages, NotAWebPage
from blogcrawler.frontier import Frontier, Link, StopRules
from blogcrawler.items import Entry, Page, Record, RecordSource
from blogcrawler.reporting import Tally
from blogcrawler.spiders.discovery import Discovery, discover, header
from blogcrawler.spiders.reader import Reader, trusts_canonical
from blogcrawler.spiders.reasons import reason_of, status_reason
from blogcrawler.urls import Scope, canonicalise, identity, parse_start_url
from blogcrawler.wrapper import Example, Wrapper, learn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Self

    from lxml.html import HtmlElement
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

__all__ = ["NewCrawl"]

TRAINING_PAGES = 30
"""Pages of the newest entries that the wrapper is learned from; more teach nothing new and cost requests before it."""
COMPLETE = frozenset({"finished", "harvest"})
"""Reasons to end after which the next crawl begins anew."""
ITEMS_IN_WORK = 16
"""Posts in the pipeline above which no further page is asked for."""


class NewCrawl(Spider):
    """Archives a blog.

    Arguments: `url`, the address of the blog's home page, of its feed or of a post. Settings: PAGE_LIMIT, TIME_LIMIT,
    HARVEST_WINDOW, HARVEST_MINIMUM. `fatal` is the sentence for the user when the crawl could not do its job.
    """

    name = "newcrawl"

    archive: Archive
    frontier: Frontier
    reader: Reader
    tally: Tally
    home: str

    def __init__(self, url: str | None = None, **arguments: Any) -> None:  # noqa: ANN401
        super().__init__(**arguments)
        self.url = url
        self.fatal: str | None = None
        self._entries: dict[str, Entry] = {}
        self._in_work: dict[str, int] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:  # noqa: ANN401
        """A spider that is told what becomes of its items."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider.item_ended, signal)
        crawler.signals.connect(spider.item_failed, signals.item_error)
        return spider

    # ------------------------------------------------------------------------------------------------- the whole crawl

    async def start(self) -> AsyncIterator[Any]:
        """Prepare, then feed the engine from the frontier until nothing is left or a stop rule says so."""
        assert self.crawler.stats is not None
        self.tally = Tally(self.crawler.stats)
        self._begin = monotonic()
        try:
            async for record in self._prepare():
                yield record
            async for request in self._crawl():
                yield request
        except BlogcrawlerError as error:
            self.fatal = str(error)
            raise CloseSpider("failed") from error

    def closed(self, reason: str) -> None:
        """Write down how the crawl ended; one that was cut short goes on when it is started again."""
        if not hasattr(self, "frontier"):
            if hasattr(self, "archive"):
                self.archive.close()
            return
        self.frontier.flush()
        self.archive.finish_crawl(self.home, now=_now(), reason=reason, complete=reason in COMPLETE)
        self.archive.close()

    # --------------------------------------------------------------------------------------------------- preparing it

    async def _prepare(self) -> AsyncIterator[Record]:
        start_url = parse_start_url(self.url or "")
        self.archive = Archive.open(self.settings["DATABASE_URL"])
        home = self.archive.find_blog(start_url)
        if home and not self.archive.blog(home).crawl_complete and self._go_on(home):
            return
        found = await discover(start_url, self._fetch)
        self._begin_anew(found, start_url)
        entries = await self._fetch_entries(found)
        pages = [(page, tree, entry) for page, entry in entries if (tree := self._tree_of(page)) is not None]
        if not pages:
            raise NoPages(
                f"None of the {len(found.feed.entries)} entries of {found.feed.url} leads to a page that can be read "
                f"({', '.join(self.tally.failures)}); check whether the blog still is where its feed says.",
                url=found.feed.url,
            )
        self._learn(pages, no_posts=[found.home, found.feed.url, start_url])
        for page, tree, entry in pages:
            for record in self._take(page, tree, entry):
                yield record
        if found.start is not None:
            self._take_start(found.start)
        self.frontier.done(found.feed.url)
        for entry in found.feed.entries:
            self._add_entry(entry)
        self.frontier.flush()

    def _begin_anew(self, found: Discovery, start_url: str) -> None:
        feed = found.feed
        self.home = found.home
        with self.archive.transaction():
            if not self.archive.start_crawl(self.home, now=_now()):
                self.archive.forget_training_pages(self.home)
            self.archive.reset_frontier(self.home)
            self.archive.save_addresses(self.home, [start_url, self.home, feed.url])
            self.archive.save_blog(self.home, title=feed.title, language=feed.language)
            self.archive.save_feed_state(self.home, FeedState(feed.url, found.etag, found.last_modified))
            self.archive.save_crawl_state(self.home, None)
        self.frontier = Frontier(self.archive.frontier_store(self.home))
        self._scope = Scope.of(self.home, [entry.url for entry in feed.entries])

    def _go_on(self, home: str) -> bool:
        """Take up a crawl that was cut short after its wrapper was learned."""
        state, wrapper = self.archive.load_crawl_state(home), self.archive.load_wrapper(home)
        if state is None or wrapper is None:
            return False
        self.home = home
        self.archive.start_crawl(home, now=_now())
        self.frontier = Frontier(self.archive.frontier_store(home))
        again = self.frontier.resume()
        self.reader = Reader.from_dict(state["reader"], Wrapper.from_dict(wrapper))
        self._scope = self.reader.scope
        self._entries = {key: Entry.from_dict(entry) for key, entry in state["entries"].items()}
        self.logger.info(
            "Going on with the crawl of %s: %d URLs wait, %d of them again.", home, len(self.frontier), again
        )
        return True

    async def _fetch_entries(self, found: Discovery) -> list[tuple[Page, Entry]]:
        """The pages of the feed's newest entries."""
        entries = [entry for entry in found.feed.entries if self._scope.covers(entry.url)][:TRAINING_PAGES]
        kept = {identity(page.url): page for page, _ in self.archive.load_training_pages(self.home)}
        pages = await asyncio.gather(*(self._fetch_entry(entry, kept) for entry in entries))
        found_pages: dict[str, tuple[Page, Entry]] = {}
        for page, entry in zip(pages, entries, strict=True):
            if page is not None:
                found_pages.setdefault(identity(page.url), (page, entry))
        return list(found_pages.values())

    async def _fetch_entry(self, entry: Entry, kept: dict[str, Page]) -> Page | None:
        self._add_entry(entry)
        url = canonicalise(entry.url)
        page = kept.get(identity(url))
        if page is None:
            try:
                response = await self._fetch(url)
            except Exception as error:  # noqa: BLE001  one page never ends a crawl
                self._give_up(url, reason_of(error))
                return None
            if response.status != 200:
                self._give_up(url, status_reason(response.status))
                return None
            page = _page(response)
            self.archive.save_training_page(self.home, page, entry)
        self.tally.page()
        self.frontier.redirected(url, page.url)
        self._entries[identity(page.url)] = entry
        return page

    def _learn(self, pages: list[tuple[Page, HtmlElement, Entry]], no_posts: list[str]) -> None:
        wrapper = learn([Example(tree, entry, page.url) for page, tree, entry in pages])
        posts = [page.url for page, _, _ in pages]
        others = {identity(url) for url in no_posts} - {identity(url) for url in posts}
        canonical = trusts_canonical((tree, page.url) for page, tree, _ in pages)
        self.reader = Reader(Scope.of(self.home, posts), wrapper, posts, frozenset(others), canonical)
        self.archive.save_wrapper(self.home, wrapper.to_dict())
        self._save_state()

    def _save_state(self) -> None:
        entries = {key: entry.to_dict() for key, entry in self._entries.items()}
        self.archive.save_crawl_state(self.home, {"reader": self.reader.to_dict(), "entries": entries})

    def _take_start(self, response: Response) -> None:
        """The page that the crawl began with was fetched already: its links go to the frontier."""
        page = _page(response)
        if identity(page.url) in self._entries:
            return
        self.tally.page()
        tree = self._tree_of(page)
        if tree is not None:
            links = self._links(tree, page.url)
            self.frontier.commit_page(page.url, yield_=sum(link.is_post for link in links), links=links)

    def _add_entry(self, entry: Entry) -> None:
        if self._scope.covers(entry.url):
            self._entries.setdefault(identity(entry.url), entry)
            self.frontier.add(entry.url, is_post=True)

    # ----------------------------------------------------------------------------------------------------- crawling

    async def _crawl(self) -> AsyncIterator[Request]:
        engine = self.crawler.engine
        assert engine is not None
        rules = _stop_rules(self.settings)
        self._harvest = rules.harvest()
        while True:
            stop = rules.check(
                pages=self.tally.pages + len(engine.downloader.active),
                elapsed_s=monotonic() - self._begin,
                harvest=self._harvest,
                pending_posts=self.frontier.pending_posts,
            )
            if stop is not None:
                raise CloseSpider(stop)
            busy = engine.needs_backout() or len(self._in_work) >= ITEMS_IN_WORK
            candidate = None if busy else self.frontier.pop()
            self.tally.queue(len(self.frontier))
            if candidate is not None:
                yield Request(
                    candidate.url,
                    dont_filter=True,
                    errback=self.failed,
                    cb_kwargs={"asked": candidate.url},
                )
            elif busy or self._is_working():
                await self.crawler.signals.wait_for(signals.scheduler_empty)
            else:
                return

    def _is_working(self) -> bool:
        engine = self.crawler.engine
        assert engine is not None
        assert engine.scraper.slot is not None
        assert engine.scheduler is not None
        return bool(
            engine.downloader.active
            or self._in_work
            or not engine.scraper.slot.is_idle()
            or engine.scheduler.has_pending_requests()
        )

    def parse(self, response: Response, asked: str) -> Iterator[Record]:
        """Take in a page that was fetched."""
        page = _page(response)
        self.tally.page()
        if response.status != 200:
            self._give_up(asked, status_reason(response.status))
            return
        if identity(page.url) != identity(asked) and not self.frontier.redirected(asked, page.url):
            self.frontier.flush()
            return
        if not self.reader.scope.covers(page.url):
            self._give_up(page.url, "leads away from the blog")
            return
        tree = self._tree_of(page)
        if tree is not None:
            yield from self._take(page, tree, self._entries.get(identity(page.url)))

    def failed(self, failure: Failure) -> None:
        """A page could not be fetched."""
        request: Request = failure.request  # type: ignore[attr-defined]
        assert failure.value is not None
        self._give_up(request.cb_kwargs["asked"], reason_of(failure.value))

    def item_ended(self, item: Record) -> None:
        """A post left the pipeline: now its page is done, and not before."""
        url = item.material.page.url if item.material is not None else item.url
        if url in self._in_work:
            self.frontier.done(url, yield_=self._in_work.pop(url))
            self.frontier.flush()

    def item_failed(self, item: Record, failure: Failure) -> None:
        """A post could not be kept. When the archive cannot be written at all, the crawl is over."""
        self.tally.failure("could not be kept", item.url)
        if isinstance(failure.value, BackendUnavailable) and self.fatal is None:
            self.fatal = str(failure.value)
            engine = self.crawler.engine
            assert engine is not None
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason="failed"))

    def _take(self, page: Page, tree: HtmlElement, entry: Entry | None) -> Iterator[Record]:
        """A page's links go to the frontier; a post goes to the pipeline, and its page is done when it comes out."""
        links = self._links(tree, page.url)
        post_links = sum(link.is_post for link in links)
        other = self.reader.canonical(tree, page.url)
        if other is not None:
            links = [Link(other, self.reader.is_permalink(other)), *links]
        is_post = entry is not None or (other is None and self.reader.is_post(tree, page.url))
        if not is_post:
            self._harvest_page(self.frontier.commit_page(page.url, yield_=post_links, links=links))
            return
        if self.reader.learn_address(page.url):
            self.frontier.reclassify(self.reader.is_permalink)
            self._save_state()
        self.frontier.add_many(links, found_on=page.url)
        self._in_work[page.url] = post_links
        self.tally.post()
        page.tree = tree
        yield Record(self.home, canonicalise(page.url), source=RecordSource(page, self.reader.wrapper, entry))

    def _links(self, tree: HtmlElement, url: str) -> list[Link]:
        return [Link(target, self.reader.is_permalink(target)) for target in self.reader.links(tree, url)]

    def _harvest_page(self, new_posts: int) -> None:
        if hasattr(self, "_harvest"):
            self._harvest.record(new_posts)

    def _tree_of(self, page: Page) -> HtmlElement | None:
        """The tree of a page; None for one that cannot be read, which is noted."""
        try:
            return parse(page.body, content_type=page.content_type)
        except NotAWebPage:
            self._give_up(page.url, "no web page")
            return None

    def _give_up(self, url: str, reason: str) -> None:
        self.tally.failure(reason, url)
        self.frontier.failed(url, reason)
        self.frontier.flush()

    async def _fetch(self, url: str) -> Response:
        """Fetch a URL outside of the frontier: redirects, retries, robots.txt and delays apply."""
        engine = self.crawler.engine
        assert engine is not None
        return await engine.download_async(Request(url, dont_filter=True))


def _page(response: Response) -> Page:
    return Page(
        response.url,
        response.body,
        header(response, "Content-Type"),
        response.status,
        _now().isoformat(timespec="seconds"),
    )


def _stop_rules(settings: BaseSettings) -> StopRules:
    return StopRules(
        page_limit=settings.getint("PAGE_LIMIT") or None,
        time_limit_s=settings.getfloat("TIME_LIMIT") or None,
        harvest_window=settings.getint("HARVEST_WINDOW") or None,
        harvest_min=settings.getint("HARVEST_MINIMUM"),
    )


def _now() -> datetime:
    return datetime.now(UTC)
