"""WACZ 1.1.1 (Web Archive Collection Zipped): the captured pages of posts in one file, for replay."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from blogcrawler import __version__
from blogcrawler.errors import NotArchived
from blogcrawler.export.captures import Captures
from blogcrawler.export.chronology import title_of
from blogcrawler.export.completeness import statements
from blogcrawler.export.date_labels import last_moment
from blogcrawler.export.fixity import Zip
from blogcrawler.export.format import FileFormat
from blogcrawler.export.segments import Segments, open_segments
from blogcrawler.export.text import json_line, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.captures import Capture
    from blogcrawler.export.fixity import Written
    from blogcrawler.export.selection import Selection

_INDEX, _SECONDARY = "indexes/index.cdx.gz", "indexes/index.idx"
_PAGES, _PACKAGE, _DIGEST = "pages/pages.jsonl", "datapackage.json", "datapackage-digest.json"
_BLOCK = 300
"""Number of index lines in a compressed block; replay tools read whole blocks."""
_GZIP = zlib.MAX_WBITS + 16
_NOT_REPLAYABLE = (
    "No page of these posts is in the WARC files, so there is nothing to replay. Crawl the blog again with WARC=True, "
    "set ARCHIVE to the folder with the WARC files, or export another format."
)


@dataclass
class _PostFacts:
    """Facts about the posts that are collected before writing."""

    #: names of the WARC files with their pages and files
    segments: set[str]
    posts: int = 0
    #: time of the latest change of any of them
    newest: datetime | None = None

    @classmethod
    def of(cls, selection: Selection) -> _PostFacts:
        """Read the posts of a selection once."""
        with Segments.of(selection) as segments:
            known = cls(segments.names)
            for post in replace(selection, on_post=lambda: None).posts():
                known.posts += 1
                known.newest = max(filter(None, (known.newest, last_moment(post))))
                segments.add(post.record)
        return known


class _Package:
    """The files of the collection with their sizes and digests."""

    def __init__(self, target: Zip, folder: Path) -> None:
        self.target = target
        self._folder = folder
        self.resources: list[dict[str, Any]] = []

    def list(self, path: str, written: Written) -> None:
        """Record a written file."""
        name = path.rpartition("/")[2].lower()
        digest = f"sha256:{written.digests['sha256']}"
        self.resources.append({"name": name, "path": path, "hash": digest, "bytes": written.size})

    @contextmanager
    def adding(self, path: str, *, is_stored: bool = False) -> Iterator[IO[bytes]]:
        """Open a temporary file for writing; it is added when its size is known."""
        with TemporaryFile(dir=self._folder) as file:
            yield file
            size = file.tell()
            file.seek(0)
            self.list(path, self.target.copy(path, file, size, is_stored=is_stored))


def write(selection: Selection, path: Path) -> None:
    """Write the WARC files, their index, the list of pages, and the package description."""
    known = _PostFacts.of(selection)
    with Captures.kept_in(path.with_name(f"{path.name}.captures")) as captures, Zip.at(path) as target:
        package = _Package(target, path.parent)
        _copy_segments(selection, known, captures, package)
        captures.sort()
        _write_index(captures, package)
        with package.adding(_PAGES) as pages:
            pages.write(json_line({"format": "json-pages-1.0", "id": "pages", "title": "Posts", "hasText": True}))
            count = sum(pages.write(json_line(page)) > 0 for page in _pages(selection, captures))
            if known.posts and not count:
                raise NotArchived(_NOT_REPLAYABLE)
        for name, statement in statements(selection):
            path_in = f"completeness/{name}.json"
            package.list(path_in, target.add(path_in, statement))
        _write_description(selection, known, captures, package)


FORMAT = FileFormat("wacz", write)


def _copy_segments(selection: Selection, known: _PostFacts, captures: Captures, package: _Package) -> None:
    for name, source in open_segments(selection, known.segments):
        captures.add(Path(source.name), selection.on_lost)
        size = os.fstat(source.fileno()).st_size
        package.list(f"archive/{name}", package.target.copy(f"archive/{name}", source, size, is_stored=True))


def _write_index(captures: Captures, package: _Package) -> None:
    """Write the index in gzip blocks, and the position of each block (ZipNum)."""
    name = _INDEX.rpartition("/")[2]
    about = json.dumps({"format": "cdxj-gzip-1.0", "filename": name})
    beginnings = [f"!meta 0 {about}\n"]
    offset = 0
    with package.adding(_INDEX, is_stored=True) as index:
        lines = captures.lines()
        while block := list(islice(lines, _BLOCK)):
            data = _compressed("".join(block).encode())
            index.write(data)
            position = {"offset": offset, "length": len(data), "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
            beginnings.append(f"{block[0].partition(' {')[0]} {json.dumps(position)}\n")
            offset += len(data)
    package.list(_SECONDARY, package.target.add(_SECONDARY, "".join(beginnings).encode()))


def _compressed(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=_GZIP)
    return packer.compress(data) + packer.flush()


def _pages(selection: Selection, captures: Captures) -> Iterator[dict[str, str]]:
    """Yield the captured pages of posts; report posts whose page is missing."""
    for post in selection.posts():
        record = post.record
        capture = _capture(post, captures)
        if capture is None:
            selection.on_lost(record.url, "its page is not in the WARC files")
            continue
        page = {"id": str(uuid5(NAMESPACE_URL, plain(record.url))), "url": capture.url, "ts": capture.time}
        yield page | {"title": plain(title_of(record)), "text": plain(record.content_text or "")}


def _capture(post: KeptPost, captures: Captures) -> Capture | None:
    place = post.record.provenance.warc
    capture = captures.at(place) if place else None
    return capture or captures.find(post.record.url, int(post.first_seen.timestamp()))


def _write_description(selection: Selection, known: _PostFacts, captures: Captures, package: _Package) -> None:
    about: dict[str, Any] = {
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "software": f"blogcrawler {__version__}",
        "title": _title(selection),
        "description": _description(selection, known),
    }
    if known.newest is not None:
        about["created"] = known.newest.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        home = captures.find(selection.blogs[0].home, int(known.newest.timestamp()))
        about |= {} if home is None else {"mainPageUrl": home.url, "mainPageDate": home.time}
    content = json_line({**about, "resources": package.resources})
    written = package.target.add(_PACKAGE, content)
    digest = {"path": _PACKAGE, "hash": f"sha256:{written.digests['sha256']}"}
    package.target.add(_DIGEST, json_line(digest))


def _title(selection: Selection) -> str:
    names = [plain(" ".join((blog.title or "").split())) or blog.home for blog in selection.blogs]
    return names[0] if len(names) == 1 else f"{len(names)} blogs"


def _description(selection: Selection, known: _PostFacts) -> str:
    posts = f"{known.posts} post{'' if known.posts == 1 else 's'}"
    homes = "".join(f"\n- {blog.home}" for blog in selection.blogs)
    return f"{posts}, archived from the web by blogcrawler, with the pages and files that they were read from:\n{homes}"
