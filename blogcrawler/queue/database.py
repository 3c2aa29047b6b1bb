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
_EARLIER = "blogcrawler_jobs"
"""A table of earlier versions, whose jobs are rows of procrastinate's."""
_TAKE_OVER = """
ALTER TABLE blogcrawler_jobs ADD COLUMN IF NOT EXISTS put_off text;
INSERT INTO blogcrawler_job (key, url, priority, due, lost, progress, put_off, is_given_up, failures, failed, reason)
SELECT job.args->>'key', job.args->>'url', job.priority,
    to_char(coalesce(job.scheduled_at, now()) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'),
    coalesce(ours.lost, 0), coalesce(ours.progress, 0), ours.put_off, job.status = 'failed', coalesce(ours.failures, 0),
    to_char(ours.failed AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"+00:00"'), ours.reason
FROM procrastinate_jobs job LEFT JOIN blogcrawler_jobs ours ON ours.id = job.id
WHERE job.queue_name = 'blogcrawler' AND job.status IN ('todo', 'doing', 'failed') ORDER BY job.id
ON CONFLICT DO NOTHING;
DELETE FROM procrastinate_jobs WHERE queue_name = 'blogcrawler';
DROP TABLE blogcrawler_jobs, blogcrawler_workers;
DROP INDEX IF EXISTS blogcrawler_jobs_lock;
"""


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
        """Connect; if `make`, make the tables where there are none, and take over the jobs of earlier versions."""
        with self.transaction() as connection:
            if not make:
                return
            lock(connection, SCHEMA_LOCK)
            fault = encoding_fault(connection, f"The database of the queue at {self.shown}")
            if fault is not None:
                raise QueueUnavailable(fault)
            _TABLES.create_all(connection)
            if inspect(connection).has_table(_EARLIER):
                connection.exec_driver_sql(_TAKE_OVER)

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
