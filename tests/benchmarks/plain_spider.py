"""A spider as anyone would write it: each page's title, links and text. What a crawl costs is measured by it.

    python -m tests.benchmarks.plain_spider URLS RECORDS

URLS is a file with an address on each line, RECORDS the JSON Lines file that is written. Requests go through the proxy
that the environment names.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

SETTINGS = {"CONCURRENT_REQUESTS": 4, "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False}


class PlainSpider(Spider):
    """Fetches the pages whose addresses are in the file `urls`."""

    name = "plain"
    urls: str

    async def start(self) -> AsyncIterator[Request]:
        """A request for each address."""
        for url in Path(self.urls).read_text("utf-8").splitlines():
            yield Request(url, dont_filter=True)

    def parse(self, response: Response, **_: Any) -> Iterator[dict[str, Any]]:
        """The record of a page; none of what is no text."""
        if isinstance(response, TextResponse):
            yield {
                "url": response.url,
                "title": response.xpath("string(//title)").get(),
                "links": [response.urljoin(link) for link in response.xpath("//a/@href").getall()],
                "text": " ".join(response.xpath("//text()").getall()),
            }


def main() -> None:
    urls, records = sys.argv[1:]
    process = CrawlerProcess(SETTINGS | {"FEEDS": {records: {"format": "jsonlines"}}})
    process.crawl(PlainSpider, urls=urls)
    process.start()


if __name__ == "__main__":
    main()
