"""Fetches URLs with the project's settings, the way that a crawl does."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerRunner
from scrapy.settings import Settings

if TYPE_CHECKING:
    from scrapy.http import Response

#: fast, and without what other rooms bring
_FOR_TESTS = {
    "AUTOTHROTTLE_ENABLED": False,
    "COMMANDS_MODULE": "",
    "DOWNLOAD_DELAY": "0",  # as -s gives it
    "HTTPCACHE_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "ITEM_PIPELINES": {},
    "ROBOTSTXT_OBEY": False,
    "SPIDER_MODULES": [],
    "WARC": False,
}


@dataclass
class Fetched:
    """What came of a crawl; `pages` in the order of arrival, `errors` by the URL that was asked for."""

    pages: list[Response] = field(default_factory=list)
    errors: dict[str, BaseException] = field(default_factory=dict)
    stats: dict[str, Any] = field(default_factory=dict)

    @property
    def bodies(self) -> list[bytes]:
        return [page.body for page in self.pages]


class _Probe(Spider):
    name = "probe"

    def __init__(self, *, urls: list[str], meta: dict[str, Any], result: Fetched, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.urls, self.meta, self.result = urls, meta, result

    async def start(self):
        for address in self.urls:
            meta = {"handle_httpstatus_all": "redirect" not in self.meta, "asked": address, **self.meta}
            yield Request(address, dont_filter=True, errback=self.failed, meta=meta)

    def parse(self, response):
        self.result.pages.append(response)

    def failed(self, failure):
        self.result.errors[failure.request.meta["asked"]] = failure.value


def project_settings(**overrides: Any) -> Settings:
    settings = Settings()
    settings.setmodule("blogcrawler.settings")
    settings.setdict({**_FOR_TESTS, **overrides}, priority="cmdline")
    return settings


async def fetch(*urls: str, start: str | None = None, meta: dict[str, Any] | None = None, **settings: Any) -> Fetched:
    """Fetch `urls` in a crawl whose start URL is `start` (default: the first). Meta `redirect` follows redirects."""
    runner = AsyncCrawlerRunner(project_settings(**settings))
    crawler = runner.create_crawler(_Probe)
    result = Fetched()
    await runner.crawl(crawler, urls=list(urls), url=start or urls[0], meta=meta or {}, result=result)
    result.stats = crawler.stats.get_stats()
    return result
