"""Full text search, and lists of posts: what is found is what posts say now."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import BEGIN_MARK, END_MARK, Archive
from blogcrawler.items import Comment, Record

HOME, OTHER = "http://example.org/", "http://example.com/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def a_post(path, home=HOME, **fields):
    return Record(
        home, home + path, **{"title": "A title", "published": "2014-05-02", "content_text": "Some text.", **fields}
    )


@pytest.fixture
def archive(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path}/archive.db") as opened:
        yield opened


def found(archive, sought, home=None, **page):
    blog = None if home is None else archive.blog(home).id
    count, posts = archive.shelf.search(sought, blog, **{"most": 20, **page})
    assert count >= len(posts)
    return [one.post.url.rpartition("/")[2] for one in posts]


def excerpt(archive, sought):
    (only,) = archive.shelf.search(sought, most=2)[1]
    return only.excerpt.replace(BEGIN_MARK, "[").replace(END_MARK, "]")


def test_words_of_titles_articles_comments_and_their_authors_are_found(archive):
    archive.save_record(a_post("title", title="About kettles"), now=NOW)
    archive.save_record(a_post("text", content_text="A kettle of fish, said Zoë."), now=NOW)
    talk = [Comment("c1", author="Quentin", content_text="My teapot is cracked.")]
    archive.save_record(a_post("talk", comments=talk), now=NOW)
    archive.save_record(a_post("other", OTHER, content_text="A teapot."), now=NOW)
    assert found(archive, "kettles") == ["title"]
    assert found(archive, "KETTLE fish") == ["text"]
    assert found(archive, "zoe") == ["text"]
    assert found(archive, "quentin") == ["talk"]
    assert sorted(found(archive, "teapot")) == ["other", "talk"]
    assert found(archive, "teapot", HOME) == ["talk"]
    assert found(archive, '"fish kettle"') == []
    assert found(archive, '"kettle of"') == ["text"]
    assert excerpt(archive, "cracked") == "Quentin\nMy teapot is [cracked]."


def test_what_a_post_says_no_longer_is_not_found(archive):
    post = a_post("a", title="Before", comments=[Comment("c", content_text="Gone soon.")])
    archive.save_record(post, now=NOW)
    archive.save_record(replace(post, title="After", comments=[]), now=NOW + timedelta(days=1))
    assert [found(archive, word) for word in ("before", "soon", "after")] == [[], [], ["a"]]


def test_scripts_without_spaces_are_searched_by_what_stands_in_them(archive):
    archive.save_record(a_post("ja", content_text="これは日本語の記事です。100%_本当。"), now=NOW)
    archive.save_record(a_post("talk", comments=[Comment("c", content_text="とても面白い記事でした")]), now=NOW)
    assert sorted(found(archive, "記事")) == ["ja", "talk"]
    assert found(archive, "日本語 本当") == ["ja"]
    assert found(archive, "100%_本当") == ["ja"]
    assert found(archive, "1_0%本当") == []
    assert "[面白い]" in excerpt(archive, "面白い")


@pytest.mark.parametrize(
    "sought",
    ["", " ", '"', '""', "AND", "OR NOT", "a*", "(", "title:x", "^a", "-", "a AND", "'", "\0", "\ud800", "-a", "😀"],
)
def test_nothing_that_is_sought_is_an_error(archive, sought):
    archive.save_record(a_post("a", title="Nothing"), now=NOW)
    assert found(archive, sought) == []


ANEW = """
CREATE VIRTUAL TABLE anew USING fts5 (
    title, content_text, comments, content = 'post_words', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO anew (rowid, title, content_text, comments) SELECT id, title, content_text, comments FROM post_words;
"""


def indexed(database, table):
    """All words with their places."""
    database.execute(f"CREATE VIRTUAL TABLE temp.places USING fts5vocab (main, {table}, instance)")
    try:
        return sorted(database.execute("SELECT * FROM places").fetchall())
    finally:
        database.execute("DROP TABLE temp.places")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.text(max_size=8), st.lists(st.text(max_size=8), max_size=2)), max_size=8
    ),
    st.text(),
)
def test_the_index_is_what_the_posts_say(tmp_path, changes, sought):
    file = tmp_path / "archive.db"
    with Archive.open(f"sqlite:///{file}") as archive:
        for day, (path, title, talk) in enumerate(changes):
            comments = [Comment(str(at), author=text, content_text=text) for at, text in enumerate(talk)]
            archive.save_record(a_post(path, title=title, comments=comments), now=NOW + timedelta(days=day))
        archive.shelf.search(sought, most=5)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.executescript(ANEW)
        assert indexed(database, "post_search") == indexed(database, "anew")
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM blog")
        assert indexed(database, "post_search") == []
        database.execute("DROP TABLE anew")


def test_lists(archive):
    days = ["2014-05-02T10:00:00+02:00", "2014-05-30", "2014-11", "2013", None]
    archive.save_records([a_post(str(at), published=day) for at, day in enumerate(days)], now=NOW)
    archive.save_record(a_post("bare", title=None, published=None, content_text="x" * 500), now=NOW)
    archive.save_record(a_post("other", OTHER), now=NOW)
    shelf, blog = archive.shelf, archive.blog(HOME).id
    assert shelf.months(blog) == [("2014-11", 1), ("2014-05", 2), ("2013", 1), ("", 2)]

    def paths(*month, **page):
        return [post.url.rpartition("/")[2] for post in shelf.listed(blog, *month, **{"most": 9, **page})]

    assert paths() == ["2", "1", "0", "3", "bare", "4"]
    assert paths(most=2, offset=1) == ["1", "0"]
    assert (paths("2014-05"), paths(""), paths("%"), paths("2013")) == (["1", "0"], ["bare", "4"], [], ["3"])
    bare = shelf.listed(blog, "", most=1)[0]
    assert bare.title == "x" * 100
    assert shelf.place(bare.id) == (blog, f"{HOME}bare")
    assert shelf.place(10**6) is None
