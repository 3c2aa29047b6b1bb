"""Files of the archive, named by what they hold: the same content is kept once, and no name comes from the web."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from blogcrawler.errors import BackendUnavailable

__all__ = ["FileStore", "StoredFile"]


@dataclass(frozen=True)
class StoredFile:
    """A file in the archive."""

    #: below the archive's folder, with slashes
    path: str
    sha256: str
    bytes: int


class FileStore:
    """The files below a folder, the setting ARCHIVE."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    def put(self, content: bytes) -> StoredFile:
        """Keep a content. A file is there whole, or not at all. Raises BackendUnavailable."""
        digest = hashlib.sha256(content).hexdigest()
        path = f"sha256/{digest[:2]}/{digest[2:]}"
        target = self._folder / path
        try:
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                _write(target, content)
        except OSError as error:
            raise BackendUnavailable(
                f"The folder {self._folder} for files cannot be written ({error.strerror}); "
                "make room there, or give another with ARCHIVE."
            ) from error
        return StoredFile(path, digest, len(content))

    def open(self, path: str) -> BinaryIO:
        """A kept file, to be read. Raises OSError where it cannot be."""
        return (self._folder / path).open("rb")


def _write(target: Path, content: bytes) -> None:
    """Write beside the target, then take its name."""
    handle, name = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise
