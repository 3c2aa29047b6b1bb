"""The databases that an archive may be kept in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.backend import postgresql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[postgresql.Cluster]:
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


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of a database of SQLite that is not there yet."""
    return f"sqlite:///{tmp_path}/deep/er/archive.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database, of each kind that there is."""
    return str(request.getfixturevalue(f"{request.param}_url"))
