"""The progress bar of a command that counts what it has done, on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as RichProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def advancing(what: str, total: int, *, is_shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show how much of `total` is done; what it gives is called for each, or with a number
    of them. Nothing is shown where there is no terminal.

    It is drawn on standard error, and leaves nothing there.
    """
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = is_shown and sys.stderr.isatty()
    with RichProgress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count=1: bar.advance(task, count)
