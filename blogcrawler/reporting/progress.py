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
from blogcrawler.sentences import printable

if TYPE_CHECKING:
    from rich import console, progress
    from scrapy import Spider
    from scrapy.crawler import Crawler
else:
    console, progress = map(LazyModule, ("rich.console", "rich.progress"))

INTERVAL_S = 0.5
LONGEST_TITLE = 40
"""Longest title in the line, in characters."""


class Progress(Component):
    """Shows the phase of a crawl, its progress and the newest title; only on a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        quiet = settings["LOG_FILE"] or not settings.getbool("LOG_ENABLED")
        if not (sys.stderr.isatty() and quiet):
            raise NotConfigured
        super().__init__(crawler)
        self._bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.BarColumn(bar_width=20),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            console=console.Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._loop = create_looping_call(self._update)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
        """Begin."""
        self._bar.start()
        self._loop.start(INTERVAL_S)

    def spider_closed(self, spider: Spider) -> None:  # noqa: ARG002
        """Remove the line."""
        if self._loop.running:
            self._loop.stop()
        self._bar.stop()

    def _update(self) -> None:
        assert self.crawler.stats is not None
        tally = Tally(self.crawler.stats)
        elapsed = self._bar.tasks[0].elapsed or 0.0
        self._bar.update(self._task, total=_total(tally), completed=tally.posts, description=described(tally, elapsed))


def described(tally: Tally, elapsed_s: float) -> str:
    """Describe the progress of a crawl in a few words."""
    fetched = f"{tally.pages:,} {'page' if tally.pages == 1 else 'pages'} fetched"
    if tally.phase:
        return f"{tally.phase}: {fetched}"
    title = f": {printable(shortened(tally.newest_title))}" if tally.newest_title else ""
    total = _total(tally)
    if total is None:
        return f"{tally.posts:,} posts found, {fetched}, {tally.pending:,} waiting{title}"
    left_s = elapsed_s / tally.posts * (total - tally.posts) if tally.posts else 0
    left = f", about {duration(left_s)} left" if left_s else ""
    return f"fetching {tally.posts:,} of {total:,} posts{left}{title}"


def _total(tally: Tally) -> int | None:
    """Return the total number of posts if a source lists or announces it, and it is plausible; else None."""
    _, announced, _ = tally.found_of_expected or (0, 0, "")
    total = max(announced, tally.listed)
    return total if total >= max(tally.posts, 1) else None


def duration(seconds: float) -> str:
    """Format a duration in one unit: "50 s", "3 min", "2 h"."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


def shortened(title: str) -> str:
    """Shorten a title to fit into the line."""
    return title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…"
