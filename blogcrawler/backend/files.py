"""Stored files, named by the digest of their content: equal content is stored once, and no name comes from the web."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol

from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "sha256"
_UNFINISHED = re.compile(r"tmp\w+")
"""Extension of a file that is being written."""


@dataclass(frozen=True)
class StoredFile:
    #: relative to the archive's folder, with slashes
    path: str
    sha256: str
    bytes: int


class Files(Protocol):
    """Interface of stores for files that are named by their content."""

    @property
    def readers(self) -> int:
        """Recommended number of threads for reading."""

    def check(self) -> None:
        """Check that files can be stored, if that depends on another machine. Raises BackendUnavailable."""

    def put(self, content: bytes) -> StoredFile:
        """Store a content, completely or not at all.

        Raises BackendUnavailable if no file can be stored, FileRefused if this file cannot.
        """

    def open(self, path: str) -> BinaryIO:
        """Open a stored file for reading. Raises OSError."""

    def size(self, path: str) -> int:
        """Size of a stored file in bytes. Raises OSError if it does not exist."""

    def delete(self, path: str) -> None:
        """Delete a file if it exists. Raises BackendUnavailable."""

    def has_lost(self, file: StoredFile) -> bool:
        """True if a file is known to be missing or truncated, though it was stored."""

    def listed(self) -> Iterator[tuple[str, int]]:
        """Paths and sizes of all files, sorted. Raises BackendUnavailable."""


def path_of(sha256: str) -> str:
    """The path of the content with this digest."""
    return f"{FOLDER}/{sha256[:2]}/{sha256[2:]}"


class FileStore:
    """Files in a folder, the setting ARCHIVE."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    @property
    def readers(self) -> int:
        return os.cpu_count() or 1

    def check(self) -> None:
        """Do nothing, since errors of a folder are reported when files are written."""

    def put(self, content: bytes) -> StoredFile:
        """Store a content, completely or not at all. Raises BackendUnavailable."""
        digest = hashlib.sha256(content).hexdigest()
        path = path_of(digest)
        target = self._folder / path
        try:
            if not _has(target, len(content)):
                target.parent.mkdir(parents=True, exist_ok=True)
                _write(target, content)
        except OSError as error:
            raise BackendUnavailable(
                f"The folder {self._folder} for files cannot be written ({error.strerror}); "
                "check its free space and permissions, or give another folder with ARCHIVE or FILES_STORE."
            ) from error
        return StoredFile(path, digest, len(content))

    def open(self, path: str) -> BinaryIO:
        return (self._folder / path).open("rb")

    def size(self, path: str) -> int:
        return (self._folder / path).stat().st_size

    def delete(self, path: str) -> None:
        target = self._folder / path
        try:
            with suppress(FileNotFoundError):
                target.unlink()
                sync_folder(target.parent)
        except OSError as error:
            raise BackendUnavailable(f"The file {target} cannot be deleted ({error.strerror}).") from error

    def has_lost(self, file: StoredFile) -> bool:
        return not _has(self._folder / file.path, file.bytes)

    def listed(self) -> Iterator[tuple[str, int]]:
        """Paths and sizes of all complete files, sorted. Raises BackendUnavailable."""
        root = self._folder / FOLDER
        try:
            for folder in sorted(path for path in root.glob("*") if path.is_dir()):
                for path in sorted(folder.iterdir()):
                    if not _UNFINISHED.fullmatch(path.name):
                        yield path.relative_to(self._folder).as_posix(), path.stat().st_size
        except OSError as error:
            raise BackendUnavailable(f"The folder {root} cannot be read ({error.strerror}).") from error


def _has(target: Path, size: int) -> bool:
    """True if the file exists with the right size; a file that was truncated by a system crash is written again."""
    with suppress(FileNotFoundError):
        return target.stat().st_size == size
    return False


def _write(target: Path, content: bytes) -> None:
    """Write a temporary file and rename it; both steps survive a system crash."""
    handle, name = tempfile.mkstemp(dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(target)
        sync_folder(target.parent)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a system crash. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
