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
"""Columns that the bar has on terminals of so many columns or more."""
CLOCK_WIDTH = 16
"""Columns that the clock takes, with the sign that turns, the spaces between, and the terminal's echo of Ctrl-C; if the
echo did not fit into the line, the line would remain on the terminal."""
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
        (task,) = self._bar.tasks
        text = described(tally, task.elapsed or 0.0, is_stopping=not self.crawler.crawling)
        # not by `update`, which would stop the clock as soon as all posts are found
        task.total, task.completed = _total(tally), tally.posts_so_far
        task.description = with_title(text, tally.newest_title, self._text_width)


def described(tally: Tally, elapsed_s: float, *, is_stopping: bool = False) -> str:
    """Describe the progress of a crawl in a few words."""
    total, found = _total(tally), tally.posts_so_far
    if is_stopping:
        return ": ".join(filter(None, ["stopping", _counted(tally)]))
    if tally.phase:
        return ": ".join([tally.phase, *_count(tally.pages, "page", "fetched")])
    if not tally.pages:
        return "starting"
    if total is None:
        return ", ".join([_counted(tally), *([f"{tally.pending:,} waiting"] if tally.pending else [])])
    if found == total:
        return f"{_counted(tally)}, finishing"
    left_s = elapsed_s / tally.posts * (total - found) if tally.posts else 0
    left = f", about {duration(left_s)} left" if round(left_s) else ""
    return f"fetching {found:,} of {total:,} posts{left}"


def _counted(tally: Tally) -> str:
    """The number of posts and its total; if this is unknown, the numbers of posts and pages that are not 0."""
    total, found = _total(tally), tally.posts_so_far
    if total is not None:
        return f"{found:,} of {total:,} posts fetched"
    return ", ".join([*_count(found, "post", "found"), *_count(tally.pages, "page", "fetched")])


def _count(number: int, name: str, done: str) -> list[str]:
    return [f"{number:,} {name if number == 1 else f'{name}s'} {done}"] if number else []


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
    for unit, size in (("s", 1), ("min", 60)):
        if (number := round(seconds / size)) < 60:
            return f"{number} {unit}"
    return f"{seconds / 3600:.0f} h"
