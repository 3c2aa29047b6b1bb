"""`blogcrawler export FORMAT TARGET`: write the posts of the archive in a standard format."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from blogcrawler.backend import Archive
from blogcrawler.backend.warc import WARC_FOLDER
from blogcrawler.choices import SCHEMA_NAME
from blogcrawler.command import ArchiveCommand
from blogcrawler.crawl.update.since import parse_since
from blogcrawler.errors import BadArgument
from blogcrawler.export import FORMATS, OWN_LABELS, STDOUT, Selection, Sender, export_schema
from blogcrawler.file_store import file_store
from blogcrawler.reporting import advancing, exit_on_error, interruptible
from blogcrawler.urls import is_http

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from scrapy.settings import BaseSettings

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class Command(ArchiveCommand):
    """Exports posts of the archive."""

    def check(self, args: list[str], opts: argparse.Namespace) -> None:  # noqa: ARG002
        if opts.media_url is not None and not is_http(opts.media_url):
            raise UsageError(f"--media-url must be an http or https URL, not {opts.media_url!r}.")
        self._labels = _labels(opts.bag_info)
        self._since = None if opts.since is None else parse_since(opts.since)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Export the posts, or the schema of a record."""
        name, target = args
        with exit_on_error(), interruptible(f"Interrupted. {target} is unchanged."):
            if name == SCHEMA_NAME:
                export_schema(target)
            else:
                self._export(name, target, opts)

    def _export(self, name: str, target: str, opts: argparse.Namespace) -> None:
        """Export the posts of the selected blogs, and print their number."""
        is_drawn = not (target == STDOUT and sys.stdout.isatty())
        count, lost = 0, dict[str, str]()
        with Archive.open(self.settings["DATABASE_URL"], make=False) as archive:
            if archive.file is not None and Path(target).resolve() == archive.file.resolve():
                raise BadArgument(f"{target} is the archive itself. Name another file.")
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
            print(_loss_message(lost), file=sys.stderr)


def _warcs(settings: BaseSettings) -> Path | None:
    folder = Path(settings["ARCHIVE"]) / WARC_FOLDER
    return folder if folder.is_dir() else None


def _labels(given: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the values of each label given with `--bag-info`. Raises UsageError."""
    labels: dict[str, tuple[str, ...]] = {}
    for label, is_there, value in (text.partition("=") for text in given):
        if not is_there or not value.strip() or not _LABEL.fullmatch(label):
            raise UsageError("--bag-info takes LABEL=VALUE, as in: --bag-info 'Contact-Name=Ann Moe'")
        if label in OWN_LABELS:
            raise UsageError(f"{label} is computed from the bag and cannot be set.")
        labels[label] = (*labels.get(label, ()), value)
    return labels


def _loss_message(lost: dict[str, str]) -> str:
    path, why = next(iter(lost.items()))
    files = "1 file or page is" if len(lost) == 1 else f"{len(lost)} files or pages are"
    return f"{files} missing from the export: {path} ({why}). Run blogcrawler verify to list damaged files."
