"""Writes a book in two passes over the posts: the first for links and lists, the second for chapters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import NAMESPACE_URL, uuid5

from blogcrawler.backend import Archive
from blogcrawler.export.chronology import Chronology
from blogcrawler.export.date_labels import last_moment
from blogcrawler.export.epub.book import Book
from blogcrawler.export.epub.chapter import Chapter, markup
from blogcrawler.export.fixity import Zip
from blogcrawler.export.format import FileFormat
from blogcrawler.export.languages import is_right_to_left, language_tag
from blogcrawler.export.parts import discussions, other_files
from blogcrawler.export.text import xml_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.chronology import Listed
    from blogcrawler.export.selection import Selection

_TITLE = "title.xhtml"
_AUTHORS, _NAMES = 10, 3
"""Most authors and most blog names in the book's metadata."""
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)
"""Modification date of a book without posts."""


@dataclass(frozen=True)
class _Blog:
    """A blog as a part of the book."""

    id: int
    home: str
    name: str
    language: str | None
    posts: int
    #: the years of its posts
    period: str
    #: file name of its first page
    page: str


def write(selection: Selection, path: Path) -> None:
    """Write the chapters, their files, and the lists."""
    with Chronology.of(selection, path.with_name(f"{path.name}.posts")) as chronology, Zip.at(path) as target:
        blogs = [_named(blog, chronology, len(selection.blogs)) for blog in selection.blogs]
        homes = {Archive.key_of(blog.home): blog.page for blog in blogs}
        book = Book(target, path.parent, chronology.database, homes)
        _Writer(selection, chronology, book, blogs).write()


FORMAT = FileFormat("epub", write)


def _named(blog: BlogRow, chronology: Chronology, blogs: int) -> _Blog:
    name = " ".join(xml_text(blog.title or "").split()) or urlsplit(blog.home).hostname or blog.home
    years = [month[:4] for month, _ in chronology.months(blog.id) if month]
    period = "–".join(dict.fromkeys([years[-1], years[0]])) if years else ""
    page = _TITLE if blogs == 1 else f"blogs/{blog.id}.xhtml"
    return _Blog(blog.id, blog.home, name, blog.language, chronology.count(blog.id), period, page)


class _Writer:
    """The parts of one book."""

    def __init__(self, selection: Selection, chronology: Chronology, book: Book, blogs: list[_Blog]) -> None:
        self._selection, self._chronology, self._book, self._blogs = selection, chronology, book, blogs
        self._newest = _NEVER
        names = [blog.name for blog in blogs]
        self._title = ", ".join(names) if 0 < len(names) <= _NAMES else f"{len(names)} blogs"
        self._language = blogs[0].language if len(blogs) == 1 else "en"

    def write(self) -> None:
        """Write all parts; the lists come last, since they name the others."""
        self._book.begin()
        posts = sum(blog.posts for blog in self._blogs)
        period = self._blogs[0].period if len(self._blogs) == 1 else ""
        self._write(_TITLE, "title.xhtml", posts=posts, period=period)
        for row, blog in zip(self._selection.blogs, self._blogs, strict=True):
            if len(self._blogs) > 1:
                self._book.write(blog.page, "blog.xhtml", title=blog.name, blog=blog)
            for post in self._selection.posts(row):
                listed = self._chronology.get(post.id)
                if listed is not None:
                    self._write_chapter(post, listed, blog)
        self._write("nav.xhtml", "nav.xhtml", years=self._years)
        self._write_package()

    def _write(self, name: str, template: str, **values: Any) -> None:  # noqa: ANN401
        self._book.write(name, template, title=self._title, language=self._language, blogs=self._blogs, **values)

    def _write_chapter(self, post: KeptPost, listed: Listed, blog: _Blog) -> None:
        record = post.record
        self._newest = max(self._newest, last_moment(post))
        stored = {media.url: media for media in record.media if media.path is not None and media.sha256 is not None}
        chapter = Chapter(self._selection, self._book, self._chronology, listed, stored)
        content = markup(record.content_html, record.content_text, record, chapter)
        said = discussions(record, lambda html, text: markup(html, text, record, chapter))
        self._book.add_chapter(
            listed,
            title=listed.title,
            language=record.language or blog.language,
            record=record,
            gone=post.gone.isoformat(timespec="seconds") if post.gone else None,
            article=content,
            authors=self._chronology.labels_of(post.id, "author"),
            tags=self._chronology.labels_of(post.id, "tag"),
            files=list(other_files(record, chapter)),
            discussions=said,
        )

    def _posts(self, blog: _Blog) -> Iterator[Listed]:
        """Return the posts of a blog that have chapters, oldest first."""
        return filter(self._book.has_chapter, self._chronology.posts(blog.id))

    def _years(self, blog: _Blog) -> Iterator[tuple[str, Iterator[tuple[str, Iterator[Listed]]]]]:
        """Group these posts by year and month."""
        for year, posts in groupby(self._posts(blog), key=lambda post: post.month[:4]):
            yield year, groupby(posts, key=lambda post: post.month)

    def _write_package(self) -> None:
        languages = filter(None, (language_tag(blog.language) for blog in self._blogs))
        homes = "\n".join(blog.home for blog in self._blogs)
        self._write(
            "package.opf",
            "package.opf",
            identifier=f"urn:uuid:{uuid5(NAMESPACE_URL, homes)}",
            languages=list(dict.fromkeys(languages)) or ["und"],
            authors=self._authors(),
            modified=self._newest.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            is_right_to_left=len(self._blogs) == 1 and is_right_to_left(self._language),
            posts=self._posts,
            files=self._book.files,
        )

    def _authors(self) -> list[str]:
        """Return the authors with the most posts."""
        labels = (label for blog in self._blogs for label in self._chronology.labels(blog.id, "author"))
        ordered = sorted(labels, key=lambda label: (-label.count, label.name))
        names = (" ".join(xml_text(label.name).split()) for label in ordered)
        return list(filter(None, dict.fromkeys(names)))[:_AUTHORS]
