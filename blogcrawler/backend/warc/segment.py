"""The files to which records are written, one after another, each of bounded size.

A file is named `NAME.warc.gz.open` and locked while it is written, and `NAME.warc.gz` afterwards. Names consist of
time, process id and a number; nothing comes from the web.
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
"""Suffix of a file that is being written."""


class Segment:
    """A growing file. Disk errors are raised as OSError; the file then ends after its last complete record."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._path = folder / (name + OPEN)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        self.size = 0
        _lock(self._file, wait=True)

    @classmethod
    def create(cls, folder: Path, names: Iterator[str]) -> Segment:
        """Create a file with the first free name.

        A starting process may have taken a new, still unlocked file for an abandoned one and deleted it; then the next
        name is tried.
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
        """Append records; return their offset. Others can read them at once, even if this process is killed."""
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
        """Make written data survive a system crash."""
        os.fsync(self._file)

    def close(self) -> None:
        """Finish the file and give it its final name."""
        try:
            _finish(self._path, self._file)
        finally:
            os.close(self._file)


def recover(folder: Path) -> list[str]:
    """Finish the files of killed processes; return the names of those that contain records.

    An incomplete record at the end is removed. Files that a running process writes are skipped. O(n) in unfinished
    files.
    """
    recovered = []
    for path in sorted(folder.glob(f"*{SUFFIX}{OPEN}")):
        with suppress(FileNotFoundError):
            if _recover(path):
                recovered.append(path.name.removesuffix(OPEN))
    return recovered


def _recover(path: Path) -> bool:
    file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        if not _lock(file, wait=False) or not _is_same(path, file):
            return False
        end = count = 0
        for record in kept_records(path):
            if not record.is_last:
                end, count = record.offset + record.length, count + 1
        if count <= 1:  # the file is empty, or only has its first record
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
    """Lock a file while it is open; False if another process has it, or if the file system does not support locks."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        return False
    return True


def _is_same(path: Path, file: int) -> bool:
    """True if the open file still has this name."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file))
    except FileNotFoundError:
        return False
