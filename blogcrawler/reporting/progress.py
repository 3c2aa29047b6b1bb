"""The live progress line on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

from blogcrawler.component import Component
from blogcrawler.lazy import LazyModule
from blogcrawler.reporting.tally import Tally

if TYPE_CHECKING:
    from rich import console, progress
    from scrapy import Spider
    from scrapy.crawler import Crawler
else:
    console, progress = map(LazyModule, ("rich.console", "rich.progress"))

INTERVAL_S = 0.5


class Progress(Component):
    """Shows pages fetched, posts found, the queue and the rate while a crawl runs; only on a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        quiet = settings["LOG_FILE"] or not settings.getbool("LOG_ENABLED")
        if not (sys.stderr.isatty() and quiet):
            raise NotConfigured
        super().__init__(crawler)
        self._bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            console=console.Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("starting")
        self._loop = create_looping_call(self._update)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        """Begin."""
        self._bar.start()
        self._loop.start(INTERVAL_S)

    def spider_closed(self, spider: Spider) -> None:  # noqa: ARG002
        """End, and leave the line empty."""
        if self._loop.running:
            self._loop.stop()
        self._bar.stop()

    def _update(self) -> None:
        assert self.crawler.stats is not None
        tally = Tally(self.crawler.stats)
        elapsed = self._bar.tasks[0].elapsed or 0.0
        rate = tally.pages / elapsed if elapsed else 0.0
        self._bar.update(
            self._task,
            description=f"{tally.pages} pages fetched, {tally.posts} posts found, "
            f"{tally.pending} URLs queued, {rate:.1f} pages/s",
        )
