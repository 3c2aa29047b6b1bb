"""A server of the archive that is away for a while, and clients that are."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest

from blogcrawler.backend import Archive
from blogcrawler.backend.database import Database
from blogcrawler.backend.tables import CLAIM
from blogcrawler.errors import BackendUnavailable
from tests.backend import postgresql

pytestmark = pytest.mark.slow
NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def server():
    """A server that may be stopped."""
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    with postgresql.cluster() as made:
        yield made


def test_a_transaction_waits_for_a_server_that_is_started_again(server):
    with server.database() as url, Archive.open(url, patience_s=30) as archive:
        archive.register.want({"a": "http://a.example/"}, now=NOW)
        server.stop()
        later = threading.Timer(2, server.start)
        later.start()
        try:
            began = time.monotonic()
            archive.register.want({"b": "http://b.example/"}, now=NOW)
            assert time.monotonic() - began > 1
        finally:
            later.join()
        assert [one.key for one in archive.register.wanted()] == ["a", "b"]


def test_so_does_the_opening(server):
    with server.database() as url:
        server.stop()
        later = threading.Timer(2, server.start)
        later.start()
        try:
            with Archive.open(url, patience_s=30) as archive:
                assert archive.blogs() == []
        finally:
            later.join()


def test_patience_has_an_end_and_is_not_had_again_until_the_server_is_back(server):
    with server.database() as url, Archive.open(url, patience_s=2) as archive:
        server.stop()
        began = time.monotonic()
        with pytest.raises(BackendUnavailable):
            archive.blogs()
        assert time.monotonic() - began >= 2
        began = time.monotonic()
        for _ in range(5):
            with pytest.raises(BackendUnavailable):
                archive.blogs()
        assert time.monotonic() - began < 8, "each of them has waited"
        server.start()
        assert archive.blogs() == []


def test_without_patience_a_server_that_is_away_is_told_at_once(server):
    with server.database() as url, Archive.open(url) as archive:
        server.stop()
        began = time.monotonic()
        with pytest.raises(BackendUnavailable):
            archive.blogs()
        assert time.monotonic() - began < 10
        server.start()


def test_a_client_that_stops_within_a_transaction_does_not_hold_up_the_others(postgresql_url):
    """As one whose machine sleeps, or is lost, while it has the table of claims for itself."""
    hasty = f"{postgresql_url}?options=-c%20idle_in_transaction_session_timeout%3D500ms"

    def lock_and_sleep(asleep, awake):
        with asleep.alone_on(CLAIM) as connection:
            began = time.monotonic()
            assert awake.leases.claim("key", "me", now=NOW) is None
            assert time.monotonic() - began < 20
            connection.exec_driver_sql("SELECT 1")

    told = pytest.raises(BackendUnavailable, match="idle-in-transaction")
    with closing(Database.open(hasty)) as asleep, Archive.open(postgresql_url) as awake, told:
        lock_and_sleep(asleep, awake)


def test_connections_end_when_their_network_is_cut(postgresql_url):
    """Of both ends; a cut network tells nothing, and neither does a machine that is lost."""
    with closing(Database.open(postgresql_url)) as database, database.reading() as connection:
        told = {
            name: connection.exec_driver_sql(f"SHOW {name}").scalar()
            for name in ("tcp_keepalives_idle", "idle_in_transaction_session_timeout")
        }
        assert told == {"tcp_keepalives_idle": "10", "idle_in_transaction_session_timeout": "1min"}
        parameters = connection.connection.dbapi_connection.info.get_parameters()
        assert parameters["keepalives_idle"] == "10"
        assert parameters["tcp_user_timeout"] == "30000"
        assert parameters["connect_timeout"] == "10"
