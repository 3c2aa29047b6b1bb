"""Streams a folder as a ZIP file while it is created."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO, cast
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CHUNK = 1 << 18
_LIMIT = (1 << 31) - 1
"""Largest file, in bytes, that needs no ZIP64."""


class _Sink(bytearray):
    """A writable stream that buffers what was written since it was cleared."""

    def write(self, content: bytes) -> int:
        self.extend(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: there is no other buffer."""

    def taken(self) -> bytes:
        content = bytes(self)
        self.clear()
        return content


def zipped(folder: Path, name: str) -> Iterator[bytes]:
    """Yield the parts of a ZIP file of a folder, with all files below this name. Memory is constant."""
    sink = _Sink()
    with ZipFile(cast("BinaryIO", sink), "w", ZIP_DEFLATED) as archive:
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
