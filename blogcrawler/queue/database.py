"""The database of a queue: PostgreSQL with a table of jobs and a table of workers.

Every database error leaves this module as QueueUnavailable.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import psycopg
from sqlalchemy import Boolean, Column, Connection, Index, Integer, MetaData, Table, Text, create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from blogcrawler.addresses import AT_IS_WRITTEN, without_password
from blogcrawler.backend.columns import Key, PlainText, UtcTime
from blogcrawler.backend.leases import lease_columns
from blogcrawler.backend.postgresql import encoding_fault, network, with_remedy
from blogcrawler.errors import BadArgument, QueueUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_OTHER = "give another one with --queue or QUEUE_URL"
_EXAMPLE = "give one such as postgresql://user@host/name"
SCHEMA_LOCK = 0x626C6F68
"""Key of the lock that a process takes while it creates the tables: an arbitrary number, the same in all processes."""

_TABLES = MetaData()
JOBS = Table(
    "blogcrawler_job",
    _TABLES,
    Column("id", Integer, primary_key=True),
    Column("key", Key, nullable=False, unique=True),
    Column("url", PlainText, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due", UtcTime, nullable=False, doc="earliest start"),
    *lease_columns(),
    Column("worker", Text, doc="id of the worker that has the lease"),
    Column("lost", Integer, nullable=False, default=0, doc="crawls or workers killed in a row without progress"),
    Column("progress", Integer, nullable=False, default=0, doc="progress of the last crawl"),
    Column("put_off", PlainText, doc="reason of the last postponement that the blog did not cause"),
    Column("is_given_up", Boolean, nullable=False, default=False),
    Column("failures", Integer, nullable=False, default=0, doc="number of consecutive failed crawls"),
    Column("failed", UtcTime, doc="time of the last failure"),
    Column("reason", PlainText, doc="reason of the last failure"),
)
Index(
    "blogcrawler_job_next", JOBS.c.priority.desc(), JOBS.c.id, postgresql_where=JOBS.c.owner.is_(None)
)  # without this index, PostgreSQL sorts all jobs to find the next one
WORKERS = Table(
    "blogcrawler_worker",
    _TABLES,
    Column("id", Text, primary_key=True),
    Column("host", PlainText, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("jobs", Integer, nullable=False, doc="crawls at once"),
    Column("since", UtcTime, nullable=False),
    Column("seen", UtcTime, nullable=False, doc="time of the last heartbeat"),
)


class QueueDatabase:
    """A connection to the database server, renewed when it breaks."""

    def __init__(self, url: str) -> None:
        """Parse the URL. Raises BadArgument if it is not the URL of a PostgreSQL server."""
        self.shown = without_password(url)
        address, given = _parsed(url)
        ours = {"application_name": "blogcrawler", "client_encoding": "utf8", **network(given)}
        self._engine = create_engine(
            "postgresql+psycopg://", creator=lambda: psycopg.connect(address, **ours), pool_pre_ping=True
        )
        self._has_tables = False

    def prepare(self, *, make: bool) -> None:
        """Connect; with `make`, create missing tables."""
        with self.transaction() as connection:
            if not make:
                return
            lock(connection, SCHEMA_LOCK)
            fault = encoding_fault(connection, f"The database of the queue at {self.shown}")
            if fault is not None:
                raise QueueUnavailable(fault)
            _TABLES.create_all(connection)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Run the statements of the `with` block in one transaction. Raises QueueUnavailable."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise QueueUnavailable(f"The queue at {self.shown} cannot be used: {_reason(error)}.") from error

    def has_tables(self, connection: Connection) -> bool:
        """True if the tables exist."""
        self._has_tables = self._has_tables or inspect(connection).has_table(JOBS.name)
        return self._has_tables


def lock(connection: Connection, number: int) -> None:
    """Take the advisory lock with this number until the transaction ends; wait while another transaction holds it."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})


def server_time(connection: Connection) -> datetime:
    """The time of the server's clock, which is the same for all workers."""
    epoch = connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())::float8").scalar_one()
    return datetime.fromtimestamp(epoch, UTC)


def _parsed(url: str) -> tuple[str, dict[str, Any]]:
    """The URL for the driver, and its parameters. Raises BadArgument if it is not the URL of a PostgreSQL server."""
    scheme, colon, rest = url.partition("://")
    none = f"{without_password(url)!r} is not the URL of a queue; "
    if re.split(r"[/?]", rest, maxsplit=1)[0].count("@") > 1:
        raise BadArgument(f"{none}{AT_IS_WRITTEN}.")
    address = f"postgresql://{rest}"
    try:
        given = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error as error:
        raise BadArgument(f"{none}{_EXAMPLE}.") from error
    is_port = re.fullmatch(r"[\d,]*", str(given.get("port", ""))) is not None
    if not colon or scheme not in SCHEMES or not is_port:
        raise BadArgument(f"{none}{_EXAMPLE}.")
    return address, given


def _reason(error: DBAPIError) -> str:
    lines = str(error.orig).strip().splitlines()
    return with_remedy(lines[0].strip() if lines else type(error.orig).__name__, other=_OTHER)
