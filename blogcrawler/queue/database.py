"""The database of a queue: PostgreSQL, with a table of jobs and a table of workers.

Every error of the server leaves this module as QueueUnavailable.
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
"""Any number, the same in all processes: who makes the tables holds it."""

_TABLES = MetaData()
JOBS = Table(
    "blogcrawler_job",
    _TABLES,
    Column("id", Integer, primary_key=True),
    Column("key", Key, nullable=False, unique=True),
    Column("url", PlainText, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due", UtcTime, nullable=False, doc="when it may begin"),
    *lease_columns(),
    Column("worker", Text, doc="whose crawl has the lease"),
    Column("lost", Integer, nullable=False, default=0, doc="crawls or workers killed in a row without progress"),
    Column("progress", Integer, nullable=False, default=0, doc="how far the last crawl had come"),
    Column("put_off", PlainText, doc="why it waits, for no fault of the blog, since it was taken last"),
    Column("is_given_up", Boolean, nullable=False, default=False),
    Column("failures", Integer, nullable=False, default=0, doc="crawls that failed in a row"),
    Column("failed", UtcTime, doc="when the last of them did"),
    Column("reason", PlainText, doc="why"),
)
Index(
    "blogcrawler_job_next", JOBS.c.priority.desc(), JOBS.c.id, postgresql_where=JOBS.c.owner.is_(None)
)  # else all jobs are sorted to find the next one
WORKERS = Table(
    "blogcrawler_worker",
    _TABLES,
    Column("id", Text, primary_key=True),
    Column("host", PlainText, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("jobs", Integer, nullable=False, doc="crawls at once"),
    Column("since", UtcTime, nullable=False),
    Column("seen", UtcTime, nullable=False, doc="its last sign of life"),
)


class QueueDatabase:
    """A connection to the server at an address, made anew where it broke."""

    def __init__(self, url: str) -> None:
        """Raise BadArgument for what is no address of a server."""
        self.shown = without_password(url)
        address, given = _parsed(url)
        ours = {"application_name": "blogcrawler", "client_encoding": "utf8", **network(given)}
        self._engine = create_engine(
            "postgresql+psycopg://", creator=lambda: psycopg.connect(address, **ours), pool_pre_ping=True
        )
        self._has_tables = False

    def prepare(self, *, make: bool) -> None:
        """Connect; if `make`, make the tables where there are none."""
        with self.transaction() as connection:
            if not make:
                return
            lock(connection, SCHEMA_LOCK)
            fault = encoding_fault(connection, f"The database of the queue at {self.shown}")
            if fault is not None:
                raise QueueUnavailable(fault)
            _TABLES.create_all(connection)

    def close(self) -> None:
        """Give the connection back."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Do all that is asked within, or nothing. Raises QueueUnavailable."""
        try:
            with self._engine.begin() as connection:
                yield connection
        except DBAPIError as error:
            raise QueueUnavailable(f"The queue at {self.shown} cannot be used: {_reason(error)}.") from error

    def has_tables(self, connection: Connection) -> bool:
        """True if the tables were made."""
        self._has_tables = self._has_tables or inspect(connection).has_table(JOBS.name)
        return self._has_tables


def lock(connection: Connection, number: int) -> None:
    """Wait until no other transaction has locked this number, and lock it until this one ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": number})


def server_time(connection: Connection) -> datetime:
    """The time by the clock of the server, which is the same for all workers."""
    epoch = connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())::float8").scalar_one()
    return datetime.fromtimestamp(epoch, UTC)


def _parsed(url: str) -> tuple[str, dict[str, Any]]:
    """An address as the driver takes it, and its parameters. Raises BadArgument for what is no address of a server."""
    scheme, colon, rest = url.partition("://")
    none = f"{without_password(url)!r} is no address of a queue; "
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
