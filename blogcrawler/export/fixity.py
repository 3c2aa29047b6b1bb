"""Digests of what is written, taken while it is written: nothing is read twice."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_CHUNK = 1 << 20
_HEAD = 64


@dataclass
class Written:
    """A file that was written: its size, and its digests in hexadecimal by their algorithm."""

    size: int
    digests: Mapping[str, str]
    #: the first bytes, which tell formats
    head: bytes


class Digested:
    """A stream to write to that takes the digests of what goes through it."""

    def __init__(self, stream: IO[bytes], algorithms: tuple[str, ...]) -> None:
        self._stream = stream
        self._digests = {name: hashlib.new(name) for name in algorithms}
        self._bytes = 0
        self._head = b""

    def write(self, content: bytes) -> int:
        """Write a part."""
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
    """A new file to write to, in folders that are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as stream:
        yield Digested(stream, algorithms)


def copied(source: BinaryIO, path: Path, *algorithms: str) -> Written:
    """Copy a file to a new one. In bounded memory."""
    with writing(path, *algorithms) as target:
        while content := source.read(_CHUNK):
            target.write(content)
    return target.written()
