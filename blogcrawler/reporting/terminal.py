"""Progress bars and tables on a terminal."""

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
"""Line width without a terminal: each row of a table is one line, so that other programs can search it."""


@contextmanager
def advancing(label: str, total: int, *, is_shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show a progress bar on standard error; call the yielded function with the number of steps done (default 1).
    Nothing is shown without a terminal, and nothing is left there at the end."""
    columns = (
        progress.TextColumn("{task.description}", markup=False),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeElapsedColumn(),
    )
    is_terminal = is_shown and sys.stderr.isatty()
    with progress.Progress(
        *columns, console=console.Console(stderr=True), transient=True, disable=not is_terminal
    ) as bar:
        task = bar.add_task(label, total=total)
        yield lambda count=1: bar.advance(task, count)


def plain_console() -> console.Console:
    """Return a console for standard output that wraps lines only on a terminal."""
    return console.Console(width=None if sys.stdout.isatty() else WHOLE)


def table(
    headings: Iterable[str],
    rows: Iterable[Iterable[str]],
    *,
    numbers: Container[str] = (),
    **more: Any,  # noqa: ANN401
) -> tables.Table:
    """Return a table of texts; columns whose headings are in `numbers` are right-aligned."""
    new_table = tables.Table(**more)
    for heading in headings:
        new_table.add_column(heading, overflow="fold", justify="right" if heading in numbers else "left")
    for row in rows:
        new_table.add_row(*map(text.Text, row))
    return new_table
