"""The jobs of a queue: one of each blog, none lost, none twice."""

from __future__ import annotations

import secrets
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from blogcrawler.errors import BadArgument, QueueUnavailable
from blogcrawler.queue import PutOff, open_jobs
from blogcrawler.queue.database import QueueDatabase
from blogcrawler.queue.values import JobRequest
from tests.backend.test_postgresql import spelled, user
from tests.crawl.test_errors import closed_port

A, B, C = (JobRequest(f"{name}.example", f"http://{name}.example/", 0) for name in "abc")
LEASE_S = 60


@pytest.fixture
def jobs(postgresql_url):
    with open_jobs(postgresql_url) as opened:
        yield opened


@pytest.fixture
def workers(postgresql_url):
    """Makes workers."""
    with ExitStack() as stack:

        def make(name="here", pid=1):
            opened = stack.enter_context(open_jobs(postgresql_url))
            opened.enter(name, pid, 1, LEASE_S)
            return opened

        yield make


def take(jobs):
    return jobs.claim(secrets.token_hex(8))


def age(url, seconds):
    """No worker has given a sign of life for so long."""
    seen = datetime.now(UTC) - timedelta(seconds=seconds)
    with psycopg.connect(url) as connection:
        connection.execute("UPDATE blogcrawler_worker SET seen = %s", (seen.isoformat(),))
        until = seen + timedelta(seconds=LEASE_S)
        connection.execute("UPDATE blogcrawler_job SET until = %s WHERE owner IS NOT NULL", (until.isoformat(),))


def counts(jobs):
    depths = jobs.depths()
    return depths.waiting, depths.later, depths.running, depths.given_up


def test_a_blog_has_one_job(jobs, workers):
    assert jobs.enqueue([A, B, A]) == 2
    assert jobs.enqueue([A, C]) == 1
    ann = workers()
    taken = take(ann)
    assert (taken.key, taken.url) == (A.key, A.url)
    assert jobs.enqueue([A, B, C]) == 0
    assert counts(jobs) == (2, 0, 1, 0)
    ann.done(taken)
    assert counts(jobs) == (2, 0, 0, 0)
    assert jobs.enqueue([A, B, C]) == 1


def test_several_enqueue_at_once(postgresql_url):
    """And make the tables, which are not there yet."""
    asks = [JobRequest(f"{number}.example", f"http://{number}.example/", 0) for number in range(2500)]

    def enqueue(_):
        with open_jobs(postgresql_url) as opened:
            return opened.enqueue(asks)

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(enqueue, range(4))) == 2500


def test_a_job_is_found_at_once_among_many(jobs, workers):
    jobs.enqueue(JobRequest(f"{number}.example", f"http://{number}.example/", number % 3) for number in range(10_000))
    worker = workers()
    begin = time.perf_counter()
    for _ in range(20):
        worker.done(take(worker))
    assert (time.perf_counter() - begin) / 20 < 0.5, "it takes seconds where PostgreSQL has to look at all"


def test_no_job_is_taken_twice(jobs, workers):
    asks = [JobRequest(f"{number}.example", f"http://{number}.example/", 0) for number in range(60)]
    jobs.enqueue(asks)
    crew = [workers(pid=number) for number in range(4)]

    def work(worker):
        return [job.key for job in iter(lambda: take(worker), None)]

    with ThreadPoolExecutor(4) as threads:
        taken = [key for keys in threads.map(work, crew) for key in keys]
    assert sorted(taken) == sorted(ask.key for ask in asks)


def test_priorities_come_first_and_then_who_came_first(jobs, workers):
    jobs.enqueue([A, JobRequest("x", "http://x/", 10), B, JobRequest("y", "http://y/", 20)])
    worker = workers()
    assert [take(worker).key for _ in range(4)] == ["y", "x", A.key, B.key]
    assert take(worker) is None


def test_what_is_given_back_is_there_at_once_or_from_a_time_on(jobs, workers):
    jobs.enqueue([A])
    ann, bo = workers(), workers()
    job = take(ann)
    ann.give_back(job)
    job = take(bo)
    assert job.key == A.key
    bo.give_back(job, datetime.now(UTC) + timedelta(hours=1))
    assert take(ann) is None
    assert counts(jobs) == (0, 1, 0, 0)


def test_who_is_silent_loses_its_jobs_and_cannot_end_them_any_more(jobs, workers, postgresql_url):
    jobs.enqueue([A, B])
    ann = workers()
    lost, other = take(ann), take(ann)
    owners = {lost.owner, other.owner}
    assert ann.renew(owners) == owners
    bo = workers()
    assert bo.rescue(most=8) == []
    age(postgresql_url, 61)
    bo.renew(())
    assert sorted(bo.rescue(most=8)) == [A.url, B.url]
    taken = take(bo)
    assert taken.key == lost.key
    ann.done(lost)
    ann.give_back(lost)
    ann.failed(lost, "404", 1, again=None)
    assert not ann.killed(lost, "It was killed.", 0, again=datetime.now(UTC), most=1)
    assert counts(jobs) == (1, 0, 1, 0)
    assert bo.renew({taken.owner}) == {taken.owner}
    assert len(jobs.workers()) == 1
    assert ann.renew(owners) == set()
    assert len(jobs.workers()) == 2, "it is back"


def test_a_lease_that_its_owner_does_not_know_of_runs_out(jobs, workers, postgresql_url):
    """As where the answer was lost by which it was given."""
    jobs.enqueue([A])
    ann = workers()
    take(ann)
    age(postgresql_url, 61)
    assert ann.renew(()) == set()
    assert ann.rescue(most=8) == [A.url]


def test_a_lease_that_ran_out_and_that_nobody_has_taken_is_renewed(jobs, workers, postgresql_url):
    jobs.enqueue([A])
    ann = workers()
    job = take(ann)
    age(postgresql_url, 61)
    assert ann.renew({job.owner}) == {job.owner}
    assert ann.rescue(most=8) == []


def test_two_rescue_a_job_once(jobs, workers, postgresql_url):
    asks = [JobRequest(f"{number}.example", f"http://{number}.example/", 0) for number in range(40)]
    jobs.enqueue(asks)
    ann = workers()
    for _ in asks:
        take(ann)
    age(postgresql_url, 100)
    crew = [workers(pid=number) for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        rescued = [url for urls in threads.map(lambda worker: worker.rescue(most=8), crew) for url in urls]
    assert sorted(rescued) == sorted(ask.url for ask in asks)


def test_what_workers_die_of_is_given_up(jobs, workers, postgresql_url):
    jobs.enqueue([A])
    for number in range(3):
        take(workers(pid=number))
        age(postgresql_url, 100)
        assert workers().rescue(most=3) == [A.url]
    (given_up,) = jobs.given_up()
    assert given_up.reason == "Its worker was lost 3 times in a row."
    assert counts(jobs) == (0, 0, 0, 1)


def test_what_a_worker_has_survived_is_not_what_workers_die_of(jobs, workers, postgresql_url):
    """A long crawl goes through many hands; one that was given back unbegun tells nothing."""
    jobs.enqueue([A])

    def lose(times):
        for number in range(times):
            other = workers(pid=number)
            other.give_back(take(other))
            take(workers(pid=number))
            age(postgresql_url, 100)
            workers().rescue(most=3)

    for _ in range(2):
        lose(2)
        ann = workers()
        ann.give_back(take(ann), was_survived=True)
    assert counts(jobs) == (1, 0, 0, 0)
    lose(3)
    assert counts(jobs) == (0, 0, 0, 1)


def test_a_job_that_gets_on_is_not_what_workers_die_of(jobs, workers, postgresql_url):
    """As where machines are cheap, and go away at any time; one that stops to get on is given up."""
    jobs.enqueue([A])

    def lose(progress):
        ann = workers()
        ann.note_progress(take(ann), progress)
        age(postgresql_url, 100)
        workers().rescue(most=3)

    for progress in range(0, 50, 10):
        lose(progress)
    assert counts(jobs) == (1, 0, 0, 0)
    lose(40)
    assert counts(jobs) == (1, 0, 0, 0)
    lose(40)
    assert counts(jobs) == (0, 0, 0, 1)


def test_a_crawl_that_is_killed_again_and_again_goes_on_as_long_as_it_gets_on(jobs, workers):
    jobs.enqueue([A])
    ann = workers()
    job = take(ann)
    for progress in range(0, 50, 10):
        ann.killed(job, "It was killed.", progress, again=datetime.now(UTC), most=1 if progress else 3)
        job = take(ann)
    ann.killed(job, "It was killed.", 50, again=datetime.now(UTC) + timedelta(hours=1), most=3)
    assert counts(jobs) == (0, 1, 0, 0)


def test_a_crawl_that_is_killed_and_does_not_get_on_is_given_up(jobs, workers, postgresql_url):
    """Workers that are lost with it count as well."""
    jobs.enqueue([A])
    ann = workers()
    job = take(ann)
    ann.killed(job, "It was killed.", 0, again=datetime.now(UTC), most=3)
    assert take(ann).key == job.key
    age(postgresql_url, 100)
    workers().rescue(most=3)
    bo = workers()
    bo.killed(take(bo), "It was killed.", 0, again=datetime.now(UTC), most=3)
    (given_up,) = jobs.given_up()
    assert (given_up.reason, given_up.failures) == ("It was killed.", 3)
    assert counts(jobs) == (0, 0, 0, 1)


def test_what_fails_is_tried_again_and_given_up_at_last(jobs, workers):
    jobs.enqueue([A])
    ann = workers()
    job = take(ann)
    ann.failed(job, "It answers 404.", 1, again=datetime.now(UTC))
    job = take(ann)
    assert jobs.given_up() == []
    ann.failed(job, "It answers 404\0.", 2, again=None)
    (given_up,) = jobs.given_up()
    assert (given_up.key, given_up.url, given_up.reason, given_up.failures) == (A.key, A.url, "It answers 404.", 2)
    assert datetime.now(UTC) - given_up.failed < timedelta(minutes=1)
    assert jobs.enqueue([A, B]) == 1
    assert jobs.put_back(given_up, priority=30)
    assert not jobs.put_back(given_up, priority=30)
    assert take(ann).key == job.key


def test_why_jobs_were_put_off_is_told_until_they_are_taken_again(jobs, workers):
    jobs.enqueue([A, B, C])
    ann = workers()
    for reason in ("Redis is away\0.", "Redis is away.", "The disk is full."):
        ann.give_back(take(ann), datetime.now(UTC) + timedelta(hours=1), reason=reason)
    assert jobs.put_off() == [PutOff("Redis is away.", 2), PutOff("The disk is full.", 1)]


def test_what_was_put_off_is_no_more_when_it_is_taken(jobs, workers):
    jobs.enqueue([A])
    ann = workers()
    job = take(ann)
    ann.killed(job, "It was killed.", 0, again=datetime.now(UTC), most=8)
    assert jobs.put_off() == [PutOff("It was killed.", 1)]
    job = take(ann)
    assert jobs.put_off() == []
    ann.give_back(job)
    assert jobs.put_off() == []


@pytest.mark.parametrize("user", ["", "me"])
def test_no_password_is_told_with_why_a_job_was_put_off(jobs, workers, user):
    jobs.enqueue([A])
    ann = workers()
    ann.give_back(take(ann), reason=f"The Redis at redis://{user}:secret@127.0.0.1:6379/0 is away.")
    assert jobs.put_off() == [PutOff(f"The Redis at redis://{user}:***@127.0.0.1:6379/0 is away.", 1)]


def test_workers_tell_what_they_crawl(jobs, workers):
    jobs.enqueue([A, B])
    ann, bo = workers("one", 11), workers("two", 12)
    take(ann)
    one, two = jobs.workers()
    assert (one.host, one.pid, [crawl.url for crawl in one.crawls]) == ("one", 11, [A.url])
    assert (two.host, two.pid, two.crawls) == ("two", 12, ())
    assert one.silent_s < 60
    bo.leave()
    assert [worker.host for worker in jobs.workers()] == ["one"]


@pytest.mark.parametrize(
    "url",
    [
        "",
        "queue",
        "sqlite:///archive.db",
        "redis://localhost/",
        "postgresql:localhost",
        "postgresql+psycopg2://localhost/x",
        "postgresql://localhost/x?no_such=1",
        "postgresql://[abc/x",
        "postgresql://me:secret@[abc/x",
        "postgresql://me:secret/x",
        "postgresql://me@localhost:port/x",
        "postgresql://localhost/x?user=me&password=secret&no_such=1",
    ],
)
def test_what_is_no_address_is_told(url):
    with pytest.raises(
        BadArgument, match="is not the URL of a queue; give one such as postgresql://user@host/name"
    ) as told:
        open_jobs(url)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    "address",
    ["postgresql://me:secret@127.0.0.1:{port}/name", "postgresql://127.0.0.1:{port}/name?user=me&password=secret"],
)
def test_a_server_that_does_not_answer_is_told_without_its_password(address):
    with pytest.raises(QueueUnavailable) as told:
        open_jobs(address.format(port=closed_port()))
    assert "***" in str(told.value)
    assert "127.0.0.1" in str(told.value)
    assert "refused" in str(told.value)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (
            {"database": "nodb"},
            r'database "nodb" does not exist; create it with createdb, or give another .* QUEUE_URL\.$',
        ),
        ({"password": "wrong"}, r"password authentication failed for user .*; check the user and password .*\.$"),
        ({"host": "nowhere.invalid"}, r"failed to resolve host .*; check the host in its URL\.$"),
        ({"port": 1}, r"Connection refused; check that the server runs there\.$"),
    ],
)
def test_what_to_do_is_told(postgresql_url, parts, said):
    with pytest.raises(QueueUnavailable, match=said) as told:
        open_jobs(spelled(postgresql_url, **parts))
    assert "\n" not in str(told.value)


def test_rights_that_lack(postgresql_server, postgresql_url):
    open_jobs(postgresql_url).__exit__()
    with (
        user(postgresql_server) as poor,
        pytest.raises(
            QueueUnavailable, match=r"permission denied for table blogcrawler_\w+; the user in the URL must own "
        ),
        open_jobs(spelled(postgresql_url, **poor)) as jobs,
    ):
        jobs.enter("somewhere", 1, 1, LEASE_S)


def test_a_password_with_an_at_is_told_and_not_shown():
    with pytest.raises(BadArgument, match=r"me:\*\*\*@127\.0\.0\.1/name.* as %40\.$") as told:
        open_jobs("postgresql://me:sec@ret@127.0.0.1/name")
    assert "ret" not in str(told.value)
    with pytest.raises(QueueUnavailable, match="refused"):  # an @ of the query is none of a password
        open_jobs(f"postgresql://me@127.0.0.1:{closed_port()}?dbname=a@b")


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_spellings_of_an_address(postgresql_url, scheme):
    with open_jobs(f"{scheme}:{postgresql_url.partition(':')[2]}") as jobs:
        assert jobs.enqueue([A]) == 1


def test_a_queue_without_tables_is_empty_and_stays_so_by_looking(postgresql_url):
    with open_jobs(postgresql_url, make=False) as looking:
        assert (counts(looking), looking.workers(), looking.given_up()) == ((0, 0, 0, 0), [], [])
        assert looking.put_off() == []
        assert "is empty; monitor --queue adds jobs to it" in looking.missing_tables()
        with psycopg.connect(postgresql_url) as connection:
            asked = "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
            assert connection.execute(asked).fetchone() == (0,)
        with open_jobs(postgresql_url) as jobs:
            jobs.enqueue([A])
        assert (counts(looking), looking.missing_tables()) == ((1, 0, 0, 0), None)


# --------------------------------------------------------------------------------------------------- servers of others


def see(url):
    """All that is read has moments in it."""
    with open_jobs(url) as jobs:
        jobs.enqueue([A, B])
        jobs.enter("here", 1, 2, LEASE_S)
        jobs.failed(take(jobs), "404", 8, again=None)
        take(jobs)
        (worker,), (gone,) = jobs.workers(), jobs.given_up()
        for moment in (worker.since, worker.crawls[0].since, gone.failed):
            assert abs(datetime.now(UTC) - moment) < timedelta(minutes=1)


@pytest.mark.parametrize("style", ["German", "SQL, DMY", "Postgres, MDY"])
def test_the_date_style_of_the_server_changes_nothing(postgresql_server, postgresql_url, style):
    name = postgresql_url.rpartition("/")[2]
    postgresql_server.execute(f"ALTER DATABASE {name} SET datestyle = '{style}'")
    postgresql_server.execute(f"ALTER DATABASE {name} SET timezone = 'Asia/Kathmandu'")
    see(postgresql_url)


def test_nor_do_those_of_address_and_environment(postgresql_url, monkeypatch):
    monkeypatch.setenv("PGDATESTYLE", "German")
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    see(f"{postgresql_url}?options=-c%20datestyle%3DGerman")


def test_options_of_an_address_stand_beside_ours(postgresql_url):
    database = QueueDatabase(f"{postgresql_url}?options=-c%20work_mem%3D7MB%20-c%20tcp_keepalives_count%3D9")
    with database.transaction() as connection:
        names = ("work_mem", "tcp_keepalives_count", "idle_in_transaction_session_timeout")
        found = [connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names]
    assert found == ["7MB", "9", "1min"]
    database.close()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_all_letters(postgresql_server, encoding):
    with (
        postgresql_server.database(f"ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0") as url,
        pytest.raises(QueueUnavailable, match=rf"\*\*\*.*encoding {encoding}.*UTF8"),
    ):
        open_jobs(url)


def test_what_is_not_installed_is_told():
    code = """
import sys
sys.modules["psycopg"] = None
from blogcrawler.errors import QueueUnavailable
from blogcrawler.queue import open_jobs
try:
    open_jobs("postgresql://localhost/")
except QueueUnavailable as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'blogcrawler[queue]'" in told
