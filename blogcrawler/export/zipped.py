"""ZIP files of exports: the same content makes the same bytes, and each file is digested while it is written."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Self, cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from blogcrawler.export.fixity import Digested, Written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Zip"]

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time that all files have: the first that a ZIP file knows."""
_MODE = 0o644 << 16
_UNIX = 3
_CHUNK = 1 << 20


class Zip:
    """A new ZIP file, written one file after another; of any size (ZIP64)."""

    def __init__(self, file: ZipFile) -> None:
        self._file = file

    @classmethod
    @contextmanager
    def at(cls, path: Path) -> Iterator[Self]:
        """One that is written to a path."""
        with ZipFile(path, "w") as file:
            yield cls(file)

    @contextmanager
    def adding(self, name: str, *, is_stored: bool = False, size: int | None = None) -> Iterator[Digested]:
        """A new file to write to, compressed unless `is_stored`; `size` is how much will come, where that is known."""
        info = ZipInfo(name, _EPOCH)
        info.compress_type = ZIP_STORED if is_stored else ZIP_DEFLATED
        info.external_attr, info.create_system = _MODE, _UNIX
        info.file_size = size or 0
        with self._file.open(info, "w", force_zip64=size is None) as stream:
            yield Digested(cast("BinaryIO", stream), ("sha256",))

    def add(self, name: str, content: bytes, *, is_stored: bool = False) -> Written:
        """Add a file that is in memory."""
        with self.adding(name, is_stored=is_stored, size=len(content)) as file:
            file.write(content)
        return file.written()

    def copy(self, name: str, source: BinaryIO, size: int, *, is_stored: bool = False) -> Written:
        """Add a file of some size. In bounded memory."""
        with self.adding(name, is_stored=is_stored, size=size) as file:
            shutil.copyfileobj(source, file, _CHUNK)
        return file.written()
