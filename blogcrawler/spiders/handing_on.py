"""Records that a crawl hands on besides those that it makes of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.downloader.in_flight import noting_read
from blogcrawler.items import Page
from blogcrawler.spiders.listed import ListedPosts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy import Request
    from scrapy.http import Response

    from blogcrawler.items import Record

__all__ = ["HandingOn"]


class HandingOn(ListedPosts):
    """A crawl that brings records of the archive into its outputs: those of its earlier parts, if it was cut short."""

    def _outputs_begin_anew(self) -> bool:
        """Will the outputs hold nothing but what this part of the crawl hands on?"""
        outputs = self.settings.getdict("FEEDS").values()
        return bool(outputs) and all(output.get("overwrite") for output in outputs)

    def _request_to_hand_on(self, records: Iterator[Record]) -> Request:
        request = self.kept(Page(self.home, b""))
        return request.replace(callback=self.hand_on, errback=None, cb_kwargs={"records": records})

    def hand_on(self, response: Response, records: Iterator[Record]) -> Iterator[Record]:
        """Records whose pages need not be fetched."""
        with self._ending_without_archive():
            yield from noting_read(response.meta, records)

    def _recalled(self, urls: Iterable[str]) -> Iterator[Record]:
        """The records of posts, from the archive."""
        for url in urls:
            record = self.archive.record(self.home, url)
            if record is not None:
                self.tally.recalled()
                yield record

    def _lacking_media(self, urls: Iterable[str]) -> Iterator[Record]:
        """The records of posts, files of which are to be asked for again."""
        for url in urls:
            record = self.archive.record(self.home, url)
            if record is not None:
                record.lacks_media = True
                yield record
