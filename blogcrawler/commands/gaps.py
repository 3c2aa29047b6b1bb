"""`scrapy gaps [URL]`: what the archive knows it lacks, and the commands that try again."""

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
from blogcrawler.reporting import plain_console, printable, table, told
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from blogcrawler.backend import BlogRow
    from blogcrawler.gaps import Gap

HEADINGS = ("what", "why", "how many", "as", "tries again")
EXAMPLES = 3
"""Addresses that are shown of those that lack alike."""


class Command(ArchiveCommand):
    """Lists what the archive lacks."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        for url in args:
            parse_start_url(url)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print the gaps of some blogs, or of all."""
        with told(), Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            for blog in Selection.of(archive, args).blogs:
                if opts.jsonl:
                    _write(blog, find_gaps(archive, blog))
                else:
                    _show(blog, find_gaps(archive, blog))


def _write(blog: BlogRow, gaps: Iterable[Gap]) -> None:
    for gap in gaps:
        sys.stdout.write(json.dumps({"blog": blog.home, **asdict(gap)}, ensure_ascii=False) + "\n")


def _show(blog: BlogRow, gaps: Iterable[Gap]) -> None:
    """Print what lacks alike in one line, with some of the addresses."""
    found = alike(gaps, EXAMPLES)
    console = plain_console()
    if not found:
        console.print(Text(f"{blog.home}: nothing is missing, as far as the archive knows"))
        return
    rows = [
        (one.kind, printable(one.lacks), str(one.count), "\n".join(map(printable, one.examples)), one.command)
        for one in found
    ]
    title = Text(f"What is missing of {blog.home}")
    console.print(table(HEADINGS, rows, numbers={"how many"}, title=title, title_justify="left"))
