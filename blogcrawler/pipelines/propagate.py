"""Last stage: propagate the record to the back end, in one transaction, and at the end to the other repositories.

These come last so that none of them loses or delays a record: they get what the archive has, and what they lack since
an earlier crawl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from blogcrawler.crawl.records import keep_record
from blogcrawler.errors import BackendUnavailable, RedisUnavailable, Unchanged
from blogcrawler.pipelines.repositories import hand_over

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from blogcrawler.backend.archive import Saved
    from blogcrawler.items import Record


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

    async def close_spider(self) -> None:
        """Hand over to the repositories what they lack."""
        spider = self.crawler.spider
        if (home := getattr(spider, "home", None)) and not getattr(spider, "fatal", None):
            self._homes.add(str(home))
        if self._homes:
            outcomes = await hand_over(self.crawler.settings, self._homes, lambda: self.crawler.crawling)
            assert self.crawler.stats is not None
            self.crawler.stats.set_value("blogcrawler/propagated", [vars(outcome) for outcome in outcomes])

    async def process_item(self, item: Record) -> Record:
        """Keep one record, with what was known of the post.

        An archive that cannot be written drops it: BackendUnavailable is the drop's cause. So does an update that has
        nothing new to say: then it is Unchanged.
        """
        spider: Any = self.crawler.spider
        self._homes.add(item.blog)
        try:
            saved = keep_record(spider.ctx, item)
        except Unchanged as error:
            self._count("same")
            raise DropItem(str(error), log_level="DEBUG") from error
        except (BackendUnavailable, RedisUnavailable) as error:
            raise DropItem(str(error), log_level="ERROR") from error
        self._count(saved)
        return item

    def _count(self, saved: Saved) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.inc_value(f"blogcrawler/saved/{saved}")
