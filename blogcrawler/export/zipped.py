"""ZIP files of exports: the same content makes the same bytes, and each file is digested while it is written."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from io import BytesIO
from typing import IO, TYPE_CHECKING, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from blogcrawler.export.fixity import Digested, Written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time that all files have: the first that a ZIP file knows."""
_MODE = 0o644 << 16
_UNIX = 3
_LIMIT = (1 << 31) - 1
"""Bytes of a file that need no ZIP64."""
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

    def add(self, name: str, content: bytes, *, is_stored: bool = False) -> Written:
        """Add a file that is in memory."""
        return self.copy(name, BytesIO(content), len(content), is_stored=is_stored)

    def copy(self, name: str, source: IO[bytes], size: int, *, is_stored: bool = False) -> Written:
        """Add a file of some size, compressed unless `is_stored`. In bounded memory.

        It gets the fields of ZIP64 where it needs these, and never else: ReplayWeb.page takes it that the head of a
        file is as long as the list of all files says.
        """
        info = ZipInfo(name, _EPOCH)
        info.compress_type = ZIP_STORED if is_stored else ZIP_DEFLATED
        info.external_attr, info.create_system = _MODE, _UNIX
        with self._file.open(info, "w", force_zip64=size > _LIMIT) as stream:
            target = Digested(stream, ("sha256",))
            shutil.copyfileobj(source, target, _CHUNK)
        return target.written()
