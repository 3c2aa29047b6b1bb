"""What Scrapy makes once for each crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class CrawlerPart:
    """A stage or an extension of one crawl. Its `__init__` raises NotConfigured where it is not wanted."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)
