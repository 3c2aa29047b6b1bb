"""A PostgreSQL of our own for the tests: on loopback, in a temporary folder, gone when they are over."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from blogcrawler.backend.tables import METADATA, SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLACES = "/usr/lib/postgresql/*/bin"
#: who runs it where we are root, whom it refuses
NOBODYS = ("postgres", "nobody")
STARTS_WITHIN_S = 60
#: of a table and its indices
LARGE_BYTES = 500_000


def programs() -> Path | None:
    """The folder with PostgreSQL's programs, the newest; None where there is none."""
    found = sorted(Path("/").glob(f"{PLACES[1:]}/initdb"), key=lambda file: float(file.parts[-3]))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).resolve().parent if on_path else None


class Cluster:
    """A server that runs."""

    def __init__(self, folder: Path, port: int, password: str, start: Callable[[], subprocess.Popen[bytes]]) -> None:
        #: where its socket is
        self.folder = folder
        self._start = start
        self._server: subprocess.Popen[bytes] | None = None
        self.port = port
        self._admin = URL.create("postgresql+psycopg", "ours", password, "127.0.0.1", port, "postgres")

    def start(self) -> None:
        """Start it, and wait until it answers."""
        server = self._server = self._start()
        deadline = time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                self.execute("SELECT 1")
            except OperationalError:
                assert server.poll() is None, "PostgreSQL has ended"
                assert time.monotonic() < deadline, "PostgreSQL does not answer"
                time.sleep(0.05)
            else:
                return

    def stop(self) -> None:
        """Stop it, and cut whoever is connected: SIGINT is its fast shutdown."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """End it, and its processes, as they are: SIGQUIT writes nothing any more, so that it must recover."""
        self._end(signal.SIGQUIT)

    def _end(self, how: signal.Signals) -> None:
        if self._server is not None:
            self._server.send_signal(how)
            with suppress(subprocess.TimeoutExpired):
                self._server.wait(10)
            self._server.kill()
            self._server.wait()

    @property
    def pid(self) -> int:
        """Of the process that others of it are children of."""
        assert self._server is not None
        return self._server.pid

    def execute(self, statement: str) -> None:
        """Run a statement outside of any transaction."""
        engine = create_engine(self._admin, isolation_level="AUTOCOMMIT", poolclass=NullPool)
        with engine.connect() as connection:
            connection.exec_driver_sql(statement)

    @contextmanager
    def database(self, options: str = "") -> Iterator[str]:
        """The address of a new database, which is dropped in the end."""
        name = f"test_{secrets.token_hex(6)}"
        self.execute(f"CREATE DATABASE {name} {options}")
        try:
            yield self._admin.set(drivername="postgresql", database=name).render_as_string(hide_password=False)
        finally:
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")


def empty(url: str) -> None:
    """Delete all that an archive holds. That takes a fifth of the time that truncating takes, but leaves tables as large
    as they were, so that those that are large are truncated.

    Whoever is still connected is cut, since what they have open could be waited for without end.
    """
    engine = create_engine(make_url(url).set(drivername="postgresql+psycopg"), poolclass=NullPool)
    tables = [table.name for table in reversed(METADATA.sorted_tables) if table is not SCHEMA]
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        sizes = ", ".join(f"pg_total_relation_size('{name}')" for name in tables)
        if connection.exec_driver_sql(f"SELECT greatest({sizes})").scalar_one() > LARGE_BYTES:
            connection.exec_driver_sql(f"TRUNCATE {', '.join(tables)} CASCADE")
        for name in tables:
            connection.exec_driver_sql(f"DELETE FROM {name}")
        for name in connection.exec_driver_sql("SELECT sequencename FROM pg_sequences").scalars().all():
            connection.exec_driver_sql(f"ALTER SEQUENCE {name} RESTART")


@contextmanager
def cluster(addresses: str = "127.0.0.1", *, is_safe: bool = False) -> Iterator[Cluster]:
    """Make a server, and start it; in the end it is stopped, and nothing is left of it. `addresses` are of loopback.

    What it has committed outlives `kill` with `is_safe`; else the last of it may be lost.
    """
    bin_folder = programs()
    assert bin_folder is not None
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    user = {"user": _nobody(folder)} if os.geteuid() == 0 else {}
    password, port = secrets.token_urlsafe(16), _free_port()
    try:
        secret = folder / "password"
        secret.write_text(password)
        secret.chmod(0o644)  # the folder is closed to others
        subprocess.run(
            [bin_folder / "initdb", "--no-sync", "--auth=scram-sha-256", "--username=ours", f"--pwfile={secret}",
             "--encoding=UTF8", "--locale=C.UTF-8", folder / "data"],
            check=True, capture_output=True, cwd=folder, **user,
        )  # fmt: skip
        settings = {
            "port": port, "listen_addresses": addresses, "unix_socket_directories": folder, "fsync": "off",
            "full_page_writes": "off", "synchronous_commit": "on" if is_safe else "off",
        }  # fmt: skip
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (folder / "log").open("w") as log:
            arguments = [bin_folder / "postgres", "-D", folder / "data", *options]
            made = Cluster(
                folder, port, password, lambda: subprocess.Popen(arguments, stdout=log, stderr=log, cwd=folder, **user)
            )
            try:
                made.start()
                yield made
            finally:
                made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _nobody(folder: Path) -> str:
    """Somebody who is not root, and to whom the folder belongs from now on."""
    for name in NOBODYS:
        with suppress(LookupError):
            shutil.chown(folder, name)
            return name
    raise LookupError(NOBODYS)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
