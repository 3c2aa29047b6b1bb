"""Last stage: propagate the record to the back end, in one transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from blogcrawler.items import Record

__all__ = ["PropagatePipeline"]


class PropagatePipeline:
    """Keeps each record in the archive's database; a record that is there already is brought up to date."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl."""
        return cls(crawler)

    async def open_spider(self) -> None:
        """Open the archive."""
        self.archive = Archive.open(self.crawler.settings["DATABASE_URL"])

    async def close_spider(self) -> None:
        """Close the archive."""
        self.archive.close()

    async def process_item(self, item: Record) -> Record:
        """Keep one record."""
        self.archive.save_record(item, now=datetime.now(UTC))
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value("blogcrawler/propagate/records")
        return item
