"""Renders pages with the project's settings, the way that a crawl does: a real browser, a real downloader."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerRunner

from blogcrawler.browser import Renderer
from blogcrawler.comments import controls, is_comment_frame
from tests.downloader.crawling import project_settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from scrapy.http import Response


@dataclass
class Shown:
    """What came of it; `pages` by the path that was asked for."""

    pages: dict[str, Response] = field(default_factory=dict)
    errors: dict[str, BaseException] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)

    def text(self, path: str) -> str:
        """What a page shows, without what its scripts are written in."""
        return " ".join(" ".join(self.pages[path].xpath("//body//text()[not(parent::script)]").getall()).split())

    @property
    def troubles(self) -> dict[str, int]:
        begin = "blogcrawler/rendering/troubles/"
        return {name.removeprefix(begin): count for name, count in self.stats.items() if name.startswith(begin)}


class _Probe(Spider):
    name = "probe"

    def __init__(self, *, paths: list[str], result: Shown, during: Any, check: Any, wish: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.paths, self.result, self.during, self.check, self.wish = paths, result, during, check, wish

    async def start(self):
        renderer = self.crawler.get_extension(Renderer)
        renderer.controls, renderer.is_wanted_frame = controls(), is_comment_frame
        for path in self.paths:
            meta = {"render": self.wish, "asked": path, "check_redirect": self.check}
            yield Request(f"{self.url}{path}", dont_filter=True, errback=self.failed, meta=meta)

    async def parse(self, response):
        self.result.pages[response.meta["asked"]] = response
        if self.during is not None:
            await self.during(self.crawler.get_extension(Renderer))

    def failed(self, failure):
        self.result.errors[failure.request.meta["asked"]] = failure.value


async def show(
    url: str,
    *paths: str,
    during: Callable[[Renderer], Awaitable[None]] | None = None,
    check: Callable[[str], str | None] | None = None,
    wish: bool | str = True,
    **settings: Any,
) -> Shown:
    """Fetch and render pages of the site at `url`; `during` is called after each, `check` of each redirect."""
    runner = AsyncCrawlerRunner(project_settings(RENDER="always", **settings))
    crawler = runner.create_crawler(_Probe)
    result = Shown()
    await runner.crawl(crawler, paths=list(paths), url=url, result=result, during=during, check=check, wish=wish)
    result.stats = crawler.stats.get_stats()
    return result
