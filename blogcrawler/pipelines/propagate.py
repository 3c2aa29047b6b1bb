"""Last stage: propagate the record to the back end, in one transaction, and at the end to the other repositories.

These come last so that none of them loses or delays a record: they get what the archive has, and what they lack since
an earlier crawl.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable, Unchanged
from blogcrawler.pipelines.repositories import hand_over

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from blogcrawler.items import Record

__all__ = ["PropagatePipeline"]


class PropagatePipeline:
    """Keeps each record in the archive's database; a record that is there already is brought up to date.

    When the crawl ends, what the repositories of PROPAGATE_TO lack of its blog goes there.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self._homes: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """A stage for one crawl."""
        return cls(crawler)

    async def open_spider(self) -> None:
        """Open the archive."""
        settings = self.crawler.settings
        self.archive = Archive.open(settings["DATABASE_URL"], patience_s=settings.getfloat("DATABASE_PATIENCE"))

    async def close_spider(self) -> None:
        """Hand over to the repositories what they lack, and close the archive."""
        spider = self.crawler.spider
        if (home := getattr(spider, "home", None)) and not getattr(spider, "fatal", None):
            self._homes.add(str(home))
        self.archive.close()
        if self._homes:
            outcomes = await hand_over(self.crawler.settings, self._homes, lambda: self.crawler.crawling)
            assert self.crawler.stats is not None
            self.crawler.stats.set_value("blogcrawler/propagated", [vars(outcome) for outcome in outcomes])

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
        self._homes.add(item.blog)
        if saved == "same" and item.material is not None and item.material.is_update:
            told = f"{item.url} says what it said before."
            raise DropItem(told, log_level="DEBUG") from Unchanged(told)
        return item
