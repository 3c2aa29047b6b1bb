"""`blogcrawler gaps [URL…]`: list what is missing from the archive, and the commands that try again."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.text import Text

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.export import Selection
from blogcrawler.gaps import alike, find_gaps
from blogcrawler.reporting import exit_on_error, plain_console, printable, table
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from blogcrawler.backend import BlogRow
    from blogcrawler.gaps import Gap

HEADINGS = ("missing", "reason", "number", "examples", "command to try again")
EXAMPLES = 3
"""Example URLs shown for each reason."""


class Command(ArchiveCommand):
    """Lists missing posts, comments, files and fields."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        for url in args:
            parse_start_url(url)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the gaps of the given blogs, or of all."""
        with exit_on_error(), Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            for blog in Selection.of(archive, args).blogs:
                if opts.jsonl:
                    _write(blog, find_gaps(archive, blog))
                else:
                    _show(blog, find_gaps(archive, blog))


def _write(blog: BlogRow, gaps: Iterable[Gap]) -> None:
    for gap in gaps:
        sys.stdout.write(json.dumps({"blog": blog.home, **asdict(gap)}, ensure_ascii=False) + "\n")


def _show(blog: BlogRow, gaps: Iterable[Gap]) -> None:
    """Print the gaps grouped by reason, each group with example URLs."""
    found = alike(gaps, EXAMPLES)
    console = plain_console()
    if not found:
        console.print(Text(f"{blog.home}: nothing is known to be missing"))
        return
    rows = [
        (one.kind, printable(one.lacks), str(one.count), "\n".join(map(printable, one.examples)), one.command)
        for one in found
    ]
    title = Text(f"Missing from {blog.home}")
    console.print(table(HEADINGS, rows, numbers={"number"}, title=title, title_justify="left"))
