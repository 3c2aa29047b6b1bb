"""What posts said before, what is gone, and archives that earlier versions of the program have made."""

from __future__ import annotations

import multiprocessing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import inspect

from blogcrawler.backend import Archive
from blogcrawler.backend.tables import METADATA
from blogcrawler.errors import BackendUnavailable
from blogcrawler.items import Comment
from tests.backend import earlier
from tests.backend.test_archive import HOME, LATER, NOW, a_record
from tests.backend.test_postgresql import spelled, user

EARLIER = sorted(
    Path(__file__).parent.glob("data/version*.sql"), key=lambda path: int(path.stem.removeprefix("version"))
)
URL = a_record().url


def test_a_version_with_half_of_a_surrogate_pair_is_kept(archive):
    """As JSON of APIs has it where a text is cut within a character."""
    odd = a_record(comments=[Comment(id="1", content_text="tea \ud83c")], tags=["\udd63"])
    archive.save_record(odd, now=NOW)
    assert archive.save_record(a_record(content_text="two"), now=LATER) == "changed"
    (version,) = archive.versions(HOME, URL)
    assert version.record == a_record(comments=[Comment(id="1", content_text="tea ?")], tags=["?"])


def test_an_earlier_version_is_kept_with_its_times(archive):
    days = [NOW + timedelta(days=day) for day in range(3)]
    for day, text in zip(days, ["one", "two", "three"], strict=True):
        archive.save_record(a_record(content_text=text), now=day)
    assert archive.record(HOME, URL).content_text == "three"
    first, second = archive.versions(HOME, URL)
    assert (first.record, second.record) == (a_record(content_text="one"), a_record(content_text="two"))
    assert [(one.seen, one.replaced) for one in (first, second)] == [(days[0], days[1]), (days[1], days[2])]
    assert first.content_sha256 != second.content_sha256


@pytest.mark.parametrize(
    ("fields", "is_kept"),
    [
        ({"content_text": "2"}, True),
        ({"title": None}, True),
        ({"tags": ["a", "b"]}, True),
        ({"comments": [Comment(id="1", author="Cy"), Comment(id="2", parent="1", kind="comment")]}, True),
        ({"comments": [Comment(id="1", author="Cy")], "comment_count": 1}, True),
        ({}, False),
        ({"comments": [*a_record().comments, Comment(id="3")], "comment_count": 3}, False),
        ({"language": "en"}, False),
        ({"media": []}, False),
    ],
)
def test_what_makes_a_version(archive, fields, is_kept):
    """What is said no longer; nothing is lost by a comment more."""
    archive.save_record(a_record(), now=NOW)
    archive.save_record(a_record(**fields), now=LATER)
    assert [version.record for version in archive.versions(HOME, URL)] == [a_record()] * is_kept


def test_a_post_that_says_but_that_it_is_newer_has_not_changed(archive):
    assert archive.save_record(a_record(updated="2026-01-01"), now=NOW) == "new"
    assert archive.save_record(a_record(updated="2026-02-02"), now=LATER) == "same"
    assert archive.record(HOME, URL).updated == "2026-02-02"
    assert (archive.versions(HOME, URL), archive.changed_since(HOME, LATER)) == ([], [])


def test_versions_are_of_one_post(archive):
    for path in "ab":
        archive.save_record(a_record(path), now=NOW)
    archive.save_record(a_record("b", title="Another"), now=LATER)
    assert archive.versions(HOME, f"{HOME}a") == archive.versions(HOME, f"{HOME}none") == []
    assert len(archive.versions(HOME, f"{HOME.replace('http:', 'https:')}b")) == 1


@given(texts=st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=8))
def test_nothing_that_was_said_is_lost(texts):
    with Archive.open("sqlite://") as archive:
        for day, text in enumerate(texts):
            archive.save_record(a_record(content_text=text), now=NOW + timedelta(days=day))
        told = [version.record.content_text for version in archive.versions(HOME, URL)]
        told.append(archive.record(HOME, URL).content_text)
    assert told == [text for at, text in enumerate(texts) if at == 0 or texts[at - 1] != text]


def test_a_post_that_is_gone_is_marked_until_it_is_back(archive):
    archive.save_record(a_record(), now=NOW)
    assert archive.mark_gone(HOME, URL, now=LATER)
    assert not archive.mark_gone(HOME, URL, now=LATER + timedelta(days=1))
    assert not archive.mark_gone(HOME, f"{HOME}none", now=LATER)
    assert archive.gone(HOME) == {URL: LATER}
    assert archive.record(HOME, URL) == a_record()
    archive.save_record(a_record(), now=LATER + timedelta(days=1), is_read=False)
    assert archive.gone(HOME) == {URL: LATER}
    assert {post.last_seen for post in archive.known_posts(HOME).values()} == {NOW}
    archive.save_record(a_record(), now=LATER + timedelta(days=2))
    assert archive.gone(HOME) == {}


@pytest.fixture(params=EARLIER, ids=lambda path: path.stem)
def earlier_url(request, database_url):
    """The address of an archive that an earlier version of the program has made."""
    earlier.restore(request.param.read_text("utf-8"), database_url)
    return database_url


def check_up_to_date(url):
    """Its tables are those of an archive that is new."""
    with Archive.open(url):
        pass
    engine = earlier.engine(url)
    with engine.connect() as connection:
        changes = compare_metadata(MigrationContext.configure(connection), METADATA)
        of_search = ("post_search", "terms", "ix_post_terms")
        assert [kind for kind, *what in changes if not str(earlier.name_of(what)).startswith(of_search)] == []
    engine.dispose()


def test_an_archive_of_an_earlier_version_is_brought_up_to_date(earlier_url):
    for _ in range(2):
        with Archive.open(earlier_url) as archive:
            assert archive.record(HOME, URL) == a_record()
    with Archive.open(earlier_url) as archive:
        assert archive.load_feed_state(HOME).etag == '"x"'
        assert archive.queries.search("snow", most=1)[0] == 1
        archive.save_record(replace(a_record(), title="Another", source=None), now=LATER)
        assert [version.record for version in archive.versions(HOME, URL)] == [a_record()]
        archive.save_record(a_record("b"), now=LATER)
        archive.blog("http://other.example.org/")
        assert (archive.count(HOME), len(archive.blogs())) == (2, 2)
    check_up_to_date(earlier_url)


def _open(url, at_once):
    at_once.wait(60)
    with Archive.open(url) as archive:
        assert archive.record(HOME, URL) == a_record()


@pytest.mark.parametrize("earlier_url", [EARLIER[0], EARLIER[-1]], ids=lambda path: path.stem, indirect=True)
def test_processes_that_open_an_archive_of_an_earlier_version_at_once_bring_it_up_to_date_once(earlier_url):
    context = multiprocessing.get_context("fork")
    at_once = context.Barrier(3)
    processes = [context.Process(target=_open, args=(earlier_url, at_once)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 3
    check_up_to_date(earlier_url)


def test_who_may_not_bring_an_archive_up_to_date_is_told_who_may(postgresql_server, postgresql_url):
    engine = earlier.engine(postgresql_url)
    for path in (EARLIER[0], EARLIER[-1]):
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
        earlier.restore(path.read_text("utf-8"), postgresql_url)
        with user(postgresql_server) as reader:
            with engine.begin() as connection:
                connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA public TO {reader['username']}")
                connection.exec_driver_sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader['username']}")
            with pytest.raises(
                BackendUnavailable,
                match=r"were created by an earlier version .* may not change .* Run blogcrawler status once",
            ):
                Archive.open(spelled(postgresql_url, **reader), make=False)
            with engine.begin() as connection:
                connection.exec_driver_sql(f"DROP OWNED BY {reader['username']}")
    engine.dispose()
    check_up_to_date(postgresql_url)


def test_an_archive_of_a_later_version_is_left_alone(database_url):
    with Archive.open(database_url) as archive:
        archive.save_record(a_record(), now=NOW)
        with archive.transaction() as connection:
            connection.exec_driver_sql("UPDATE schema_version SET version = 99")
    for make in (True, False):
        with pytest.raises(BackendUnavailable, match=r"another version .*\(99; .*another database\.$"):
            Archive.open(database_url, make=make)


def test_a_migration_that_fails_changes_nothing(database_url):
    earlier.restore(EARLIER[0].read_text("utf-8"), database_url)
    engine = earlier.engine(database_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE ix_wanted_due (x integer)")  # the name of an index
    with pytest.raises(BackendUnavailable, match="ix_wanted_due"):
        Archive.open(database_url)
    with engine.begin() as connection:
        assert connection.exec_driver_sql("SELECT version FROM schema_version").scalar() == 4
        assert "media_file" not in inspect(connection).get_table_names()
        connection.exec_driver_sql("DROP TABLE ix_wanted_due")
    engine.dispose()
    check_up_to_date(database_url)


def test_there_is_an_archive_of_each_version_that_can_be_brought_up_to_date():
    from blogcrawler.backend.tables import OLDEST_VERSION, SCHEMA_VERSION

    assert [path.stem for path in EARLIER] == [f"version{number}" for number in range(OLDEST_VERSION, SCHEMA_VERSION)]


def test_reading_of_an_unknown_blog_makes_none(archive):
    archive.save_record(a_record(), now=NOW)
    unknown = HOME.rstrip("/") + "x/"
    assert (list(archive.versions(unknown, URL)), list(archive.gone(unknown))) == ([], [])
    assert archive.record(unknown, URL) is None
    assert (archive.load_wrapper(unknown), archive.load_feed_state(unknown), archive.known_posts(unknown)) == (
        None,
        None,
        {},
    )
    assert [blog.home for blog in archive.blogs()] == [HOME]
