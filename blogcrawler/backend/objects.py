"""Files of the archive in an object store, named by what they hold as those in a folder are."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from errno import EIO, ENOENT
from functools import cached_property
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol, cast

from blogcrawler.addresses import without_password
from blogcrawler.backend.files import FOLDER, StoredFile, path_of
from blogcrawler.errors import BackendUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Bucket", "ObjectStore"]

_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of a file that is read; a larger one is on the disk meanwhile."""
_READERS = 8
"""Each waits for the network most of the time."""


class Bucket(Protocol):
    """What is asked of an object store's library. What goes wrong is an exception of any kind."""

    def holds(self, name: str) -> bool:
        """Is there an object of a name?"""

    def write(self, name: str, content: bytes) -> None:
        """Make an object."""

    def read(self, name: str) -> IO[bytes] | None:
        """An object's content; None where there is no such object."""

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The objects whose names begin so, sorted by name, with their bytes."""


class ObjectStore:
    """The files below a place in an object store."""

    def __init__(self, uri: str, prefix: str, bucket: Bucket) -> None:
        self._uri, self._prefix, self._bucket = without_password(uri), prefix, bucket

    @property
    def readers(self) -> int:
        """How many files are best read at a time."""
        return _READERS

    def put(self, content: bytes) -> StoredFile:
        """Keep a content; what is there is not written again. Raises BackendUnavailable."""
        digest = hashlib.sha256(content).hexdigest()
        path = path_of(digest)
        try:
            if not self._bucket.holds(self._prefix + path):
                self._bucket.write(self._prefix + path, content)
        except Exception as error:
            raise BackendUnavailable(
                f"The store {self._uri} for files cannot be written ({error}); look at its bucket and credentials, or "
                "give another with FILES_STORE."
            ) from error
        return StoredFile(path, digest, len(content))

    def open(self, path: str) -> BinaryIO:
        """A kept file, to be read: a copy of it. Raises OSError where it cannot be."""
        copy = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115  the caller closes it
        try:
            source = self._bucket.read(self._prefix + path)
            if source is None:
                raise FileNotFoundError(ENOENT, "is not in the store", path)
            shutil.copyfileobj(source, copy, 1 << 20)
        except OSError:
            copy.close()
            raise
        except Exception as error:
            copy.close()
            raise OSError(EIO, f"{self._uri}: {error}", path) from error
        copy.seek(0)
        return copy

    def size(self, path: str) -> int:
        """Bytes of a kept file. Raises OSError where there is none. The store is listed once, in O(files) memory."""
        if path not in self._sizes:
            raise FileNotFoundError(ENOENT, "is not in the store", path)
        return self._sizes[path]

    def has_lost(self, file: StoredFile) -> bool:  # noqa: ARG002
        """No: a request for each file of a crawl would cost more than it finds, and such stores keep copies."""
        return False

    def listed(self) -> Iterator[tuple[str, int]]:
        """All files, sorted: path and bytes. Raises BackendUnavailable."""
        try:
            for name, size in self._bucket.listed(f"{self._prefix}{FOLDER}/"):
                yield name.removeprefix(self._prefix), size
        except Exception as error:
            raise BackendUnavailable(f"The store {self._uri} for files cannot be read ({error}).") from error

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(self.listed())
