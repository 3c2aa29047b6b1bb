"""Copies a whole archive, as of one moment, to another database, which may be of another kind or on another server."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import exists, func, insert, select, text

from blogcrawler.backend.database import Database, columns_of
from blogcrawler.backend.leases import BlogLease
from blogcrawler.backend.tables import BLOG, CLAIM, METADATA, SCHEMA
from blogcrawler.errors import BeingCrawled, TargetUnwritable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Table

_PART = 500
"""Number of rows that are read and written at a time."""
_STAY = {SCHEMA.name, CLAIM.name}
"""Tables that are not copied, since each database has its own."""
_TABLES = [table for table in METADATA.sorted_tables if table.name not in _STAY]
"""The other tables; referenced tables come first."""


def rows_of(database_url: str) -> int:
    """Number of rows of an archive. Raises BackendUnavailable."""
    database = Database.open(database_url, make=False)
    try:
        with database.reading() as connection:
            return sum(int(connection.scalar(select(func.count()).select_from(table)) or 0) for table in _TABLES)
    finally:
        database.close()


def copy_archive(database_url: str, target_url: str, advance: Callable[[int], None]) -> dict[str, int]:
    """Copy an archive to an empty database in one transaction; return the number of rows per table.

    Both databases may be SQLite or PostgreSQL. If two processes copy to one database, the second waits for the first.
    `advance` is called with numbers of copied rows. O(n) in the rows; a limited number is in memory. Raises
    BeingCrawled, TargetUnwritable if the target is not empty, and BackendUnavailable.
    """
    with ExitStack() as stack:
        source = Database.open(database_url, make=False)
        stack.callback(source.close)
        target = Database.open(target_url)
        stack.callback(target.close)
        if target.is_sqlite and target.file is None:
            raise TargetUnwritable(f"The database {target.shown} would be in memory and lost at once; give a file.")
        reading, writing = stack.enter_context(source.reading()), stack.enter_context(target.alone_on(BLOG))
        if not source.is_sqlite:  # on SQLite, every transaction sees the state of one moment
            reading.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        _check_at_rest(source, reading)
        if any(writing.scalar(select(exists().select_from(table))) for table in _TABLES):
            raise TargetUnwritable(f"The database {target.shown} already holds an archive; give an empty one.")
        copied = {table.name: _copy(table, source, reading, writing, advance) for table in _TABLES}
        if not target.is_sqlite:
            _go_on_counting(writing)
        return copied


def _check_at_rest(source: Database, connection: Connection) -> None:
    """Raise BeingCrawled if a blog is being crawled, since posts added later would be missing in the copy."""
    rows = connection.execute(select(*columns_of(BlogLease, CLAIM))).mappings()
    leases = [BlogLease(**row) for row in rows]
    held = [lease for lease in leases if lease.holds(datetime.now(UTC))]
    if held:
        raise BeingCrawled(
            f"Blogs of {source.shown} are being crawled ({held[0].key}); stop crawls, monitors and workers first, or "
            "wait until they have ended."
        )


def _copy(
    table: Table, source: Database, reading: Connection, writing: Connection, advance: Callable[[int], None]
) -> int:
    count = 0
    for rows in _parts(table, source, reading):
        writing.execute(insert(table), rows)
        advance(len(rows))
        count += len(rows)
    return count


def _parts(table: Table, source: Database, connection: Connection) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows of a table in batches."""
    ordered = select(table).order_by(*table.primary_key).execution_options(yield_per=_PART)
    with source.explained(), connection.execute(ordered) as found:
        for rows in found.mappings().partitions():
            yield [dict(row) for row in rows]


def _go_on_counting(connection: Connection) -> None:
    """Let PostgreSQL's id sequences continue after the ids of the copied rows."""
    for table in _TABLES:
        if (column := table.autoincrement_column) is not None and not column.foreign_keys:
            names = {"table": f'"{table.name}"', "column": column.name}
            last = connection.scalar(select(func.max(column)))
            if last is not None:
                connection.execute(
                    text("SELECT setval(pg_get_serial_sequence(:table, :column), :last)"), {**names, "last": last}
                )
