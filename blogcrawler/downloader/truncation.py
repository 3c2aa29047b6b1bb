"""Recognise bodies that end too early, request them again, and mark those that stay cut off.

A gzip or deflate body that breaks off is decoded as far as it goes without an error; a body shorter than announced has
the flag `dataloss` if DOWNLOAD_FAIL_ON_DATALOSS is off. Both are retried RETRY_TIMES times, then delivered with the
flag `truncated`. The flag `partial`, of an HTTP/1.0 answer without a length, is normal and causes no retry.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares.retry import get_retry_request

from blogcrawler.component import Component
from blogcrawler.purposes import Purpose

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_CHUNK = 65_536
_STATS = "blogcrawler/downloader/truncated"


class TruncationMiddleware(Component):
    """Retries and marks truncated responses. Must see them before HttpCompressionMiddleware decodes them: its order is
    above 590."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._maxsize = crawler.settings.getint("DOWNLOAD_MAXSIZE")

    def process_response(self, request: Request, response: Response) -> Request | Response:
        if request.method == "HEAD" or not self._is_truncated(request, response):
            return response
        self.crawler.stats.inc_value(_STATS)
        again = self._retry(request)
        if again is None and Purpose.of(request.meta) is not Purpose.FILE:
            self.crawler.stats.inc_value(f"{_STATS}/kept")
        return again or response.replace(flags=[*response.flags, "truncated"])

    def _is_truncated(self, request: Request, response: Response) -> bool:
        if "dataloss" in response.flags:
            return True
        encodings = [
            coding.strip().lower()
            for value in response.headers.getlist("Content-Encoding")
            for coding in value.decode("latin-1").split(",")
        ]
        if len(encodings) != 1:
            return False
        return breaks_off(response.body, encodings[0], limit=request.meta.get("download_maxsize", self._maxsize))

    def _retry(self, request: Request) -> Request | None:
        if request.meta.get("dont_retry"):
            return None
        assert self.crawler.spider is not None
        return get_retry_request(
            request,
            spider=self.crawler.spider,
            reason="truncated body",
            stats_base_key=f"{_STATS}/retry",
            give_up_log_level="WARNING",
        )


def breaks_off(body: bytes, encoding: str, *, limit: int) -> bool:
    """True if a gzip or deflate body ends in the middle.

    False also for a body in another encoding than announced, and if more than `limit` bytes (0: no limit) are decoded.
    """
    if not body or encoding not in ("gzip", "x-gzip", "deflate"):
        return False
    # deflate comes with a zlib header or, against the standard, without
    windows = (31,) if encoding != "deflate" else (15, -15)
    for window in windows:
        try:
            return not _reaches_end(body, window, limit)
        except zlib.error:
            continue
    return False


def _reaches_end(body: bytes, window: int, limit: int) -> bool:
    decoder = zlib.decompressobj(window)
    size = 0
    while body and not decoder.eof:
        size += len(decoder.decompress(body, _CHUNK))
        if limit and size > limit:
            return True
        body = decoder.unconsumed_tail
    return decoder.eof
