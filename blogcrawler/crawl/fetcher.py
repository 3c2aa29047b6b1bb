"""How a crawl asks for pages outside of the frontier: the one place in crawl/ that knows Scrapy's engine."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy import Request

from blogcrawler.browser import Renderer
from blogcrawler.capture import PLACE
from blogcrawler.crawl.browser_need import Rendering
from blogcrawler.crawl.conditional_requests import FeedAsker
from blogcrawler.crawl.feed_discovery import header
from blogcrawler.crawl.post_sources import robots_sitemaps
from blogcrawler.crawl.session_tokens import NO_SESSIONS, Sessions
from blogcrawler.downloader import KEPT_AT, RENDERED, SCREENSHOT, RevalidationMiddleware, ending_without_gate
from blogcrawler.downloader.in_flight import is_fetching, is_reading
from blogcrawler.items import Page
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.core.engine import ExecutionEngine
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class Fetcher:
    """Fetches what a crawl needs besides the frontier's pages: redirects, retries, robots.txt and delays apply.

    Addresses lose their session tokens on the way in and get them on the way out. `on_error` is called with each error
    of a request.
    """

    def __init__(self, crawler: Crawler, on_error: Callable[[BaseException], None]) -> None:
        self.crawler = crawler
        self._on_error = on_error
        #: of the site, while its addresses carry any
        self.sessions: Sessions = NO_SESSIONS
        is_always = str(crawler.settings["RENDER"]).strip().lower() == "always"
        #: which pages are read in a browser
        self.rendering = Rendering(of_posts=is_always, of_lists=is_always)

    @property
    def engine(self) -> ExecutionEngine:
        """Scrapy's engine, which is there as long as the crawl runs."""
        assert self.crawler.engine is not None
        return self.crawler.engine

    async def source(self, url: str, *, render: bool | str = False, **meta: object) -> Response:
        """Fetch a feed, a list, a sitemap or what else tells of posts."""
        answer = await self.download(self.sessions.renewed(url), render=render, **Purpose.SOURCE.meta | meta)
        return self.sessions.received(answer, url)

    async def post(self, url: str) -> Response:
        """Fetch the page of a post, in the browser if the blog needs that."""
        answer = await self.download(self.sessions.address(url), render=self.rendering.of_posts)
        return self.sessions.received(answer, url)

    async def download(self, url: str, *, render: bool | str = False, **meta: object) -> Response:
        """Fetch an address as it stands."""
        try:
            with ending_without_gate():
                return await self.engine.download_async(Request(url, dont_filter=True, meta={"render": render, **meta}))
        except Exception as error:
            self._on_error(error)
            raise

    async def render(self, page: Page, *, is_list: bool = False, titles: tuple[str, ...] = ()) -> Page | None:
        """A page that is at hand, as the browser shows it; None where it cannot show it."""
        renderer = self._renderer
        rendition = (
            await renderer.show(page, is_kept=True, is_list=is_list, titles=titles) if renderer is not None else None
        )
        return rendition.page if rendition is not None else None

    def use(self, sessions: Sessions) -> None:
        """Keep a site's tokens out of all that is read from now on, and of what the browser shows."""
        self.sessions = sessions
        if (renderer := self._renderer) is not None:
            renderer.border = sessions

    @property
    def can_try(self) -> bool:
        """True if it is still to be found out whether the blog needs a browser."""
        renderer = self._renderer
        return renderer is not None and renderer.can_render and renderer.mode == "auto"

    @property
    def is_measured(self) -> bool:
        """True if the blog was found to need a browser, so that its pages say nothing without."""
        renderer = self._renderer
        return renderer is not None and renderer.mode == "auto"

    def asker(self, *, is_unconditional: bool = False) -> FeedAsker:
        """What asks for feeds that were read before; `is_unconditional`: they are wanted although unchanged."""
        return FeedAsker(self.crawler, self.sessions, is_unconditional)

    async def robots_sitemaps(self, home: str) -> tuple[str, ...]:
        """The sitemaps of the home page's site that its robots.txt names."""
        return await robots_sitemaps(self.crawler, home, self.source)

    def has_validator(self, url: str) -> bool:
        """True if the server has given something by which it can tell whether a page has changed."""
        cache = self.crawler.get_downloader_middleware(RevalidationMiddleware)
        return isinstance(cache, RevalidationMiddleware) and cache.has_validator(Request(self.sessions.address(url)))

    @property
    def is_working(self) -> bool:
        """True while a page is under way, or a record is in the pipeline."""
        return is_fetching(self.crawler.engine)

    @property
    def is_reading(self) -> bool:
        """True while a page is under way that may lead to others."""
        return is_reading(self.crawler.engine)

    @property
    def _renderer(self) -> Renderer | None:
        return self.crawler.get_extension(Renderer)


def page_of(response: Response) -> Page:
    """What a record is made from, of a response.

    A page that has not changed since an earlier crawl says "2 days ago" as it did then: its time is that of its body.
    """
    before: float | None = response.meta.get(KEPT_AT, response.meta.get("cache_timestamp"))
    fetched = datetime.now(UTC) if before is None else datetime.fromtimestamp(before, UTC)
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
