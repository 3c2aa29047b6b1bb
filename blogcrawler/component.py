"""What middlewares, extensions and pipeline stages have in common: Scrapy makes each of them from a crawler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class Component:
    """A part of one crawl, which reads its settings when it is made. Raises NotConfigured where it is not wanted."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """The component of a crawler; Scrapy's way of making it."""
        return cls(crawler)
