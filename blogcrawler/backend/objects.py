"""Stored files in an object store, named by their content like those in a folder."""

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
"""Files up to this size are read into memory, larger ones into a temporary file."""
_READERS = 8
"""Number of threads for reading, which mostly wait for the network."""
_TRIALS, _NAME = "blogcrawler-trial/", 2
"""Prefix of the test objects, and number of digits in their names. Few digits, since test objects may remain if
deleting is not permitted. Enough digits that several machines rarely write the same object within a second, which
Google's stores do not allow."""
_TRIES = 3
"""Number of attempts to write a file to a working store after temporary errors."""
_AGAIN_S = 0.5


class Bucket(Protocol):
    """The operations that we need of an object store's library. They raise exceptions of any type."""

    def holds(self, name: str) -> bool:
        """True if an object with this name exists."""

    def write(self, name: str, content: bytes) -> None:
        """Write an object."""

    def delete(self, name: str) -> None:
        """Delete an object."""

    def read(self, name: str) -> IO[bytes] | None:
        """Content of an object; None if it does not exist."""

    def listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        """The objects with this prefix, sorted by name, with their sizes."""

    def may_pass(self, error: Exception) -> bool:
        """True if the error may be temporary, as when the server does not respond."""

    def is_full(self, error: Exception) -> bool:
        """True if the error means that the store is full."""


class ObjectStore:
    """Files below a prefix in an object store, for any number of threads. If the store is unavailable, calls wait up to
    `patience_s` seconds, including the retries of its library. After that, no further file is stored."""

    def __init__(self, uri: str, prefix: str, bucket: Bucket, *, patience_s: float = 0) -> None:
        self._uri, self._prefix = without_password(uri), prefix
        self._bucket, self._patience_s = bucket, patience_s
        #: the error after which waiting was given up
        self._given_up: Exception | None = None
        self._waiting = threading.Lock()

    @property
    def readers(self) -> int:
        return _READERS

    def check(self) -> None:
        """Check that files can be stored, by writing and deleting a small object. Raises BackendUnavailable at once."""
        if (error := self._trial()) is not None:
            raise self._unavailable(error) from error

    def put(self, content: bytes) -> StoredFile:
        """Store a content unless it is already stored.

        Raises BackendUnavailable if the store is unavailable for too long or stores nothing, FileRefused if it only
        rejects this file.
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
                    f"The store {self._uri} rejects a file of {len(content)} bytes ({_text_of(error)})."
                ) from error
        return StoredFile(path, digest, len(content))

    def _written(self, name: str, content: bytes) -> Exception | None:
        """Write an object if it does not exist; return the error, if any."""
        if self._given_up is not None:
            return self._given_up
        try:
            if not self._bucket.holds(name):
                self._bucket.write(name, content)
        except Exception as error:  # noqa: BLE001  each library has errors of its own
            return error
        return None

    def _wait(self, since: float, failure: Exception) -> None:
        """Wait until the store accepts objects. Raises BackendUnavailable if that takes too long.

        `since` is the time, by the monotonic clock, of the failed attempt, and `failure` its error. One thread tests
        the store while the others wait for the result.
        """
        with self._waiting:
            if self._bucket.is_full(failure):  # even if the store has room for a small object
                self._given_up = failure
            while (error := self._given_up or self._trial()) is not None:
                if time.monotonic() - since >= self._patience_s or not self._bucket.may_pass(error):
                    self._given_up = error
                if self._given_up is not None:
                    raise self._unavailable(error) from error
                time.sleep(_AGAIN_S)

    def _trial(self) -> Exception | None:
        """Write a small object; return the error, if any.

        Failure to delete it is ignored, as permission may be missing.
        """
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
            f"The store {self._uri} for files cannot be written ({_text_of(error)}). Check its bucket, credentials and "
            "free space, or set FILES_STORE; then run the same command again."
        )

    def open(self, path: str) -> BinaryIO:
        """Open a copy of a stored file."""
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
        """Size of a stored file in bytes.

        Raises OSError if it does not exist. The store is listed once, in O(files) memory.
        """
        if path not in self._sizes:
            raise FileNotFoundError(ENOENT, "is not in the store", path)
        return self._sizes[path]

    def delete(self, path: str) -> None:
        try:
            self._bucket.delete(self._prefix + path)
        except Exception as error:
            with suppress(Exception):  # some libraries raise an error for a missing object
                if self._bucket.read(self._prefix + path) is None:
                    return
            raise BackendUnavailable(
                f"The file {path} of the store {self._uri} cannot be deleted ({_text_of(error)})."
            ) from error

    def has_lost(self, file: StoredFile) -> bool:  # noqa: ARG002
        """False always: a request for each file would cost too much, and object stores keep copies of their own."""
        return False

    def listed(self) -> Iterator[tuple[str, int]]:
        try:
            for name, size in self._bucket.listed(f"{self._prefix}{FOLDER}/"):
                yield name.removeprefix(self._prefix), size
        except Exception as error:
            raise BackendUnavailable(f"The store {self._uri} for files cannot be read ({_text_of(error)}).") from error

    @cached_property
    def _sizes(self) -> dict[str, int]:
        return dict(self.listed())


def _text_of(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).rstrip(".")
