"""A bag (RFC 8493): a folder of files with their digests, and what is to be said of the whole."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from blogcrawler.export.fixity import Digested, Written, copied, writing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_ALGORITHMS: Final = ("sha256", "sha512")
_DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_INFO = "bag-info.txt"
_AGENT = "Bag-Software-Agent"
_NAME = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)
"""Of files in the bag: such names are the same on all machines, and need no escapes in manifests."""
_LONGEST = 1 << 20
"""Characters of a bag's description that are read to see whose it is."""


class Bag:
    """Writes a bag, file by file, each digested while it is written; memory does not grow with their number."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifests: dict[str, TextIO] = {}
        self.bytes = 0
        self.files = 0

    @classmethod
    @contextmanager
    def at(cls, folder: Path) -> Iterator[Bag]:
        """A bag in an empty folder, to which files are added; `finish` it."""
        bag = cls(folder)
        (folder / "data").mkdir()
        try:
            for name in _ALGORITHMS:
                bag._manifests[name] = (folder / f"manifest-{name}.txt").open("x", encoding="utf-8", newline="\n")
            yield bag
        finally:
            bag._close()

    @contextmanager
    def adding(self, name: str) -> Iterator[Digested]:
        """A new file of the payload to write to."""
        with writing(self._path(name), *_ALGORITHMS) as file:
            yield file
        self._list(name, file.written())

    def add(self, name: str, content: str) -> None:
        """Add a text to the payload."""
        with self.adding(name) as file:
            file.write(content.encode())

    def copy(self, name: str, source: BinaryIO, sha256: str | None = None) -> bool:
        """Add a file to the payload. False, and it is left out, where it has another digest than it should have."""
        path = self._path(name)
        written = copied(source, path, *_ALGORITHMS)
        if sha256 not in (None, written.digests["sha256"]):
            path.unlink()
            return False
        self._list(name, written)
        return True

    def has(self, name: str) -> bool:
        """Is there such a file in the payload?"""
        return self._path(name).exists()

    def finish(self, agent: str, labels: Iterable[tuple[str, str]]) -> None:
        """Write what is to be said of the bag, and the digests of all that is no payload."""
        self._close()
        told = [*labels, (_AGENT, agent)]
        self._write("bagit.txt", _DECLARATION)
        self._write(_INFO, "".join(f"{label}: {' '.join(value.split())}\n" for label, value in told))
        files = sorted(path for path in self._folder.iterdir() if path.is_file())
        for algorithm in _ALGORITHMS:
            lines = (f"{_digest(path, algorithm)}  {path.name}\n" for path in files)
            self._write(f"tagmanifest-{algorithm}.txt", "".join(lines))

    def _path(self, name: str) -> Path:
        assert _NAME.fullmatch(name), name
        return self._folder / "data" / name

    def _list(self, name: str, written: Written) -> None:
        for algorithm, manifest in self._manifests.items():
            manifest.write(f"{written.digests[algorithm]}  data/{name}\n")
        self.bytes += written.size
        self.files += 1

    def _write(self, name: str, text: str) -> None:
        (self._folder / name).write_text(text, "utf-8", "replace", newline="\n")

    def _close(self) -> None:
        for manifest in self._manifests.values():
            manifest.close()


def is_bag_of(folder: Path, agent: str) -> bool:
    """Is a folder a bag that a program made whose name begins so?"""
    try:
        with (folder / _INFO).open(encoding="utf-8", errors="replace") as file:
            told = file.read(_LONGEST)
        return (folder / "bagit.txt").is_file() and f"\n{_AGENT}: {agent}" in f"\n{told}"
    except OSError:
        return False


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()
