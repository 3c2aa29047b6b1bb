"""`blogcrawler monitor --queue` and `blogcrawler worker`: real processes, which are killed, stopped and cut off."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryFile

import psycopg
import pytest

from blogcrawler.backend import Archive, Bounds, Holder
from blogcrawler.backend.leases import LEASE
from blogcrawler.errors import LogsUnavailable
from blogcrawler.monitor import Report
from blogcrawler.monitor.child import Child
from blogcrawler.queue import Worker, open_jobs
from blogcrawler.queue.values import JobRequest
from blogcrawler.queue.worker import ASK_S, LOOK_S, renewal_s
from blogcrawler.settings import WORKER_LOST_AFTER
from tests.backend import postgresql
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, SETTINGS, has_traceback, kept, outcome, run, start
from tests.crawl.test_errors import closed_port
from tests.crawl.test_monitor import blogs, crawlers, holding, monitoring, waits_for, want
from tests.monitor.test_forking import is_alive
from tests.shared.server import Server

pytestmark = pytest.mark.slow

#: so that a test can do something while a crawl runs
SLOW = {"DOWNLOAD_DELAY": 0.2}
#: a worker that was killed is noticed after this, and a quarter of it
SOON_S = 4
NO_ANSWER = {"RETRY_TIMES": 0, "BACKOFF_TIMES": 0}


def working(queue, *options, **settings):
    given = SETTINGS | {"WORKER_LOST_AFTER": SOON_S} | settings
    more = [part for name, value in given.items() for part in ("-s", f"{name}={value}")]
    return [*PROGRAM, "worker", "--queue", queue, *options, *more]


def enqueue(folder, queue, **settings):
    done = run(folder, [*monitoring(**settings), "--queue", queue])
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def burst(folder, queue, *options, server=None, anew=False, **settings):
    done = run(folder, working(queue, "--burst", *options, **settings), server=server, anew=anew)
    assert not has_traceback(done), done.stderr
    return done


@contextmanager
def workers(folder, *arguments, anew=False):
    """Workers of an archive in `folder`, each with files of its own; these are killed in the end.

    Their crawls die with those alone that begin as users do.
    """
    with ExitStack() as stack:
        started = []
        for number, given in enumerate(arguments):
            place = folder / f"worker{number}"
            place.mkdir()
            if f"DATABASE_URL={SETTINGS['DATABASE_URL']}" in given:  # the one that the test looks at
                given = [*given, "-s", f"DATABASE_URL=sqlite:///../{DATABASE}", "-s", "ARCHIVE=../archive"]
            process = start(place, given, anew=anew)
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        yield started


def stop(worker):
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0


def until_put_off(folder, queue, **settings):
    """What a worker leaves that is stopped when a job was put off."""
    with workers(folder, working(queue, **settings)) as (worker,):
        waits_for(lambda: depths(queue)[1])
        stop(worker)
    return outcome(folder / "worker0", 0, server=None)


def depths(queue):
    with open_jobs(queue) as jobs:
        told = jobs.depths()
    return told.waiting, told.later, told.running, told.given_up


def busy(queue):
    """The processes of workers that crawl."""
    with open_jobs(queue) as jobs:
        return {worker.pid for worker in jobs.workers() if worker.crawls}


def make_due_jobs(queue):
    """All jobs may begin, as if time had passed."""
    with psycopg.connect(queue) as connection:
        connection.execute("UPDATE blogcrawler_job SET due = '2000-01-01T00:00:00+00:00' WHERE NOT is_given_up")


def waits_for_what_was_put_off(worker, queue):
    """Once the worker has asked twice for what may begin, let that be what was put off."""
    waits_for(lambda: depths(queue)[1])
    time.sleep(2 * ASK_S)
    assert worker.poll() is None, "it waits"
    make_due_jobs(queue)
    assert worker.wait(90) == 0


def silent(folder, number=0):
    done = outcome(folder / f"worker{number}", 0, server=None)
    said = done.stderr.splitlines()
    return done.stdout == "" and all(line.startswith("Stopping after ") for line in said)  # a signal is acknowledged


# ------------------------------------------------------------------------------------------------------ all is done once


def test_two_workers_crawl_each_blog_once(tmp_path, postgresql_url):
    found = [Blog(make_posts(4, seed=number), folder=f"/blog{number}") for number in range(8)]
    with serve() as site:
        site.reset(*found)
        want(tmp_path, *(f"{site.url}{blog.folder}/" for blog in found))
        enqueue(tmp_path, postgresql_url)
        enqueue(tmp_path, postgresql_url)
        assert depths(postgresql_url) == (8, 0, 0, 0)
        given = working(postgresql_url, "--burst", "--jobs", "2")
        with workers(tmp_path, given, given, anew=True) as (ann, bo):
            assert (ann.wait(120), bo.wait(120)) == (0, 0)
        assert silent(tmp_path, 0)
        assert silent(tmp_path, 1)
        for blog in found:
            assert site.targets.count(f"{blog.folder}/feed.xml") == 1
    assert sorted(kept(tmp_path)) == sorted(url for blog in found for url in blog.urls(site.url))
    assert [blog.crawl_complete for blog in blogs(tmp_path)] == [True] * 8
    assert depths(postgresql_url) == (0, 0, 0, 0)
    enqueue(tmp_path, postgresql_url)
    assert depths(postgresql_url) == (0, 0, 0, 0), "nothing is due"


def test_a_job_of_a_blog_that_is_not_due_any_more_is_nothing_to_do(tmp_path, postgresql_url):
    with serve(Blog(make_posts(4))) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        assert burst(tmp_path, postgresql_url).code == 0
        with open_jobs(postgresql_url) as jobs:
            jobs.enqueue([JobRequest(Archive.key_of(f"{site.url}/"), f"{site.url}/", 0)])
        done = burst(tmp_path, postgresql_url, server=site)
        assert (done.code, done.requests) == (0, [])
        assert depths(postgresql_url) == (0, 0, 0, 0)


# --------------------------------------------------------------------------------------------------------- ends of all sorts


def test_a_worker_that_was_killed_leaves_no_crawl_and_another_one_goes_on(tmp_path, postgresql_url):
    ann, bo = Blog(make_posts(20), folder="/ann"), Blog(make_posts(20, seed=2), folder="/bo")
    with serve() as site:
        site.reset(ann, bo)
        want(tmp_path, f"{site.url}/ann/", f"{site.url}/bo/")
        enqueue(tmp_path, postgresql_url)
        given = working(postgresql_url, "--jobs", "2", **SLOW)
        with workers(tmp_path, given, anew=True) as (first,):
            waits_for(lambda: min(site.targets.count(f"/{name}/feed.xml") for name in ("ann", "bo")))
            waits_for(lambda: len(kept(tmp_path)) > 4)
            children = crawlers(tmp_path)
            assert len(children) == 2
            assert first.pid not in children
            second = start(tmp_path, working(postgresql_url, "--jobs", "2"))
            try:
                with open_jobs(postgresql_url) as jobs:
                    waits_for(lambda: len(jobs.workers()) == 2)
                first.kill()
                killed = time.monotonic()
                waits_for(lambda: not any(map(is_alive, children)), most_s=5)
                waits_for(lambda: crawlers(tmp_path))
                assert time.monotonic() - killed < SOON_S * 1.25 + 15, "most of it for a process to begin"
                waits_for(lambda: all(blog.crawl_complete for blog in blogs(tmp_path)))
                waits_for(lambda: depths(postgresql_url) == (0, 0, 0, 0))
                second.send_signal(signal.SIGTERM)
                assert second.wait(30) == 0
            finally:
                second.kill()
                second.wait()
        for name in ("ann", "bo"):
            assert site.targets.count(f"/{name}/feed.xml") == 1, "it goes on, and does not begin anew"
    assert sorted(kept(tmp_path)) == sorted([*ann.urls(site.url), *bo.urls(site.url)])


def test_a_worker_that_slept_does_not_crawl_beside_the_one_that_has_its_job(tmp_path, postgresql_url):
    blog = Blog(make_posts(40))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, **SLOW), working(postgresql_url)) as (first, second):
            waits_for(lambda: "/feed.xml" in site.targets and crawlers(tmp_path) - {first.pid, second.pid})
            asleep = next(worker for worker in (first, second) if worker.pid in busy(postgresql_url))
            (child,) = crawlers(tmp_path)
            asleep.send_signal(signal.SIGSTOP)
            waits_for(lambda: depths(postgresql_url)[2] == 0)
            time.sleep(SOON_S)
            assert crawlers(tmp_path) <= {child}, "its crawl still has the blog"
            asleep.send_signal(signal.SIGCONT)
            waits_for(lambda: not is_alive(child), most_s=20)
            make_due_jobs(postgresql_url)  # it was put off as long as the crawl had the blog
            waits_for(lambda: depths(postgresql_url) == (0, 0, 0, 0))
            for worker in (first, second):
                worker.send_signal(signal.SIGTERM)
                assert worker.wait(30) == 0
        assert site.targets.count("/feed.xml") == 1
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


def test_by_default_a_worker_that_was_killed_is_noticed_in_time():
    """A blog goes on within two minutes, on its machine, and on another one, where its claim has to run out."""
    noticed_s = WORKER_LOST_AFTER + renewal_s(WORKER_LOST_AFTER)
    assert noticed_s <= 75
    assert noticed_s + ASK_S + LOOK_S < 120
    assert LEASE.total_seconds() + ASK_S + LOOK_S < 120
    assert 3 * renewal_s(WORKER_LOST_AFTER) < WORKER_LOST_AFTER, "three signs of life may fail"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_worker_that_is_stopped_gives_its_job_back(tmp_path, postgresql_url, number):
    blog = Blog(make_posts(40))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, **SLOW)) as (worker,):
            waits_for(lambda: len(site.targets) > 10)
            worker.send_signal(number)
            assert worker.wait(60) == 0
        assert silent(tmp_path)
        assert crawlers(tmp_path) == set()
        assert depths(postgresql_url) == (1, 0, 0, 0)
        with open_jobs(postgresql_url) as jobs:
            assert jobs.workers() == []
        (row,) = blogs(tmp_path)
        assert (row.crawl_complete, row.crawl_reason, row.failures) == (False, "shutdown", 0)
        assert 0 < len(kept(tmp_path)) < 40
        assert burst(tmp_path, postgresql_url).code == 0
        assert sorted(kept(tmp_path)) == blog.urls(site.url)
        assert site.targets.count("/feed.xml") == 1


def test_a_second_signal_does_not_wait_for_the_page_under_way(tmp_path, postgresql_url):
    blog = Blog(make_posts(12))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url)) as (worker,), holding(site, blog.path(blog.posts[0])):
            waits_for(lambda: blog.path(blog.posts[0]) in site.targets)
            worker.send_signal(signal.SIGTERM)
            time.sleep(1)
            assert worker.poll() is None, "it waits for the page"
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(20) == 0
        assert depths(postgresql_url) == (1, 0, 0, 0)


def test_a_blog_that_always_fails_is_given_up_until_it_is_put_back(tmp_path, postgresql_url):
    blog = Blog(make_posts(4))
    with serve(blog) as site:
        routes, site.routes = site.routes, {}
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        given = working(postgresql_url, QUEUE_ATTEMPTS=2, UPDATE_INTERVAL_MIN=1, UPDATE_INTERVAL_MAX=2, **NO_ANSWER)
        with workers(tmp_path, given) as (worker,):
            waits_for(lambda: depths(postgresql_url) == (0, 0, 0, 1))
            enqueue(tmp_path, postgresql_url)
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        said = outcome(tmp_path / "worker0", 0, server=site).sentences
        assert len(said) == 2
        assert all("404" in sentence for sentence in said)
        with open_jobs(postgresql_url) as jobs:
            (given_up,) = jobs.given_up()
        assert (given_up.url, given_up.failures) == (f"{site.url}/", 2)
        assert "404" in given_up.reason
        site.routes = routes
        back = run(tmp_path, working(postgresql_url, "--retry", f"{site.url}/"))
        assert (back.code, back.stderr) == (0, "")
        assert burst(tmp_path, postgresql_url).code == 0
        assert len(kept(tmp_path)) == 4
        none = run(tmp_path, working(postgresql_url, "--retry", f"{site.url}/"))
        assert (none.code, len(none.sentences)) == (1, 1)
        assert "No blog was given up" in none.sentences[0]


def test_a_job_of_a_blog_that_the_archive_does_not_have_is_dropped_with_a_word(tmp_path, postgresql_url):
    """It was removed, or somebody has named another archive."""
    with serve(Blog()) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with Archive.open(f"sqlite:///{tmp_path / 'another.db'}"):
            done = burst(tmp_path, postgresql_url, DATABASE_URL="sqlite:///another.db", server=site)
        assert done.code == 0
        assert done.requests == []
        (said,) = done.sentences
        assert f"has no blog {site.url}/" in said
        assert "DATABASE_URL" in said
    assert depths(postgresql_url) == (0, 0, 0, 0)


def test_a_burst_tells_of_what_failed_and_leaves_it_to_another_one(tmp_path, postgresql_url):
    address = f"http://127.0.0.1:{closed_port()}/"
    want(tmp_path, address)
    enqueue(tmp_path, postgresql_url)
    done = burst(tmp_path, postgresql_url, **NO_ANSWER)
    assert (done.code, len(done.sentences)) == (1, 1)
    assert address in done.sentences[0]
    assert depths(postgresql_url) == (0, 1, 0, 0)


def test_a_crawl_that_is_killed_is_told_and_put_off(tmp_path, postgresql_url):
    with serve(Blog(make_posts(20))) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, **SLOW)) as (worker,):
            waits_for(lambda: "/feed.xml" in site.targets and crawlers(tmp_path) - {worker.pid})
            (child,) = crawlers(tmp_path)
            os.kill(child, signal.SIGKILL)
            waits_for(lambda: depths(postgresql_url)[1])
            stop(worker)
        (said,) = outcome(tmp_path / "worker0", 0, server=site).sentences
        assert "was killed by signal 9; the machine may lack memory" in said
        assert depths(postgresql_url) == (0, 1, 0, 0)
        assert crawlers(tmp_path) == set()
        with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
            known = [*archive.blogs(), *archive.register.wanted()]
        assert {one.failures for one in known} == {0}


def test_a_crawl_that_is_killed_whenever_it_begins_is_given_up(tmp_path, postgresql_url):
    with serve(Blog(make_posts(4))) as site, holding(site, "/"):
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, QUEUE_ATTEMPTS=2)) as (worker,):
            for state in ((0, 1, 0, 0), (0, 0, 0, 1)):
                waits_for(lambda: crawlers(tmp_path) - {worker.pid})
                (child,) = crawlers(tmp_path)
                os.kill(child, signal.SIGKILL)
                waits_for(lambda state=state: depths(postgresql_url) == state)
                make_due_jobs(postgresql_url)
        with open_jobs(postgresql_url) as jobs:
            (given_up,) = jobs.given_up()
    assert given_up.failures == 2
    assert "was killed by signal 9; the machine may lack memory" in given_up.reason


def test_a_crawl_that_lacks_its_redis_is_tried_again_and_counts_for_nothing(tmp_path, postgresql_url):
    with serve(Blog(make_posts(4))) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        gate = {"GATE_URL": f"redis://:secret@127.0.0.1:{closed_port()}/0", "BACKEND_PATIENCE": 1}
        done = until_put_off(tmp_path, postgresql_url, **gate)
        assert len(done.sentences) == 1
        assert "has not answered for 1 s" in done.sentences[0]
        assert depths(postgresql_url) == (0, 1, 0, 0)
        with open_jobs(postgresql_url) as jobs:
            (why,) = jobs.put_off()
        assert why.jobs == 1
        assert why.reason.startswith("The Redis at redis://:***@127.0.0.1:")
        assert "secret" not in done.stderr
        with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
            (wanted,) = archive.register.wanted()
        assert (wanted.failures, wanted.reason) == (0, None)
        assert wanted.due <= datetime.now(UTC)
        assert site.targets == []


def test_a_crawl_that_lacks_its_redis_in_the_midst_counts_for_nothing(tmp_path, postgresql_url, redis_of_session):
    blog = Blog(make_posts(20))
    with serve(blog) as site, Server() as server:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        gate = {"GATE_URL": server.url, "BACKEND_PATIENCE": 1, "GATE_SERVER_DELAY": 0.05}
        with workers(tmp_path, working(postgresql_url, **gate, **SLOW)) as (worker,):
            waits_for(lambda: len(kept(tmp_path)) > 4)
            server.kill()
            waits_for(lambda: depths(postgresql_url)[1])
            stop(worker)
        assert depths(postgresql_url) == (0, 1, 0, 0)
        (row,) = blogs(tmp_path)
        assert (row.crawl_complete, row.failures) == (False, 0)
        assert row.due <= datetime.now(UTC)
        server.start()
        make_due_jobs(postgresql_url)
        assert burst(tmp_path, postgresql_url, **gate).code == 0
        assert sorted(kept(tmp_path)) == blog.urls(site.url)


def test_a_worker_whose_logs_have_no_place_takes_no_job(tmp_path, postgresql_url):
    (tmp_path / "file").touch()
    want(tmp_path, "http://blog.example.org/")
    enqueue(tmp_path, postgresql_url)
    for _ in range(2):
        done = burst(tmp_path, postgresql_url, ARCHIVE="file/archive", QUEUE_ATTEMPTS=1)
        assert (done.code, len(done.sentences)) == (1, 1)
        assert "The folder file/archive/logs for logs cannot be used (Not a directory)" in done.sentences[0]
    assert depths(postgresql_url) == (1, 0, 0, 0)


def test_crawls_are_put_off_while_logs_have_no_place_and_others_go_on(tmp_path, postgresql_url):
    """As when a volume is not mounted any more; it is told once."""
    slow, other = Blog(make_posts(8), folder="/slow"), Blog(make_posts(4, seed=2), folder="/other")
    logs = tmp_path / "archive" / "logs"
    with serve() as site:
        site.reset(slow, other)
        want(tmp_path, f"{site.url}/slow/")
        enqueue(tmp_path, postgresql_url)
        given = working(postgresql_url, "--jobs", "2", QUEUE_ATTEMPTS=1)
        with workers(tmp_path, given), holding(site, slow.path(slow.posts[0])):
            waits_for(lambda: slow.path(slow.posts[0]) in site.targets)
            logs.rename(tmp_path / "away")
            logs.touch()
            want(tmp_path, f"{site.url}/other/")
            for _ in range(2):
                enqueue(tmp_path, postgresql_url)
                waits_for(lambda: depths(postgresql_url) == (0, 1, 1, 0))
                make_due_jobs(postgresql_url)
            waits_for(lambda: depths(postgresql_url) == (0, 1, 1, 0))
            logs.unlink()
            make_due_jobs(postgresql_url)
            waits_for(lambda: sorted(kept(tmp_path)) >= other.urls(site.url))
    (said,) = outcome(tmp_path / "worker0", 0, server=None).sentences
    assert "logs for logs cannot be used" in said


def test_what_ends_a_worker_that_is_to_begin_a_job_gives_it_back(tmp_path, postgresql_url):
    class Leaving:
        def start(self, *_):
            raise SystemExit(1)

    want(tmp_path, "http://blog.example.org/")
    enqueue(tmp_path, postgresql_url)
    bounds = Bounds(timedelta(hours=1), timedelta(days=7))
    for _ in range(2):
        with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive, open_jobs(postgresql_url) as jobs:
            worker = Worker(archive, jobs, Leaving(), Report(), most=1, attempts=1, bounds=bounds, lease_s=SOON_S)
            with pytest.raises(SystemExit):
                worker.run()
            assert jobs.workers() == []
        assert depths(postgresql_url) == (1, 0, 0, 0)


def test_a_blog_that_is_crawled_by_hand_waits(tmp_path, postgresql_url):
    blog = Blog(make_posts(8))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
            me = str(Holder.new())
            archive.leases.claim(archive.key_of(f"{site.url}/"), me, now=datetime.now(UTC))
            until_put_off(tmp_path, postgresql_url)
            assert site.targets == []
            assert depths(postgresql_url) == (0, 1, 0, 0)


def test_a_burst_waits_for_the_job_of_a_worker_that_was_killed(tmp_path, postgresql_url):
    blog = Blog(make_posts(8))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, **SLOW), anew=True) as (killed,):
            waits_for(lambda: len(kept(tmp_path)) > 2)
            killed.kill()
            killed.wait()
            assert burst(tmp_path, postgresql_url).code == 0
    assert sorted(kept(tmp_path)) == blog.urls(site.url)
    assert depths(postgresql_url) == (0, 0, 0, 0)


def test_a_burst_waits_for_what_was_put_off(tmp_path, postgresql_url):
    blog = Blog(make_posts(8))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, "--burst", **SLOW)) as (worker,):
            waits_for(lambda: "/feed.xml" in site.targets and crawlers(tmp_path) - {worker.pid})
            (child,) = crawlers(tmp_path)
            os.kill(child, signal.SIGKILL)
            waits_for_what_was_put_off(worker, postgresql_url)
        (said,) = outcome(tmp_path / "worker0", 0, server=site).sentences
        assert "was killed by signal 9" in said
    assert sorted(kept(tmp_path)) == blog.urls(site.url)
    assert depths(postgresql_url) == (0, 0, 0, 0)


def test_a_burst_whose_redis_was_away_for_a_while_has_not_failed(tmp_path, postgresql_url, redis_of_session):
    blog = Blog(make_posts(8))
    with serve(blog) as site, Server() as server:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        server.kill()
        gate = {"GATE_URL": server.url, "BACKEND_PATIENCE": 1}
        with workers(tmp_path, working(postgresql_url, "--burst", **gate)) as (worker,):
            waits_for(lambda: depths(postgresql_url)[1])
            server.start()
            waits_for_what_was_put_off(worker, postgresql_url)
    assert sorted(kept(tmp_path)) == blog.urls(site.url)


def test_a_burst_tells_of_a_blog_that_is_given_up_as_its_crawl_is_killed(tmp_path, postgresql_url):
    with serve(Blog(make_posts(4))) as site, holding(site, "/"):
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url, "--burst", QUEUE_ATTEMPTS=1)) as (worker,):
            waits_for(lambda: crawlers(tmp_path) - {worker.pid})
            (child,) = crawlers(tmp_path)
            os.kill(child, signal.SIGKILL)
            assert worker.wait(90) == 1
        killed, given_up = outcome(tmp_path / "worker0", 0, server=site).sentences
        assert "was killed by signal 9" in killed
        assert f"The blog {site.url}/ is given up" in given_up
        assert depths(postgresql_url) == (0, 0, 0, 1)


def test_a_burst_does_not_wait_for_what_a_living_worker_crawls(tmp_path, postgresql_url):
    blog = Blog(make_posts(8))
    with serve(blog) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        with workers(tmp_path, working(postgresql_url)) as (busy,), holding(site, blog.path(blog.posts[0])):
            waits_for(lambda: blog.path(blog.posts[0]) in site.targets)
            assert burst(tmp_path, postgresql_url).code == 0
            assert depths(postgresql_url) == (0, 0, 1, 0)
            assert busy.poll() is None


def test_a_burst_does_not_wait_for_ever(tmp_path, postgresql_url, monkeypatch, capsys):
    monkeypatch.setattr("blogcrawler.queue.worker.SOON_S", 1)
    monkeypatch.setattr("blogcrawler.queue.worker.RETRY_DELAY", timedelta(seconds=0.5))

    class Full:
        starts = 0

        def start(self, *_):
            self.starts += 1
            raise LogsUnavailable("There is no room.")

    want(tmp_path, "http://blog.example.org/")
    enqueue(tmp_path, postgresql_url)
    bounds, full, report = Bounds(timedelta(hours=1), timedelta(days=7)), Full(), Report()
    with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive, open_jobs(postgresql_url) as jobs:
        Worker(archive, jobs, full, report, most=1, attempts=1, bounds=bounds, lease_s=SOON_S).run(is_burst=True)
        assert [why.reason for why in jobs.put_off()] == ["There is no room."]
    assert full.starts > 1
    assert report.failures == 1, "its blog is left, though it was put off several times"
    assert capsys.readouterr().err.count("There is no room.") == 1, "it is told once"


def test_a_burst_goes_on_with_other_jobs_while_a_crawl_is_at_work(tmp_path, postgresql_url, monkeypatch):
    """However long one of them was put off meanwhile."""
    monkeypatch.setattr("blogcrawler.queue.worker.SOON_S", 0.1)
    monkeypatch.setattr("blogcrawler.queue.worker.ASK_S", 0.1)
    monkeypatch.setattr("blogcrawler.queue.worker.RETRY_DELAY", timedelta(seconds=0.5))
    slow, put_off = "http://slow.example.org/", "http://put-off.example.org/"
    asked, started = {}, {}

    class Starter:
        def start(self, due, holder):
            now = time.monotonic()
            if due.url == put_off and now < asked.setdefault(put_off, now) + 4:
                raise LogsUnavailable("There is no room.")
            started[due.url] = now
            process = subprocess.Popen(["sleep", "9" if due.url == slow else "0"])
            return Child(due, holder, process, "log", datetime.now(UTC), TemporaryFile())

    want(tmp_path, slow, put_off)
    enqueue(tmp_path, postgresql_url)
    bounds = Bounds(timedelta(hours=1), timedelta(days=7))
    with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive, open_jobs(postgresql_url) as jobs:
        worker = Worker(archive, jobs, Starter(), Report(), most=2, attempts=8, bounds=bounds, lease_s=2)
        worker.run(is_burst=True)
    assert started[put_off] < started[slow] + 8, "before the other one has ended"


def test_workers_go_on_when_postgresql_was_restarted(tmp_path):
    """Which has the archive, too: crawls that could not write to it are tried again."""
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    found = [Blog(make_posts(16, seed=number), folder=f"/blog{number}") for number in range(2)]
    with postgresql.cluster() as server, server.database() as url, serve() as site:
        site.reset(*found)
        with Archive.open(url) as archive:
            addresses = [f"{site.url}{blog.folder}/" for blog in found]
            archive.register.want({archive.key_of(one): one for one in addresses}, now=datetime.now(UTC))
        enqueue(tmp_path, url, DATABASE_URL=url)
        given = working(url, "--jobs", "2", DATABASE_URL=url, **SLOW)
        with workers(tmp_path, given) as (worker,):
            waits_for(lambda: min(site.targets.count(f"{blog.folder}/feed.xml") for blog in found))
            server.stop()
            time.sleep(3)
            assert worker.poll() is None
            server.start()
            waits_for(lambda: depths(url) == (0, 0, 0, 0), most_s=120)
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        with Archive.open(url) as archive:
            assert all(blog.crawl_complete and not blog.failures for blog in archive.blogs())
            assert sorted(post.record.url for blog in archive.blogs() for post in archive.posts(blog.home)) == sorted(
                one for blog in found for one in blog.urls(site.url)
            )


def test_a_worker_that_is_stopped_while_postgresql_is_away_ends_soon(tmp_path):
    if postgresql.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    blog = Blog(make_posts(16))
    with postgresql.cluster() as server, server.database() as url, serve(blog) as site:
        with Archive.open(url) as archive:
            archive.register.want({archive.key_of(f"{site.url}/"): f"{site.url}/"}, now=datetime.now(UTC))
        enqueue(tmp_path, url, DATABASE_URL=url)
        with workers(tmp_path, working(url, DATABASE_URL=url, BACKEND_PATIENCE=1, **SLOW)) as (worker,):
            waits_for(lambda: site.targets.count("/feed.xml"))
            server.stop()
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(30) == 0
        assert crawlers(tmp_path) == set()
        said = outcome(tmp_path / "worker0", 0, server=site).sentences
        assert (
            f"The worker ends without it. Other workers take over its jobs after {SOON_S} s. Nothing is lost."
            in said[-1]
        )
        server.start()
        with open_jobs(url) as jobs:
            waits_for(lambda: jobs.workers()[0].silent_s > SOON_S)
        assert burst(tmp_path, url, DATABASE_URL=url).code == 0
        with Archive.open(url) as archive:
            assert [one.crawl_complete for one in archive.blogs()] == [True]


# ---------------------------------------------------------------------------------------------------------- wrong usage


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Name the queue"),
        (["now", "--queue", "postgresql://localhost/x"], "Name the queue"),
        (["--queue", "sqlite:///archive.db"], "is not the URL of a queue"),
        (["--queue", "postgresql://localhost/x", "--jobs", "0"], "--jobs must be a whole number from 1 to 1000"),
        (["--queue", "postgresql://localhost/x", "--jobs", "1001"], "--jobs must be a whole number from 1 to 1000"),
        (["--queue", "postgresql://localhost/x", "--jobs", "9" * 20], "--jobs must be a whole number from 1 to 1000"),
        (["--queue", "postgresql://localhost/x", "--jobs", "9" * 5000], "--jobs must be a whole number from 1 to 1000"),
        (["--queue", "postgresql://localhost/x", "-s", "MONITOR_CRAWLS=1001"], "MONITOR_CRAWLS must be a whole number"),
        (["--queue", "postgresql://localhost/x", "--jobs", "many"], "--jobs must be a whole number from 1 to 1000"),
        (
            ["--queue", "postgresql://localhost/x", "-s", "QUEUE_ATTEMPTS=0"],
            "QUEUE_ATTEMPTS must be a whole number, 1 or more",
        ),
        (
            ["--queue", "postgresql://localhost/x", "-s", "WORKER_LOST_AFTER=0"],
            "WORKER_LOST_AFTER must be a number of seconds from 1 to",
        ),
        (["--queue", "postgresql://localhost/x", "-s", "WORKER_LOST_AFTER=inf"], "WORKER_LOST_AFTER must be a number"),
        (
            ["--queue", "postgresql://localhost/x", "-s", "WORKER_LOST_AFTER=1e300"],
            "WORKER_LOST_AFTER must be a number of seconds from 1 to",
        ),
        (["--queue", "postgresql://localhost/x", "--retry", "ftp://x/"], "cannot be used"),
    ],
)
def test_wrong_usage(tmp_path, arguments, said):
    done = run(tmp_path, [*PROGRAM, "worker", *arguments])
    assert (done.code, done.stdout, len(done.sentences)) == (2, "", 1)
    assert said in done.sentences[0]


@pytest.mark.parametrize("command", ["worker", "monitor"])
def test_a_queue_that_does_not_answer_is_told(tmp_path, command):
    queue = f"postgresql://me:secret@127.0.0.1:{closed_port()}/name"
    done = run(tmp_path, [*PROGRAM, command, "--queue", queue])
    assert (done.code, done.stdout, len(done.sentences)) == (1, "", 1)
    assert "The queue at postgresql://me:***@127.0.0.1" in done.sentences[0]
    assert not has_traceback(done)


@pytest.mark.parametrize("command", ["worker", "monitor"])
def test_without_an_archive_it_says_so(tmp_path, postgresql_url, command):
    done = run(tmp_path, [*PROGRAM, command, "--queue", postgresql_url, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"])
    assert done.code == 1
    assert f"There is no archive at {DATABASE} yet" in done.sentences[0]
