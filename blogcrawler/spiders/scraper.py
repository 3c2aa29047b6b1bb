"""Replaces Scrapy's scraper, to process a page's results with few tasks.

Scrapy creates CONCURRENT_ITEMS tasks for each page, although most pages lead to at most one record. This uses a private
part of Scrapy 2.19, as the tests of crawls check.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.core.scraper import Scraper as ScrapyScraper
from scrapy.utils.asyncgen import as_async_generator
from scrapy.utils.defer import aiter_errback

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable

    from scrapy.http import Response
    from twisted.python.failure import Failure


class Scraper(ScrapyScraper):
    """Creates a task for each record, up to CONCURRENT_ITEMS at a time."""

    async def handle_spider_output_async(
        self, result: Iterable[Any] | AsyncIterator[Any], request: Request, response: Response | Failure
    ) -> None:
        """Schedule the requests of a page, and pass its records to the pipeline."""
        watched = aiter_errback(as_async_generator(result), self.handle_spider_error, request, response)
        under_way: set[asyncio.Task[None]] = set()
        async for one in watched:
            if isinstance(one, Request):
                self.crawler.engine.crawl(one)
            elif one is not None:
                if len(under_way) >= self.concurrent_items:
                    await asyncio.wait(under_way, return_when=asyncio.FIRST_COMPLETED)
                task = asyncio.create_task(self.start_itemproc_async(one, response=response))
                under_way.add(task)
                task.add_done_callback(under_way.discard)
        await asyncio.gather(*under_way)
