"""Files of the archive in an object store, named by what they hold as those in a folder are."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from errno import EIO, ENOENT
from functools import cached_property
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol, cast
from uuid import uuid4

from blogcrawler.addresses import without_password
from blogcrawler.backend.files import FOLDER, StoredFile, path_of
from blogcrawler.errors import BackendUnavailable, FileRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of a file that is read; a larger one is on the disk meanwhile."""
_READERS = 8
"""Each waits for the network most of the time."""
_TRIALS, _NAME = "blogcrawler-trial/", 2
"""Below which name a store is tried, and digits of the objects' own names: few stay where they cannot be deleted, and
seldom does a fleet write one more often than Google's stores allow, once in a second."""
_TRIES = 3
"""Times that a file is written to a store that works, where the error may pass."""
_AGAIN_S = 0.5


class Bucket(Protocol):
    """What is asked of an object store's library. What goes wrong is an exception of any kind."""

    def holds(self, name: str) -> bool:
        """True if there is an object of a name."""

    def write(self, name: str, content: bytes) -> None:
        """Make an object."""

    def delete(self, name: str) -> None:
        """Delete an object."""

    def read(self, name: str) -> IO[bytes] | None:
        """An object's content; None where there is no such object."""

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The objects whose names begin so, sorted by name, with their bytes."""

    def may_pass(self, error: Exception) -> bool:
        """True if what went wrong may pass by itself, as when nobody answers."""

    def is_full(self, error: Exception) -> bool:
        """True if there is no room for more."""


class ObjectStore:
    """The files below a place in an object store, for any number of threads.

    A store that is away is waited for until it has been so for `patience_s` seconds, with those for which its library
    has tried. After that no file is kept any more.
    """

    def __init__(self, uri: str, prefix: str, bucket: Bucket, *, patience_s: float = 0) -> None:
        self._uri, self._prefix = without_password(uri), prefix
        self._bucket, self._patience_s = bucket, patience_s
        #: what went wrong when it was waited for in vain
        self._given_up: Exception | None = None
        self._waiting = threading.Lock()

    @property
    def readers(self) -> int:
        """How many files are best read at a time."""
        return _READERS

    def check(self) -> None:
        """See whether files can be kept: write a small object, and delete it. Raises BackendUnavailable, at once."""
        if (error := self._trial()) is not None:
            raise self._unavailable(error) from error

    def put(self, content: bytes) -> StoredFile:
        """Keep a content; what is there is not written again.

        Raises BackendUnavailable where the store is away for too long or keeps nothing, FileRefused where it keeps
        others and not this.
        """
        digest = hashlib.sha256(content).hexdigest()
        path = path_of(digest)
        for tries_left in reversed(range(_TRIES)):
            begun = time.monotonic()
            error = self._written(self._prefix + path, content)
            if error is None:
                break
            self._wait(begun, error)
            if not tries_left or not self._bucket.may_pass(error):
                raise FileRefused(
                    f"The store {self._uri} does not take a file of {len(content)} bytes ({_said(error)})."
                ) from error
        return StoredFile(path, digest, len(content))

    def _written(self, name: str, content: bytes) -> Exception | None:
        """Make an object that is not there; what went wrong."""
        if self._given_up is not None:
            return self._given_up
        try:
            if not self._bucket.holds(name):
                self._bucket.write(name, content)
        except Exception as error:  # noqa: BLE001  each library has errors of its own
            return error
        return None

    def _wait(self, since: float, failure: Exception) -> None:
        """Return when the store keeps what is written. Raises BackendUnavailable where that takes too long.

        `since` is when, by the monotonic clock, it was asked in vain, and `failure` what went wrong then. One thread
        asks while others wait for the answer.
        """
        with self._waiting:
            if self._bucket.is_full(failure):  # though it may have room for a small object
                self._given_up = failure
            while (error := self._given_up or self._trial()) is not None:
                if time.monotonic() - since >= self._patience_s or not self._bucket.may_pass(error):
                    self._given_up = error
                if self._given_up is not None:
                    raise self._unavailable(error) from error
                time.sleep(_AGAIN_S)

    def _trial(self) -> Exception | None:
        """Why the store does not keep a small object; None where it does. Not everybody may delete it again."""
        name = f"{self._prefix}{_TRIALS}{uuid4().hex[:_NAME]}"
        try:
            self._bucket.write(name, b"Whether files can be kept here.\n")
        except Exception as error:  # noqa: BLE001  each library has errors of its own
            return error
        with suppress(Exception):
            self._bucket.delete(name)
        return None

    def _unavailable(self, error: Exception) -> BackendUnavailable:
        return BackendUnavailable(
            f"The store {self._uri} for files cannot be written ({_said(error)}). Check its bucket, credentials and "
            "free space, or set FILES_STORE; then run the same command again."
        )

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

    def delete(self, path: str) -> None:
        """Delete a file, if it is there. Raises BackendUnavailable."""
        try:
            self._bucket.delete(self._prefix + path)
        except Exception as error:
            with suppress(Exception):  # some say that there is no such object
                if self._bucket.read(self._prefix + path) is None:
                    return
            raise BackendUnavailable(
                f"The file {path} of the store {self._uri} cannot be deleted ({_said(error)})."
            ) from error

    def has_lost(self, file: StoredFile) -> bool:  # noqa: ARG002
        """No: a request for each file of a crawl would cost more than it finds, and such stores keep copies."""
        return False

    def listed(self) -> Iterator[tuple[str, int]]:
        """All files, sorted: path and bytes. Raises BackendUnavailable."""
        try:
            for name, size in self._bucket.listed(f"{self._prefix}{FOLDER}/"):
                yield name.removeprefix(self._prefix), size
        except Exception as error:
            raise BackendUnavailable(f"The store {self._uri} for files cannot be read ({_said(error)}).") from error

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(self.listed())


def _said(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).rstrip(".")
