"""`scrapy export FORMAT TARGET`: the posts of the archive in a format of the world."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.backend.warc import WARC_FOLDER
from blogcrawler.command import ArchiveCommand, option
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.errors import BadArgument
from blogcrawler.export import FORMATS, OWN_LABELS, SCHEMA_NAME, STDOUT, Selection, Sender, export_schema
from blogcrawler.file_store import file_store
from blogcrawler.reporting import advancing, interruptible, told
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
HOW = "Name a format and a file or folder, as in: export jsonl posts.jsonl"


class Command(ArchiveCommand):
    """Exports posts of the archive."""

    arguments = "[options] FORMAT TARGET"
    summary = "Export the posts of the archive: blogcrawler export jsonl posts.jsonl"
    options = (
        option("--blog", metavar="URL", action="append", default=[], help="export this blog alone; may be given again"),
        option("--since", metavar="DATE", help="export what is new or was changed since then alone"),
        option(
            "--bag-info",
            metavar="LABEL=VALUE",
            action="append",
            default=[],
            help="what the bag-info.txt of a bag is to say; may be given again",
        ),
        option(
            "--media-url",
            metavar="URL",
            help="where the files of the posts will be online: wxr has them beside it, and names them there",
        ),
    )

    def long_desc(self) -> str:
        """What the arguments are."""
        formats = ", ".join(f"{name} ({made.summary})" for name, made in FORMATS.items())
        return (
            f"Exports the posts of the archive to TARGET, in a FORMAT: {formats}. TARGET is a file or a folder as the "
            f"format is, or - for standard output where the format is text. {SCHEMA_NAME} instead of a format writes "
            "the JSON Schema of a record."
        )

    def check(self, args: list[str], opts: argparse.Namespace) -> None:
        if len(args) != 2 or not all(args):
            raise UsageError(HOW)
        if args[0] not in (*FORMATS, SCHEMA_NAME):
            known = ", ".join(FORMATS)
            raise UsageError(f"There is no format {args[0]!r}; there are {known}, and {SCHEMA_NAME}.")
        if opts.bag_info and args[0] != "bagit":
            raise UsageError("--bag-info is for the format bagit alone.")
        if opts.media_url is not None and args[0] != "wxr":
            raise UsageError("--media-url is for the format wxr alone.")
        if opts.media_url is not None and not is_http(opts.media_url):
            raise UsageError(f"--media-url takes an address of the web, and not {opts.media_url!r}.")
        self._labels = _labels(opts.bag_info)
        self._since = None if opts.since is None else parse_since(opts.since)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Export."""
        name, target = args
        with told(), interruptible(f"Interrupted; {target} is as it was."):
            if name == SCHEMA_NAME:
                export_schema(target)
            else:
                self._export(name, target, opts)

    def _export(self, name: str, target: str, opts: argparse.Namespace) -> None:
        """Export the posts of some blogs, or of all, and say how many these were."""
        is_drawn = not (target == STDOUT and sys.stdout.isatty())
        count, lost = 0, dict[str, str]()
        with Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            if archive.file is not None and Path(target).resolve() == archive.file.resolve():
                raise BadArgument(f"{target} is the archive itself; give the name of another file to write.")
            files, warcs = file_store(self.settings), _warcs(self.settings)
            selection = Selection.of(archive, opts.blog, since=self._since, files=files, warcs=warcs)
            with advancing("posts exported", selection.count(), is_shown=is_drawn) as advance:

                def on_post() -> None:
                    nonlocal count
                    count += 1
                    advance()

                sender = Sender.of(self.settings, self._labels)
                called = replace(selection, on_post=on_post, on_lost=lost.__setitem__)
                FORMATS[name].export(replace(called, sender=sender, media_url=opts.media_url), target)
        if target != STDOUT:
            blogs = len(selection.blogs)
            of = "1 blog" if blogs == 1 else f"{blogs} blogs"
            print(f"{count} {'post' if count == 1 else 'posts'} of {of} exported to {target}.")
        if lost:
            print(_told(lost), file=sys.stderr)


def _warcs(settings: BaseSettings) -> Path | None:
    folder = Path(settings["ARCHIVE"]) / WARC_FOLDER
    return folder if folder.is_dir() else None


def _labels(given: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """What `--bag-info` says, the values of each label. Raises UsageError."""
    labels: dict[str, tuple[str, ...]] = {}
    for label, is_there, value in (text.partition("=") for text in given):
        if not is_there or not value.strip() or not _LABEL.fullmatch(label):
            raise UsageError("--bag-info takes LABEL=VALUE, as in: --bag-info 'Contact-Name=Ann Moe'")
        if label in OWN_LABELS:
            raise UsageError(f"{label} follows from the bag, and cannot be given.")
        labels[label] = (*labels.get(label, ()), value)
    return labels


def _told(lost: dict[str, str]) -> str:
    path, why = next(iter(lost.items()))
    files = "1 file or page is" if len(lost) == 1 else f"{len(lost)} files or pages are"
    return f"{files} not in the export: {path} ({why}). blogcrawler verify tells what of the archive is damaged."
