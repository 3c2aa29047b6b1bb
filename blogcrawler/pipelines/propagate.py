"""Last stage: propagate the record to the back end, in one transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable, Unchanged

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
        """Keep one record, with what was known of the post.

        An archive that cannot be written drops it: BackendUnavailable is the drop's cause. So does an update that has
        nothing new to say: then it is Unchanged.
        """
        try:
            earlier = self.archive.record(item.blog, item.url)
            if earlier is not None:
                item.complete_from(earlier)
                if not self.crawler.settings.getbool("MEDIA"):
                    item.keep_media(earlier)
            saved = self.archive.save_record(item, now=datetime.now(UTC), is_read=item.material is not None)
        except BackendUnavailable as error:
            raise DropItem(str(error), log_level="ERROR") from error
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"blogcrawler/saved/{saved}")
        if saved == "same" and item.material is not None and item.material.is_update:
            told = f"{item.url} says what it said before."
            raise DropItem(told, log_level="DEBUG") from Unchanged(told)
        return item
