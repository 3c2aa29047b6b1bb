"""What a selection holds, in order of time: found again by address, month, tag and author.

It is kept in a database of its own, for the time of one export, so that memory does not grow with the posts.
"""

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
"""Characters of the beginning of a post that lists show."""
_TITLE = 80
"""Characters of the text that stand for a title."""
_LONGEST_TITLE = 500


@dataclass(frozen=True)
class Listed:
    """A post as lists show it."""

    id: int
    blog: int
    url: str
    title: str
    published: str
    #: as `month_of` says; empty where it is not known
    month: str
    language: str
    excerpt: str
    comments: int
    #: when what it says last changed in the archive, as Atom writes times
    changed: str


@dataclass(frozen=True)
class Label:
    """A tag or an author, with all spellings that differ in case alone."""

    kind: LabelKind
    #: from 1, in the order of the alphabet
    number: int
    name: str
    count: int


_COLUMNS = ", ".join(f"post.{field.name}" for field in fields(Listed))


class Chronology:
    """The posts of a selection, from the first to the last; those without a date come before all others."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    @classmethod
    @contextmanager
    def of(cls, selection: Selection, scratch: Path) -> Iterator[Chronology]:
        """Read the posts of a selection once; `scratch` is the file that is used meanwhile."""
        database = sqlite3.connect(scratch, isolation_level=None)
        try:
            made = cls(database)
            database.executescript(data_text("chronology.sql"))
            database.execute("BEGIN")
            for post in replace(selection, on_post=lambda: None).posts():
                made._add(post, next(blog.id for blog in selection.blogs if blog.home == post.record.blog))
            for statement in data_text("chronology_order.sql").split(";\n"):
                database.execute(statement)
            yield made
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
        """A post by its number in the archive; None for one that has come since."""
        return next(self._listed("WHERE post.id = ?", post_id), None)

    def posts(self, blog: int) -> Iterator[Listed]:
        """All posts of a blog, from the first to the last."""
        return self._listed("WHERE post.blog = ? ORDER BY post.place", blog)

    def newest(self, blog: int, limit: int, offset: int = 0) -> list[Listed]:
        """Some posts of a blog, the newest first."""
        return list(self._listed("WHERE post.blog = ? ORDER BY post.place DESC LIMIT ? OFFSET ?", blog, limit, offset))

    def of_year(self, blog: int, year: str) -> Iterator[Listed]:
        """The posts of a year, the newest first; of the empty one those without a date."""
        condition = "WHERE post.blog = ? AND substr(post.month, 1, 4) = ? ORDER BY post.place DESC"
        return self._listed(condition, blog, year)

    def of_label(self, blog: int, label: Label) -> Iterator[Listed]:
        """The posts with a tag, or by an author, the newest first."""
        condition = (
            "JOIN labelled ON labelled.post = post.id "
            "WHERE post.blog = ? AND labelled.kind = ? AND labelled.number = ? ORDER BY post.place DESC"
        )
        return self._listed(condition, blog, label.kind, label.number)

    def neighbours(self, post_id: int) -> tuple[Listed | None, Listed | None]:
        """The posts of the same blog before and after one."""
        beside = "JOIN post AS this ON this.blog = post.blog WHERE this.id = ? AND post.place = this.place "
        earlier, later = (next(self._listed(f"{beside} {step} 1", post_id), None) for step in "-+")
        return earlier, later

    def number(self, post_id: int) -> int:
        """The place of a post among those of all blogs, 0 for the newest."""
        row = self.database.execute("SELECT number FROM post WHERE id = ?", (post_id,)).fetchone()
        return int(row[0])

    def count(self, blog: int) -> int:
        """How many posts a blog has."""
        return int(self.database.execute("SELECT count(*) FROM post WHERE blog = ?", (blog,)).fetchone()[0])

    def months(self, blog: int) -> list[tuple[str, int]]:
        """The months of a blog's posts with their number, the newest first."""
        query = "SELECT month, count(*) FROM post WHERE blog = ? GROUP BY month ORDER BY month DESC"
        return [(str(month), int(count)) for month, count in self.database.execute(query, (blog,))]

    def labels(self, blog: int, kind: LabelKind) -> list[Label]:
        """All tags or authors of a blog, by the alphabet."""
        query = "SELECT number, name, posts FROM label WHERE blog = ? AND kind = ? ORDER BY number"
        return [Label(kind, *row) for row in self.database.execute(query, (blog, kind))]

    def labels_of(self, post_id: int, kind: LabelKind) -> list[Label]:
        """The tags or authors of a post, as the post has them in order."""
        query = (
            "SELECT label.number, label.name, label.posts FROM labelled JOIN label USING (kind, blog, number) "
            "WHERE labelled.post = ? AND labelled.kind = ? ORDER BY labelled.position"
        )
        return [Label(kind, *row) for row in self.database.execute(query, (post_id, kind))]

    def find(self, url: str) -> Listed | None:
        """The post at an address, however that is spelled."""
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
        """What names the comment of a post that has a fragment in its address."""
        query = "SELECT anchor FROM anchor WHERE post = ? AND fragment = ?"
        row = self.database.execute(query, (post_id, plain(fragment))).fetchone()
        return None if row is None else str(row[0])

    def _listed(self, condition: str, *values: object) -> Iterator[Listed]:
        for row in self.database.execute(f"SELECT {_COLUMNS} FROM post {condition}", values):  # noqa: S608
            yield Listed(*row)


def title_of(record: Record) -> str:
    """A post's title; the beginning of its text where it has none."""
    title = " ".join(xml_text(record.title or "").split())
    return title[:_LONGEST_TITLE] or _shortened(xml_text(record.content_text or ""), _TITLE) or "Untitled post"


def _shortened(text: str, longest: int) -> str:
    """The first words of a text in one line, and a sign where there are more."""
    words = " ".join(text[: 4 * longest].split())
    if len(words) <= longest:
        return words
    whole, _, _ = words[: longest + 1].rpartition(" ")
    return f"{whole or words[:longest]} …"
