"""Are the files of an archive still what they were when they were written? Their names say what they must hold."""

from __future__ import annotations

import hashlib
import re
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, cast

from blogcrawler.backend.files import FOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import BufferedReader

    from blogcrawler.backend.files import Files
    from blogcrawler.items import Record

_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{62}")
_AHEAD = 64
"""Files that wait for a thread: enough that none is idle, few enough to need no memory."""


@dataclass(frozen=True)
class Fault:
    """Something in the archive that is not as it was written."""

    #: below the archive's folder, or the address of a post
    where: str
    told: str


def size_of_files(files: Files) -> int:
    """Bytes of all files. Raises BackendUnavailable."""
    return sum(size for _, size in files.listed())


def damaged_files(files: Files, on_bytes: Callable[[int], object] = lambda _: None) -> Iterator[Fault]:
    """The files whose content is not what their name says, in the order of their names. Each byte is read once.

    `on_bytes` is called with the size of each file that was read. Raises BackendUnavailable.
    """
    paths = (path for path, _ in files.listed())
    with ThreadPoolExecutor(files.readers) as pool:
        waiting = deque((path, pool.submit(_digest, files, path)) for path in islice(paths, _AHEAD))
        while waiting:
            path, work = waiting.popleft()
            digest, size = work.result()
            waiting.extend((path, pool.submit(_digest, files, path)) for path in islice(paths, 1))
            on_bytes(size)
            fault = _fault_of(path, digest)
            if fault is not None:
                yield fault


def missing_files(files: Files, records: Iterable[Record]) -> Iterator[Fault]:
    """The files that records name and that are not there, or have another size. O(1) for each file."""
    for record in records:
        for media in record.media:
            if media.path is not None and (told := _difference(files, media.path, media.bytes)) is not None:
                yield Fault(record.url, f"{media.path}, of {media.url}, {told}")


def _digest(files: Files, path: str) -> tuple[str | OSError, int]:
    """The SHA-256 of a file, or why it cannot be read, and its size."""
    try:
        with files.open(path) as file:
            return hashlib.file_digest(cast("BufferedReader", file), "sha256").hexdigest(), file.tell()
    except OSError as error:
        return error, 0


def _fault_of(path: str, digest: str | OSError) -> Fault | None:
    name = path.removeprefix(f"{FOLDER}/")
    if isinstance(digest, OSError):
        return Fault(path, f"cannot be read ({digest.strerror})")
    if not _NAME.fullmatch(name):
        return Fault(path, "has a name that the archive has not given")
    return None if name.replace("/", "") == digest else Fault(path, f"holds something else, whose SHA-256 is {digest}")


def _difference(files: Files, path: str, size: int | None) -> str | None:
    try:
        found = files.size(path)
    except OSError:
        return "is not there"
    return None if size is None or found == size else f"has {found} bytes instead of {size}"
