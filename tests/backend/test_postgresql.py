"""How a database of PostgreSQL is named and reached, and what is told where it cannot be used. It is about no other."""

from __future__ import annotations

import re
import secrets
from contextlib import ExitStack, contextmanager, suppress

import pytest
from sqlalchemy import make_url

from blogcrawler.backend import Archive
from blogcrawler.errors import BackendUnavailable, BadArgument
from tests.archives import save_records
from tests.backend.test_archive import HOME, NOW, a_record
from tests.crawl.test_errors import closed_port


def refusal(url, **how):
    with pytest.raises((BackendUnavailable, BadArgument)) as caught:
        Archive.open(url, **how)
    told = str(caught.value)
    assert told.endswith(".")
    assert "\n" not in told
    with suppress(ValueError):  # an address of no port
        assert (make_url(url).password or "\0") not in told
    return told


def spelled(url, **parts):
    return make_url(url).set(**parts).render_as_string(hide_password=False)


@contextmanager
def user(server):
    """Somebody who may connect, and nothing else: their name and password."""
    name, password = f"user_{secrets.token_hex(4)}", secrets.token_hex(8)
    server.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{password}'")
    try:
        yield {"username": name, "password": password}
    finally:
        server.execute(f"DROP ROLE {name}")


@pytest.mark.parametrize("driver", ["postgres", "postgresql", "postgresql+psycopg"])
@pytest.mark.parametrize("options", ["", "?sslmode=prefer", "?application_name=mine&connect_timeout=5"])
def test_spellings_of_an_address(postgresql_archive_url, driver, options):
    with Archive.open(spelled(postgresql_archive_url, drivername=driver) + options) as archive:
        assert archive.save_record(a_record(), now=NOW) == "new"
        assert not archive.file


def test_the_encoding_of_the_environment_changes_nothing(postgresql_archive_url, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with Archive.open(postgresql_archive_url) as archive:
        archive.save_record(a_record(), now=NOW)
        assert archive.record(HOME, a_record().url) == a_record()


@pytest.mark.parametrize("style", ["German", "SQL, DMY", "Postgres, MDY"])
def test_the_date_style_of_the_server_changes_nothing(postgresql_server, postgresql_url, style):
    name = make_url(postgresql_url).database
    postgresql_server.execute(f"ALTER DATABASE {name} SET datestyle = '{style}'")
    with Archive.open(postgresql_url) as archive:
        archive.start_crawl(HOME, now=NOW)
        archive.save_record(a_record(), now=NOW)
        assert (archive.blog(HOME).crawl_started, archive.record(HOME, a_record().url)) == (NOW, a_record())


def test_options_of_an_address_stand_beside_ours(postgresql_archive_url):
    theirs = "?options=-c%20work_mem%3D7MB%20-c%20tcp_keepalives_count%3D9&options=-c%20lock_timeout%3D7s"
    names = ("work_mem", "lock_timeout", "tcp_keepalives_count", "idle_in_transaction_session_timeout")
    with Archive.open(postgresql_archive_url + theirs) as archive, archive.transaction() as connection:
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names]
    assert found == ["7MB", "7s", "9", "1min"]


def test_no_password_is_shown():
    port = closed_port()
    for address in (
        f"postgresql://127.0.0.1:{port}/a?user=x&password=sekret",
        f"postgresql://x:sekret@127.0.0.1:{port}/a?sslpassword=sekret",
        "postgresql://x:sekr@sekret@127.0.0.1/a",
        "postgresql://x:sekr@sekret@127.0.0.1:port/a",
        "postgresql://x:sekr@sekret@",
        "mysql://x:sekret@h/a",
    ):
        assert "sekret" not in refusal(address)
    assert refusal("postgresql://x:sekr@sekret@127.0.0.1/a").endswith("as %40.")


def test_what_to_do_is_told(postgresql_archive_url):
    cases = [
        ({"database": "nosuch"}, 'database "nosuch" does not exist; create it with createdb'),
        ({"password": "wrong"}, "password authentication failed for user .*; check the user and password"),
        ({"password": ""}, "no password supplied; check the user and password"),
        ({"username": "nobody"}, "authentication failed .*; check the user and password"),
        ({"host": "nowhere.invalid"}, "failed to resolve host .*; check the host"),
        ({"query": {"sslmode": "require"}}, "does not support SSL.*; remove sslmode"),
        ({"drivername": "postgresql+psycopg2"}, '"psycopg2" .* is missing'),
    ]
    for parts, told in cases:
        assert re.search(told, refusal(spelled(postgresql_archive_url, **parts)))


def test_rights_that_lack(postgresql_server):
    with postgresql_server.database() as url, user(postgresql_server) as poor:
        name = make_url(url).database
        theirs = spelled(url, **poor)
        assert "permission denied for schema public; the user in the URL must own" in refusal(theirs)
        Archive.open(url).close()
        assert "permission denied for table schema_version; the user" in refusal(theirs)
        postgresql_server.execute(f"REVOKE CONNECT ON DATABASE {name} FROM PUBLIC")
        assert f'permission denied for database "{name}"; the user' in refusal(theirs)
        postgresql_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        postgresql_server.execute(f"CREATE DATABASE {name} OWNER {poor['username']}")
        with Archive.open(theirs) as archive:
            assert archive.save_record(a_record(), now=NOW) == "new"
        postgresql_server.execute(f"ALTER DATABASE {name} OWNER TO ours")
        postgresql_server.execute(f"DROP DATABASE {name} WITH (FORCE)")
        postgresql_server.execute(f"CREATE DATABASE {name}")


def test_who_may_read_alone_can_look_at_an_archive(postgresql_server, postgresql_archive_url):
    with Archive.open(postgresql_archive_url) as archive:
        archive.save_record(a_record(), now=NOW)
        with user(postgresql_server) as reader:
            with archive.transaction() as connection:
                connection.exec_driver_sql(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {reader['username']}")
            with Archive.open(spelled(postgresql_archive_url, **reader), make=False) as theirs:
                assert list(theirs.records(HOME)) == [a_record()]
                assert theirs.queries.search("1", most=1)[0] == 1
                with pytest.raises(BackendUnavailable, match="permission denied for table post; the user"):
                    theirs.save_record(a_record("b"), now=NOW)
            with archive.transaction() as connection:
                connection.exec_driver_sql(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {reader['username']}")


def test_an_archive_that_is_not_there_is_not_made_by_looking(postgresql_url):
    assert "There is no archive in postgresql" in refusal(postgresql_url, make=False)
    Archive.open(postgresql_url).close()
    Archive.open(postgresql_url, make=False).close()


def test_a_statement_that_fails_leaves_the_archive_of_use(postgresql_archive_url):
    with Archive.open(postgresql_archive_url) as archive:
        archive.save_record(a_record(), now=NOW)

        def fail():
            with archive.transaction() as connection:
                archive.save_record(a_record("b"), now=NOW)
                connection.exec_driver_sql("SELECT 1 / 0")

        with pytest.raises(BackendUnavailable, match="division by zero"):
            fail()
        assert [record.url for record in archive.records(HOME)] == [a_record().url]
        assert archive.save_record(a_record("b"), now=NOW) == "new"


def test_a_connection_that_was_cut_while_it_was_idle_is_made_again(postgresql_server, postgresql_archive_url):
    with Archive.open(postgresql_archive_url) as archive:
        archive.save_record(a_record(), now=NOW)
        name = make_url(postgresql_archive_url).database
        postgresql_server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        assert archive.save_record(a_record("b"), now=NOW) == "new"
        assert archive.count(HOME) == 2


def connections(archive):
    with archive.transaction() as connection:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        return connection.exec_driver_sql(asked).scalar()


def test_those_who_open_an_archive_in_one_process_share_a_connection(postgresql_archive_url):
    """A server has a process for each connection, and a fleet has many crawls, whose stages all write."""
    with ExitStack() as stack:
        opened = [stack.enter_context(Archive.open(postgresql_archive_url)) for _ in range(5)]
        for number, archive in enumerate(opened):
            archive.save_record(a_record(f"{number}"), now=NOW)
        assert connections(opened[0]) == 1


def test_what_one_of_them_writes_is_seen_by_others_when_it_is_done(postgresql_archive_url):
    with Archive.open(postgresql_archive_url) as archive, Archive.open(postgresql_archive_url) as other:
        archive.save_record(a_record(), now=NOW)
        with archive.transaction():
            archive.save_record(a_record("b"), now=NOW)
            assert (archive.count(HOME), other.count(HOME)) == (2, 1)
        assert other.count(HOME) == 2


def test_an_archive_that_is_closed_leaves_others_open_and_the_last_one_leaves_nothing(
    postgresql_server, postgresql_archive_url
):
    archive = Archive.open(postgresql_archive_url)
    with Archive.open(postgresql_archive_url) as other:
        archive.save_record(a_record(), now=NOW)
        archive.close()
        archive.close()
        assert other.count(HOME) == connections(other) == 1
    name = make_url(postgresql_archive_url).database
    postgresql_server.execute(f"ALTER DATABASE {name} RENAME TO {name}_renamed")  # which nobody must be connected to
    postgresql_server.execute(f"ALTER DATABASE {name}_renamed RENAME TO {name}")


def test_nothing_is_left_open_between_calls(postgresql_server, postgresql_archive_url):
    """Which would keep the server from tidying up, and end where it ends idle transactions."""
    with Archive.open(postgresql_archive_url) as archive, Archive.open(postgresql_archive_url) as other:
        save_records(archive, [a_record(f"{n}") for n in range(450)], now=NOW)
        for calls in (archive.posts(HOME), archive.lacking(HOME), archive.altered_posts()):
            next(calls, None)
            with other.transaction() as connection:
                found = connection.exec_driver_sql(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%%'"
                )
                assert found.scalar() == 0


def test_a_socket_is_an_address(postgresql_server, postgresql_archive_url):
    """Also where it is not the host of the URL, but an option."""
    url = make_url(postgresql_archive_url)
    query = {"host": str(postgresql_server.folder), "port": str(url.port)}
    with Archive.open(url.set(host="", port=None, query=query).render_as_string(hide_password=False)) as archive:
        assert archive.save_record(a_record(), now=NOW) == "new"
