"""BagIt (RFC 8493): everything archived of the posts, for ingest by an archive or library."""

from __future__ import annotations

import hashlib
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, Final, TextIO

from blogcrawler import __version__
from blogcrawler.export import completeness
from blogcrawler.export.date_labels import last_moment
from blogcrawler.export.fixity import Digested, Written, copied, writing
from blogcrawler.export.format import FolderFormat
from blogcrawler.export.jsonl import schema
from blogcrawler.export.media import kept_media, opened
from blogcrawler.export.segments import Segments, open_segments
from blogcrawler.export.text import blog_name, data_text, json_line, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

_AGENT = "blogcrawler"
OWN_LABELS = ("Bag-Size", "Bag-Software-Agent", "Payload-Oxum")
"""Labels whose values are computed from the bag."""
_ALGORITHMS: Final = ("sha256", "sha512")
_DECLARATION = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_INFO = "bag-info.txt"
_AGENT_LABEL = "Bag-Software-Agent"
_NAME = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)
"""Allowed file names in the bag: portable, and without characters that manifests must escape."""
_LONGEST = 1 << 20
"""Characters of bagit.txt that are read to identify the program that made the bag."""
_UNITS = ("B", "KB", "MB", "GB", "TB")


class Bag:
    """Writes a bag file by file and computes digests while writing; memory is constant."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifests: dict[str, TextIO] = {}
        self.bytes = 0
        self.files = 0

    @classmethod
    @contextmanager
    def at(cls, folder: Path) -> Iterator[Bag]:
        """Start a bag in an empty folder. Add files, then call `finish`."""
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
        """Open a new payload file for writing."""
        with writing(self._path(name), *_ALGORITHMS) as file:
            yield file
        self._list(name, file.written())

    def add(self, name: str, content: str) -> None:
        """Add a text to the payload."""
        with self.adding(name) as file:
            file.write(content.encode())

    def copy(self, name: str, source: BinaryIO, sha256: str | None = None) -> bool:
        """Add a file to the payload; return False and leave it out if its digest is wrong."""
        path = self._path(name)
        written = copied(source, path, *_ALGORITHMS)
        if sha256 not in (None, written.digests["sha256"]):
            path.unlink()
            return False
        self._list(name, written)
        return True

    def has(self, name: str) -> bool:
        """True if the payload has a file of this name."""
        return self._path(name).exists()

    def finish(self, agent: str, labels: Iterable[tuple[str, str]]) -> None:
        """Write bag-info.txt, the manifests and the tag manifests."""
        self._close()
        all_labels = [*labels, (_AGENT_LABEL, agent)]
        self._write("bagit.txt", _DECLARATION)
        self._write(_INFO, "".join(f"{label}: {' '.join(value.split())}\n" for label, value in all_labels))
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
    """True if a folder is a bag made by a program whose name begins with this."""
    try:
        with (folder / _INFO).open(encoding="utf-8", errors="replace") as file:
            info = file.read(_LONGEST)
        return (folder / "bagit.txt").is_file() and f"\n{_AGENT_LABEL}: {agent}" in f"\n{info}"
    except OSError:
        return False


def _digest(path: Path, algorithm: str) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def write(selection: Selection, folder: Path) -> None:
    """Write records, files and WARC files, and the bag's metadata."""
    with Bag.at(folder) as bag, Segments.of(selection) as segments:
        facts = _PostFacts()
        for blog in selection.blogs:
            with bag.adding(f"records/{blog_name(blog)}.jsonl") as records:
                for post in selection.posts(blog):
                    records.write(json_line(post.record.to_dict()))
                    facts.add(post)
                    segments.add(post.record)
                    _copy_media(selection, post.record, bag)
        _copy_segments(selection, bag, segments.names)
        for name, statement in completeness.statements(selection):
            with bag.adding(f"completeness/{name}.json") as file:
                file.write(statement)
        bag.add(completeness.SCHEMA, completeness.schema())
        bag.add("record.schema.json", schema())
        bag.add("README.txt", _readme(selection.blogs))
        bag.finish(f"{_AGENT} {__version__}", _labels(selection, bag, facts))


FORMAT = FolderFormat("bagit", write, lambda path: is_bag_of(path, _AGENT))


class _PostFacts:
    """Facts about the posts that were written."""

    def __init__(self) -> None:
        self.posts = 0
        #: time of the latest change of any of them
        self.newest: datetime | None = None

    def add(self, post: KeptPost) -> None:
        self.posts += 1
        self.newest = max(filter(None, (self.newest, last_moment(post))))


def _copy_media(selection: Selection, record: Record, bag: Bag) -> None:
    for media in kept_media(record):
        name = f"media/{media.path}"
        if media.path is None or bag.has(name):
            continue
        source = opened(selection, media)
        if source is None:
            continue
        with source:
            if not bag.copy(name, source, media.sha256):
                selection.on_lost(media.path, "its content does not match its digest")


def _copy_segments(selection: Selection, bag: Bag, named: set[str]) -> None:
    """Copy the WARC files with the posts' pages and files; all WARC files if all posts are selected."""
    for name, source in open_segments(selection, named):
        bag.copy(f"warc/{name}", source)


def _labels(selection: Selection, bag: Bag, facts: _PostFacts) -> Iterator[tuple[str, str]]:
    """Return the bag-info labels in the order of RFC 8493; values given by the sender take precedence."""
    sender = selection.sender
    blogs = [blog.home for blog in selection.blogs]
    count = f"{_counted(facts.posts, 'post')} of {_counted(len(blogs), 'blog')}"
    known: dict[str, list[str | None]] = {
        "Source-Organization": [sender.organisation],
        "Organization-Address": [],
        "Contact-Name": [],
        "Contact-Phone": [],
        "Contact-Email": [sender.mail],
        "External-Description": [f"{count}, archived from the web: records, files and WARC files"],
        "Bagging-Date": [None if facts.newest is None else facts.newest.date().isoformat()],
        "External-Identifier": [*blogs],
        "Bag-Size": [_size(bag.bytes)],
        "Payload-Oxum": [f"{bag.bytes}.{bag.files}"],
        "Bag-Group-Identifier": [],
        "Bag-Count": ["1 of 1"],
        "Internal-Sender-Identifier": [],
        "Internal-Sender-Description": [],
    }
    for label, values in {**known, **sender.labels}.items():
        yield from ((label, plain(value)) for value in values if value)


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _size(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == _UNITS[0] else f"{count:.1f} {unit}"


def _readme(blogs: tuple[BlogRow, ...]) -> str:
    text = data_text("bag-readme.txt")
    listed = (f"  records/{blog_name(blog)}.jsonl  {blog.home}  {blog.title or ''}".rstrip() for blog in blogs)
    return text + "".join(f"{' '.join(plain(line).split())}\n" for line in listed)
