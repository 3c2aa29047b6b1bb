"""Full text search, and lists of posts: what is found is what posts say now."""

from __future__ import annotations

import re
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import BEGIN_MARK, END_MARK, Archive, KeptMedia, Numbers
from blogcrawler.backend.queries import Contents
from blogcrawler.items import LOCKED, Comment, FieldSource, Provenance, Record
from tests.archives import save_records
from tests.backend import postgresql

HOME, OTHER = "http://example.org/", "http://example.com/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


def a_post(path, home=HOME, **fields):
    return Record(
        home, home + path, **{"title": "A title", "published": "2014-05-02", "content_text": "Some text.", **fields}
    )


def found(archive, sought, home=None, **page):
    blog = None if home is None else archive.blog(home).id
    count, posts = archive.queries.search(sought, blog, **{"most": 20, **page})
    assert count >= len(posts)
    return [one.post.url.rpartition("/")[2] for one in posts]


def excerpt(archive, sought):
    (only,) = archive.queries.search(sought, most=2)[1]
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
    assert excerpt(archive, "cracked").endswith("Quentin\nMy teapot is [cracked].")
    assert "said [Zoë]." in excerpt(archive, "zoe")


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
    archive.save_record(a_post("mixed", content_text="Python入門"), now=NOW)
    assert found(archive, "python入門") == ["mixed"]
    assert "[面白い]" in excerpt(archive, "面白い")


@pytest.mark.parametrize(
    "sought",
    [
        "",
        " ",
        '"',
        '""',
        "AND",
        "OR NOT",
        "a*",
        "(",
        "title:x",
        "^a",
        "-",
        "a AND",
        "'",
        "\0",
        "\ud800",
        "-a",
        "😀",
        "①",
        "a & b",
        "a <-> b",
        "!a",
        ":*",
        "%",
        "\\",
        '"a',
        'a" b"',
        "x" * 5000,
        "x " * 5000,
        f'"{"x " * 5000}"',
        "記",
        "記" * 3000,
        "記\0",
        "記\ud800",
        "記 '",
        BEGIN_MARK,
        f"a{END_MARK}",
        "\u0301",
        "${x}",
        ":term0",
        "{wanted}",
        "𝕏",
        "\u1161",
        "a/b",
        "a.b@c.d",
    ],
)
def test_nothing_that_is_sought_is_an_error(archive, sought):
    archive.save_record(a_post("a", title="Nothing"), now=NOW)
    assert found(archive, sought) == []


def test_words_beside_any_signs_are_found(archive):
    said = "See http://a.example.org/kettle/teapot?spoon=1, mail cup@tea.example.org; saucer/plate, jug.py, half-full (snake_case)."
    archive.save_record(a_post("a", content_text=said), now=NOW)
    for word in ("teapot", "spoon", "cup", "plate", "jug", "full", "half-full", "jug.py", "saucer/plate", "snake"):
        assert found(archive, word) == ["a"], word


def test_what_text_holds_does_not_pass_for_marks(archive):
    said = f"{END_MARK}A {BEGIN_MARK}kettle{BEGIN_MARK}{END_MARK}."
    archive.save_record(a_post("a", title="T", comments=[Comment("c", content_text=said)], content_text=None), now=NOW)
    archive.save_record(
        a_post("b", title="記事", comments=[Comment("c", content_text=said)], content_text=None), now=NOW
    )
    assert sorted(found(archive, "kettle")) == ["a", "b"]
    for sought in ("kettle", "記事"):
        for one in archive.queries.search(sought, most=2)[1]:
            assert one.excerpt.count(BEGIN_MARK) == one.excerpt.count(END_MARK) == 1


def test_text_that_is_no_text_is_searched(archive):
    """NUL, and halves of surrogate pairs, which JSON of comments keeps as escapes."""
    odd = "x\0y \ud83d\ude00 \ud800 \udc00z \\u0000 \\\\ud800 kettle \ud83c"
    archive.save_record(a_post("a", title=odd, comments=[Comment("c", author=odd, content_text=odd)]), now=NOW)
    archive.save_record(a_post("b", comments=[Comment("c", author=odd, content_text=odd)]), now=NOW)
    archive.save_record(a_post("c", comments=[Comment("c", content_text=f"記事 {odd}")]), now=NOW)
    assert sorted(found(archive, "kettle")) == ["a", "b", "c"]
    assert found(archive, "記事") == ["c"]
    assert all("kettle" in one.excerpt for one in archive.queries.search("kettle", most=3)[1])


def test_a_post_of_any_length_is_kept_and_searched(archive):
    many = " ".join(
        f"{chr(0x10400 + at % 40)}{chr(0x10400 + at // 40 % 40)}{chr(0x10400 + at // 1600)}" for at in range(60_000)
    )
    archive.save_record(a_post("many", title="Beginning", content_text=many), now=NOW)
    archive.save_record(a_post("long", title="Beginning", content_text="x" * 3_000_000), now=NOW)
    archive.save_record(
        a_post("talk", title="Beginning", comments=[Comment("c", content_text="y-z " * 500_000)]), now=NOW
    )
    assert sorted(found(archive, "beginning")) == ["long", "many", "talk"]


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
def test_the_index_of_sqlite_is_what_the_posts_say(tmp_path, changes, sought):
    file = tmp_path / "archive.db"
    with Archive.open(f"sqlite:///{file}") as archive:
        for day, (path, title, talk) in enumerate(changes):
            comments = [Comment(str(at), author=text, content_text=text) for at, text in enumerate(talk)]
            archive.save_record(a_post(path, title=title, comments=comments), now=NOW + timedelta(days=day))
        archive.queries.search(sought, most=5)
    with closing(sqlite3.connect(file, isolation_level=None)) as database:
        database.executescript(ANEW)
        assert indexed(database, "post_search") == indexed(database, "anew")
        database.execute("PRAGMA foreign_keys = ON")
        database.execute("DELETE FROM blog")
        assert indexed(database, "post_search") == []
        database.execute("DROP TABLE anew")


def test_an_archive_of_postgresql_without_index_is_given_one(postgresql_url):
    with Archive.open(postgresql_url) as archive:
        archive.save_record(a_post("a", title="About kettles"), now=NOW)
        with archive.transaction() as connection:
            connection.exec_driver_sql("ALTER TABLE post DROP COLUMN terms")
            for function in ("post_said", "post_folded", "post_terms"):
                connection.exec_driver_sql(f"DROP FUNCTION {function}")
            connection.exec_driver_sql("DROP INDEX ix_post_published")
            connection.exec_driver_sql("DROP INDEX ix_post_first_seen")
            connection.exec_driver_sql("DROP TABLE corrected_field")
            connection.exec_driver_sql("DROP TABLE told")
            connection.exec_driver_sql("DROP TABLE comment_page")
            connection.exec_driver_sql("UPDATE schema_version SET version = 9")
    with Archive.open(postgresql_url) as archive:
        assert found(archive, "kettles") == ["a"]


def test_a_dump_of_postgresql_is_read_back(postgresql_server, postgresql_url):
    """Where no search path leads to the functions of the index."""
    with Archive.open(postgresql_url) as archive:
        archive.save_record(a_post("a", comments=[Comment("c", content_text="A kettle.\0")]), now=NOW)
    tools = postgresql.programs()
    dump = subprocess.run([tools / "pg_dump", postgresql_url], check=True, capture_output=True).stdout
    with postgresql_server.database() as other:
        restore = [tools / "psql", "--quiet", "--set=ON_ERROR_STOP=1", other]
        subprocess.run(restore, input=dump, check=True, capture_output=True)
        with Archive.open(other) as archive:
            assert found(archive, "kettle") == ["a"]


def test_the_index_of_postgresql_is_used(postgresql_url):
    with Archive.open(postgresql_url) as archive:
        save_records(archive, [a_post(str(number), content_text=f"word{number}") for number in range(2000)], now=NOW)
        with archive.transaction() as connection:
            connection.exec_driver_sql("ANALYZE post")
            plan = connection.exec_driver_sql(
                "EXPLAIN SELECT id FROM post WHERE terms @@ (phraseto_tsquery('simple', post_folded('Word7')))"
            )
            assert any("ix_post_terms" in row[0] for row in plan)


POSTS = tuple("abc")
WORDS = ("kettle", "Teapot", "Zoë", "half-full", "a/b", "x\0", "cup \ud800")
SAYS = st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join)
CHANGES = st.one_of(
    st.tuples(st.just("save"), st.sampled_from(POSTS), SAYS, SAYS, SAYS),
    st.tuples(st.just("move"), st.sampled_from(POSTS), st.sampled_from(POSTS)),
    st.tuples(st.just("gone"), st.sampled_from(POSTS)),
)


def change(archive, now, kind, path, *rest):
    if kind == "save":
        title, said, talk = rest
        comments = [Comment("c", author=talk, content_text=talk)]
        archive.save_record(a_post(path, title=title, content_text=said, comments=comments), now=now)
    elif kind == "move":
        archive.move(HOME, HOME + path, HOME + rest[0], now=now)
    else:
        archive.mark_gone(HOME, HOME + path, now=now)


MANY = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(st.lists(CHANGES, max_size=8))
def test_sqlite_finds_what_posts_say_now(sqlite_url, changes):
    """Whatever is saved, changed, moved, gone or deleted."""
    with Archive.open(sqlite_url) as archive:
        check_what_is_found(archive, changes)


@MANY
@given(st.lists(CHANGES, max_size=8))
def test_postgresql_finds_what_posts_say_now(postgresql_archive_url, changes):
    with Archive.open(postgresql_archive_url) as archive:
        check_what_is_found(archive, changes)


def check_what_is_found(archive, changes):
    with archive.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM blog")
    for day, told in enumerate(changes):
        change(archive, NOW + timedelta(days=day), *told)
    posts = list(archive.records(HOME))
    for word in ("kettle", "teapot", "zoe", "full", "b", "cup", "absent"):
        holds = [post.url for post in posts if word in plain_words(post)]
        assert sorted(f"{HOME}{path}" for path in found(archive, word)) == sorted(holds)


def plain_words(post):
    said = [post.title, post.content_text, *(part for one in post.comments for part in (one.author, one.content_text))]
    return re.findall("[a-z]+", " ".join(filter(None, said)).casefold().replace("ë", "e"))


def test_lists(archive):
    days = ["2014-05-02T10:00:00+02:00", "2014-05-30", "2014-11", "2013", None]
    save_records(archive, [a_post(str(at), published=day) for at, day in enumerate(days)], now=NOW)
    archive.save_record(a_post("bare", title=None, published=None, content_text="x" * 500), now=NOW)
    archive.save_record(a_post("other", OTHER), now=NOW)
    shelf, blog = archive.queries, archive.blog(HOME).id
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


def place(archive, sought):
    (only,) = archive.queries.search(sought, most=2)[1]
    return only.where, only.comment


def test_where_a_word_stands_is_told(archive):
    talk = [Comment("c1", author="Quentin", content_text="One."), Comment("c2", author="Bo", content_text="A teapot.")]
    archive.save_record(a_post("talk", title="Kettles", content_text="Some fish.", comments=talk), now=NOW)
    assert place(archive, "kettles") == ("title", None)
    assert place(archive, "FISH") == ("article", None)
    assert place(archive, "quentin") == ("comment", 0)
    assert place(archive, "bo") == ("comment", 1)
    assert place(archive, "teapot") == ("comment", 1)


def test_where_a_word_of_a_script_without_spaces_stands_is_told(archive):
    talk = [
        Comment("c1", author="A", content_text="お茶の時間"),
        Comment("c2", author="B", content_text="緑茶について"),
    ]
    archive.save_record(a_post("talk", title="Title", content_text="Text. " * 80, comments=talk), now=NOW)
    assert place(archive, "緑茶") == ("comment", 1)


def test_posts_beside_one(archive):
    days = {"c": "2014-05-03", "a": "2014-05-01", "b": "2014-05-02", "b2": "2014-05-02", "undated": None}
    for path, day in days.items():
        archive.save_record(a_post(path, published=day), now=NOW)
    archive.save_record(a_post("other", OTHER, published="2014-05-02"), now=NOW)

    def beside(path):
        found = archive.queries.neighbours(archive.post_id(HOME, HOME + path))
        return tuple(one and one.url.rpartition("/")[2] for one in found)

    assert beside("a") == (None, "b")
    assert beside("b") == ("a", "b2")
    assert beside("b2") == ("b", "c")
    assert beside("c") == ("b2", None)
    assert beside("undated") == (None, None)
    assert archive.queries.neighbours(10**6) == (None, None)


def test_posts_at_addresses_are_found_however_these_are_spelled(archive):
    archive.save_record(a_post("a"), now=NOW)
    blog, number = archive.blog(HOME).id, archive.post_id(HOME, f"{HOME}a")
    asked = ["https://www.example.org/a", f"{HOME}b", "mailto:ann@example.org", f"{HOME}a"]
    assert archive.queries.posts_at(blog, asked) == {asked[0]: number, asked[3]: number}
    assert archive.queries.posts_at(blog + 1, asked) == {}


def test_how_much_there_is_of_each_blog(archive):
    archive.save_record(a_post("a", comments=[Comment("c1"), Comment("c2")]), now=NOW)
    archive.save_record(a_post("b", comments=[Comment("c1")]), now=NOW)
    archive.mark_gone(HOME, f"{HOME}b", now=NOW)
    files = archive.media_files(HOME)
    for name, more in {
        "one": {"sha256": "1", "bytes": 5},
        "same": {"sha256": "1", "bytes": 5},
        "no": {"error": "404"},
    }.items():
        files.save(KeptMedia(HOME + name, NOW, **more))
    archive.blog(OTHER)
    assert archive.queries.numbers() == {archive.blog(HOME).id: Numbers(2, 1, 3, 1, 5, 1)}


def test_what_a_crawl_has_seen_is_counted(archive):
    content = {"content": FieldSource("rule", LOCKED, 1.0)}
    archive.save_record(a_post("earlier", comments=[Comment("c1")]), now=NOW)
    archive.save_record(a_post("a", comments=[Comment("c1"), Comment("c2")]), now=LATER)
    archive.save_record(a_post("b", provenance=Provenance(fetched=NOW.isoformat(), fields=content)), now=LATER)
    for name, digest in {"one": "1", "same": "1", "no": None}.items():
        archive.media_files(HOME).save(KeptMedia(HOME + name, NOW, sha256=digest))
    blog = archive.blog(HOME).id
    assert archive.queries.contents(blog, since=LATER) == Contents(2, 2, 1, 1)
    assert archive.queries.contents(archive.blog(OTHER).id, since=NOW) == Contents(0, 0, 0, 0)


def test_versions_are_counted_and_blogs_have_their_home_pages(archive):
    for title in ("One", "Two", "Three"):
        archive.save_record(a_post("a", title=title), now=NOW)
    assert archive.queries.version_count(archive.post_id(HOME, f"{HOME}a")) == 2
    assert archive.queries.version_count(10**6) == 0
    assert archive.queries.blog(archive.blog(HOME).id) == HOME
    assert archive.queries.blog(10**6) is None
