"""The WARC files that hold the pages and files of posts."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from blogcrawler.backend.warc import OPEN, SUFFIX, Places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

_WRITTEN = "a crawl is writing it, or was killed; then the next crawl closes it"
_SEGMENT = re.compile(rf"[\w.-]+{re.escape(SUFFIX)}", re.ASCII)


class Segments:
    """The names of the files that have what was captured of some posts."""

    def __init__(self, places: Places | None) -> None:
        self._places = places
        self.names: set[str] = set()

    @classmethod
    @contextmanager
    def of(cls, selection: Selection) -> Iterator[Self]:
        """Those of the homes of a selection's blogs, to which those of its posts are added."""
        is_asked = selection.warcs is not None and not selection.is_all  # else all files are there anyway
        places = Places(selection.warcs) if selection.warcs is not None and is_asked else None
        segments = cls(places)
        try:
            for blog in selection.blogs:
                segments._add(segments._place_of(blog.home))
            yield segments
        finally:
            if places is not None:
                places.close()

    def add(self, record: Record) -> None:
        """Add those that have the page of a post, and those that have its files, which may be others."""
        self._add(record.provenance.warc)
        for media in record.media:
            if media.path is not None:
                self._add(self._place_of(media.url))

    def _place_of(self, url: str) -> str | None:
        return None if self._places is None else self._places.find(url)

    def _add(self, place: str | None) -> None:
        if name := (place or "").partition("#")[0]:
            self.names.add(name)


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
            selection.on_lost(name, _WRITTEN if is_written else error.strerror or str(error))
            continue
        with source:
            yield name, source
