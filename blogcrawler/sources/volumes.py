"""The files of a place: WARC and ARC files, those inside WACZ packages, and the indexes beside them.

A file inside a package is named by both paths, as in `blog.wacz/archive/data.warc.gz`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import zipfile
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from blogcrawler.errors import BadArgument
from blogcrawler.sources.warc_files import has_records_apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from _typeshed import WriteableBuffer

_ARCHIVES = tuple(name + end for name in (".warc", ".arc") for end in ("", ".gz", ".open", ".gz.open"))
_INDEXES = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
_PACKAGE = ".wacz"
_LOCAL_HEADER = 30
"""Size of the fixed part of a local file header in a ZIP file, in bytes."""
_BUFFER = 1 << 18
_PIECE = 1 << 14


@dataclass(frozen=True, order=True)
class Volume:
    """One file of a place, as it was when the place was listed."""

    #: relative to the folder of the place, with "/"
    path: str
    #: of the file or the package, in bytes
    size: int
    modified_ns: int
    is_index: bool


class Place:
    """A file, or a folder with its subfolders. An index alone stands for the files beside it that it lists."""

    def __init__(self, root: Path, unpacked: Path) -> None:
        """`unpacked` is the folder for copies of files that cannot be read at an offset. Raises BadArgument."""
        if not root.exists():
            raise BadArgument(f"There is no file or folder {root}.")
        self.folder = root if root.is_dir() else root.parent
        self._root = root
        self._unpacked = unpacked
        #: True if the place is an index, whose captures alone belong to it
        self.is_index = root.is_file() and _is_index(root.name)

    def volumes(self) -> list[Volume]:
        """All files of the place, indexes first, each group in the order of the paths."""
        if self._root.is_file() and not self.is_index:
            found = list(self._of_file(self._root))
        else:
            found = [
                volume
                for folder, _, names in os.walk(self.folder)
                for name in names
                if name.lower().endswith((*_ARCHIVES, *_INDEXES, _PACKAGE)) or Path(folder, name) == self._root
                for volume in self._of_file(Path(folder, name))
            ]
        if self.is_index:
            found = [one for one in found if not one.is_index or self.folder / one.path == self._root]
        return sorted(found, key=lambda volume: (not volume.is_index, volume.path))

    def open(self, path: str) -> BinaryIO:
        """Open an archive file at its beginning, for reading at any offset.

        A file that is deflated in its package, or compressed as a whole instead of record by record, is unpacked when
        it is opened for the first time; offsets are those in the copy. Raises OSError, EOFError and BadZipFile.
        """
        file = self._open_stored(path)
        if has_records_apart(file):
            file.seek(0)
            return file
        with file:
            file.seek(0)
            return self._copy(path, gzip.GzipFile(fileobj=file), "records")

    @contextmanager
    def open_index(self, path: str) -> Iterator[BinaryIO]:
        """Open an index, which may be compressed. Raises OSError, EOFError and BadZipFile."""
        with self._open_stored(path) as file:
            is_compressed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            yield cast("BinaryIO", gzip.GzipFile(fileobj=file)) if is_compressed else file

    def _of_file(self, path: Path) -> Iterator[Volume]:
        try:
            status = path.stat()
            name = path.relative_to(self.folder).as_posix()
            if not name.lower().endswith(_PACKAGE):
                yield Volume(name, status.st_size, status.st_mtime_ns, _is_index(name))
                return
            with zipfile.ZipFile(path) as package:
                members = package.namelist()
        except (OSError, zipfile.BadZipFile):  # opening it fails again, and is counted
            yield Volume(path.relative_to(self.folder).as_posix(), 0, 0, is_index=False)
            return
        for member in members:
            if member.lower().endswith((*_ARCHIVES, *_INDEXES)):
                yield Volume(f"{name}/{member}", status.st_size, status.st_mtime_ns, _is_index(member))

    def _open_stored(self, path: str) -> BinaryIO:
        file, member = self._split(path)
        if not member:
            return file.open("rb", buffering=_BUFFER)
        with zipfile.ZipFile(file) as package:
            try:
                info = package.getinfo(member)
            except KeyError as error:
                raise FileNotFoundError(f"{file} has no file {member}") from error
            if info.compress_type == zipfile.ZIP_STORED:
                return cast("BinaryIO", io.BufferedReader(_Section(file, info), _BUFFER))
            with package.open(info) as stream:
                return self._copy(path, cast("BinaryIO", stream), "package")

    def _split(self, path: str) -> tuple[Path, str]:
        """The file of a path, and the member of the package, if the file is one."""
        parts = path.split("/")
        for length in range(1, len(parts)):
            file = self.folder.joinpath(*parts[:length])
            if file.is_file():
                return file, "/".join(parts[length:])
        return self.folder / path, ""

    def _copy(self, path: str, stream: io.BufferedIOBase | BinaryIO, stage: str) -> BinaryIO:
        """Open the unpacked copy of a volume, which is made unless there is one of the same age as the file."""
        modified_ns = self._split(path)[0].stat().st_mtime_ns
        name = hashlib.sha256(f"{self.folder.resolve()}/{path}/{stage}".encode("utf-8", "surrogateescape")).hexdigest()
        copy = self._unpacked / name[:32]
        if not copy.exists() or copy.stat().st_mtime_ns != modified_ns:
            self._unpacked.mkdir(parents=True, exist_ok=True)
            part = copy.with_suffix(f".{os.getpid()}")
            try:
                with part.open("wb") as target:
                    _copy_readable(stream, target)
                os.utime(part, ns=(modified_ns, modified_ns))
                part.replace(copy)
            finally:
                part.unlink(missing_ok=True)
        return copy.open("rb", buffering=_BUFFER)


def _is_index(path: str) -> bool:
    return path.lower().endswith(_INDEXES)


def _copy_readable(stream: io.BufferedIOBase | BinaryIO, target: BinaryIO) -> None:
    """Copy a stream up to its first damage."""
    with suppress(EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile):
        while block := stream.read(_PIECE):
            target.write(block)


class _Section(io.RawIOBase):
    """The bytes of a stored file in a package."""

    def __init__(self, package: Path, info: zipfile.ZipInfo) -> None:
        self._file = package.open("rb", buffering=0)
        self._file.seek(info.header_offset)
        header = self._file.read(_LOCAL_HEADER)
        lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        self._start = info.header_offset + _LOCAL_HEADER + lengths
        self._size = info.file_size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = (0, self._position, self._size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        view = memoryview(buffer)[: max(0, self._size - self._position)]
        self._file.seek(self._start + self._position)
        count = self._file.readinto(view) if len(view) else 0
        self._position += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
