"""Writing files and ZIP files with digests computed on the way, so that nothing is read twice."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import IO, TYPE_CHECKING, BinaryIO, Self
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_CHUNK = 1 << 20
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The timestamp of all files in ZIP files: the earliest that the format allows."""
_MODE = 0o644 << 16
_UNIX = 3
_LIMIT = (1 << 31) - 1
"""Largest file, in bytes, that needs no ZIP64."""
_HEAD = 64


@dataclass
class Written:
    """A written file: its size, and its hexadecimal digests by algorithm."""

    size: int
    digests: Mapping[str, str]
    #: the first bytes, for format identification
    head: bytes


class Digested:
    """A writable stream that computes digests."""

    def __init__(self, stream: IO[bytes], algorithms: tuple[str, ...]) -> None:
        self._stream = stream
        self._digests = {name: hashlib.new(name) for name in algorithms}
        self._bytes = 0
        self._head = b""

    def write(self, content: bytes) -> int:
        self._stream.write(content)
        for digest in self._digests.values():
            digest.update(content)
        self._bytes += len(content)
        self._head += content[: _HEAD - len(self._head)]
        return len(content)

    def written(self) -> Written:
        """What was written so far."""
        return Written(self._bytes, {name: digest.hexdigest() for name, digest in self._digests.items()}, self._head)


@contextmanager
def writing(path: Path, *algorithms: str) -> Iterator[Digested]:
    """Open a new file for writing; missing folders are created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as stream:
        yield Digested(stream, algorithms)


def copied(source: BinaryIO, path: Path, *algorithms: str) -> Written:
    """Copy a file to a new one. In bounded memory."""
    with writing(path, *algorithms) as target:
        while content := source.read(_CHUNK):
            target.write(content)
    return target.written()


class Zip:
    """A ZIP file of any size (ZIP64), written file by file."""

    def __init__(self, file: ZipFile) -> None:
        self._file = file

    @classmethod
    @contextmanager
    def at(cls, path: Path) -> Iterator[Self]:
        """Create a ZIP file at a path."""
        with ZipFile(path, "w") as file:
            yield cls(file)

    def add(self, name: str, content: bytes, *, is_stored: bool = False) -> Written:
        """Add a file from memory."""
        return self.copy(name, BytesIO(content), len(content), is_stored=is_stored)

    def copy(self, name: str, source: IO[bytes], size: int, *, is_stored: bool = False) -> Written:
        """Add a file of known size, compressed unless `is_stored`. In bounded memory. ZIP64 fields are added only if
        needed: ReplayWeb.page assumes that a local header is as long as the central directory says."""
        info = ZipInfo(name, _EPOCH)
        info.compress_type = ZIP_STORED if is_stored else ZIP_DEFLATED
        info.external_attr, info.create_system = _MODE, _UNIX
        with self._file.open(info, "w", force_zip64=size > _LIMIT) as stream:
            target = Digested(stream, ("sha256",))
            shutil.copyfileobj(source, target, _CHUNK)
        return target.written()
