"""The database of the format sqlite: whole, searchable, and all that records say."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from blogcrawler.export import FORMATS, Selection
from tests.export.archives import ANN, BO, DIGEST, KETTLE, LATER, NOW, ODD, URLS, filled


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sqlite")
    with filled(folder) as archive:
        FORMATS["sqlite"].export(Selection.of(archive), str(folder / "posts.sqlite"))
    with closing(sqlite3.connect(f"file:{folder / 'posts.sqlite'}?mode=ro&immutable=1", uri=True)) as opened:
        opened.row_factory = sqlite3.Row
        yield opened


def rows(database, statement, *values):
    return [tuple(row) for row in database.execute(statement, values)]


def test_it_is_whole(database):
    assert rows(database, "PRAGMA integrity_check") == [("ok",)]
    assert rows(database, "PRAGMA foreign_key_check") == []
    assert rows(database, "PRAGMA journal_mode") == [("delete",)]
    assert rows(database, "PRAGMA page_size") == [(4096,)]
    assert rows(database, "PRAGMA freelist_count") == [(0,)]


def test_blogs_and_posts(database):
    assert rows(database, "SELECT home, title FROM blog ORDER BY id") == [(ANN, "Ann's tea"), (BO, ODD)]
    assert [
        url
        for (url,) in rows(
            database, "SELECT post.url FROM post JOIN blog ON blog.id = blog_id ORDER BY blog_id, post.id"
        )
    ] == URLS
    (post,) = database.execute("SELECT * FROM post WHERE url = ?", (f"{ANN}gone",))
    assert dict(post) == {
        "id": post["id"],
        "blog_id": 1,
        "url": f"{ANN}gone",
        "guid": "tag:gone",
        "title": "Post gone",
        "published": "2014-05-02T10:00:00+02:00",
        "updated": "2014-06-01",
        "language": "en",
        "content_html": "<p>Water for gone</p>\n<p>Boil it.</p>",
        "content_text": "Water for gone\n\nBoil it.",
        "comment_count": 3,
        "fetched": NOW.isoformat(),
        "status": 200,
        "sha256": DIGEST,
        "rendered": 0,
        "warc": None,
        "generator": "WordPress 6.1",
        "first_seen": NOW.isoformat(),
        "last_changed": NOW.isoformat(),
        "gone": LATER.isoformat(),
    }


def test_ids_are_those_of_the_archive(database, tmp_path):
    """So that what refers to a post of one export finds it in the next, whatever is chosen."""
    with filled(tmp_path) as archive:
        FORMATS["sqlite"].export(Selection.of(archive, [BO]), str(tmp_path / "bo.sqlite"))
    statement = "SELECT id, blog_id FROM post WHERE url = ?"
    with closing(sqlite3.connect(tmp_path / "bo.sqlite")) as alone:
        assert rows(alone, statement, f"{BO}b") == rows(database, statement, f"{BO}b")
        assert rows(alone, "SELECT count(*) FROM post") == [(1,)]


@pytest.mark.parametrize(("table", "names"), [("author", ["Ann", "Bo"]), ("tag", ["tea", "green tea"])])
def test_names_are_there_once_and_in_the_order_of_each_post(database, table, names):
    statement = f"SELECT name FROM post_{table} JOIN {table} ON {table}.id = {table}_id JOIN post ON post.id = post_id WHERE url = ? ORDER BY position"
    for url in (f"{ANN}a", f"{BO}b"):
        assert [name for (name,) in rows(database, statement, url)] == names
    assert rows(database, f"SELECT count(*) FROM {table} WHERE name = ?", names[0]) == [(1,)]


def test_comments_know_their_parents(database):
    statement = """
        SELECT comment.comment_id, comment.kind, parent.comment_id FROM comment JOIN post ON post.id = comment.post_id
        LEFT JOIN comment AS parent ON parent.id = comment.parent_id AND parent.post_id = comment.post_id
        WHERE post.url = ? ORDER BY comment.position"""
    expected = [("c1", "comment", None), ("c2", "comment", "c1"), (None, "pingback", None)]
    for url in (f"{ANN}a", f"{BO}b"):
        assert rows(database, statement, url) == expected
    assert rows(database, "SELECT parent, parent_id FROM comment WHERE author = ?", ODD) == [("nobody", None)]


def test_files_and_sources(database):
    files = rows(database, "SELECT url, bytes, role, error FROM media WHERE post_id = 1 ORDER BY position DESC")
    assert files == [
        (f"{ANN}gone.mp3", None, "audio", "404 Not Found"),
        (f"{ANN}kettle.png", len(KETTLE), "image", None),
    ]
    assert rows(database, "SELECT field, source, rule, confidence FROM field_source WHERE post_id = 1") == [
        ("title", "rule", "//h1", 0.98)
    ]


def test_texts_are_found(database):
    found = "SELECT url FROM post WHERE id IN (SELECT rowid FROM post_fts WHERE post_fts MATCH ?)"
    assert rows(database, found, "changed") == [(f"{ANN}a",)]
    assert rows(database, found, "日本語") == [(f"{ANN}odd",)]
    comments = "SELECT count(*) FROM comment WHERE id IN (SELECT rowid FROM comment_fts WHERE comment_fts MATCH 'fine')"
    assert rows(database, comments) == [(3,)]


def test_odd_text_is_text(database):
    (post,) = database.execute("SELECT * FROM post WHERE url = ?", (f"{ANN}odd",))
    assert post["title"] == post["content_text"] == ODD
    (comment,) = database.execute("SELECT comment_id, content_text FROM comment WHERE post_id = ?", (post["id"],))
    assert tuple(comment) == ("?", f"{ODD}?")
