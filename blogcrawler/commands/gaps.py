"""`blogcrawler gaps [URL…]`: list what is missing from the archive, and the commands that try again."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

from blogcrawler.backend import Archive
from blogcrawler.command import ArchiveCommand
from blogcrawler.export import Selection
from blogcrawler.gaps import Kind, alike, find_gaps
from blogcrawler.reporting import exit_on_error, printable
from blogcrawler.urls import parse_start_url

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from blogcrawler.backend import BlogRow
    from blogcrawler.gaps import Alike, Gap

NOUNS = {
    Kind.POST: ("post", "posts"),
    Kind.COMMENTS: ("comment", "comments"),
    Kind.FILE: ("file", "files"),
    Kind.FIELD: ("post", "posts"),
}
"""The noun for each kind of gap, in singular and plural."""
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
    """Print the gaps grouped by reason, each group with example URLs, and each command below the gaps that it closes.

    URLs and commands are printed whole, so that they can be copied; a terminal wraps long ones.
    """
    groups = alike(gaps, EXAMPLES)
    print(f"Missing from {blog.home}:" if groups else f"{blog.home}: nothing is known to be missing")
    for command in dict.fromkeys(group.command for group in groups):
        for group in groups:
            if group.command == command:
                _show_group(group)
        print(f"  To try again: {command}")


def _show_group(group: Alike) -> None:
    print(f"  {group.count:,} {NOUNS[group.kind][group.count != 1]}: {printable(group.lacks)}")
    for url in group.examples:
        print(f"    {printable(url)}")
    if group.gaps > len(group.examples):
        print(f"    and {group.gaps - len(group.examples):,} more; --jsonl lists all")
