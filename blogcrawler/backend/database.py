"""Opens the archive's database (SQLite or PostgreSQL), and runs its transactions.

Every database error leaves this module as BackendUnavailable with a message for the user.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

from sqlalchemy import Connection, Engine, Integer, bindparam, insert, inspect, select, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, OperationalError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from blogcrawler.addresses import without_password
from blogcrawler.backend.engines import (
    BUSY_TIMEOUT_S,
    OTHER,
    READ_ONLY,
    file_of,
    give_back,
    no_archive,
    switch_to_wal,
    take,
)
from blogcrawler.backend.postgresql import encoding_fault, is_refusal, with_remedy
from blogcrawler.backend.prepared import Prepared
from blogcrawler.backend.search import make_search
from blogcrawler.backend.tables import METADATA, OLDEST_VERSION, SCHEMA, SCHEMA_VERSION
from blogcrawler.errors import BackendUnavailable
from blogcrawler.lazy import LazyModule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from sqlalchemy import Column, ColumnElement, Executable, Insert, RowMapping, Select, Table, Update
    from sqlalchemy.dialects import postgresql
    from sqlalchemy.sql.dml import UpdateBase
    from sqlalchemy.sql.selectable import TypedReturnsRows
else:
    postgresql = LazyModule("sqlalchemy.dialects.postgresql")

#: seconds between attempts to reach an unavailable server
_AGAIN_S = 0.5
#: tables that archives of all versions have
_ALWAYS = {SCHEMA.name, "blog", "post", "frontier_url"}
#: the oldest SQLite version with removal of diacritics and generated columns
_OLDEST_POSTGRESQL = (13,)
#: PostgreSQL's error code for missing permissions
_NO_RIGHTS = "42501"
#: key of the lock that a process takes while it creates the tables: an arbitrary number, the same in all processes
_SCHEMA_LOCK = 0x626C6F67
#: number of column values that are looked up at once
_MOST_VALUES = 500
_Value = TypeVar("_Value")
_Row = TypeVar("_Row")


class Database:
    """A connection to the archive's database, for one thread at a time.

    Transactions nest: an inner `transaction` joins the outer one, and all its statements are committed together or not
    at all.
    """

    def __init__(self, engine: Engine, *, patience_s: float = 0) -> None:
        self._engine = engine
        self._patience_s = 0 if engine.dialect.name == "sqlite" else patience_s
        #: since when, by the monotonic clock, the server has been unavailable
        self._away_since: float | None = None
        #: its URL without the password
        self.shown = without_password(engine.url.render_as_string(hide_password=False))
        self._connection: Connection | None = None
        #: connection to SQLite's file, kept open between transactions
        self._kept: Connection | None = None
        self._is_closed = False
        self._lock = threading.RLock()
        self._prepared: dict[Any, Prepared] = {}

    @classmethod
    def open(cls, database_url: str, *, make: bool = True, patience_s: float = 0) -> Database:
        """Connect, and create missing files, folders and tables. Raises BackendUnavailable.

        Without `make`, a missing archive is an error. If the server is unavailable, connecting and the start of a
        transaction are retried for `patience_s` seconds. A running transaction is not retried.
        """
        database = cls(take(database_url, make=make), patience_s=patience_s)
        try:
            with database.explained():
                database._prepare(make=make)
        except BackendUnavailable:
            database.close()
            raise
        return database

    @property
    def file(self) -> Path | None:
        """The database file; None for a server's database, and for one in memory."""
        return file_of(self._engine.url)

    @property
    def is_sqlite(self) -> bool:
        """True for SQLite, False for a server."""
        return self._engine.dialect.name == "sqlite"

    @property
    def is_writing(self) -> bool:
        """True while a transaction is open, which may still fail."""
        return self._connection is not None

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            if self._kept is not None:
                self._kept.close()
                self._kept = None
            give_back(self._engine)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Begin a transaction for writing, or join the open one. Raises BackendUnavailable."""
        with self._lock:
            if self._connection is not None:
                yield self._connection
                return
            with self.explained(), self._connected() as connection, connection.begin():
                self._connection = connection
                try:
                    yield connection
                finally:
                    self._connection = None

    @contextmanager
    def alone_on(self, table: Table) -> Iterator[Connection]:
        """Begin a transaction during which no other process writes to a table. Raises BackendUnavailable."""
        with self.transaction() as connection:
            if self._engine.dialect.name == "postgresql":  # SQLite has one writer at a time
                connection.execute(text(f'LOCK TABLE "{table.name}" IN SHARE ROW EXCLUSIVE MODE'))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading, which sees uncommitted changes of the open transaction.

        Raises BackendUnavailable.
        """
        with self._lock:
            if self._connection is not None:
                yield self._connection
                return
            with self.explained(), self._connect().execution_options(**{READ_ONLY: True}) as connection:
                yield connection

    def rows(self, query: Executable) -> Sequence[RowMapping]:
        """All rows of a query."""
        with self.reading() as connection:
            return connection.execute(query).mappings().all()

    def row(self, query: Executable, **values: Any) -> RowMapping | None:  # noqa: ANN401
        """The first row of a query with these parameters."""
        with self.reading() as connection:
            return connection.execute(query, values or None).mappings().first()

    def look_up(self, query: Select[Any], **values: Any) -> Mapping[str, Any] | None:  # noqa: ANN401
        """Return the same as `row` in a tenth of the time, for a query object that is reused."""
        with self._lock, self.explained(), self._connected() as connection:
            return self._prepare_once(query, lambda: query).first(connection, values)

    def values(self, query: TypedReturnsRows[_Value]) -> list[_Value]:
        """The first column of all rows of a query."""
        with self.reading() as connection:
            return list(connection.scalars(query))

    def value(self, query: TypedReturnsRows[_Value]) -> _Value | None:
        """The first column of the first row of a query; None if there is no row."""
        with self.reading() as connection:
            return connection.scalar(query)

    def rows_with(self, query: Executable, values: Iterable[Any], **others: Any) -> list[RowMapping]:  # noqa: ANN401
        """All rows of a query with the condition `is_among`, for any number of values."""
        wanted = list(values)
        rows: list[RowMapping] = []
        with self.reading() as connection:
            for start in range(0, len(wanted), _MOST_VALUES):
                part = {"values": wanted[start : start + _MOST_VALUES], **others}
                rows += connection.execute(query, part).mappings()
        return rows

    def load(
        self, kind: type[_Row], table: Table, *which: ColumnElement[bool], by: Sequence[ColumnElement[Any]] = ()
    ) -> list[_Row]:
        """The matching rows of a table as dataclass objects, whose fields have the names of columns."""
        return [kind(**row) for row in self.rows(select(*columns_of(kind, table)).where(*which).order_by(*by))]

    def in_batches(self, query: Select[Any], by: Column[Any], size: int) -> Iterator[RowMapping]:
        """Yield the rows of a query in batches, sorted by one of its columns; no transaction stays open meanwhile."""
        query = query.order_by(by).limit(size)
        rows = self.rows(query)
        while rows:
            yield from rows
            rows = self.rows(query.where(by > rows[-1][by.name])) if len(rows) == size else ()

    def run(self, statement: UpdateBase) -> int:
        """Execute a writing statement, and return the number of rows written."""
        with self.transaction() as connection:
            return connection.execute(statement).rowcount

    def change(self, statement: Update, **values: Any) -> int:  # noqa: ANN401
        """Execute a cached statement with these parameters, ten times as fast as `run`; return the number of rows
        written."""
        with self.transaction() as connection:
            return self._prepare_once(statement, lambda: statement).run(connection, [values])

    def upsert(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows, or replace those with the same primary key. Must be called in a transaction."""
        if rows:
            with self.transaction() as connection:
                self._upsert(table, tuple(rows[0])).run(connection, rows)

    def insert_new(self, table: Table, row: dict[str, Any]) -> int | None:
        """Insert a row and return its id; None if another process has inserted a row with the same keys."""
        with self.transaction() as connection:
            inserted = self._insertion(table, tuple(row)).first(connection, row)
        return None if inserted is None else int(inserted["id"])

    def insert_missing(self, table: Table, rows: Sequence[dict[str, Any]]) -> int:
        """Insert the rows whose keys do not exist yet; return their number."""
        with self.transaction() as connection:
            return sum(self._insertion(table, tuple(row)).first(connection, row) is not None for row in rows)

    def overwrite_deleted(self, connection: Connection) -> None:
        """Let SQLite overwrite with zeros what is deleted from now on."""
        if self.is_sqlite:
            connection.exec_driver_sql("PRAGMA secure_delete = ON")

    def compact(self) -> None:
        """Rewrite SQLite's file without deleted data. Raises BackendUnavailable.

        A server cleans its tables by itself.
        """
        if not self.is_sqlite:
            return
        with self._lock, self.explained(), closing(self._engine.raw_connection()) as raw:
            cursor = raw.cursor()
            cursor.execute("INSERT INTO post_search (post_search) VALUES ('optimize')")
            cursor.execute("VACUUM")
            (is_busy, *_) = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if is_busy:
            raise BackendUnavailable(f"Another program reads {self.shown}; stop it and run the same command again.")

    def _upsert(self, table: Table, names: tuple[str, ...]) -> Prepared:
        """The statement of `upsert` for rows with these columns."""

        def make() -> Insert:
            statement = self._insert(table)
            keys = [column.name for column in table.primary_key]
            changed = {name: statement.excluded[name] for name in names if name not in keys}
            return statement.on_conflict_do_update(index_elements=keys, set_=changed)

        return self._prepare_once(("upsert", table.name, names), make, names)

    def _insertion(self, table: Table, names: tuple[str, ...]) -> Prepared:
        """The statement that inserts missing rows and returns their primary keys."""
        return self._prepare_once(
            ("insert", table.name, names),
            lambda: self._insert(table).on_conflict_do_nothing().returning(*table.primary_key),
            names,
        )

    def _prepare_once(
        self, key: object, make: Callable[[], Select[Any] | Insert | Update], names: tuple[str, ...] | None = None
    ) -> Prepared:
        if (prepared := self._prepared.get(key)) is None:
            prepared = self._prepared[key] = Prepared(make(), self._engine.dialect, names)
        return prepared

    def _insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        return postgresql.insert(table) if self._engine.dialect.name == "postgresql" else sqlite.insert(table)

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """The connection of the open transaction, or another one.

        SQLite's connection is opened once, since opening takes longest. While it is in use, no other thread gets it, so
        that `close` does not close it. After an error it is discarded.
        """
        if self._connection is not None:
            yield self._connection
            return
        connection, self._kept = self._kept or self._connect(), None
        with ExitStack() as stack:
            stack.callback(connection.close)
            yield connection
            if self.is_sqlite and not self._is_closed and self._kept is None:
                self._kept = connection
                stack.pop_all()

    def _connect(self) -> Connection:
        """Connect to the server, waiting while it is unavailable."""
        while True:
            try:
                connection = self._engine.connect()
            except OperationalError as error:
                now = time.monotonic()
                self._away_since = self._away_since or now
                if now - self._away_since >= self._patience_s or is_refusal(str(error)):
                    raise
                time.sleep(_AGAIN_S)
            else:
                self._away_since = None
                return connection

    def _prepare(self, *, make: bool) -> None:
        if self._engine.dialect.name == "sqlite" and not self._engine.get_execution_options().get(READ_ONLY):
            with closing(self._engine.raw_connection()) as raw:
                switch_to_wal(raw)
        with self._connect() as connection, connection.begin():
            if self._engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _SCHEMA_LOCK})
            tables = set(inspect(connection).get_table_names())
            if tables & set(METADATA.tables):
                if not _are_ours(tables, connection):
                    raise BackendUnavailable(f"The database {self.shown} contains tables of another program; {OTHER}.")
                self._check_version(connection)
                return
            self._check_server(connection)
            if not make:
                raise no_archive(f"in {self.shown}")
            METADATA.create_all(connection)
            make_search(connection)
            connection.execute(insert(SCHEMA), {"version": SCHEMA_VERSION})

    def _check_server(self, connection: Connection) -> None:
        """Raise BackendUnavailable if a server cannot store and index web texts."""
        if self._engine.dialect.name != "postgresql":
            return
        if (connection.dialect.server_version_info or ()) < _OLDEST_POSTGRESQL:
            raise BackendUnavailable(
                f"The server of {self.shown} is too old; PostgreSQL {_OLDEST_POSTGRESQL[0]} or newer is required."
            )
        if (fault := encoding_fault(connection, f"The database {self.shown}")) is not None:
            raise BackendUnavailable(fault)

    def _check_version(self, connection: Connection) -> None:
        version = connection.scalar(select(SCHEMA.c.version))
        if version is not None and OLDEST_VERSION <= version < SCHEMA_VERSION:
            self._migrate(connection, version)
            return
        if version != SCHEMA_VERSION:
            raise BackendUnavailable(
                f"The tables of {self.shown} were created by another version of blogcrawler ({version}; this program "
                f"reads {SCHEMA_VERSION}). Use that version of blogcrawler, or another database."
            )

    def _migrate(self, connection: Connection, version: int) -> None:
        """Update tables of an earlier version. Raises BackendUnavailable."""
        # imported here since alembic is slow to import and seldom needed
        from blogcrawler.backend.migrations import migrate

        try:
            migrate(connection, version)
        except ProgrammingError as error:
            if getattr(error.orig, "sqlstate", None) != _NO_RIGHTS:
                raise
            raise BackendUnavailable(
                f"The tables of {self.shown} were created by an earlier version of blogcrawler, and this user may not "
                "change them. Run blogcrawler status once as the user who owns them."
            ) from error

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Convert errors of this database to BackendUnavailable with a message for the user."""
        try:
            yield
        except (DBAPIError, PoolTimeout, sqlite3.Error, self._engine.dialect.loaded_dbapi.Error) as error:
            raise BackendUnavailable(f"The database {self.shown} cannot be used: {_reason(error)}.") from error


def is_among(column: Column[Any]) -> ColumnElement[bool]:
    """The condition that a column has one of several values, which are given when the query is executed."""
    return column.in_(bindparam("values", expanding=True))


def columns_of(kind: type[Any], table: Table) -> list[ColumnElement[Any]]:
    """The columns of a table that are fields of a dataclass."""
    return [table.c[field.name].label(field.name) for field in fields(kind)]


def _are_ours(tables: set[str], connection: Connection) -> bool:
    """True for tables of an archive of any version, since other programs may use the same table names."""
    if not tables.issuperset(_ALWAYS):
        return False
    kinds = {column["name"]: column["type"] for column in inspect(connection).get_columns(SCHEMA.name)}
    return isinstance(kinds.get(SCHEMA.c.version.name), Integer)


def _reason(error: Exception) -> str:
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    lines = str(cause).strip().splitlines()
    hints = {
        "unable to open database file": "the file or its folder cannot be opened; check that it is writable",
        "file is not a database": f"the file is not a database; {OTHER}",
        "attempt to write a readonly database": "it is read-only; check the permissions of the file and its folder",
        "database or disk is full": "the disk is full; free some space and start again, saved data is not lost",
        "database is locked": f"another program has been writing to it for {BUSY_TIMEOUT_S} seconds; try again later",
    }
    said = lines[0] if lines else type(cause).__name__
    if (hint := next((hint for sign, hint in hints.items() if sign in said), None)) is not None:
        return hint
    return with_remedy(said, other=OTHER)
