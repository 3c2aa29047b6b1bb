"""Creates database engines for SQLite and PostgreSQL, and shares them.

A process that opens the same server database several times uses one engine for all, so that it needs only as many
connections as simultaneous transactions.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from blogcrawler.addresses import AT_IS_WRITTEN, without_password
from blogcrawler.backend.postgresql import network
from blogcrawler.errors import BackendUnavailable, BadArgument, NoArchive

if TYPE_CHECKING:
    from sqlalchemy import URL
    from sqlalchemy.pool import PoolProxiedConnection

BUSY_TIMEOUT_S = 30
"""Seconds for which a writer of SQLite waits for another writer."""
READ_ONLY = "blogcrawler_read_only"
"""Execution option of a connection that only reads."""
OTHER = "give another database with DATABASE_URL or as an argument"
"""Advice for an unusable database; `copy` gives its URL as an argument, all other commands in the setting."""
_EXAMPLES = (
    "give one such as sqlite:///archive/archive.db or postgresql://user@host/name with DATABASE_URL or as an argument"
)
_OPTIONS: dict[str, dict[str, Any]] = {
    "sqlite": {"connect_args": {"timeout": BUSY_TIMEOUT_S, "check_same_thread": False}},
    # regardless of PGCLIENTENCODING and of the server's encoding
    "postgresql": {"pool_pre_ping": True, "connect_args": {"client_encoding": "utf8"}},
}
_lock = threading.Lock()
_shared: dict[tuple[int, str], Engine] = {}
"""Engines in use, by process and URL: a forked process must not use its parent's connections."""
_users: Counter[Engine] = Counter()


def take(database_url: str, *, make: bool) -> Engine:
    """Return the shared engine of a database; the caller must return it with `give_back`. `make`: create the folder of
    SQLite's file; else a missing archive is an error. Raises BadArgument and BackendUnavailable."""
    url = _parsed(database_url)
    if url.get_backend_name() == "sqlite":
        _make_folder(url) if make else _check_file(url)
        engine = _create_engine(url) if make or _may_be_written(url) else _create_read_only_engine(url)
        _prepare_sqlite(engine)
        return engine
    key = os.getpid(), url.render_as_string(hide_password=False)
    with _lock:
        engine = _shared.get(key) or _create_engine(url)
        _shared[key] = engine
        _users[engine] += 1
    return engine


def give_back(engine: Engine) -> None:
    """Return an engine; the last user's call closes its connections."""
    with _lock:
        _users[engine] -= 1
        if _users[engine] > 0:
            return
        del _users[engine]
        for key in [key for key, other in _shared.items() if other is engine]:
            del _shared[key]
    engine.dispose()


def _parsed(database_url: str) -> URL:
    try:
        url = make_url(database_url)
    except (ArgumentError, ValueError) as error:  # the port is not a number
        raise BadArgument(f"{without_password(database_url)!r} is not a database URL; {_EXAMPLES}.") from error
    if "@" in (url.host or ""):
        raise BadArgument(f"The host of {without_password(database_url)} contains an @; {AT_IS_WRITTEN}.")
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    kind = url.get_backend_name()
    if kind not in _OPTIONS:
        raise BadArgument(f'Databases of the kind "{kind}" are not supported; {_EXAMPLES}.')
    return url


def _create_engine(url: URL) -> Engine:
    try:
        return create_engine(url, **_options(url))
    except NoSuchModuleError as error:
        raise BadArgument(f'There is no database driver "{url.drivername}"; {_EXAMPLES}.') from error
    except ImportError as error:
        raise BackendUnavailable(
            f'The Python package "{error.name}" that {url.drivername} databases need is missing; install it: '
            "pip install 'blogcrawler[postgresql]'."
        ) from error


def _may_be_written(url: URL) -> bool:
    """False for a file that this user cannot write, for example on a read-only medium."""
    file = file_of(url)
    return file is None or (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def _create_read_only_engine(url: URL) -> Engine:
    """An engine for reading a file without a write-ahead log, which SQLite would otherwise create."""
    file = file_of(url)
    assert file is not None
    log = file.with_name(f"{file.name}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    address = f"{file.absolute().as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
    options = _OPTIONS["sqlite"]["connect_args"]
    return create_engine(
        url, creator=lambda: sqlite3.connect(address, uri=True, **options), execution_options={READ_ONLY: True}
    )


def _options(url: URL) -> dict[str, Any]:
    """Options of an engine; network options only where the URL does not set them."""
    options = _OPTIONS[url.get_backend_name()]
    if url.get_driver_name() not in ("psycopg", "psycopg2"):
        return options
    return options | {"connect_args": options["connect_args"] | network(url.query)}


def file_of(url: URL) -> Path | None:
    """The database file; None for a server's database, and for one in memory."""
    name = str(url.database or "")
    is_file = url.get_backend_name() == "sqlite" and name not in ("", ":memory:") and not name.startswith("file:")
    return Path(name) if is_file else None


def no_archive(where: str) -> NoArchive:
    """The error for a missing archive; `where` is a part of the message."""
    return NoArchive(
        f"There is no archive {where} yet; crawl a blog first, or add some for the monitor: "
        "blogcrawler blogs add http://blog.example.org/, or give another with DATABASE_URL."
    )


def _check_file(url: URL) -> None:
    file = file_of(url)
    if file is not None and not file.exists():
        raise no_archive(f"at {url.database}")


def _make_folder(url: URL) -> None:
    file = file_of(url)
    if file is None:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BackendUnavailable(
            f"The folder {file.parent} for the database cannot be created: {error.strerror}; {OTHER}."
        ) from error


def _prepare_sqlite(engine: Engine) -> None:
    """Make transactions follow the SQL statements (the driver's own ones begin late), and configure each connection."""

    @event.listens_for(engine, "connect")
    def configure(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # a transaction that begins by reading could not wait for another writer
        is_reader = connection.get_execution_options().get(READ_ONLY)
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.execute("BEGIN" if is_reader else "BEGIN IMMEDIATE")  # SQLAlchemy takes ten times as long


def switch_to_wal(connection: sqlite3.Connection | PoolProxiedConnection, timeout_s: float = BUSY_TIMEOUT_S) -> None:
    """Turn on the write-ahead log; with retries, since SQLite does not wait for other processes here."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)
