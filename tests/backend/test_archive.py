"""The archive: records, blogs and crawls, through two doors and across deaths."""

from __future__ import annotations

import dataclasses
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import Archive, Failed, FeedState
from blogcrawler.errors import BackendUnavailable, BadArgument
from blogcrawler.items import LOCKED, Comment, Entry, FieldSource, Media, Page, Provenance, Record
from tests.archives import save_records
from tests.backend import earlier

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backend.postgresql import Cluster

HOME = "http://example.org/"
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


@contextmanager
def statements() -> Iterator[list[str]]:
    """What databases are asked meanwhile: unlike the time that it takes, it does not hang on what else is running."""
    told: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        told.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        yield told
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.fixture
def url(archive_url: str) -> str:
    return archive_url


def a_record(path: str = "a", **fields: object) -> Record:
    record = Record(
        blog=HOME,
        url=f"{HOME}{path}",
        guid="tag:1",
        title="Snow & “日本語”",
        authors=["Ann", "Bob"],
        published="2014-05-02",
        tags=["a"],
        content_html="<p>1</p>",
        content_text="1",
        comments=[Comment(id="1", author="Cy"), Comment(id="2", parent="1", kind="pingback")],
        comment_count=2,
        media=[Media(url="http://example.org/a.png", bytes=3)],
        provenance=Provenance(fetched=NOW.isoformat(), status=200, fields={"title": FieldSource("rule", "//h1", 0.9)}),
    )
    return dataclasses.replace(record, **fields, source=None)  # type: ignore[arg-type]


ANY_RECORD = st.builds(
    Record,
    blog=st.just(HOME),
    url=st.text(max_size=20),
    title=st.none() | st.text(),
    authors=st.lists(st.text()),
    comments=st.lists(st.builds(Comment, author=st.none() | st.text())),
)


def check_any_text(url: str, record: Record) -> None:
    with Archive.open(url) as archive:
        archive.save_record(record, now=NOW)
        kept = archive.record(HOME, record.url.replace("\0", ""))
        assert kept is not None
        authors = [one.author and one.author.replace("\0", "") for one in record.comments]
        assert [one.author for one in kept.comments] == authors
        assert archive.save_record(record, now=NOW) == "same"


class TestRecords:
    def test_comes_back_as_it_went_in(self, archive: Archive) -> None:
        assert archive.save_record(a_record(), now=NOW) == "new"
        assert list(archive.records(HOME)) == [a_record()]
        assert archive.record(HOME, f"{HOME}a") == a_record()
        assert archive.record(HOME, f"{HOME}b") is None

    def test_a_locked_post_lacks_no_article(self, archive: Archive) -> None:
        sources = {"a": {}, "b": {"content": FieldSource("rule", LOCKED, 1.0)}}
        for path, fields in sources.items():
            provenance = Provenance(fetched=NOW.isoformat(), status=200, fields=fields)
            archive.save_record(a_record(path, content_html=None, content_text=None, provenance=provenance), now=NOW)
        assert [(one.url, one.empty) for one in archive.lacking(HOME)] == [(f"{HOME}a", ("content",))]

    def test_two_routes_of_a_page_are_two_records(self, archive: Archive) -> None:
        routes = [a_record("#/a"), a_record("#/b"), a_record("#!/a"), a_record("")]
        assert save_records(archive, [*routes, a_record("index.html#/a")], now=NOW) == [*["new"] * 4, "same"]
        assert archive.record(HOME, f"{HOME}#/b") == archive.record(HOME, f"{HOME}%23%2F/b") == routes[1]
        assert archive.record(HOME, f"{HOME}#c") == routes[3]

    def test_the_same_record_twice_is_one_row(self, archive: Archive) -> None:
        archive.save_record(a_record(), now=NOW)
        again = a_record(provenance=Provenance(fetched=LATER.isoformat()))
        assert archive.save_record(again, now=LATER) == "same"
        assert archive.count(HOME) == 1
        assert list(archive.records(HOME)) == [again]
        with archive.transaction() as raw:
            (seen,) = raw.exec_driver_sql("SELECT first_seen, last_seen, last_changed FROM post")
        assert tuple(seen) == (NOW.isoformat(), LATER.isoformat(), NOW.isoformat())

    @pytest.mark.parametrize(
        "change", [{"title": "T"}, {"content_html": None}, {"tags": []}, {"comments": [Comment(id="1")]}]
    )
    def test_a_change_is_noticed(self, archive: Archive, change: dict[str, object]) -> None:
        archive.save_record(a_record(), now=NOW)
        assert archive.save_record(a_record(**change), now=LATER) == "changed"
        assert list(archive.records(HOME)) == [a_record(**change)]

    def test_blogs_are_apart(self, archive: Archive) -> None:
        other = "http://other.org/"
        archive.save_record(a_record(), now=NOW)
        archive.save_record(a_record(blog=other), now=NOW)
        assert (archive.count(HOME), archive.count(other), archive.count("http://third.org/")) == (1, 1, 0)
        assert [record.blog for record in archive.records(other)] == [other]

    def test_many(self, archive: Archive) -> None:
        records = [a_record(f"{n}") for n in range(450)]
        assert save_records(archive, records, now=NOW) == ["new"] * 450
        assert list(archive.records(HOME)) == records

    def test_posts_come_with_what_the_archive_knows_besides(self, archive: Archive) -> None:
        save_records(archive, [a_record("a"), a_record("b")], now=NOW)
        archive.save_record(a_record("b", title="B"), now=LATER)
        archive.mark_gone(HOME, f"{HOME}a", now=LATER)
        first, second = archive.posts(HOME)
        assert (first.record, first.first_seen, first.last_changed, first.gone) == (a_record("a"), NOW, NOW, LATER)
        assert (second.record.title, second.first_seen, second.last_changed, second.gone) == ("B", NOW, LATER, None)
        assert first.id < second.id

    def test_posts_since_a_time_are_the_new_and_the_changed(self, archive: Archive) -> None:
        save_records(archive, [a_record(f"{n}") for n in range(450)], now=NOW)
        archive.save_record(a_record("3", title="T"), now=LATER)
        archive.save_record(a_record("4"), now=LATER)
        archive.save_record(a_record("new"), now=LATER)
        fresh = [f"{HOME}3", f"{HOME}new"]
        assert [post.record.url for post in archive.posts(HOME, since=LATER)] == fresh
        assert archive.changed_since(HOME, LATER) == fresh
        assert archive.count(HOME, since=LATER) == 2
        assert archive.count(HOME, since=NOW) == archive.count(HOME) == len(list(archive.posts(HOME, since=NOW))) == 451
        assert list(archive.posts(HOME, since=LATER + timedelta(seconds=1))) == []

    def test_how_many_have_come_in_since_a_time(self, archive: Archive) -> None:
        assert (archive.count_all(), archive.last_new) == (0, None)
        save_records(archive, [a_record("a"), a_record("b")], now=NOW)
        archive.save_record(a_record("c"), now=LATER)
        archive.save_record(a_record("a", title="T"), now=LATER + timedelta(days=1))
        assert (archive.count_all(), archive.last_new) == (3, LATER)
        since = (NOW, NOW + timedelta(seconds=1), LATER, LATER + timedelta(seconds=1))
        assert [archive.count_new(since=moment) for moment in since] == [3, 1, 1, 0]

    def test_they_are_counted_by_an_index(self, archive: Archive, archive_url: str) -> None:
        explain = "EXPLAIN QUERY PLAN" if archive_url.startswith("sqlite") else "EXPLAIN"
        save_records(archive, [a_record(f"{n}") for n in range(2000)], now=NOW)
        with archive.transaction() as connection:
            connection.exec_driver_sql("ANALYZE post")
            rows = connection.exec_driver_sql(f"{explain} SELECT count(*) FROM post WHERE first_seen >= '2030'").all()
        assert "ix_post_first_seen" in " ".join(str(row) for row in rows)

    def test_reading_while_writing(self, archive: Archive) -> None:
        save_records(archive, [a_record(f"{n}") for n in range(300)], now=NOW)
        reading = archive.records(HOME)
        next(reading)
        archive.save_record(a_record("new"), now=NOW)
        assert sum(1 for _ in reading) == 300

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(ANY_RECORD)
    def test_any_text(self, sqlite_url: str, record: Record) -> None:
        check_any_text(sqlite_url, record)

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(ANY_RECORD)
    def test_any_text_in_postgresql(self, postgresql_archive_url: str, record: Record) -> None:
        check_any_text(postgresql_archive_url, record)

    def test_the_spelling_of_an_address_makes_no_other_post(self, archive: Archive) -> None:
        first, second = ("http://www.blog.test/a?x=1&y=2", "https://blog.test/a?y=2&x=1")
        assert archive.save_record(Record(HOME, first, title="A"), now=NOW) == "new"
        assert archive.save_record(Record(HOME, second, title="A"), now=NOW) == "same"
        assert [record.url for record in archive.records(HOME)] == [second], "the newest is kept"
        assert archive.record(HOME, first) == archive.record(HOME, second)
        assert archive.save_record(Record(HOME, "https://blog.test/a?x=2&y=1", title="A"), now=NOW) == "new"

    def test_text_that_no_database_takes(self, archive: Archive) -> None:
        for expected in ("new", "same"):
            assert archive.save_record(a_record("x\0y\ud800z", title="a\0b\ud800c"), now=NOW) == expected
        assert [(record.title, record.url) for record in archive.records(HOME)] == [("ab?c", f"{HOME}xy?z")]
        archive.failures(HOME).note([Failed("\ud800", "\0\udfff", NOW)])
        archive.frontier_store(HOME).save([a_row("a", reason="\udfff", marks="text \0\ud800")])

    def test_each_page_that_was_read_is_progress(self, archive: Archive) -> None:
        """Also where none of them has a post: a crawl gets on that lists are left of."""
        archive.save_record(a_record("a"), now=NOW)
        store = archive.frontier_store(HOME)
        found = []
        for states in (
            ("pending", "claimed", "shelved"),
            ("done", "claimed", "shelved"),
            ("done", "failed", "pending"),
        ):
            store.save([a_row(key, status=status) for key, status in zip("abc", states, strict=True)])
            found.append(archive.progress(HOME))
        assert found == [1, 2, 3]
        assert (archive.progress("http://unknown.test/"), len(archive.blogs())) == (0, 1), "asking makes none known"

    def test_a_record_takes_few_statements(self, archive: Archive) -> None:
        with statements() as told:
            save_records(archive, (a_record(f"{n}") for n in range(100)), now=NOW)
        assert len(told) <= 4 * 100


class TestTransactions:
    def test_all_or_nothing(self, archive: Archive) -> None:
        def save_and_fail() -> None:
            with archive.transaction():
                archive.save_record(a_record(), now=NOW)
                archive.frontier_store(HOME).save([a_row("k")])
                assert archive.count(HOME) == 1
                raise KeyError

        with pytest.raises(KeyError):
            save_and_fail()
        assert archive.count(HOME) == 0
        assert list(archive.frontier_store(HOME).load()) == []
        assert archive.save_record(a_record(), now=NOW) == "new"

    def test_errors_of_others_pass_through(self, archive: Archive) -> None:
        with pytest.raises(OSError, match="mine"), archive.transaction():
            raise OSError("mine")

    def test_naive_times_are_refused(self, archive: Archive) -> None:
        with pytest.raises(Exception, match="no time zone"):
            archive.save_record(a_record(), now=datetime(2026, 1, 1))  # noqa: DTZ001


def a_row(key: str, **fields: object) -> dict[str, object]:
    row = {"key": key, "url": f"{HOME}{key}", "position": 0, "is_post": False, "status": "pending", "depth": 0}
    more = {
        "found_on": None,
        "bonus": 0.0,
        "marks": "",
        "hints": "",
        "was_post": None,
        "post_links": None,
        "new_posts": None,
        "reason": None,
    }
    return {**row, **more, **fields}


class TestFrontierStore:
    def test_rows_are_forgotten_in_the_transaction_that_read_them(self, archive: Archive) -> None:
        """Which left PostgreSQL to read by a cursor all that came after it."""
        store = archive.frontier_store(HOME)
        store.save([a_row("a")])
        with archive.transaction():
            assert len(list(store.load())) == 1
            store.clear()
        assert list(store.load()) == []

    def test_rows_come_back_by_position(self, archive: Archive) -> None:
        store = archive.frontier_store(HOME)
        rows = [a_row("b", position=1, is_post=True, bonus=0.5), a_row("a", position=0, found_on=HOME, post_links=3)]
        store.save(rows)
        assert list(store.load()) == rows[::-1]

    def test_a_row_replaces_the_one_with_its_key(self, archive: Archive) -> None:
        store = archive.frontier_store(HOME)
        store.save([a_row("a"), a_row("b", position=1)])
        store.save([a_row("a", status="failed", reason="404")])
        assert [row["status"] for row in store.load()] == ["failed", "pending"]
        store.save([])

    def test_blogs_are_apart(self, archive: Archive) -> None:
        mine, other = archive.frontier_store(HOME), archive.frontier_store("http://other.org/")
        mine.save([a_row("a")])
        other.save([a_row("a"), a_row("b", position=1)])
        mine.clear()
        assert (len(list(mine.load())), len(list(other.load()))) == (0, 2)

    def test_what_was_told_comes_back_in_order(self, archive: Archive) -> None:
        told = [
            ["reader", "know", [[f"{HOME}{number}", "half \ud83c \0"]], {"is_post": number}] for number in range(300)
        ]
        store, other = archive.frontier_store(HOME), archive.frontier_store("http://other.org/")
        store.write([a_row("a")], told[:120])
        other.write([], told[:1])
        store.write([a_row("b", position=1)])
        for command in told[120:299]:
            archive.frontier_store(HOME).write([], [command])  # as another process does
        store = archive.frontier_store(HOME)
        store.write([], told[299:])
        assert (list(store.observations()), len(list(store.load()))) == (told, 2)
        store.clear()
        assert (list(store.observations()), list(other.observations())) == ([], told[:1])

    def test_rows_and_what_is_told_are_written_both_or_neither(self, archive: Archive) -> None:
        store = archive.frontier_store(HOME)
        with pytest.raises(BackendUnavailable):
            store.write([{**a_row("a"), "position": None}], [["a", "b", [], {}]])

        def write_all() -> None:
            with archive.transaction():
                store.write([a_row("a")], [["a", "b", [], {}]])
                store.save([{**a_row("b"), "position": None}])

        with pytest.raises(BackendUnavailable):
            write_all()
        assert (list(store.load()), list(store.observations())) == ([], [])


class TestBlogs:
    def test_is_made_on_first_use(self, archive: Archive) -> None:
        assert archive.blogs() == []
        blog = archive.blog(HOME)
        assert (blog.home, blog.title, blog.crawl_started) == (HOME, None, None)
        assert archive.blog(HOME).id == blog.id
        archive.save_blog(HOME, title="T", language="de")
        assert [(row.title, row.language) for row in archive.blogs()] == [("T", "de")]

    def test_feed_state(self, archive: Archive) -> None:
        assert archive.load_feed_state(HOME) is None
        state = FeedState(f"{HOME}feed", 'W/"1"', "Sat, 21 Nov 2026 12:00:00 GMT")
        archive.save_feed_state(HOME, state)
        assert archive.load_feed_state(HOME) == state

    def test_what_was_learned(self, archive: Archive) -> None:
        assert archive.load_wrapper(HOME) is None
        archive.save_wrapper(HOME, {"title": ["//h1"], "n": 0.5, "ä": None})
        assert archive.load_wrapper(HOME) == {"title": ["//h1"], "n": 0.5, "ä": None}
        archive.save_wrapper(HOME, None)
        assert archive.load_wrapper(HOME) is None

    def test_what_sources_tell(self, archive: Archive) -> None:
        entries = {f"example.org/{number}": Entry(f"{HOME}{number}", title=str(number)) for number in range(450)}
        archive.save_source_entries(HOME, entries)
        archive.save_source_entries(HOME, {"example.org/7": Entry(f"{HOME}7", title="new")})
        assert archive.source_entry_urls(HOME) == {key: entry.url for key, entry in entries.items()}
        found = archive.source_entry(HOME, "example.org/7")
        assert found is not None
        assert found.title == "new"
        assert archive.source_entry(HOME, "example.org/none") is None
        assert archive.source_entries(HOME, [*entries, "none"]).keys() == entries.keys()
        archive.save_source_state(HOME, "sitemap", {"n": 1})
        archive.save_source_state(HOME, "sitemap", {"n": 2})
        assert archive.load_source_states(HOME) == {"sitemap": {"n": 2}}
        archive.forget_source_entries(HOME)
        assert (archive.source_entry_urls(HOME), archive.load_source_states(HOME)) == ({}, {"sitemap": {"n": 2}})
        archive.forget_sources(HOME)
        assert archive.load_source_states(HOME) == {}

    def test_failures(self, archive: Archive) -> None:
        failures = archive.failures(HOME)
        failures.note([Failed(f"{HOME}a", "404", NOW), Failed(f"{HOME}b", "500", NOW, is_temporary=True)])
        failures.note([Failed(f"{HOME}a", "timeout", LATER, is_temporary=True)])
        assert failures.all() == [
            Failed(f"{HOME}b", "500", NOW, is_temporary=True),
            Failed(f"{HOME}a", "timeout", LATER, is_temporary=True),
        ]
        assert archive.failures("http://example.com/").all() == []

    def test_failures_of_posts_that_have_a_record_are_forgotten(self, archive: Archive) -> None:
        archive.save_record(a_record("a"), now=NOW)
        failures = archive.failures(HOME)
        failures.note([Failed(f"{HOME.replace('http:', 'https:')}a", "404", NOW), Failed(f"{HOME}b", "404", NOW)])
        assert [one.url for one in failures.all()] == [f"{HOME}b"]
        failures.note([Failed(f"{HOME}c", "500", LATER)], are_all=True)
        assert [one.url for one in failures.all()] == [f"{HOME}c"]


class TestCrawls:
    def test_a_finished_crawl_is_begun_anew(self, archive: Archive) -> None:
        assert archive.start_crawl(HOME, now=NOW) is False
        store, pages = archive.frontier_store(HOME), archive.comment_pages(HOME)
        store.write([a_row("a")], [["a", "b", [], {}]])
        pages.save(Page(f"{HOME}a", b"<p>\x00", "text/html", is_rendered=True), {"told": ["half \ud83c \0"]})
        pages.save(Page(f"{HOME}b", b""), {"told": None})
        archive.finish_crawl(HOME, now=LATER, reason="page_limit", complete=False)
        assert len(list(store.observations())) == 1
        (page, told), (_, other) = pages.load()
        assert (page.url, page.body, page.content_type, page.is_rendered) == (f"{HOME}a", b"<p>\x00", "text/html", True)
        assert (told["told"][0][:5], other) == ("half ", {"told": None})
        archive.finish_crawl(HOME, now=LATER, reason="all pages seen")
        assert (len(list(store.load())), list(store.observations()), list(pages.load())) == (1, [], [])
        blog = archive.blog(HOME)
        assert (blog.crawl_started, blog.crawl_finished, blog.crawl_reason) == (NOW, LATER, "all pages seen")
        assert archive.start_crawl(HOME, now=LATER) is False
        assert list(archive.frontier_store(HOME).load()) == []

    def test_pages_that_teach_how_comments_are_shown_come_in_their_order(self, archive: Archive) -> None:
        archive.start_crawl(HOME, now=NOW)
        pages = archive.comment_pages(HOME)
        for name in "abc":
            pages.save(Page(f"{HOME}{name}", b""), {"name": name})
        pages.save(Page(f"{HOME}a", b""), {"name": "a again"})
        assert [told["name"] for _, told in pages.load()] == ["b", "c", "a again"]

    def test_states_of_sources_are_told_one_by_one(self, archive: Archive) -> None:
        archive.start_crawl(HOME, now=NOW)
        archive.save_source_state(HOME, "one", {"a": [1]})
        assert (archive.load_source_state(HOME, "one"), archive.load_source_state(HOME, "two")) == ({"a": [1]}, {})

    def test_a_killed_crawl_goes_on(self, archive: Archive) -> None:
        archive.start_crawl(HOME, now=NOW)
        archive.frontier_store(HOME).save([a_row("a")])
        assert archive.start_crawl(HOME, now=LATER) is True
        assert archive.blog(HOME).crawl_started == NOW
        assert len(list(archive.frontier_store(HOME).load())) == 1

    def test_a_crawl_that_was_cut_short_goes_on(self, archive: Archive) -> None:
        archive.start_crawl(HOME, now=NOW)
        archive.finish_crawl(HOME, now=NOW, reason="page limit", complete=False)
        assert archive.start_crawl(HOME, now=LATER) is True

    def test_times_are_utc(self, archive: Archive) -> None:
        archive.start_crawl(HOME, now=NOW.astimezone(timezone(timedelta(hours=9))))
        assert archive.blog(HOME).crawl_started == NOW


class TestOpening:
    def test_two_archives_on_one_file(self, archive: Archive, url: str) -> None:
        with Archive.open(url) as other:
            assert archive.save_record(a_record(), now=NOW) == "new"
            assert other.save_record(a_record(), now=NOW) == "same"
            for n in range(20):
                (archive, other)[n % 2].save_record(a_record(f"{n}"), now=NOW)
                (archive, other)[n % 2].blog(f"http://{n % 3}.org/")
            assert archive.count(HOME) == other.count(HOME) == 21
            assert len(archive.blogs()) == len(other.blogs()) == 4

    def test_opened_again(self, database_url: str) -> None:
        for expected in ("new", "same"):
            with Archive.open(database_url) as archive:
                assert archive.save_record(a_record(), now=NOW) == expected

    # of SQLite, whose databases are files
    def test_relative_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        Archive.open("sqlite:///archive/archive.db").close()
        assert (tmp_path / "archive" / "archive.db").exists()

    @pytest.mark.parametrize(
        ("database_url", "hint"),
        [
            ("", "not a database URL"),
            ("archive.db", "not a database URL"),
            ("mysql://ann:secret@host/x", 'kind "mysql"'),
            ("postgres://ann:secret@127.0.0.1:1/x", "Connection refused; check that the server runs there"),
            ("postgresql://ann:secret@127.0.0.1:port/x", "not a database URL"),
            ("postgresql:///x?host={folder}", "No such file or directory; check that the server runs there"),
            ("postgresql://ann:secret@127.0.0.1/x?sslmode=maybe", "invalid sslmode"),
            ("postgresql://ann:secret@127.0.0.1/x?colour=red", "invalid connection option"),
            ("postgresql+nosuch://ann:secret@host/x", "driver"),
            ("sqlite:///{file}/archive.db", "cannot be created"),
            ("sqlite:///{file}", "is not a database"),
            ("sqlite:///{folder}", "cannot be opened"),
            ("sqlite:///{newer}", "another version of blogcrawler .99"),
            ("sqlite:///{strange}", "another program"),
        ],
    )
    def test_cannot_be_opened(self, tmp_path: Path, database_url: str, hint: str) -> None:
        (tmp_path / "file").write_text("no database at all, but text that is long enough " * 20)
        Archive.open(f"sqlite:///{tmp_path}/newer").close()
        for name, statement in [
            ("newer", "UPDATE schema_version SET version = 99"),
            ("strange", "CREATE TABLE post (x)"),
        ]:
            raw = sqlite3.connect(tmp_path / name)
            with raw:
                raw.execute(statement)
            raw.close()
        names = {name: tmp_path / name for name in ("file", "newer", "strange")}
        with pytest.raises((BackendUnavailable, BadArgument), match=hint) as caught:
            Archive.open(database_url.format(folder=tmp_path, **names))
        assert "secret" not in str(caught.value)
        assert str(caught.value).endswith(".")
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        "made",
        [
            "CREATE TABLE schema_version (version text); INSERT INTO schema_version VALUES ('1.2');",
            "CREATE TABLE schema_version (version integer); INSERT INTO schema_version VALUES (7);",
            "CREATE TABLE schema_version (number integer);",
            "".join(
                f"CREATE TABLE {name} (version text);" for name in ("schema_version", "blog", "post", "frontier_url")
            ),
        ],
    )
    def test_a_database_of_another_program_that_has_versions_too(self, database_url: str, made: str) -> None:
        earlier.restore(made, database_url)
        for make in (True, False):
            with pytest.raises(
                BackendUnavailable, match=r"contains tables of another program; give another database .*\.$"
            ):
                Archive.open(database_url, make=make)

    @pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
    def test_a_database_of_postgresql_that_cannot_hold_all_letters(
        self, postgresql_server: Cluster, encoding: str
    ) -> None:
        with (
            postgresql_server.database(f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0") as url,
            pytest.raises(BackendUnavailable, match=rf"encoding {encoding}.*UTF8") as caught,
        ):
            Archive.open(url)
        assert "***" in str(caught.value)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
    def test_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        with pytest.raises(BackendUnavailable):
            Archive.open(f"sqlite:///{tmp_path}/archive.db")

    def test_a_disk_that_fills_up(self, sqlite_url: str) -> None:
        with Archive.open(sqlite_url) as archive:
            archive.save_record(a_record(), now=NOW)
            with archive.transaction() as connection:
                connection.exec_driver_sql("PRAGMA max_page_count = 1")
            with pytest.raises(BackendUnavailable, match="disk is full"):
                archive.save_record(a_record("b", content_html="x" * 1_000_000), now=NOW)
            assert archive.count(HOME) == 1


def _open_and_save(url: str, name: str, count: int) -> None:
    with Archive.open(url) as archive:
        for n in range(count):
            archive.save_record(a_record(f"{name}{n}"), now=NOW)


def test_the_schema_is_made_once_by_many_processes(database_url: str) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_open_and_save, args=(database_url, f"p{n}-", 10)) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 4
    with Archive.open(database_url) as archive:
        assert archive.count(HOME) == 40
        assert len(archive.blogs()) == 1


DIES = """
import os, sys
from datetime import UTC, datetime
from blogcrawler.backend import Archive
from blogcrawler.frontier import Frontier, Link
from blogcrawler.items import Record

home, now, deadly = "http://example.org/", datetime(2026, 11, 21, tzinfo=UTC), int(sys.argv[2])
archive = Archive.open(sys.argv[1])
resumed = archive.start_crawl(home, now=now)
frontier = Frontier(archive.frontier_store(home))
frontier.resume()
step = 0
def tick():
    global step
    step += 1
    if step == deadly:
        os._exit(9)
if not resumed:
    frontier.add_many(Link(f"{home}{n}x", is_post=True) for n in range(4))
    frontier.flush()
tick()
while candidate := frontier.pop():
    print(candidate.url, flush=True)
    tick()
    with archive.transaction():
        archive.save_record(Record(blog=home, url=candidate.url), now=now)
        tick()
        if candidate.url.endswith("x"):
            frontier.add_many([Link(f"{candidate.url}y", is_post=True)], found_on=candidate.url)
        frontier.done(candidate.url)
        tick()
        frontier.flush()
        tick()
    tick()
archive.finish_crawl(home, now=now, reason="done")
"""


@pytest.mark.parametrize("deadly", [1, 3, 4, 5, 12])
def test_a_killed_crawl_loses_and_repeats_nothing(url: str, deadly: int) -> None:
    fetched: list[str] = []
    for step in (deadly, 0):
        ran = subprocess.run([sys.executable, "-c", DIES, url, str(step)], capture_output=True, text=True, timeout=60)
        assert ran.returncode == (9 if step else 0), ran.stderr
        fetched += ran.stdout.split()
    with Archive.open(url) as archive:
        expected = {f"{HOME}{n}{end}" for n in range(4) for end in ("x", "xy")}
        assert {record.url for record in archive.records(HOME)} == expected
        assert archive.blog(HOME).crawl_complete
    # only the page in work at the moment of death is fetched again
    assert len(fetched) - len(set(fetched)) <= 1


def test_an_archive_on_read_only_media_can_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is opened beside no file that SQLite would make, and not written."""
    file = tmp_path / "archive.db"
    with Archive.open(f"sqlite:///{file}") as archive:
        archive.start_crawl(HOME, now=NOW)
    before = sorted(tmp_path.iterdir()), file.read_bytes()
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)
    with Archive.open(f"sqlite:///{file}", make=False) as archive:
        assert [blog.home for blog in archive.blogs()] == [HOME]
        assert archive.file == file
        with pytest.raises(BackendUnavailable, match="is read-only"):
            archive.start_crawl(HOME, now=LATER)
    assert (sorted(tmp_path.iterdir()), file.read_bytes()) == before


def test_what_comes_after_the_close_is_kept(tmp_path):
    archive = Archive.open(f"sqlite:///{tmp_path / 'archive.db'}")
    archive.save_blog(HOME, title="First", language=None)
    archive.close()
    archive.save_blog(HOME, title="Second", language=None)  # as of a page that was under way
    assert archive.blog(HOME).title == "Second"


def test_a_transaction_of_another_thread_outlives_the_close(tmp_path):
    """The thread that renews a lease may still write when the archive is closed."""
    url, begun, failed = f"sqlite:///{tmp_path}/a.db", threading.Event(), []

    def write(archive):
        try:
            with archive.transaction():
                archive.register.want({"a": "http://a.example.org/"}, now=datetime.now(UTC))
                begun.set()
                time.sleep(0.5)
        except (BackendUnavailable, sa.exc.SQLAlchemyError) as error:
            failed.append(error)

    with Archive.open(url) as archive:
        thread = threading.Thread(target=write, args=[archive])
        thread.start()
        assert begun.wait(10)
    thread.join(10)
    assert failed == []
    with Archive.open(url) as archive:
        assert [one.key for one in archive.register.wanted()] == ["a"]


def break_rules(archive):
    """Write what SQLite refuses at the end of the transaction."""
    with archive.transaction() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys = ON")
        connection.exec_driver_sql("INSERT INTO blog_address (blog_id, key) VALUES (999, 'a')")


def test_a_transaction_that_cannot_be_committed_leaves_the_next_one_alone(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path}/a.db") as archive:
        with pytest.raises(BackendUnavailable):
            break_rules(archive)
        assert archive.register.want({"a": "http://a.example.org/"}, now=datetime.now(UTC)) == 1
