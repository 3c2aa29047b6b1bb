"""Counts during a crawl that only its report needs."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import signals

from blogcrawler.purposes import Purpose
from blogcrawler.reporting import Tally

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from blogcrawler.items import Record

MOST_POINTS = 400
FAILED = 400
"""Smallest status of an error (RFC 9110, section 15)."""


class Curve:
    """A curve of points (x, y) with ascending x. Old points are thinned out as the curve grows. Amortised O(1) per
    point."""

    def __init__(self) -> None:
        self._points = [(0, 0)]
        self._last = (0, 0)
        self._step = 1

    def note(self, x: int, y: int) -> None:
        """Add a point; it replaces a point with the same x."""
        self._last = x, y
        if x < self._points[-1][0] + self._step:
            return
        self._points.append(self._last)
        if len(self._points) > MOST_POINTS:
            del self._points[1::2]
            self._step *= 2

    @property
    def points(self) -> list[tuple[int, int]]:
        """Return the points of the curve, from (0, 0) to its end."""
        return [*self._points, self._last] if self._points[-1] != self._last else self._points


@dataclass
class Asked:
    """Counts of the requests of one purpose."""

    requests: int = 0
    #: requests with a response, and with a response that is no error
    answered: int = 0
    good: int = 0
    #: total size of the bodies, as transferred
    bytes: int = 0


@dataclass
class SourceCount:
    """Counts of the values of one field that came from one source."""

    records: int = 0
    #: sum of their confidences
    confidence: float = 0.0
    #: numbers of values that are sure, and that are fair
    sure: int = 0
    fair: int = 0


class Watch:
    """Counts requests by purpose, posts found by pages fetched, and field values by source and confidence."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.asked: dict[Purpose, Asked] = defaultdict(Asked)
        self.harvest = Curve()
        #: by field and source
        self.read: dict[tuple[str, str], SourceCount] = defaultdict(SourceCount)
        crawler.signals.connect(self._note_request, signals.request_reached_downloader)
        crawler.signals.connect(self._note_answer, signals.response_downloaded)
        crawler.signals.connect(self._note_record, signals.item_scraped)

    def _note_request(self, request: Request) -> None:
        self.asked[Purpose.of(request.meta)].requests += 1
        self.note_harvest()

    def _note_answer(self, response: Response, request: Request) -> None:
        asked = self.asked[Purpose.of(request.meta)]
        asked.answered += 1
        asked.good += response.status < FAILED
        asked.bytes += len(response.body)

    def _note_record(self, item: Record) -> None:
        for name, origin in item.provenance.fields.items():
            read = self.read[name, origin.source]
            read.records += 1
            read.confidence += origin.confidence
            read.sure += origin.trust == "sure"
            read.fair += origin.trust == "fair"
        self.note_harvest()

    def note_harvest(self) -> None:
        """Add the current number of posts to the curve."""
        assert self._crawler.stats is not None
        tally = Tally(self._crawler.stats)
        self.harvest.note(tally.pages, tally.posts)
