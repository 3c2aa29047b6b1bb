"""The WARC files that hold the pages of posts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, BinaryIO

from blogcrawler.backend.warc import OPEN, SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

__all__ = ["open_segments", "segment_of"]

_SEGMENT = re.compile(rf"[\w.-]+{re.escape(SUFFIX)}", re.ASCII)


def segment_of(record: Record) -> str | None:
    """The name of the file that has the page of a post."""
    return (record.provenance.warc or "").partition("#")[0] or None


def open_segments(selection: Selection, named: set[str]) -> Iterator[tuple[str, BinaryIO]]:
    """The files of these names, and all others where all posts are chosen, in the order of their names, to be read.

    What is not there, or not yet whole, is told to `selection.on_lost`.
    """
    folder = selection.warcs if selection.warcs is not None and selection.warcs.is_dir() else None
    if folder is not None and selection.is_all:
        named = named | {file.name.removesuffix(OPEN) for file in folder.iterdir()}
    for name in sorted(filter(_SEGMENT.fullmatch, named)):
        if folder is None:
            selection.on_lost(name, "there is no folder of WARC files")
            continue
        try:
            source = (folder / name).open("rb")
        except OSError as error:
            is_written = (folder / f"{name}{OPEN}").exists()
            selection.on_lost(name, "a crawl is writing it" if is_written else error.strerror or str(error))
            continue
        with source:
            yield name, source
