"""What a crawl counts, told to the process that has started it while it is at work.

The crawl writes into an open file that it has inherited (COUNTS_FD), always from its beginning, and its parent reads
there: nothing is left behind when either of them is killed.
"""

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
"""Seconds between two times that a crawl tells them."""
SIZE = 4096
"""Bytes that they take; the rest is blanks, so that nothing of an earlier time is left behind them."""


@dataclass(frozen=True)
class Counts:
    """What a crawl has done so far."""

    pages: int = 0
    requests: int = 0
    #: that were not answered
    requests_failed: int = 0
    #: of the bodies of answers, as they came
    received_bytes: int = 0
    #: records, by what they did to the archive: new, changed, same
    saved: Mapping[str, int] = field(default_factory=dict)
    #: answers of servers, by their HTTP status
    statuses: Mapping[str, int] = field(default_factory=dict)

    def write(self, descriptor: int) -> None:
        """Tell them. Raises OSError."""
        os.pwrite(descriptor, json.dumps(asdict(self)).encode().ljust(SIZE), 0)

    @classmethod
    def read(cls, descriptor: int) -> Self | None:
        """What was told last; None where nothing was, or where it is being written."""
        try:
            told = json.loads(os.pread(descriptor, SIZE, 0))
            return cls(**{one.name: told[one.name] for one in fields(cls)})
        except (OSError, ValueError, KeyError, TypeError):
            return None


class CountsTeller(Component):
    """Tells the counts of a crawl every two seconds, and at its end."""

    def __init__(self, crawler: Crawler) -> None:
        self._descriptor = crawler.settings.getint("COUNTS_FD")
        if not self._descriptor:
            raise NotConfigured
        super().__init__(crawler)
        self._loop = create_looping_call(self._tell)
        self._statuses: Counter[str] = Counter()
        self._received_bytes = 0
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)
        # Scrapy's own count has pages, too, that a crawl has kept and reads once more
        crawler.signals.connect(self.response_downloaded, signals.response_downloaded)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        """Begin."""
        self._loop.start(INTERVAL_S)

    def spider_closed(self, spider: Spider) -> None:  # noqa: ARG002
        """Tell them for the last time."""
        if self._loop.running:
            self._loop.stop()
        self._tell()

    def response_downloaded(self, response: Response) -> None:
        """A server has answered."""
        self._statuses[str(response.status)] += 1
        self._received_bytes += len(response.body)

    def _tell(self) -> None:
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
