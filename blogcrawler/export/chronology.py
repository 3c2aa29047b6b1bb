"""The posts of a selection in chronological order, indexed by URL, month, tag and author. It is a temporary database
for one export, so that memory is constant."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from datetime import UTC
from typing import TYPE_CHECKING, Literal

from blogcrawler.backend import Archive
from blogcrawler.export.date_labels import local_time, month_of
from blogcrawler.export.parts import anchors
from blogcrawler.export.text import data_text, plain, xml_text
from blogcrawler.urls import is_http, with_other_slash

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from blogcrawler.backend import KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Record

LabelKind = Literal["tag", "author"]
_EXCERPT = 300
"""Longest excerpt in lists, in characters."""
_TITLE = 80
"""Longest substitute for a missing title, in characters."""
_LONGEST_TITLE = 500


@dataclass(frozen=True)
class Listed:
    id: int
    blog: int
    url: str
    title: str
    published: str
    #: see `month_of`; empty if unknown
    month: str
    language: str
    excerpt: str
    comments: int
    #: time of the last change in the archive, in Atom's format
    changed: str


@dataclass(frozen=True)
class Label:
    """A tag or an author, regardless of case."""

    kind: LabelKind
    #: alphabetical position, from 1
    number: int
    name: str
    count: int


_COLUMNS = ", ".join(f"post.{field.name}" for field in fields(Listed))


class Chronology:
    """The posts of a selection, oldest first; posts without a date come first."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    @classmethod
    @contextmanager
    def of(cls, selection: Selection, scratch: Path) -> Iterator[Chronology]:
        """Read the posts of a selection once, into the temporary file `scratch`."""
        database = sqlite3.connect(scratch, isolation_level=None)
        try:
            chronology = cls(database)
            database.executescript(data_text("chronology.sql"))
            database.execute("BEGIN")
            for post in replace(selection, on_post=lambda: None).posts():
                chronology._add(post, next(blog.id for blog in selection.blogs if blog.home == post.record.blog))
            for statement in data_text("chronology_order.sql").split(";\n"):
                database.execute(statement)
            yield chronology
        except sqlite3.Error as error:
            raise OSError(str(error)) from error
        finally:
            database.close()
            scratch.unlink(missing_ok=True)

    def _add(self, post: KeptPost, blog: int) -> None:
        record = post.record
        listed = Listed(
            post.id,
            blog,
            plain(record.url),
            title_of(record),
            plain(record.published or ""),
            month_of(record.published),
            plain(record.language or ""),
            xml_text(_shortened(record.content_text or "", _EXCERPT)),
            len(record.comments),
            post.last_changed.astimezone(UTC).isoformat(timespec="seconds"),
        )
        row = (*astuple(listed), local_time(record.published))
        self.database.execute(f"INSERT INTO post VALUES ({', '.join('?' * len(row))}, NULL, NULL)", row)  # noqa: S608
        keys = {Archive.key_of(url) for url in (record.url, record.guid) if url and is_http(url)}
        self.database.executemany(
            "INSERT OR IGNORE INTO address VALUES (?, ?)", [(key, post.id) for key in sorted(keys)]
        )
        rows = [(post.id, plain(name), anchor) for name, anchor in anchors(record.comments).items()]
        self.database.executemany("INSERT OR IGNORE INTO anchor VALUES (?, ?, ?)", rows)
        for kind, names in (("tag", record.tags), ("author", record.authors)):
            rows_of_names = [
                (kind, blog, plain(name).casefold(), post.id, plain(name)) for name in names if name.strip()
            ]
            self.database.executemany("INSERT OR IGNORE INTO name VALUES (?, ?, ?, ?, ?)", rows_of_names)

    def get(self, post_id: int) -> Listed | None:
        """Return a post by its ID; None if it was added after the start of the export."""
        return next(self._listed("WHERE post.id = ?", post_id), None)

    def posts(self, blog: int) -> Iterator[Listed]:
        """Return all posts of a blog, oldest first."""
        return self._listed("WHERE post.blog = ? ORDER BY post.place", blog)

    def newest(self, blog: int, limit: int, offset: int = 0) -> list[Listed]:
        """Return a slice of a blog's posts, newest first."""
        return list(self._listed("WHERE post.blog = ? ORDER BY post.place DESC LIMIT ? OFFSET ?", blog, limit, offset))

    def of_year(self, blog: int, year: str) -> Iterator[Listed]:
        """Return the posts of a year, newest first; for an empty year, those without a date."""
        condition = "WHERE post.blog = ? AND substr(post.month, 1, 4) = ? ORDER BY post.place DESC"
        return self._listed(condition, blog, year)

    def of_label(self, blog: int, label: Label) -> Iterator[Listed]:
        """Return the posts with a tag or by an author, newest first."""
        condition = (
            "JOIN labelled ON labelled.post = post.id "
            "WHERE post.blog = ? AND labelled.kind = ? AND labelled.number = ? ORDER BY post.place DESC"
        )
        return self._listed(condition, blog, label.kind, label.number)

    def neighbours(self, post_id: int) -> tuple[Listed | None, Listed | None]:
        """Return the posts of the same blog before and after this one."""
        beside = "JOIN post AS this ON this.blog = post.blog WHERE this.id = ? AND post.place = this.place "
        earlier, later = (next(self._listed(f"{beside} {step} 1", post_id), None) for step in "-+")
        return earlier, later

    def number(self, post_id: int) -> int:
        """Return the position of a post among all posts, 0 for the newest."""
        row = self.database.execute("SELECT number FROM post WHERE id = ?", (post_id,)).fetchone()
        return int(row[0])

    def count(self, blog: int) -> int:
        """Return the number of posts of a blog."""
        return int(self.database.execute("SELECT count(*) FROM post WHERE blog = ?", (blog,)).fetchone()[0])

    def months(self, blog: int) -> list[tuple[str, int]]:
        """Return the months of a blog with their numbers of posts, newest first."""
        query = "SELECT month, count(*) FROM post WHERE blog = ? GROUP BY month ORDER BY month DESC"
        return [(str(month), int(count)) for month, count in self.database.execute(query, (blog,))]

    def labels(self, blog: int, kind: LabelKind) -> list[Label]:
        """Return all tags or authors of a blog in alphabetical order."""
        query = "SELECT number, name, posts FROM label WHERE blog = ? AND kind = ? ORDER BY number"
        return [Label(kind, *row) for row in self.database.execute(query, (blog, kind))]

    def labels_of(self, post_id: int, kind: LabelKind) -> list[Label]:
        """Return the tags or authors of a post in their order."""
        query = (
            "SELECT label.number, label.name, label.posts FROM labelled JOIN label USING (kind, blog, number) "
            "WHERE labelled.post = ? AND labelled.kind = ? ORDER BY labelled.position"
        )
        return [Label(kind, *row) for row in self.database.execute(query, (post_id, kind))]

    def find(self, url: str) -> Listed | None:
        """Return the post at a URL, regardless of its spelling."""
        if not is_http(url):
            return None
        key = Archive.key_of(url)
        query = "SELECT post FROM address WHERE key = ?"
        row = (
            self.database.execute(query, (key,)).fetchone()
            or self.database.execute(query, (with_other_slash(key),)).fetchone()
        )
        return None if row is None else self.get(row[0])

    def anchor(self, post_id: int, fragment: str) -> str | None:
        """Return the anchor of the comment whose URL has this fragment."""
        query = "SELECT anchor FROM anchor WHERE post = ? AND fragment = ?"
        row = self.database.execute(query, (post_id, plain(fragment))).fetchone()
        return None if row is None else str(row[0])

    def _listed(self, condition: str, *values: object) -> Iterator[Listed]:
        for row in self.database.execute(f"SELECT {_COLUMNS} FROM post {condition}", values):  # noqa: S608
            yield Listed(*row)


def title_of(record: Record) -> str:
    """Return a post's title, or the beginning of its text if it has none."""
    title = " ".join(xml_text(record.title or "").split())
    return title[:_LONGEST_TITLE] or _shortened(xml_text(record.content_text or ""), _TITLE) or "Untitled post"


def _shortened(text: str, longest: int) -> str:
    """Return the first words of a text in one line, with an ellipsis if it is longer."""
    words = " ".join(text[: 4 * longest].split())
    if len(words) <= longest:
        return words
    whole, _, _ = words[: longest + 1].rpartition(" ")
    return f"{whole or words[:longest]} …"
