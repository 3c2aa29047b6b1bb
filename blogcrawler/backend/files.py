"""Files of the archive, named by what they hold: the same content is kept once, and no name comes from the web."""

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
"""What is written before a file has its name."""


@dataclass(frozen=True)
class StoredFile:
    """A file in the archive."""

    #: below the archive's folder, with slashes
    path: str
    sha256: str
    bytes: int


class Files(Protocol):
    """Where files are kept, by what they hold."""

    @property
    def readers(self) -> int:
        """How many files are best read at a time."""

    def check(self) -> None:
        """See whether files can be kept, where that may hang on another machine. Raises BackendUnavailable."""

    def put(self, content: bytes) -> StoredFile:
        """Keep a content. A file is there whole, or not at all.

        Raises BackendUnavailable where none can be kept, FileRefused where this one cannot.
        """

    def open(self, path: str) -> BinaryIO:
        """A kept file, to be read. Raises OSError where it cannot be."""

    def size(self, path: str) -> int:
        """Bytes of a kept file. Raises OSError where there is none."""

    def delete(self, path: str) -> None:
        """Delete a file, if it is there. Raises BackendUnavailable."""

    def has_lost(self, file: StoredFile) -> bool:
        """True if a file that was kept is known to be missing, or cut."""

    def listed(self) -> Iterator[tuple[str, int]]:
        """All files, sorted: path and bytes. Raises BackendUnavailable."""


def path_of(sha256: str) -> str:
    """Where the content with a digest is kept."""
    return f"{FOLDER}/{sha256[:2]}/{sha256[2:]}"


class FileStore:
    """The files below a folder, the setting ARCHIVE."""

    def __init__(self, folder: str | Path) -> None:
        self._folder = Path(folder)

    @property
    def readers(self) -> int:
        """How many files are best read at a time."""
        return os.cpu_count() or 1

    def check(self) -> None:
        """Nothing: what is wrong with a folder is told when it is written."""

    def put(self, content: bytes) -> StoredFile:
        """Keep a content. A file is there whole, or not at all. Raises BackendUnavailable."""
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
                "see that it has room and may be written, or give another with ARCHIVE or FILES_STORE."
            ) from error
        return StoredFile(path, digest, len(content))

    def open(self, path: str) -> BinaryIO:
        """A kept file, to be read. Raises OSError where it cannot be."""
        return (self._folder / path).open("rb")

    def size(self, path: str) -> int:
        """Bytes of a kept file. Raises OSError where there is none."""
        return (self._folder / path).stat().st_size

    def delete(self, path: str) -> None:
        """Delete a file, if it is there. Raises BackendUnavailable."""
        target = self._folder / path
        try:
            with suppress(FileNotFoundError):
                target.unlink()
                sync_folder(target.parent)
        except OSError as error:
            raise BackendUnavailable(f"The file {target} cannot be deleted ({error.strerror}).") from error

    def has_lost(self, file: StoredFile) -> bool:
        """True if a file that was kept is known to be missing, or cut."""
        return not _has(self._folder / file.path, file.bytes)

    def listed(self) -> Iterator[tuple[str, int]]:
        """All files, sorted, but for those that are being written: path and bytes. Raises BackendUnavailable."""
        root = self._folder / FOLDER
        try:
            for folder in sorted(path for path in root.glob("*") if path.is_dir()):
                for path in sorted(folder.iterdir()):
                    if not _UNFINISHED.fullmatch(path.name):
                        yield path.relative_to(self._folder).as_posix(), path.stat().st_size
        except OSError as error:
            raise BackendUnavailable(f"The folder {root} cannot be read ({error.strerror}).") from error


def _has(target: Path, size: int) -> bool:
    """True if a content is there, by its size: what a crash of the machine has cut is written again."""
    with suppress(FileNotFoundError):
        return target.stat().st_size == size
    return False


def _write(target: Path, content: bytes) -> None:
    """Write beside the target, then take its name; both survive a crash of the machine."""
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
    """Let the names in a folder survive a crash of the machine. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
