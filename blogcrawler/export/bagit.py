"""BagIt (RFC 8493): all that the archive has of the posts, for an archive or library that takes it in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler import __version__
from blogcrawler.export.bag import Bag, is_bag_of
from blogcrawler.export.date_labels import last_moment
from blogcrawler.export.format import FolderFormat
from blogcrawler.export.jsonl import schema
from blogcrawler.export.media import kept_media, opened
from blogcrawler.export.segments import Segments, open_segments
from blogcrawler.export.text import blog_name, data_text, json_line, plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

_AGENT = "blogcrawler"
OWN_LABELS = ("Bag-Size", "Bag-Software-Agent", "Payload-Oxum")
"""Labels whose values follow from the bag itself."""
_UNITS = ("B", "KB", "MB", "GB", "TB")


def write(selection: Selection, folder: Path) -> None:
    """Write records, files and WARC files, and what is to be said of them."""
    with Bag.at(folder) as bag, Segments.of(selection) as segments:
        told = _Told()
        for blog in selection.blogs:
            with bag.adding(f"records/{blog_name(blog)}.jsonl") as records:
                for post in selection.posts(blog):
                    records.write(json_line(post.record.to_dict()))
                    told.add(post)
                    segments.add(post.record)
                    _copy_media(selection, post.record, bag)
        _copy_segments(selection, bag, segments.names)
        bag.add("record.schema.json", schema())
        bag.add("README.txt", _readme(selection.blogs))
        bag.finish(f"{_AGENT} {__version__}", _labels(selection, bag, told))


FORMAT = FolderFormat("bagit", "a bag with records, files and WARC files", write, lambda path: is_bag_of(path, _AGENT))


class _Told:
    """What is remembered of the posts that were written."""

    def __init__(self) -> None:
        self.posts = 0
        #: when something of them was new last
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
                selection.on_lost(media.path, "it holds something else than its digest says")


def _copy_segments(selection: Selection, bag: Bag, named: set[str]) -> None:
    """Copy the WARC files that have the posts' pages and files, or all of them where all posts are chosen."""
    for name, source in open_segments(selection, named):
        bag.copy(f"warc/{name}", source)


def _labels(selection: Selection, bag: Bag, told: _Told) -> Iterator[tuple[str, str]]:
    """What is said of the bag, in the order of RFC 8493; what the sender says goes before what is known here."""
    sender = selection.sender
    blogs = [blog.home for blog in selection.blogs]
    count = f"{_counted(told.posts, 'post')} of {_counted(len(blogs), 'blog')}"
    known: dict[str, list[str | None]] = {
        "Source-Organization": [sender.organisation],
        "Organization-Address": [],
        "Contact-Name": [],
        "Contact-Phone": [],
        "Contact-Email": [sender.mail],
        "External-Description": [f"{count}, archived from the web: records, files and WARC files"],
        "Bagging-Date": [None if told.newest is None else told.newest.date().isoformat()],
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
