"""The databases that an archive may be kept in: what is tested of archives is tested on each.

Tests of archives take `archive`, or the address of an empty one, `archive_url`; those that need a database of their own,
with no tables yet, or that change its tables, take `database_url`, which takes a quarter of a second on PostgreSQL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blogcrawler.backend import Archive
from tests.backend import postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[postgresql.Cluster]:
    """One for each process of pytest."""
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="the driver of PostgreSQL is not installed (psycopg)")
    with postgresql.cluster() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql_server: postgresql.Cluster) -> Iterator[str]:
    """The address of an empty database of PostgreSQL."""
    with postgresql_server.database() as url:
        yield url


@pytest.fixture(scope="session")
def postgresql_archive_of_session(postgresql_server: postgresql.Cluster) -> Iterator[str]:
    with postgresql_server.database() as url:
        Archive.open(url).close()
        yield url


@pytest.fixture
def postgresql_archive_url(postgresql_archive_of_session: str) -> str:
    """The address of an archive in PostgreSQL that holds nothing, whose tables a test must leave as they are."""
    postgresql.empty(postgresql_archive_of_session)
    return postgresql_archive_of_session


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a database of SQLite that is not there yet."""
    return f"sqlite:///{tmp_path}/deep/er/archive.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, of each kind that there is."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture(params=["sqlite", "postgresql_archive"])
def archive_url(request: pytest.FixtureRequest) -> str:
    """The address of an archive that holds nothing, in each kind of database."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def archive(archive_url: str) -> Iterator[Archive]:
    """An archive that holds nothing, in each kind of database."""
    with Archive.open(archive_url) as opened:
        yield opened
