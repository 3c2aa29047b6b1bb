"""A folder as a ZIP file that is sent while it is made."""

from __future__ import annotations

import os
from io import RawIOBase
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _typeshed import ReadableBuffer

_CHUNK = 1 << 18
_LIMIT = (1 << 31) - 1
"""Bytes of a file that need no ZIP64."""


class _Sink(RawIOBase):
    """Takes what is written, until it is taken away."""

    def __init__(self) -> None:
        self._parts = bytearray()

    def writable(self) -> bool:
        """It is."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Keep it."""
        content = bytes(data)
        self._parts += content
        return len(content)

    def taken(self) -> bytes:
        """What was written since the last time."""
        content = bytes(self._parts)
        self._parts.clear()
        return content


def zipped(folder: Path, name: str) -> Iterator[bytes]:
    """The parts of a ZIP file of a folder, with all in a folder of this name. In memory that does not grow with it."""
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:
        for path in _files(folder):
            info = ZipInfo.from_file(path, f"{name}/{path.relative_to(folder).as_posix()}")
            info.compress_type = ZIP_DEFLATED
            with path.open("rb") as source, archive.open(info, "w", force_zip64=info.file_size > _LIMIT) as target:
                while chunk := source.read(_CHUNK):
                    target.write(chunk)
                    yield sink.taken()
    yield sink.taken()


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            yield folder.__class__(parent) / name
