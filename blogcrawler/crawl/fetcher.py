"""Fetch pages outside of the frontier: the only module in crawl/ that knows Scrapy's engine."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from scrapy import Request

from blogcrawler.backend import FeedState
from blogcrawler.browser import Renderer
from blogcrawler.browser.need import Rendering
from blogcrawler.capture import PLACE
from blogcrawler.crawl.sessions import NO_SESSIONS, Sessions
from blogcrawler.downloader import (
    CAPTURE,
    KEPT_AT,
    NOT_CAPTURED,
    RENDERED,
    SCREENSHOT,
    CapturedPages,
    RevalidationMiddleware,
    RobotsTxtMiddleware,
    ending_without_gate,
    named_sitemaps,
)
from blogcrawler.downloader.in_flight import is_fetching, is_reading
from blogcrawler.downloader.reasons import sentence_of, status_reason
from blogcrawler.errors import BadArgument, Unreachable
from blogcrawler.feeds.fetch import page_at
from blogcrawler.items import Page
from blogcrawler.purposes import Purpose
from blogcrawler.urls import canonicalise, same_site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.items import Record
    from blogcrawler.sources import Capture, CapturedBlog


NO_CONDITIONS = frozenset({400, 412, 431})
"""Answers of servers that cannot handle a conditional request."""
NOT_MODIFIED = 304
FOR_GOOD = frozenset({301, 308})
"""Redirects after which the new address is to be used (RFC 9110, sections 15.4.2 and 15.4.9)."""


class Fetcher:
    """Fetches what a crawl needs besides the frontier's pages: redirects, retries, robots.txt and delays apply.

    Session tokens are removed from received addresses and added to requested ones. `on_error` is called with each error
    of a request.
    """

    def __init__(self, crawler: Crawler, on_error: Callable[[BaseException], None]) -> None:
        self.crawler = crawler
        self._on_error = on_error
        #: session tokens of the site, if its addresses carry any
        self.sessions: Sessions = NO_SESSIONS
        is_always = str(crawler.settings["RENDER"]).strip().lower() == "always"
        #: the pages that are read in a browser
        self.rendering = Rendering(of_posts=is_always, of_lists=is_always)

    @property
    def engine(self) -> ExecutionEngine:
        """Scrapy's engine, which exists while the crawl runs."""
        assert self.crawler.engine is not None
        return self.crawler.engine

    async def get(
        self, url: str, purpose: Purpose = Purpose.SOURCE, *, render: bool | str | None = None, **meta: object
    ) -> Page:
        """Fetch a page of the blog, a feed, a sitemap or another source of posts.

        Pages are rendered in the browser if the blog needs that; `render` overrides this, see `downloader.render`.
        """
        is_page = purpose is Purpose.PAGE
        address = self.sessions.address(url) if is_page else self.sessions.renewed(url)
        is_rendered = is_page and self.rendering.of_posts if render is None else render
        return self.sessions.inward(await self.download(address, render=is_rendered, **purpose.meta | meta), url)

    async def download(self, url: str, *, render: bool | str = False, **meta: object) -> Page:
        """Fetch an address unchanged, without handling session tokens."""
        request = Request(url, dont_filter=True, meta={"render": render, **meta})
        try:
            with ending_without_gate():
                return page_of(await self.engine.download_async(request))
        except Exception as error:
            self._on_error(error)
            raise

    async def render(self, page: Page, *, is_list: bool = False, titles: tuple[str, ...] = ()) -> Page | None:
        """A page, fetched earlier, as the browser renders it; None if that fails."""
        if (renderer := self._renderer) is None:
            return None
        rendition = await renderer.show(page, is_kept=True, is_list=is_list, titles=titles)
        return rendition.page if rendition is not None else None

    def use(self, sessions: Sessions) -> None:
        """Use these session tokens: remove them from all pages that are read from now on, and add them to the browser's
        requests."""
        self.sessions = sessions
        if (renderer := self._renderer) is not None:
            renderer.border = sessions

    @property
    def captured(self) -> CapturedBlog | None:
        """The captures that the crawl reads instead of the web; None for a crawl of the web."""
        pages = self.crawler.get_extension(CapturedPages)
        return None if pages is None else pages.blog

    @property
    def can_try(self) -> bool:
        """True if it is undecided whether the blog needs a browser, and a browser is available."""
        return self.is_measured and self._renderer is not None and self._renderer.can_render

    @property
    def is_measured(self) -> bool:
        """True if the setting RENDER lets the crawl find out whether the blog needs a browser."""
        return self._renderer is not None and self._renderer.mode == "auto"

    async def robots_sitemaps(self, home: str) -> tuple[str, ...]:
        """The sitemaps of the home page's site that its robots.txt names; fetches robots.txt only if it was not fetched
        before."""
        robots = self.crawler.get_downloader_middleware(RobotsTxtMiddleware)
        if isinstance(robots, RobotsTxtMiddleware):
            named: Iterable[str] = robots.sitemaps(home)
        else:
            page = await page_at(urljoin(home, "/robots.txt"), self.get)
            named = named_sitemaps(page.body, page.url) if page is not None else ()
        urls = []
        for url in named:
            with suppress(BadArgument):
                urls.append(canonicalise(url))
        return tuple(url for url in urls if same_site(url, home))

    def has_validator(self, url: str) -> bool:
        """True if a stored answer has a validator, by which the server can tell whether the page has changed."""
        cache = self.crawler.get_downloader_middleware(RevalidationMiddleware)
        return isinstance(cache, RevalidationMiddleware) and cache.has_validator(Request(self.sessions.address(url)))

    @property
    def is_working(self) -> bool:
        """True while a page is in flight or a record is in the pipeline."""
        return self.is_fetching()

    def is_fetching(self, *, aside: int = 0) -> bool:
        """True while a page is in flight, or more than `aside` records are in the pipeline."""
        return is_fetching(self.engine, aside)

    @contextmanager
    def not_counting(self, record: Record) -> Iterator[None]:
        """Do not count the size of a record's page meanwhile; otherwise it would keep other pages from being
        fetched."""
        slot = self.engine.scraper.slot
        assert slot is not None
        size = 0 if record.material is None else len(record.material.page.body)
        slot.active_size -= size
        try:
            yield
        finally:
            slot.active_size += size

    @property
    def is_reading(self) -> bool:
        """True while a page is in flight that may lead to other pages."""
        return is_reading(self.crawler.engine)

    @property
    def _renderer(self) -> Renderer | None:
        return self.crawler.get_extension(Renderer)


@dataclass(frozen=True)
class FeedAsker:
    """Requests feeds that were read before, conditionally."""

    fetcher: Fetcher
    #: whether to fetch unchanged feeds, too
    is_unconditional: bool = False

    async def ask(self, state: FeedState) -> Page | None:
        """Fetch a feed; None if it has not changed (RFC 9110, section 13). Raises Unreachable."""
        url, sessions, engine = state.url, self.fetcher.sessions, self.fetcher.engine
        known = {"If-None-Match": state.etag, "If-Modified-Since": state.last_modified}
        headers = {name: value for name, value in known.items() if value and not self.is_unconditional}
        meta = {"dont_cache": True, **Purpose.SOURCE.meta}
        request = Request(sessions.renewed(url), headers=headers, dont_filter=True, meta=meta)
        try:
            with ending_without_gate():
                response = await engine.download_async(request)
                if headers and response.status in NO_CONDITIONS:
                    response = await engine.download_async(request.replace(headers={}))
        except Exception as error:
            raise Unreachable(f"{url} cannot be fetched: {sentence_of(error)}", url=url) from error
        if response.status >= 500 or response.status == 429:
            raise Unreachable(f"{url} answered {status_reason(response.status)}; try again later.", url=url)
        return sessions.inward(page_of(response), url) if response.status != NOT_MODIFIED else None


def state_of(page: Page, url: str) -> FeedState:
    """The state to store for the next request of a feed: validators, and the new address after a permanent redirect."""
    return FeedState(page.url if page.has_moved else url, page.header("etag"), page.header("last-modified"))


def page_of(response: Response) -> Page:
    """The page of a response.

    A page that is unchanged since an earlier crawl, or was captured by others, still says "2 days ago", so it gets the
    time at which its body was fetched.
    """
    before: float | None = response.meta.get(KEPT_AT, response.meta.get("cache_timestamp"))
    fetched = datetime.now(UTC) if before is None else datetime.fromtimestamp(before, UTC)
    capture: Capture | None = response.meta.get(CAPTURE)
    fetched = fetched if capture is None else capture.time
    headers = {
        name.decode("latin-1").lower(): tuple(value.decode("latin-1") for value in values)
        for name, values in response.headers.items()
    }
    reasons = response.meta.get("redirect_reasons", [])
    return Page(
        response.url,
        response.body,
        (response.headers.get("Content-Type") or b"").decode("latin-1") or None,
        response.status,
        fetched.isoformat(timespec="seconds"),
        is_rendered=RENDERED in response.flags,
        is_cut="truncated" in response.flags,
        screenshot=response.meta.get(SCREENSHOT),
        warc=response.meta.get(PLACE),
        capture=None if capture is None else capture.reference,
        headers=headers,
        has_moved=bool(reasons) and FOR_GOOD.issuperset(reasons),
        is_not_captured=NOT_CAPTURED in response.flags,
    )
