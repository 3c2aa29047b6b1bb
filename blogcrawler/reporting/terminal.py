"""What commands show on a terminal: a bar that counts what they have done, and tables."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from rich import console, progress, text
    from rich import table as tables
else:
    console, progress, tables, text = map(LazyModule, ("rich.console", "rich.progress", "rich.table", "rich.text"))


WHOLE = 10_000
"""Characters of a line that is no terminal's: each row is one line there, which other programs can search."""


@contextmanager
def advancing(what: str, total: int, *, is_shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show how much of `total` is done; what it gives is called for each, or with a number
    of them. Nothing is shown where there is no terminal.

    It is drawn on standard error, and leaves nothing there.
    """
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    )
    shown = is_shown and sys.stderr.isatty()
    with progress.Progress(*columns, console=console.Console(stderr=True), transient=True, disable=not shown) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count=1: bar.advance(task, count)


def plain_console() -> console.Console:
    """Standard output, whose lines are not broken where it is no terminal."""
    return console.Console(width=None if sys.stdout.isatty() else WHOLE)


def table(
    headings: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    numbers: Container[str] = (),
    **more: Any,  # noqa: ANN401
) -> tables.Table:
    """A table of texts; the columns below some headings hold numbers."""
    made = tables.Table(**more)
    for heading in headings:
        made.add_column(heading, overflow="fold", justify="right" if heading in numbers else "left")
    for row in rows:
        made.add_row(*map(text.Text, row))
    return made
