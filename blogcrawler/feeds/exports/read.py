"""Reads the export of a blog: one document, or those of a ZIP package or a folder. Nothing is unpacked to disk."""

from __future__ import annotations

import zlib
from contextlib import suppress
from dataclasses import dataclass
from lzma import LZMAError
from typing import IO, TYPE_CHECKING
from zipfile import BadZipFile, ZipFile, is_zipfile

from lxml import etree

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.model import Feed
from blogcrawler.feeds.quirks import local_name

from .blogger import read_blogger
from .medium import read_story
from .wordpress import read_wxr

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.items import Entry

MOST_BYTES = 512 * 1024 * 1024
"""Maximum size of all documents of an export, unpacked."""
_SUFFIXES = (".xml", ".atom", ".html")
_DAMAGE = (BadZipFile, EOFError, LZMAError, NotImplementedError, OSError, zlib.error)
"""What reading a damaged package raises, or one that is compressed in an unknown way."""
_FORBIDDEN = bytes(set(range(0x20)) - set(b"\t\n\r"))
"""Characters that XML forbids, and that blog software exports nevertheless."""
_LEGAL = bytes.maketrans(_FORBIDDEN, b" " * len(_FORBIDDEN))
_READERS = {"rss": ("wordpress.org/export/", read_wxr), "feed": ("schemas.google.com", read_blogger)}
"""For the root element of a document: a part of a namespace that it declares, and how it is read."""


def read_export(path: Path, home: str) -> Feed:
    """Read the export of the blog at `home`. O(n).

    Its entries are the public posts in the order of the export, with all comments if it has comments. `Feed.dropped`
    counts the posts that are not public: drafts, scheduled and private posts, those with a password or in the trash.

    Raises `NotAFeed` for other files, damaged packages, exports beyond 512 MiB, and packages with several blogs of
    Blogger, whose addresses may have no host.
    """
    found: list[Entry | None] = []
    kinds: list[str] = []
    try:
        for document in _documents(path):
            kind, entries = _read(document, home)
            found += entries
            kinds.append(kind)
    except _DAMAGE as error:
        raise NotAFeed(f"{path} cannot be read ({error}); export the blog again.") from error
    if kinds.count("feed") > 1:
        raise NotAFeed(f"{path} has {kinds.count('feed')} blogs of Blogger. Give one of them: its file feed.atom.")
    if not any(kinds):
        raise NotAFeed(
            f"{path} is no export of a blog. Give a file that WordPress exported (WXR), the export of Blogger (an XML "
            "file, feed.atom, or the ZIP file of Google Takeout), or the ZIP file of Medium."
        )
    return Feed(home, "synthetic", entries=tuple(filter(None, found)), dropped=found.count(None))


def _read(document: _Document, home: str) -> tuple[str, list[Entry | None]]:
    """The kind of a document, empty if it is no export; and its posts, None for each that is not public."""
    if document.name.lower().endswith(".html"):
        stories = read_story(b"".join(iter(document.read, b"")), home)
        return "html" if stories else "", stories
    elements = document.elements()
    root = next(elements, None)
    kind = local_name(root) if root is not None else ""
    space, read = _READERS.get(kind, ("", None))
    if root is None or read is None or not any(space in uri for uri in root.nsmap.values()):
        return "", []
    return kind, list(read(elements, home))


@dataclass
class _Document:
    """A document that is read bit by bit, with spaces in place of characters that XML forbids."""

    name: str
    stream: IO[bytes]
    #: number of bytes that all documents of the export may still have
    left: list[int]
    is_at_end: bool = False

    def read(self, size: int = 1 << 20) -> bytes:
        """The next bytes; empty at the end. Raises NotAFeed if the export is too large."""
        part = self.stream.read(size)
        self.left[0] -= len(part)
        self.is_at_end = not part
        if self.left[0] < 0:
            raise NotAFeed(f"{self.name} goes beyond the {MOST_BYTES >> 20} MiB of an export; split it.")
        return part.translate(_LEGAL)

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
        with suppress(etree.XMLSyntaxError):
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


def _documents(path: Path) -> Iterator[_Document]:
    """The XML and HTML documents of an export, in the order of their names."""
    left = [MOST_BYTES]
    if is_zipfile(path):
        with ZipFile(path) as package:
            for info in sorted(package.infolist(), key=lambda info: info.filename):
                if info.filename.lower().endswith(_SUFFIXES) and not info.flag_bits & 1:  # no password
                    with package.open(info) as stream:
                        yield _Document(f"{path}#{info.filename}", stream, left)
        return
    for file in sorted(path.rglob("*.*")) if path.is_dir() else [path]:
        if file == path or (file.suffix.lower() in _SUFFIXES and file.is_file()):
            with file.open("rb") as stream:
                yield _Document(str(file), stream, left)
