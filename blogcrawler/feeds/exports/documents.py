"""The documents of an export: one file, or the files of a ZIP package or a folder. Nothing is unpacked to disk."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from lzma import LZMAError
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, is_zipfile

from lxml import etree

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.quirks import local_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_BYTES = 512 * 1024 * 1024
"""Maximum size of all documents of an export, unpacked."""
MOST_DOCUMENTS = 100_000
_SUFFIXES = (".xml", ".atom", ".html")
_FORBIDDEN = bytes(set(range(0x20)) - set(b"\t\n\r"))
"""Characters that XML forbids, and that blog software exports nevertheless."""


@dataclass
class Document:
    """A document that is read bit by bit, without characters that XML forbids."""

    name: str
    stream: IO[bytes]
    #: bytes that the export may still have; shared by its documents
    left: list[int]
    is_at_end: bool = False

    def read(self, size: int = -1) -> bytes:
        """The next bytes, or all; empty at the end. Raises NotAFeed if the export is too large."""
        most = self.left[0] + 1
        while part := self._part(min(size, most) if size >= 0 else most):
            self.left[0] -= len(part)
            if self.left[0] < 0:
                raise NotAFeed(f"{self.name} has more than {MOST_BYTES >> 20} MiB; split the export.")
            if legal := part.translate(None, _FORBIDDEN):
                return legal
        self.is_at_end = True
        return b""

    def read_all(self) -> bytes:
        """The whole document. Raises NotAFeed like `read`."""
        return b"".join(iter(self.read, b""))

    def _part(self, size: int) -> bytes:
        try:
            return self.stream.read(size)
        except (BadZipFile, EOFError, LZMAError, OSError, zlib.error) as error:
            raise NotAFeed(f"{self.name} cannot be read ({error}); export the blog again.") from error

    def elements(self) -> Iterator[etree._Element]:
        """The root of an XML document before its content, then each child of the root or of RSS's channel.

        Each is freed after it. The last element of a truncated document is left out: half a post may lack what says
        that it is private. Documents with a document type are not read: no blog software writes one, and there are no
        custom entities without it.
        """
        events = etree.iterparse(
            self, events=("start", "end"), recover=True, huge_tree=True, resolve_entities=False, no_network=True,
            remove_comments=True, remove_pis=True,
        )  # fmt: skip
        try:
            for event, element in events:
                parent = element.getparent()
                if self.is_at_end:  # the parser closes the elements of a truncated document
                    return
                if event == "start" and parent is None:
                    if element.getroottree().docinfo.internalDTD is not None:
                        return
                    yield element
                elif event == "end" and parent is not None and local_name(parent) in ("channel", "feed"):
                    yield element
                    element.clear()
                    while element.getprevious() is not None:
                        del parent[0]
        except etree.XMLSyntaxError:
            return


def documents(path: Path) -> Iterator[Document]:
    """The XML and HTML documents of an export, in the order of their names. Raises NotAFeed if it is damaged or too
    large."""
    left = [MOST_BYTES]
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
        for file in files[:MOST_DOCUMENTS]:
            with file.open("rb") as stream:
                yield Document(str(file), stream, left)
    elif is_zipfile(path):
        with ZipFile(path) as package:
            names = sorted(name for name in package.namelist() if name.lower().endswith(_SUFFIXES))
            for name in names[:MOST_DOCUMENTS]:
                with _opened(package, name) as stream:
                    yield Document(f"{path}#{name}", stream, left)
    else:
        with path.open("rb") as stream:
            yield Document(str(path), stream, left)


def _opened(package: ZipFile, name: str) -> IO[bytes]:
    try:
        return package.open(name)
    except (BadZipFile, RuntimeError) as error:  # damaged, encrypted, or compressed by an unknown method
        raise NotAFeed(f"{package.filename}#{name} cannot be unpacked ({error}); export the blog again.") from error
