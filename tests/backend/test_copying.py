"""An archive in another database: all that it holds, or nothing."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from blogcrawler.backend import Archive, Holder, copy_archive, rows_of
from blogcrawler.backend.columns import Key, PlainText, UtcTime
from blogcrawler.backend.database import Database
from blogcrawler.backend.tables import METADATA
from blogcrawler.errors import BackendUnavailable, BeingCrawled, TargetUnwritable
from tests.archives import save_records
from tests.backend import earlier
from tests.crawl.test_monitor import waits_for
from tests.export.archives import ANN, NOW, a_record, bare, odd

if TYPE_CHECKING:
    from collections.abc import Mapping

TABLES = [table for table in METADATA.sorted_tables if table.name not in {"schema_version", "claim"}]
MANY = 503
LISTS = {"authors", "tags", "comments", "media"}


def rows(url: str) -> dict[str, list[Mapping[str, Any]]]:
    database = Database.open(url, make=False)
    with database.reading() as connection:
        found = {
            table.name: [
                dict(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()
            ]
            for table in TABLES
        }
    database.close()
    return found


def a_value(column: sa.Column[Any], number: int) -> Any:
    if column.nullable and number % 5 == 4:
        return None
    if column.foreign_keys and not column.primary_key:
        return 1
    said = {"number": number, "words": ["é\U0001f375", None, 0.1, True]}
    kinds = {
        sa.Boolean: number % 2 == 0,
        sa.Integer: number + 1,
        sa.Float: number / 8,
        sa.LargeBinary: bytes([number % 256, 0, 255]),
        sa.JSON: [said] if column.name in LISTS else said,
        UtcTime: NOW + timedelta(seconds=number, microseconds=number % 3),
        sa.Text: f"{column.name} {number} é\U0001f375",
        (PlainText, Key): f"{column.name} {number} é\U0001f375",
        sa.String: f"{column.name[:4]}{number}",
    }
    return next(value for kind, value in kinds.items() if isinstance(column.type, kind))


def fill(url: str, count: int) -> None:
    """So many rows of each table, whatever columns it has."""
    database = Database.open(url)
    with database.transaction() as connection:
        for table in TABLES:
            names = [column.name for column in table.primary_key]
            numbers = range(count)
            made = [{column.name: a_value(column, number) for column in table.columns} for number in numbers]
            unique = {tuple(row[name] for name in names): row for row in made}
            connection.execute(sa.insert(table), list(unique.values()))
    database.close()


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


@pytest.fixture
def another(tmp_path, postgresql_server):
    """The address of an empty database of the other kind."""
    with postgresql_server.database() as given:
        yield {"sqlite": given, "postgresql": f"sqlite:///{tmp_path}/another/archive.db"}


def test_all_rows_of_all_tables_are_there_and_back_again(url, another, tmp_path):
    fill(url, MANY)
    kept, told = rows(url), []
    assert all(len(found) > 1 for found in kept.values())
    copied = copy_archive(url, another[url.partition(":")[0]], told.append)
    assert copied == {name: len(found) for name, found in kept.items()}
    assert sum(told) == rows_of(url)
    assert max(told) <= 500
    copy_archive(another[url.partition(":")[0]], f"sqlite:///{tmp_path}/back.db", told.append)
    assert rows(f"sqlite:///{tmp_path}/back.db") == rows(another[url.partition(":")[0]]) == kept
    assert rows(url) == kept


def test_the_copy_is_an_archive_that_goes_on(url, another):
    other_url = another[url.partition(":")[0]]
    records = [odd(), a_record("a"), a_record("b"), bare("c")]
    with Archive.open(url) as archive:
        save_records(archive, records, now=NOW)
        archive.save_record(a_record("a", title="Post a, once more"), now=NOW)
        kept, found = list(archive.records(ANN)), archive.queries.search("water", most=9)
    copy_archive(url, other_url, lambda _: None)
    with Archive.open(other_url, make=False) as archive:
        assert [one.to_dict() for one in archive.records(ANN)] == [one.to_dict() for one in kept]
        assert list(archive.altered_posts()) == []
        again = archive.queries.search("water", most=9)
        assert again[0] == found[0] > 1
        assert {one.post.id for one in again[1]} == {one.post.id for one in found[1]}
        assert archive.save_record(a_record("d"), now=NOW) == "new", "numbers go on behind those of the copied rows"
        assert archive.save_record(a_record("b", title="Another"), now=NOW) == "changed"


def test_a_database_that_holds_something_is_left_as_it_is(url, another):
    other_url = another[url.partition(":")[0]]
    for address, path in ((url, "a"), (other_url, "b")):
        with Archive.open(address) as archive:
            archive.save_record(a_record(path), now=NOW)
    before = rows(other_url)
    with pytest.raises(TargetUnwritable, match="already holds an archive"):
        copy_archive(url, other_url, lambda _: None)
    with pytest.raises(TargetUnwritable, match="already holds an archive"):
        copy_archive(url, url, lambda _: None)
    assert rows(other_url) == before


def test_nothing_is_copied_while_a_blog_is_being_crawled(url, another):
    with Archive.open(url) as archive:
        archive.save_record(a_record(), now=NOW)
        archive.leases.claim("ann.example.org", str(Holder.new()), now=datetime.now(UTC))
    with pytest.raises(BeingCrawled, match="stop crawls, monitors and workers first"):
        copy_archive(url, another[url.partition(":")[0]], lambda _: None)


def test_a_copy_that_is_cut_leaves_nothing(url, another):
    fill(url, MANY)
    left = [3]

    def advance(_count: int) -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    other_url = another[url.partition(":")[0]]
    with pytest.raises(KeyboardInterrupt):
        copy_archive(url, other_url, advance)
    assert rows_of(other_url) == 0
    copy_archive(url, other_url, lambda _: None)
    assert rows(other_url) == rows(url)


def test_of_two_copies_at_once_the_second_one_finds_an_archive(sqlite_url, postgresql_url):
    fill(sqlite_url, 3)
    Archive.open(postgresql_url).close()
    engine = earlier.engine(postgresql_url)
    with ThreadPoolExecutor() as pool, engine.connect() as looking:
        others: list[Future[dict[str, int]]] = []

        def is_second_waiting() -> bool:
            return bool(looking.exec_driver_sql("SELECT count(*) FROM pg_locks WHERE NOT granted").scalar())

        def advance(_count: int) -> None:
            if not others:
                others.append(pool.submit(copy_archive, sqlite_url, postgresql_url, lambda _: None))
                waits_for(is_second_waiting)

        copied = copy_archive(sqlite_url, postgresql_url, advance)
        with pytest.raises(TargetUnwritable, match="already holds an archive"):
            others[0].result(60)
    engine.dispose()
    assert rows_of(postgresql_url) == sum(copied.values())


def test_a_copy_that_would_be_gone_at_once_is_none(url):
    with Archive.open(url) as archive:
        archive.save_record(a_record(), now=NOW)
    for nowhere in ("sqlite://", "sqlite:///:memory:"):
        with pytest.raises(TargetUnwritable, match="in memory"):
            copy_archive(url, nowhere, lambda _: None)


def test_an_archive_that_is_not_there(url, tmp_path):
    with pytest.raises(BackendUnavailable, match="There is no archive"):
        copy_archive(url, f"sqlite:///{tmp_path}/another.db", lambda _: None)
    assert not (tmp_path / "another.db").exists()
