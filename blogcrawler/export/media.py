"""The files of posts in exports: each once, under a name of ours; and their formats."""

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
"""Without the tables of this machine, so that all machines give the same names."""


def extension(media_type: str | None) -> str:
    """The customary end of the names of files of a type, with its dot; ".bin" where there is none."""
    kind = (media_type or "").partition(";")[0].strip().lower()
    return _more().get(kind) or _TYPES.guess_extension(kind) or ".bin"


def media_type(end: str) -> str:
    """The type that has this end of names, see `extension`; `application/octet-stream` where that is not known."""
    more = next((kind for kind, known in _more().items() if known == end), None)
    return more or _TYPES.guess_type(f"file{end}")[0] or "application/octet-stream"


@cache
def _more() -> dict[str, str]:
    return load_file(dict[str, str], __package__, "extensions.json")


def media_name(media: Media) -> str:
    """The name of a kept file: its SHA-256, and the end that its type has."""
    return f"{media.sha256}{extension(media.type)}"


def kept_media(record: Record) -> Iterator[Media]:
    """The files of a post that the archive has, each once."""
    seen = set()
    for media in record.media:
        if media.path is not None and media.sha256 is not None and media.sha256 not in seen:
            seen.add(media.sha256)
            yield media


def opened(selection: Selection, media: Media) -> BinaryIO | None:
    """A kept file, to be read. Where it cannot be, `selection.on_lost` is told why."""
    assert media.path is not None
    try:
        return selection.open_file(media.path)
    except OSError as error:
        selection.on_lost(media.path, error.strerror or str(error))
        return None


def copy_media(selection: Selection, record: Record, folder: Path) -> dict[str, str]:
    """Copy the files of a post into a folder, under their `media_name`; the name of each that is there, by its URL.

    What cannot be read is told to `selection.on_lost`.
    """
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
    """A format in PRONOM's words."""

    name: str
    version: str | None
    puid: str


def format_of(media_type: str | None, head: bytes) -> FileFormatName | None:
    """The format of a file, by its media type and its first bytes; None where these do not tell."""
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
