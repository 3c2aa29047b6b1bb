"""Selects the WARC files that hold the pages and files of posts."""

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

_WRITTEN = "it is incomplete: a crawl is writing it, or was killed; the next crawl will complete it"
_SEGMENT = re.compile(rf"[\w.-]+{re.escape(SUFFIX)}", re.ASCII)


class Segments:
    """The names of the WARC files with the captures of some posts."""

    def __init__(self, places: Places | None) -> None:
        self._places = places
        self.names: set[str] = set()

    @classmethod
    @contextmanager
    def of(cls, selection: Selection) -> Iterator[Self]:
        """Start with the files of the selected blogs' home pages; those of posts are added later."""
        is_asked = selection.warcs is not None and not selection.is_all  # otherwise all files are exported anyway
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
        """Add the files with the page of a post and with its media files."""
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
    """Open the selected files (all if all posts are selected) in the order of their names. Missing and incomplete files
    are reported to `selection.on_lost`."""
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
