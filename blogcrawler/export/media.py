"""Media files in exports: each once, named by its digest; and their formats."""

from __future__ import annotations

import mimetypes
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, BinaryIO

from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Media, Record

_TYPES = mimetypes.MimeTypes(filenames=())
"""Media types without the system's tables, so that names are the same on all machines."""


def extension(media_type: str | None) -> str:
    """Return the usual file name extension of a media type, with its dot; ".bin" if there is none."""
    kind = (media_type or "").partition(";")[0].strip().lower()
    return _more().get(kind) or _TYPES.guess_extension(kind) or ".bin"


def media_type(end: str) -> str:
    """Return the media type of an extension (see `extension`); `application/octet-stream` if it is unknown."""
    more = next((kind for kind, known in _more().items() if known == end), None)
    return more or _TYPES.guess_type(f"file{end}")[0] or "application/octet-stream"


@cache
def _more() -> dict[str, str]:
    return load_file(dict[str, str], __package__, "extensions.json")


def media_name(media: Media) -> str:
    """Return the name of a file: its SHA-256 and the extension of its type."""
    return f"{media.sha256}{extension(media.type)}"


def kept_media(record: Record) -> Iterator[Media]:
    """Return the archived files of a post, each once."""
    digests = set()
    for media in record.media:
        if media.path is not None and media.sha256 is not None and media.sha256 not in digests:
            digests.add(media.sha256)
            yield media


def opened(selection: Selection, media: Media) -> BinaryIO | None:
    """Open an archived file for reading; if it fails, report the reason to `selection.on_lost`."""
    assert media.path is not None
    try:
        return selection.open_file(media.path)
    except OSError as error:
        selection.on_lost(media.path, error.strerror or str(error))
        return None


def copy_media(selection: Selection, record: Record, folder: Path) -> dict[str, str]:
    """Copy the files of a post into a folder, named by `media_name`; return the names by URL. Unreadable files are
    reported to `selection.on_lost`."""
    names = {media.sha256: name for media in kept_media(record) if (name := _copied(selection, media, folder))}
    return {media.url: names[media.sha256] for media in record.media if media.sha256 in names}


def _copied(selection: Selection, media: Media, folder: Path) -> str | None:
    name = media_name(media)
    target = folder / name
    if selection.files is None:
        return None
    if target.exists():
        return name
    source = opened(selection, media)
    if source is None:
        return None
    try:
        with source, target.open("xb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
    except BaseException:
        with suppress(OSError):
            target.unlink()
        raise
    return name


@dataclass(frozen=True)
class FileFormatName:
    """A file format of the PRONOM registry."""

    name: str
    version: str | None
    puid: str


def format_of(media_type: str | None, head: bytes) -> FileFormatName | None:
    """Return the format of a file by its media type and first bytes; None if it is unknown."""
    kind = (media_type or "").partition(";")[0].strip().lower()
    return next((known for begins, known in _formats().get(kind, ()) if begins.match(head)), None)


@cache
def _formats() -> dict[str, list[tuple[re.Pattern[bytes], FileFormatName]]]:
    formats: dict[str, list[tuple[re.Pattern[bytes], FileFormatName]]] = {}
    for row in load_file(list[dict[str, Any]], __package__, "pronom.json"):
        begins = re.compile(row["begins"].encode(), re.DOTALL)
        known = FileFormatName(row["name"], row["version"], row["puid"])
        formats.setdefault(row["type"], []).append((begins, known))
    return formats
