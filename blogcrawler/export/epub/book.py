"""Writes the files of a book, and tracks them until their lists are written."""

from __future__ import annotations

import re
from importlib import resources
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from markupsafe import Markup, escape

from blogcrawler.export.date_labels import date_label, month_label
from blogcrawler.export.epub.conforming import web_address
from blogcrawler.export.languages import is_right_to_left, language_tag
from blogcrawler.export.media import extension
from blogcrawler.export.text import count, numbered, xml_text
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from blogcrawler.export.chronology import Listed
    from blogcrawler.export.fixity import Zip
    from blogcrawler.items import Media

CONTENT = "EPUB/"
"""The folder of the content."""
_HEAD = 64
_SIGNATURES = (
    # core media types, which all e-book readers support (EPUB 3.3)
    ("image/png", re.compile(rb"\x89PNG\r\n\x1a\n")),
    ("image/jpeg", re.compile(rb"\xff\xd8\xff")),
    ("image/gif", re.compile(rb"GIF8[79]a")),
    ("image/webp", re.compile(rb"RIFF....WEBP", re.DOTALL)),
    ("audio/mpeg", re.compile(rb"ID3|\xff[\xf2-\xf3\xfa-\xfb]")),
    ("audio/mp4", re.compile(rb"....ftypM4[AB]", re.DOTALL)),
    ("video/mp4", re.compile(rb"....ftyp", re.DOTALL)),
    ("video/webm", re.compile(rb"\x1a\x45\xdf\xa3")),
)
_TABLES = """
CREATE TABLE chapter (post INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE file (sha256 TEXT PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL);
"""


class Book:
    """Writes the parts of a book to a ZIP file."""

    def __init__(self, target: Zip, folder: Path, database: sqlite3.Connection, homes: Mapping[str, str]) -> None:
        self._target, self._folder, self._database, self._homes = target, folder, database, homes
        for statement in filter(None, _TABLES.strip().split(";\n")):
            database.execute(statement)
        self._templates = templates_of("blogcrawler.export.epub")
        self._templates.filters.update(
            address=web_address, date_label=date_label, month_label=month_label, tag=language_tag
        )
        self._templates.globals.update(lang=_lang, count=count, chapter_name=self.chapter_name)

    def begin(self) -> None:
        """Write the files that must come first."""
        self._target.add("mimetype", b"application/epub+zip", is_stored=True)
        self._target.add("META-INF/container.xml", _asset("container.xml"))
        self._target.add(f"{CONTENT}style.css", _asset("style.css"))

    def write(self, name: str, template: str, **values: Any) -> None:  # noqa: ANN401
        """Write a part from a template. In bounded memory if its values are iterators."""
        with self.scratch() as file:
            for text in self._templates.get_template(template).generate(**values):
                file.write(xml_text(text).encode())
            self._copy(name, file)

    def scratch(self) -> AbstractContextManager[IO[bytes]]:
        """Open a temporary file next to the book."""
        return TemporaryFile(dir=self._folder)

    def _copy(self, name: str, file: IO[bytes], *, is_stored: bool = False) -> None:
        size = file.tell()
        file.seek(0)
        self._target.copy(f"{CONTENT}{name}", file, size, is_stored=is_stored)

    def chapter_name(self, post: Listed) -> str:
        """Return the file name of a post's chapter."""
        return f"posts/{numbered(post.id, post.title)}.xhtml"

    def add_chapter(self, post: Listed, **values: Any) -> None:  # noqa: ANN401
        """Write the chapter of a post."""
        name = self.chapter_name(post)
        self.write(name, "chapter.xhtml", post=post, **values)
        self._database.execute("INSERT INTO chapter VALUES (?, ?)", (post.id, name))

    def has_chapter(self, post: Listed) -> bool:
        """True if the post has a chapter."""
        query = "SELECT 1 FROM chapter WHERE post = ?"
        return self._database.execute(query, (post.id,)).fetchone() is not None

    def find_home(self, key: str) -> str | None:
        """Return the link from a chapter to the first page of its blog."""
        name = self._homes.get(key)
        return None if name is None else f"../{name}"

    def find_file(self, media: Media) -> str | None:
        """Return the name of a file that was added before; empty if it cannot be in the book, None if it is new."""
        row = self._database.execute("SELECT name FROM file WHERE sha256 = ?", (media.sha256,)).fetchone()
        return None if row is None else str(row[0])

    def add_file(self, media: Media, file: IO[bytes]) -> str:
        """Add a written file and return its name; the name is empty if its type is not a core media type."""
        shown_type = _shown_type(file, media.type)
        if shown_type is None:
            return self.refuse_file(media)
        name = f"media/{media.sha256}{extension(shown_type)}"
        self._copy(name, file, is_stored=True)
        self._database.execute("INSERT INTO file VALUES (?, ?, ?)", (media.sha256, name, shown_type))
        return name

    def refuse_file(self, media: Media) -> str:
        """Note that a file is not in the book."""
        self._database.execute("INSERT INTO file VALUES (?, '', '')", (media.sha256,))
        return ""

    def files(self) -> Iterator[tuple[str, str, str]]:
        """Yield all added files: ID, path and type."""
        query = "SELECT sha256, name, type FROM file WHERE name != '' ORDER BY sha256"
        for sha256, name, found in self._database.execute(query):
            yield f"media-{sha256}", name, found


def _lang(language: str | None) -> Markup:
    """Return the HTML attributes of text in a language."""
    tag = language_tag(language)
    if tag is None:
        return Markup(' dir="auto"')
    direction = "rtl" if is_right_to_left(tag) else "ltr"
    return Markup(' lang="{0}" xml:lang="{0}" dir="{1}"').format(escape(tag), direction)


def _asset(name: str) -> bytes:
    return (resources.files("blogcrawler.export.epub") / "assets" / name).read_bytes()


def _shown_type(file: IO[bytes], media_type: str | None) -> str | None:
    """Return the type of a picture, sound or film; None for other files and wrong types. The file position is kept."""
    end = file.tell()
    file.seek(0)
    head = file.read(_HEAD)
    file.seek(end)
    found = next((name for name, signature in _SIGNATURES if signature.match(head)), None)
    said = (media_type or "").partition("/")[0]
    if found == "video/mp4" and said == "audio":
        return "audio/mp4"
    return found if found is not None and found.partition("/")[0] == said else None
