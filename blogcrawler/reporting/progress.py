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
    from rich import cells, console, progress
    from scrapy import Spider
    from scrapy.crawler import Crawler
else:
    cells, console, progress = map(LazyModule, ("rich.cells", "rich.console", "rich.progress"))

INTERVAL_S = 0.5
BAR_WIDTHS = {0: 8, 100: 20}
"""Width of the bar in columns, by minimum width of the terminal."""
CLOCK_WIDTH = 12
"""Columns of the elapsed time and the spinner, with the spaces between."""
TITLE_WIDTHS = 12, 40
"""Minimum and maximum columns of the title."""


class Progress(Component):
    """Shows the phase of a crawl, its progress and the newest title. Only on a terminal."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        quiet = settings["LOG_FILE"] or not settings.getbool("LOG_ENABLED")
        if not (sys.stderr.isatty() and quiet):
            raise NotConfigured
        super().__init__(crawler)
        terminal = console.Console(stderr=True)
        bar_width = max(bar for width, bar in BAR_WIDTHS.items() if terminal.width >= width)
        self._text_width = terminal.width - bar_width - CLOCK_WIDTH
        self._bar = progress.Progress(
            progress.SpinnerColumn(),
            progress.BarColumn(bar_width=bar_width),
            progress.TextColumn("{task.description}", markup=False),
            progress.TimeElapsedColumn(),
            console=terminal,
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)
        self._loop = create_looping_call(self._update)
        crawler.signals.connect(self.spider_opened, signals.spider_opened)
        crawler.signals.connect(self.spider_closed, signals.spider_closed)

    def spider_opened(self, spider: Spider) -> None:  # noqa: ARG002
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
        description = with_title(described(tally, elapsed), tally.newest_title, self._text_width)
        self._bar.update(self._task, total=_total(tally), completed=tally.posts_so_far, description=description)


def described(tally: Tally, elapsed_s: float) -> str:
    """Describe the progress of a crawl in a few words."""
    fetched = f"{tally.pages:,} {'page' if tally.pages == 1 else 'pages'} fetched"
    if tally.phase:
        return f"{tally.phase}: {fetched}"
    if not tally.pages:
        return "starting"
    total, found = _total(tally), tally.posts_so_far
    if total is None:
        return f"{found:,} {'post' if found == 1 else 'posts'} found, {fetched}, {tally.pending:,} waiting"
    left_s = elapsed_s / tally.posts * (total - found) if tally.posts else 0
    left = f", about {duration(left_s)} left" if left_s else ""
    return f"fetching {found:,} of {total:,} posts{left}"


def with_title(description: str, title: str | None, width: int) -> str:
    """Append the newest title to a description, within a `width` in columns; without the title if there is too little
    space."""
    least, most = TITLE_WIDTHS
    room = min(width - cells.cell_len(description) - 2, most)
    printed = printable(title or "")
    if not printed or room < least:
        return description
    return (
        f"{description}: {printed if cells.cell_len(printed) <= room else cells.set_cell_size(printed, room - 1) + '…'}"
    )


def _total(tally: Tally) -> int | None:
    """Return the total number of posts if a source lists or announces it, and it is plausible; else None."""
    _, announced, _ = tally.found_of_expected or (0, 0, "")
    total = max(announced, tally.listed)
    return total if total >= max(tally.posts_so_far, 1) else None


def duration(seconds: float) -> str:
    """Format a duration in one unit: "50 s", "3 min", "2 h"."""
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
