"""The files that records are written to, one after another, each of bounded size.

A file is `NAME.warc.gz.open` while it is written, locked by who writes it, and `NAME.warc.gz` ever after. Names are
made of the time, the process and a number: nothing of them comes from the web.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from blogcrawler.backend.files import sync_folder
from blogcrawler.backend.warc.reader import kept_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIX = ".warc.gz"
OPEN = ".open"
"""Follows the name of a file that is being written."""


class Segment:
    """A file that grows. Errors of the disk are OSErrors, after which the file ends with a whole record."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._path = folder / (name + OPEN)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self.size = 0
        _lock(self._file, wait=True)

    @classmethod
    def create(cls, folder: Path, names: Iterator[str]) -> Segment:
        """A new file under the first of the names that is free. A process that starts may have taken a new file, not
        locked yet, for one that was left: it has removed it then, and the next name is tried.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            with suppress(FileExistsError):
                segment = cls(folder, name)
                if _is_same(segment._path, segment._file):
                    return segment
                os.close(segment._file)
        raise FileExistsError("no name is free")

    def append(self, members: bytes) -> int:
        """Write records; where they begin. Others can read them then, also if this process is killed."""
        begin = self.size
        try:
            view = memoryview(members)
            while view:
                view = view[os.pwrite(self._file, view, self.size) :]
                self.size = begin + len(members) - len(view)
        except OSError:
            self.size = begin
            with suppress(OSError):
                os.ftruncate(self._file, begin)
            raise
        return begin

    def sync(self) -> None:
        """Let what was written survive also the machine."""
        os.fsync(self._file)

    def close(self) -> None:
        """Write no more: give the file its name."""
        try:
            _finish(self._path, self._file)
        finally:
            os.close(self._file)


def recover(folder: Path) -> list[str]:
    """Close the files that killed processes have left; the names of those that hold records now.

    What follows their last whole record is cut off. Those that a living process writes are let alone. O(n) in what
    is left open.
    """
    found = []
    for path in sorted(folder.glob(f"*{SUFFIX}{OPEN}")):
        with suppress(FileNotFoundError):
            if _recover(path):
                found.append(path.name.removesuffix(OPEN))
    return found


def _recover(path: Path) -> bool:
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        if not _lock(file, wait=False) or not _is_same(path, file):
            return False
        end = count = 0
        for record in kept_records(path):
            if not record.is_last:
                end, count = record.offset + record.length, count + 1
        if count <= 1:  # nothing, or what a file begins with
            path.unlink()
            return False
        os.ftruncate(file, end)
        _finish(path, file)
        return True
    finally:
        os.close(file)


def _finish(path: Path, file: int) -> None:
    os.fsync(file)
    path.rename(path.with_name(path.name.removesuffix(OPEN)))
    sync_folder(path.parent)


def _lock(file: int, *, wait: bool) -> bool:
    """Lock a file for as long as it is open; False where another one has it, or the file system knows no locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _is_same(path: Path, file: int) -> bool:
    """True if a file that is open is still the one of that name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
