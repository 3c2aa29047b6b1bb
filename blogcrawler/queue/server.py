"""The server of a queue: PostgreSQL, with the tables and functions of procrastinate, and two tables of ours.

One connection, which is made anew where it broke. Every error of the server leaves this module as QueueUnavailable.
"""

from __future__ import annotations

import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

import psycopg
from procrastinate.connector import BaseConnector
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from blogcrawler.addresses import AT_IS_WRITTEN, without_password
from blogcrawler.backend.network import network
from blogcrawler.backend.refusals import with_remedy
from blogcrawler.errors import BadArgument, QueueUnavailable

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator
    from typing import LiteralString

T = TypeVar("T")
Rows = list[dict[str, Any]]
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_OTHER = "give another one with --queue or QUEUE_URL"
_EXAMPLE = "give one such as postgresql://user@host/name"
SCHEMA_LOCK = 0x626C6F68
"""Any number, the same in all processes: who makes the tables holds it."""
OURS: LiteralString = """
CREATE TABLE IF NOT EXISTS blogcrawler_workers (
    id bigint PRIMARY KEY REFERENCES procrastinate_workers ON DELETE CASCADE,
    host text NOT NULL,
    pid integer NOT NULL,
    jobs integer NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE IF NOT EXISTS blogcrawler_jobs (
    id bigint PRIMARY KEY REFERENCES procrastinate_jobs ON DELETE CASCADE,
    -- when a worker took it
    since timestamptz,
    -- how often its worker was lost
    lost integer NOT NULL DEFAULT 0,
    -- how far it had come when it was taken last
    progress integer NOT NULL DEFAULT 0,
    -- crawls that failed in a row, when the last one did, and why
    failures integer NOT NULL DEFAULT 0,
    failed timestamptz,
    reason text,
    -- why it was put off, since it was taken last
    put_off text
);
-- taking a job looks for others with its lock, of each one that waits: 5 s without it where ten thousand do
CREATE INDEX IF NOT EXISTS blogcrawler_jobs_lock ON procrastinate_jobs (lock) WHERE status IN ('todo', 'doing');
"""
LATEST: LiteralString = """
SELECT FROM pg_attribute WHERE attrelid = 'blogcrawler_jobs'::regclass AND attname = 'put_off'
"""
"""Is there what was added to our tables last?"""


class Server:
    """A connection to the server at an address. `manager` is procrastinate's, by this connection."""

    def __init__(self, url: str) -> None:
        """Raises BadArgument for what is no address of a server."""
        self.shown = without_password(url)
        self._url, self._said = _read(url)
        self._has_tables = False
        self._connection: psycopg.Connection[dict[str, Any]] | None = None
        self.manager = JobManager(_Connector(self))

    @classmethod
    def open(cls, url: str, *, make: bool = True) -> Self:
        """Connect, and `make` the tables where there are none. Raises BadArgument and QueueUnavailable.

        Tables that an earlier version has made are brought up to date.
        """
        server = cls(url)
        try:
            with server.transaction():
                if make or server.has_tables():
                    server._prepare()
        except QueueUnavailable:
            server.close()
            raise
        return server

    def close(self) -> None:
        """Give the connection back."""
        self._disconnect()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is asked within is done, or nothing. Raises QueueUnavailable."""
        try:
            with self._connected().transaction():
                yield
        except psycopg.Error as error:
            if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError):
                self._disconnect()
            raise QueueUnavailable(f"The queue at {self.shown} cannot be used: {_reason(error)}.") from error

    def rows(self, query: LiteralString, arguments: dict[str, Any] | None = None) -> Rows:
        """What the server answers, within a transaction."""
        assert self._connection is not None
        cursor = self._connection.execute(query, arguments)
        return cursor.fetchall() if cursor.description is not None else []

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """What a coroutine of the manager comes to, within a transaction. It never waits, as our connector does not."""
        try:
            coroutine.send(None)
        except StopIteration as end:
            result: T = end.value
            return result
        raise AssertionError("a coroutine waits")

    def _connected(self) -> psycopg.Connection[dict[str, Any]]:
        if self._connection is None:
            ours = {"application_name": "blogcrawler", "client_encoding": "utf8", **network(self._said)}
            self._connection = psycopg.connect(self._url, autocommit=True, row_factory=dict_row, **ours)
            # the driver reads no other dates, and server, address and environment may each ask for others
            self._connection.execute("SET datestyle TO ISO")
        return self._connection

    def _disconnect(self) -> None:
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _prepare(self) -> None:
        """Make the tables, one process at a time."""
        self.rows("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": SCHEMA_LOCK})
        if not self._has("procrastinate_jobs"):
            self._check_encoding()
            self.rows(SchemaManager.get_schema())
        if not self.has_tables():
            self.rows(OURS)
        if not self.rows(LATEST):
            self.rows("ALTER TABLE blogcrawler_jobs ADD COLUMN put_off text")

    def has_tables(self) -> bool:
        """Are the tables there? Within a transaction."""
        self._has_tables = self._has_tables or self._has("blogcrawler_jobs")
        return self._has_tables

    def _has(self, table: str) -> bool:
        return self.rows("SELECT to_regclass(%(table)s) AS known", {"table": table})[0]["known"] is not None

    def _check_encoding(self) -> None:
        """Raise QueueUnavailable where a server cannot keep the addresses of all blogs, and why they fail."""
        encoding = self.rows("SHOW server_encoding")[0]["server_encoding"]
        if encoding != "UTF8":
            raise QueueUnavailable(
                f"The database of the queue at {self.shown} has the encoding {encoding}, which lacks letters; give one "
                "that was made with ENCODING 'UTF8'."
            )


class _Connector(BaseConnector):
    """What procrastinate asks the server by: all at once, whether or not it would wait."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def get_sync_connector(self) -> BaseConnector:
        return self

    def execute_query(self, query: LiteralString, **arguments: Any) -> None:  # noqa: ANN401
        self._server.rows(query, _adapted(arguments))

    def execute_query_one(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
        return self._server.rows(query, _adapted(arguments))[0]

    def execute_query_all(self, query: LiteralString, **arguments: Any) -> Rows:  # noqa: ANN401
        return self._server.rows(query, _adapted(arguments))

    async def execute_query_async(self, query: LiteralString, **arguments: Any) -> None:  # noqa: ANN401
        self.execute_query(query, **arguments)

    async def execute_query_one_async(self, query: LiteralString, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
        return self.execute_query_one(query, **arguments)

    async def execute_query_all_async(self, query: LiteralString, **arguments: Any) -> Rows:  # noqa: ANN401
        return self.execute_query_all(query, **arguments)


def _adapted(arguments: dict[str, Any]) -> dict[str, Any]:
    """Arguments as PostgreSQL takes them."""
    return {name: _value(given) for name, given in arguments.items()}


def _value(given: Any) -> Any:  # noqa: ANN401
    """An object is JSON, a list an array, and a tuple a row."""
    if isinstance(given, dict):
        return Jsonb(given)
    if isinstance(given, list):
        return [_value(one) for one in given]
    return tuple(_value(one) for one in given) if isinstance(given, tuple) else given


def _read(url: str) -> tuple[str, dict[str, Any]]:
    """An address as the driver takes it, and what it says. Raises BadArgument for what is no address of a server."""
    scheme, colon, rest = url.partition("://")
    none = f"{without_password(url)!r} is no address of a queue; "
    if re.split(r"[/?]", rest, maxsplit=1)[0].count("@") > 1:
        raise BadArgument(f"{none}{AT_IS_WRITTEN}.")
    spelled = f"postgresql://{rest}"
    try:
        said = psycopg.conninfo.conninfo_to_dict(spelled)
    except psycopg.Error as error:
        raise BadArgument(f"{none}{_EXAMPLE}.") from error
    is_port = re.fullmatch(r"[\d,]*", str(said.get("port", ""))) is not None
    if not colon or scheme not in SCHEMES or not is_port:
        raise BadArgument(f"{none}{_EXAMPLE}.")
    return spelled, said


def _reason(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    return with_remedy(lines[0].strip() if lines else type(error).__name__, other=_OTHER)
