"""Are the files of an archive still what they were when they were written? Their names say what they must hold."""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from blogcrawler.items import Record

__all__ = ["Fault", "damaged_files", "missing_files", "size_of_files"]

_FOLDER = "sha256"
_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{62}")
_UNFINISHED = re.compile(r"[0-9a-f]{2}/tmp\w+")
"""What `FileStore` writes before a file has its name."""
_AHEAD = 64
"""Files that wait for a thread: enough that none is idle, few enough to need no memory."""


@dataclass(frozen=True)
class Fault:
    """Something in the archive that is not as it was written."""

    #: below the archive's folder, or the address of a post
    where: str
    told: str


def size_of_files(folder: str | Path) -> int:
    """Bytes of all files."""
    return sum(path.stat().st_size for path in _files(Path(folder)))


def damaged_files(folder: str | Path, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[Fault]:
    """The files whose content is not what their name says, in the order of their names. Each byte is read once.

    `on_bytes` is called with the size of each file that was read. Raises BackendUnavailable.
    """
    root = Path(folder)
    files = iter(_files(root))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = deque((path, pool.submit(_digest, path)) for path in islice(files, _AHEAD))
        while waiting:
            path, work = waiting.popleft()
            digest, size = work.result()
            waiting.extend((path, pool.submit(_digest, path)) for path in islice(files, 1))
            on_bytes(size)
            fault = _fault_of(path.relative_to(root).as_posix(), digest)
            if fault is not None:
                yield fault


def missing_files(folder: str | Path, records: Iterable[Record]) -> Iterator[Fault]:
    """The files that records name and that are not there, or have another size. O(1) for each file."""
    root = Path(folder)
    for record in records:
        for media in record.media:
            if media.path is not None and (told := _difference(root / media.path, media.bytes)) is not None:
                yield Fault(record.url, f"{media.path}, of {media.url}, {told}")


def _files(root: Path) -> Iterator[Path]:
    """The files of an archive, sorted, but for those that are being written."""
    try:
        for folder in sorted(path for path in (root / _FOLDER).glob("*") if path.is_dir()):
            named = ((path, f"{folder.name}/{path.name}") for path in sorted(folder.iterdir()))
            yield from (path for path, name in named if not _UNFINISHED.fullmatch(name))
    except OSError as error:
        raise BackendUnavailable(f"The folder {root / _FOLDER} cannot be read ({error.strerror}).") from error


def _digest(path: Path) -> tuple[str | OSError, int]:
    """The SHA-256 of a file, or why it cannot be read, and its size."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    except OSError as error:
        return error, 0


def _fault_of(path: str, digest: str | OSError) -> Fault | None:
    name = path.removeprefix(f"{_FOLDER}/")
    if isinstance(digest, OSError):
        return Fault(path, f"cannot be read ({digest.strerror})")
    if not _NAME.fullmatch(name):
        return Fault(path, "has a name that the archive has not given")
    return None if name.replace("/", "") == digest else Fault(path, f"holds something else, whose SHA-256 is {digest}")


def _difference(path: Path, size: int | None) -> str | None:
    try:
        found = path.stat().st_size
    except OSError:
        return "is not there"
    return None if size is None or found == size else f"has {found} bytes instead of {size}"
