"""Statements that are prepared find and write what SQLAlchemy does."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from blogcrawler.backend import Archive
from blogcrawler.backend.tables import WANTED

NOW = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request, tmp_path):
    url = f"sqlite:///{tmp_path}/a.db" if request.param == "sqlite" else request.getfixturevalue("postgresql_url")
    with Archive.open(url) as archive:
        yield archive._database


@pytest.mark.parametrize("values", [{}, {"tried": NOW, "reason": "It answers 500: 'ä' %s {x} :y"}, {"tried": None}])
def test_each_type_of_value_comes_back_as_it_is(database, values):
    table = WANTED
    row = {"key": "a", "url": "http://a.example.org/", "added": NOW, "due": NOW, **values}
    assert database.insert_missing(table, [row, row]) == 1
    query = sa.select(table).where(table.c.key == sa.bindparam("wanted"))
    looked_up = database.look_up(query, wanted="a")
    assert looked_up == dict(database.row(query, wanted="a"))
    assert looked_up == {"tried": None, "reason": None, "failures": 0, **row}
    assert database.look_up(query, wanted="b") is None


def test_rows_are_replaced_by_their_primary_key(database):
    table = WANTED
    row = {"key": "a", "url": "http://a.example.org/", "added": NOW, "due": NOW, "failures": 1}
    database.upsert(table, [row, {**row, "key": "b"}])
    database.upsert(table, [{**row, "failures": 2}])
    rows = database.rows(sa.select(table.c.key, table.c.failures).order_by(table.c.key))
    assert [tuple(row.values()) for row in rows] == [("a", 2), ("b", 1)]


def test_a_change_tells_how_many_rows_it_has_written(database):
    row = {"key": "a", "url": "http://a.example.org/", "added": NOW, "due": NOW}
    database.upsert(WANTED, [row, {**row, "key": "b"}])
    change = sa.update(WANTED).where(WANTED.c.tried.is_(None)).values(tried=sa.bindparam("now"))
    assert database.change(change.where(WANTED.c.key == sa.bindparam("wanted")), wanted="a", now=NOW) == 1
    assert [database.change(change, now=NOW) for _ in range(2)] == [1, 0]
    assert set(database.values(sa.select(WANTED.c.tried))) == {NOW}
