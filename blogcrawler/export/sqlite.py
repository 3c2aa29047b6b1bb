"""SQLite: a database with foreign keys and full text search, for tools such as Datasette."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from blogcrawler.export.format import FileFormat
from blogcrawler.export.text import data_text, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from blogcrawler.backend import BlogRow, KeptPost
    from blogcrawler.export.selection import Selection
    from blogcrawler.items import Comment

_BEGINNING = """
PRAGMA page_size = 4096;
PRAGMA encoding = 'UTF-8';
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
"""
"""Settings for a file that is written once by one process."""


def write(selection: Selection, path: Path) -> None:
    """Write the tables to a temporary file, then copy them compactly and in a fixed order with VACUUM INTO."""
    scratch = path.with_name(f"{path.name}.rows")
    try:
        with closing(sqlite3.connect(scratch, isolation_level=None)) as database:
            database.executescript(_BEGINNING + data_text("tables.sql"))
            database.execute("BEGIN")
            rows = _Rows(database)
            for blog in selection.blogs:
                rows.add_blog(blog)
                for post in selection.posts(blog):
                    rows.add_post(post, blog)
            for statement in data_text("indexes.sql").split(";\n"):
                database.execute(statement)
            database.execute("COMMIT")
            database.execute("VACUUM INTO ?", (str(path),))
    except sqlite3.Error as error:
        raise OSError(str(error)) from error
    finally:
        scratch.unlink(missing_ok=True)


FORMAT = FileFormat("sqlite", write)


class _Rows:
    """Inserts rows into the tables."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._comments = 0

    def add_blog(self, blog: BlogRow) -> None:
        row = {name: getattr(blog, name) for name in ("id", "home", "title", "language", "feed_url")}
        self._insert("blog", [row])

    def add_post(self, post: KeptPost, blog: BlogRow) -> None:
        record, provenance = post.record, post.record.provenance
        said = ("url", "guid", "title", "published", "updated", "language", "content_html", "content_text")
        got = ("fetched", "status", "sha256", "rendered", "warc", "generator")
        row = {
            "id": post.id,
            "blog_id": blog.id,
            **{name: getattr(record, name) for name in (*said, "comment_count")},
            **{name: getattr(provenance, name) for name in got},
            "first_seen": post.first_seen.isoformat(),
            "last_changed": post.last_changed.isoformat(),
            "gone": post.gone.isoformat() if post.gone else None,
        }
        self._insert("post", [row])
        self._add_names("author", post.id, record.authors)
        self._add_names("tag", post.id, record.tags)
        self._add_comments(post.id, record.comments)
        files = ({"post_id": post.id, "position": number, **vars(file)} for number, file in enumerate(record.media))
        self._insert("media", files)
        sources = ({"post_id": post.id, "field": name, **vars(found)} for name, found in provenance.fields.items())
        self._insert("field_source", sources)

    def _add_names(self, table: str, post_id: int, names: Iterable[str]) -> None:
        """Add each name once, and its position in the post."""
        for position, name in enumerate(map(plain, names)):
            self._database.execute(f"INSERT INTO {table} (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))  # noqa: S608
            joining = f"INSERT INTO post_{table} SELECT ?, ?, id FROM {table} WHERE name = ?"  # noqa: S608
            self._database.execute(joining, (post_id, position, name))

    def _add_comments(self, post_id: int, comments: list[Comment]) -> None:
        """Add comments; parents are found by ID, the first if an ID is repeated."""
        numbers: dict[str, int] = {}
        for number, comment in enumerate(comments, self._comments + 1):
            if comment.id is not None:
                numbers.setdefault(comment.id, number)
        for position, comment in enumerate(comments):
            self._comments += 1
            row = {"post_id": post_id, "position": position, "comment_id": comment.id, **vars(comment)}
            row |= {"id": self._comments, "parent_id": numbers.get(comment.parent) if comment.parent else None}
            self._insert("comment", [row])

    def _insert(self, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            names = ", ".join(row)
            places = ", ".join("?" * len(row))
            values = [plain(value) if isinstance(value, str) else value for value in row.values()]
            self._database.execute(f"INSERT INTO {table} ({names}) VALUES ({places})", values)  # noqa: S608
