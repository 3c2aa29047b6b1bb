"""Writes the files of an export: one for each blog, or several for a large blog, since sites limit the size of
uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler import __version__
from blogcrawler.export.format import FolderFormat, has_readme, write_readme
from blogcrawler.export.media import copy_media
from blogcrawler.export.text import blog_name, encoded
from blogcrawler.export.wxr.items import Terms, attachment, files, post, templates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection

LARGEST = 15 * 1024 * 1024
"""Maximum size of a file in bytes, unless a single post is larger."""
_README = "wxr-readme.txt"
_MEDIA = "media"
_END = b"</channel>\n</rss>\n"


def write(selection: Selection, folder: Path) -> None:
    """Write the files of each blog."""
    write_readme(folder, _README)
    for blog in selection.blogs:
        terms = Terms()
        for kept in selection.archive.posts(blog.home, since=selection.since):
            terms.add(kept.id, kept.record)
        with _Files(folder, blog, terms) as made:
            for item in _items(selection, blog, terms, folder / _MEDIA):
                made.add(item)


FORMAT = FolderFormat("wxr", write, has_readme("WXR"))


def _items(selection: Selection, blog: BlogRow, terms: Terms, folder: Path) -> Iterator[bytes]:
    """Yield the posts of a blog, each followed by its files, each file once. O(files) memory."""
    comments, attachments = 1, terms.last_id + 1
    written: set[int] = set()
    for kept in selection.posts(blog):
        moved = _moved(selection, kept, folder)
        yield encoded(post(kept, terms, comments, moved))
        comments += len(kept.record.comments)
        for media in files(kept.record):
            url = moved.get(media.url, media.url)
            if hash(url) not in written:
                written.add(hash(url))
                yield encoded(attachment(kept, media, attachments, url))
                attachments += 1


def _moved(selection: Selection, archived: KeptPost, folder: Path) -> dict[str, str]:
    """Copy the files of a post that will be published at another URL; return their new URLs by the original ones."""
    if selection.media_url is None or not archived.record.media:
        return {}
    folder.mkdir(exist_ok=True)
    base = f"{selection.media_url.rstrip('/')}/"
    return {url: base + name for url, name in copy_media(selection, archived.record, folder).items()}


class _Files:
    """The files of a blog, written one after another; each can be imported on its own."""

    def __init__(self, folder: Path, blog: BlogRow, terms: Terms) -> None:
        self._folder, self._blog = folder, blog
        self._head = encoded(templates().get_template("head.xml").render(blog=blog, terms=terms, version=__version__))
        self._file: BinaryIO | None = None
        self._count = self._size = 0

    def __enter__(self) -> _Files:
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def add(self, item: bytes) -> None:
        """Write an item, in a new file if the current one is full."""
        if self._size + len(item) > LARGEST and self._size > len(self._head):
            self._end()
            self._begin()
        self._write(item)

    def _begin(self) -> None:
        self._count += 1
        number = f"-{self._count}" if self._count > 1 else ""
        self._file = (self._folder / f"{blog_name(self._blog)}{number}.xml").open("xb")
        self._size = 0
        self._write(self._head)

    def _end(self) -> None:
        assert self._file is not None
        with self._file:
            self._file.write(_END)

    def _write(self, content: bytes) -> None:
        assert self._file is not None
        self._file.write(content)
        self._size += len(content)
