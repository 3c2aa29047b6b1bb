"""Counts of a running crawl, for the process that started it. The crawl overwrites an open file that it has inherited
(COUNTS_FD), and its parent reads it: nothing is left behind when either process is killed."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Self

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from blogcrawler.component import Component
from blogcrawler.reporting.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response

INTERVAL_S = 2.0
"""Seconds between two updates."""
SIZE = 4096
"""Bytes of the file; padded with blanks, so that nothing of an earlier, longer text remains."""


@dataclass(frozen=True)
class Counts:
    """What a crawl has done so far."""

    pages: int = 0
    requests: int = 0
    #: requests without an answer
    requests_failed: int = 0
    #: size of the bodies of all answers, as transferred
    received_bytes: int = 0
    #: records by effect on the archive: new, changed, same
    saved: Mapping[str, int] = field(default_factory=dict)
    #: answers by HTTP status
    statuses: Mapping[str, int] = field(default_factory=dict)

    def write(self, descriptor: int) -> None:
        """Overwrite the file with these counts. Raises OSError."""
        os.pwrite(descriptor, json.dumps(asdict(self)).encode().ljust(SIZE), 0)

    @classmethod
    def read(cls, descriptor: int) -> Self | None:
        """Return the latest counts; None if there are none yet or they are being written."""
        try:
            values = json.loads(os.pread(descriptor, SIZE, 0))
            return cls(**{field.name: values[field.name] for field in fields(cls)})
        except (OSError, ValueError, KeyError, TypeError):
            return None


class CountsWriter(Component):
    """Writes the counts of a crawl every two seconds and at its end."""

    def __init__(self, crawler: Crawler) -> None:
        self._descriptor = crawler.settings.getint("COUNTS_FD")
        if not self._descriptor:
            raise NotConfigured
        super().__init__(crawler)
        self._loop = create_looping_call(self._write)
        self._statuses: Counter[str] = Counter()
        self._received_bytes = 0
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        # Scrapy's own count also has pages from the cache of a resumed crawl
        crawler.signals.connect(self.response_downloaded, signals.response_downloaded)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        self._loop.start(INTERVAL_S)

    def spider_closed(self, spider: Spider) -> None:  # noqa: ARG002
        """Write the final counts."""
        if self._loop.running:
            self._loop.stop()
        self._write()

    def response_downloaded(self, response: Response) -> None:
        self._statuses[str(response.status)] += 1
        self._received_bytes += len(response.body)

    def _write(self) -> None:
        stats = self.crawler.stats
        assert stats is not None
        tally = Tally(stats)
        Counts(
            pages=tally.pages,
            requests=tally.requests,
            requests_failed=int(stats.get_value("downloader/exception_count", 0)),
            received_bytes=self._received_bytes,
            saved=tally.saved,
            statuses=dict(self._statuses),
        ).write(self._descriptor)
