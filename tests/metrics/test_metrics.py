"""What Prometheus is told: real processes, asked over HTTP, against the archive and the queue that they tell of."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

from blogcrawler.backend import Archive
from blogcrawler.metrics import library
from blogcrawler.metrics.endpoint import Endpoint
from blogcrawler.metrics.status_metrics import failure_kind
from blogcrawler.metrics.work import RoundMetrics, WorkMetrics
from blogcrawler.queue import open_jobs
from blogcrawler.queue.values import JobRequest
from tests.backend.conftest import postgresql_server, postgresql_url
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import DATABASE, PROGRAM, SETTINGS, has_traceback, kept, outcome, run, start
from tests.crawl.test_errors import closed_port
from tests.crawl.test_monitor import blogs, waits_for, want
from tests.metrics.scraping import Scrape, ask, health
from tests.queue.test_worker import depths, enqueue, working

__all__ = ["postgresql_server", "postgresql_url"]

SECRET = "my-secret"
DOCS = Path(__file__).parents[2] / "docs"
WITH_QUEUES = ("monitor", "worker", "status", "metrics")
TOO_HIGH = "METRICS_PORT=70000"


def command(name, *options, **settings):
    given = [part for key, value in (SETTINGS | settings).items() for part in ("-s", f"{key}={value}")]
    return [*PROGRAM, name, *options, *given]


@contextmanager
def process(folder, arguments, *, says=""):
    """One that is stopped in the end, as services are, and then has said nothing but what is expected."""
    begun = start(folder, arguments, anew=True)  # copies cannot hand descriptors on to their crawls
    try:
        yield begun
        begun.send_signal(signal.SIGTERM)
        assert begun.wait(60) == 0
    finally:
        begun.kill()
        begun.wait()
    done = outcome(folder, 0, server=None)
    assert not has_traceback(done)
    said = re.sub(r"^Stopping after .*\n", "", done.stderr, flags=re.MULTILINE)  # the signal is acknowledged
    assert re.fullmatch(says, said.strip(), re.DOTALL), done.stderr


def answering(address):
    def asked():
        try:
            return health(address) == 200
        except OSError:
            return False

    waits_for(asked)
    return address


@contextmanager
def serving(folder, *options, says="", **settings):
    """`blogcrawler metrics`, at any port that is free."""
    place = folder / "metrics"
    place.mkdir(exist_ok=True)
    settings = {"DATABASE_URL": f"sqlite:///../{DATABASE}"} | settings
    with process(place, command("metrics", "--port", "0", *options, **settings), says=says):
        waits_for(lambda: "http" in (place / "stdout").read_text())
        yield answering(re.search(r"http://\S+/(?=metrics)", (place / "stdout").read_text())[0])


# -------------------------------------------------------------------------------------------------- crawls that are real


@pytest.mark.slow
def test_a_worker_and_the_archive_tell_what_has_come_of_crawls(tmp_path, postgresql_url):
    ann, bo = Blog(make_posts(6), folder="/ann"), Blog(make_posts(4, seed=2), folder="/bo")
    port = closed_port()
    with serve() as site:
        site.reset(ann, bo)
        want(tmp_path, f"{site.url}/ann/", f"{site.url}/bo/", f"{site.url}/none/")
        enqueue(tmp_path, postgresql_url)
        with serving(tmp_path, "--queue", postgresql_url) as archive:
            before = Scrape(archive)
            arguments = working(postgresql_url, "--jobs", "2", "--metrics", str(port), RETRY_TIMES=0)
            says = r"blogcrawler: \S+ answered 404 Not Found; .*"
            with process(tmp_path, arguments, says=says):
                worker = answering(f"http://127.0.0.1:{port}/")
                waits_for(
                    lambda: sum(Scrape(worker).by("blogcrawler_worker_crawls_ended_total", "outcome").values()) == 3
                )
                waits_for(lambda: depths(postgresql_url) == (0, 1, 0, 0))
                told, after = Scrape(worker), Scrape(archive)
        answers = Counter(site.targets)
    posts = len(ann.urls(site.url)) + len(bo.urls(site.url))
    assert before.by("blogcrawler_jobs", "state") == {"waiting": 3}
    assert before.by("blogcrawler_blogs", "state") == {"not_crawled": 3}
    assert 0 < before.value("blogcrawler_oldest_waiting_job_age_seconds") < 60
    assert before.values("blogcrawler_last_post_timestamp_seconds") == []

    assert told.by("blogcrawler_worker_crawls_started_total", "spider") == {"newcrawl": 3}
    assert told.by("blogcrawler_worker_crawls_ended_total", "outcome") == {"done": 2, "failed": 1}
    assert (told.value("blogcrawler_worker_crawls_running"), told.value("blogcrawler_worker_crawl_slots")) == (0, 2)
    assert told.value("blogcrawler_worker_crawl_seconds_count") == 3
    assert 0 < told.value("blogcrawler_worker_crawl_seconds_sum") < 300
    assert told.by("blogcrawler_worker_posts_total", "change") == {"new": posts}
    assert told.value("blogcrawler_worker_requests_total") == answers.total()
    assert sum(told.values("blogcrawler_worker_responses_total")) == answers.total()
    assert told.value("blogcrawler_worker_responses_total", status="200") > posts
    assert told.value("blogcrawler_worker_responses_total", status="404") > 0
    assert told.value("blogcrawler_worker_pages_total") > posts
    assert told.value("blogcrawler_worker_received_bytes_total") > 10_000
    assert told.value("blogcrawler_worker_queue_up") == 1
    assert told.value("process_start_time_seconds") > 0

    assert [after.value(f"blogcrawler_{name}up") for name in ("", "archive_", "queue_")] == [1, 1, 1]
    assert after.by("blogcrawler_blogs", "state") == {"complete": 2, "failing": 1}
    assert after.by("blogcrawler_blogs_failing", "kind") == {"http_4xx": 1}
    assert after.value("blogcrawler_posts") == posts == len(kept(tmp_path))
    assert after.by("blogcrawler_posts_recent", "window") == {"5m": posts, "1h": posts, "1d": posts}
    assert time.time() - 120 < after.value("blogcrawler_last_post_timestamp_seconds") < time.time()
    assert after.by("blogcrawler_jobs", "state") == {"later": 1}
    assert after.by("blogcrawler_workers", "state") == {"living": 1}
    assert (after.value("blogcrawler_crawl_slots"), after.value("blogcrawler_crawls_running")) == (2, 0)
    assert (after.value("blogcrawler_blogs_due"), after.value("blogcrawler_blogs_being_crawled")) == (0, 0)
    assert all(blog.crawl_complete for blog in blogs(tmp_path))


@pytest.mark.slow
def test_a_crawl_is_counted_while_it_is_at_work(tmp_path, postgresql_url):
    port = closed_port()
    with serve(Blog(make_posts(30))) as site:
        want(tmp_path, f"{site.url}/")
        enqueue(tmp_path, postgresql_url)
        arguments = working(postgresql_url, "--metrics", str(port), DOWNLOAD_DELAY=0.3)
        with process(tmp_path, arguments):
            worker = answering(f"http://127.0.0.1:{port}/")
            waits_for(lambda: Scrape(worker).value("blogcrawler_worker_pages_total") > 3)
            told = Scrape(worker)
            assert told.value("blogcrawler_worker_crawls_running") == 1
            assert told.by("blogcrawler_worker_crawls_ended_total", "outcome") == {}
            with serving(tmp_path, "--queue", postgresql_url) as archive:
                assert Scrape(archive).value("blogcrawler_crawls_running") == 1
                assert Scrape(archive).value("blogcrawler_blogs_being_crawled") == 1


@pytest.mark.slow
def test_a_monitor_looks_again_and_again(tmp_path, postgresql_url):
    port = closed_port()
    want(tmp_path, "http://a.example.org/")
    arguments = command("monitor", "--queue", postgresql_url, "--every", "1", "--metrics", str(port))
    with process(tmp_path, arguments):
        monitor = answering(f"http://127.0.0.1:{port}/")
        waits_for(lambda: depths(postgresql_url)[0] == 1)
        want(tmp_path, "http://b.example.org/")
        waits_for(lambda: depths(postgresql_url)[0] == 2)
        waits_for(lambda: Scrape(monitor).value("blogcrawler_monitor_jobs_total") == 2)
        told = Scrape(monitor)
    assert told.value("blogcrawler_monitor_rounds_total", outcome="done") >= 2
    assert told.value("blogcrawler_monitor_rounds_total", outcome="failed") == 0
    assert time.time() - 60 < told.value("blogcrawler_monitor_last_success_timestamp_seconds") <= time.time()


@pytest.mark.slow
def test_a_monitor_goes_on_when_its_queue_is_away(tmp_path):
    want(tmp_path, "http://a.example.org/")
    port = closed_port()
    queue = f"postgresql://me:{SECRET}@127.0.0.1:{closed_port()}/name"
    arguments = command("monitor", "--every", "1", METRICS_PORT=port, QUEUE_URL=queue)
    with process(
        tmp_path, arguments, says=r"blogcrawler: The queue at \S+me:\*\*\*@\S+ cannot be used: .* tries again\."
    ):
        monitor = answering(f"http://127.0.0.1:{port}/")
        waits_for(lambda: Scrape(monitor).value("blogcrawler_monitor_rounds_total", outcome="failed") >= 2)


@pytest.mark.slow
def test_a_monitor_ends_where_there_has_never_been_an_archive(tmp_path, postgresql_url):
    done = run(tmp_path, command("monitor", "--queue", postgresql_url, "--every", "1"))
    assert (done.code, len(done.sentences)) == (1, 1)
    assert f"There is no archive at {DATABASE} yet" in done.sentences[0]


@pytest.mark.slow
def test_a_monitor_goes_on_when_its_archive_was_there(tmp_path, postgresql_url):
    want(tmp_path, "http://a.example.org/")
    arguments = command("monitor", "--queue", postgresql_url, "--every", "1")
    with process(tmp_path, arguments, says=r"blogcrawler: There is no archive at \S+ yet; [^\n]* tries again\."):
        waits_for(lambda: depths(postgresql_url)[0] == 1)
        (tmp_path / DATABASE).rename(tmp_path / "elsewhere")
        waits_for(lambda: "tries again" in (tmp_path / "stderr").read_text())
        (tmp_path / "elsewhere").rename(tmp_path / DATABASE)
        want(tmp_path, "http://b.example.org/")
        waits_for(lambda: depths(postgresql_url)[0] == 2)


# --------------------------------------------------------------------------------------------------- what may be away


def test_databases_that_are_away_are_told_and_tried_again(tmp_path):
    queue = f"postgresql://me:{SECRET}@127.0.0.1:{closed_port()}/name"
    says = r"blogcrawler: The queue at \S+ cannot be used: [^\n]*\nblogcrawler: There is no archive at [^\n]*"
    with serving(tmp_path, "--queue", queue, says=says) as address:
        for _ in range(2):
            away = Scrape(address)
            assert [away.value(f"blogcrawler_{name}up") for name in ("", "archive_", "queue_")] == [0, 0, 0]
            assert away.values("blogcrawler_posts") == []
            assert health(address) == 200, "it would be of no use to start it anew"
        Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
        back = Scrape(address)
        assert [back.value(f"blogcrawler_{name}up") for name in ("", "archive_", "queue_")] == [0, 1, 0]
        assert back.value("blogcrawler_posts") == 0


def test_a_server_that_is_started_again_is_found_again(tmp_path, postgresql_server):
    with postgresql_server.database() as url:
        Archive.open(url).close()
        with serving(tmp_path, "--queue", url, says=".*", DATABASE_URL=url) as address:
            assert Scrape(address).value("blogcrawler_up") == 1
            postgresql_server.stop()
            try:
                assert Scrape(address).value("blogcrawler_up") == 0
            finally:
                postgresql_server.start()
            assert Scrape(address).value("blogcrawler_up") == 1


def test_without_a_queue_the_archive_alone_is_told_of(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
        archive.start_crawl("http://a.example.org/", now=datetime.now(UTC) - timedelta(days=1))
    with serving(tmp_path) as address:
        told = Scrape(address)
        assert told.value("blogcrawler_up") == 1
        assert told.values("blogcrawler_queue_up") == told.values("blogcrawler_jobs") == []
        assert told.by("blogcrawler_blogs", "state") == {"cut_short": 1}
        for path, method, status in (("", "GET", 404), ("metrics", "POST", 405)):
            assert ask(address, path, method)[0] == status


def test_workers_and_jobs_are_told_by_their_state(tmp_path, postgresql_url):
    Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
    with open_jobs(postgresql_url) as jobs, open_jobs(postgresql_url) as silent:
        jobs.enqueue(JobRequest(name, f"http://{name}.example.org/", 0) for name in "abcd")
        jobs.enter("somewhere", 1, 3, 60)
        silent.enter("elsewhere", 2, 5, 60)
        _, later, gone = (jobs.claim(name) for name in "abc")
        jobs.give_back(later, datetime.now(UTC) + timedelta(days=1))
        jobs.failed(gone, "404", 8, again=None)
        time.sleep(1.1)
        jobs.renew(())
        with serving(tmp_path, "--queue", postgresql_url, WORKER_LOST_AFTER=60) as address:
            told = Scrape(address)
    assert told.by("blogcrawler_jobs", "state") == {"waiting": 1, "later": 1, "running": 1, "given_up": 1}
    assert told.by("blogcrawler_workers", "state") == {"living": 2}
    assert (told.value("blogcrawler_crawl_slots"), told.value("blogcrawler_crawls_running")) == (8, 1)
    assert told.value("blogcrawler_oldest_waiting_job_age_seconds") > 1


def test_a_queue_that_nothing_was_put_into_is_empty_until_something_is(tmp_path, postgresql_url):
    Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
    with serving(
        tmp_path, "--queue", postgresql_url, says=r"blogcrawler: The queue at \S+ is empty; [^\n]*"
    ) as address:
        for _ in range(2):
            told = Scrape(address)
            assert [told.value(f"blogcrawler_{name}up") for name in ("", "archive_", "queue_")] == [1, 1, 1]
            assert not any(told.values("blogcrawler_jobs"))
        with open_jobs(postgresql_url) as jobs:
            jobs.enqueue([JobRequest("a", "http://a.example.org/", 0)])
        assert Scrape(address).by("blogcrawler_jobs", "state") == {"waiting": 1}


# -------------------------------------------------------------------------------------------------------- parts of it


@pytest.mark.parametrize("make", [lambda: WorkMetrics(slots=1, silent_s=1), lambda: RoundMetrics(silent_s=1)])
def test_who_does_nothing_any_more_is_not_well(make):
    metrics = make()
    with Endpoint(metrics.registry, metrics.is_well).serving("127.0.0.1", 0) as address:
        assert health(address) == 200
        time.sleep(1.2)
        assert health(address) == 503
        metrics.note_heartbeat(**({"is_cut_off": True} if isinstance(metrics, WorkMetrics) else {}))
        assert health(address) == 200
        if isinstance(metrics, WorkMetrics):
            assert Scrape(address).value("blogcrawler_worker_queue_up") == 0


def test_names_are_as_prometheus_wants_them():
    for metrics in (WorkMetrics(slots=1, silent_s=1), RoundMetrics(silent_s=1)):
        with Endpoint(metrics.registry, metrics.is_well).serving("127.0.0.1", 0) as address:
            families = [one for one in Scrape(address).families if one.name.startswith("blogcrawler_")]
        assert len(families) > 2
        for family in families:
            assert re.fullmatch(r"blogcrawler_[a-z]+(_[a-z]+)*", family.name)
            assert family.documentation.endswith(".")
            assert family.type in {"counter", "gauge", "histogram"}
            if family.type == "counter":
                assert all(sample.name.endswith(("_total", "_created")) for sample in family.samples)


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        ("http://a/ cannot be fetched: 404 Not Found", "http_4xx"),
        ("http://a:1/ answered 404 Not Found; give the address of the blog's home page.", "http_4xx"),
        ("http://a:8404/404/ cannot be fetched: 503 Service Unavailable", "http_5xx"),
        ("http://timeout.example.org/ cannot be fetched: host not found", "host_not_found"),
        ("http://a/ cannot be fetched: no answer in time", "timeout"),
        ("http://a/robots.txt/ cannot be fetched: connection refused", "connection"),
        ("http://a/ cannot be fetched: forbidden by robots.txt", "robots_txt"),
        ("Its worker was lost 8 times in a row.", "worker_lost"),
        ("The crawl of http://a/ was ended by signal 15; its log is a.log.", "killed"),
        ("The crawl of http://a/ was killed by signal 9; the machine may lack memory. Its log is a.log.", "killed"),
        ("Something else, on 500 posts.", "http_5xx"),
        ("Something else, on 12345 posts.", "other"),
        ("", "other"),
    ],
)
def test_failures_are_of_few_kinds(reason, kind):
    assert failure_kind(reason) == kind


def test_a_port_that_is_taken_is_told(tmp_path, postgresql_url):
    Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for arguments in (command("metrics", "--port", port), working(postgresql_url, "--metrics", port)):
            done = run(tmp_path, arguments)
            assert (done.code, len(done.sentences)) == (1, 1)
            assert f"port {port} (Address already in use)" in done.sentences[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["metrics", "now"], "takes no argument"),
        (["metrics", "--port", "70000"], "--port must be a number from 0 to 65535"),
        (["metrics", "--queue", "postgresql://[abc/x"], "'postgresql://[abc/x' is not the URL of a queue"),
        (["worker", "--queue", "postgresql://localhost/", "--metrics", "0"], "--metrics must be a port"),
        (
            ["worker", "--burst", "--queue", "postgresql://localhost/", "-s", TOO_HIGH],
            "METRICS_PORT must be a whole number",
        ),
        (["monitor", "--queue", "postgresql://localhost/", "--every", "5", "-s", TOO_HIGH], "METRICS_PORT must be a"),
        (["metrics", "-s", TOO_HIGH], "The setting METRICS_PORT must be a whole number from 0 to 65535, not '70000'."),
        (["monitor", "--every", "5"], "--every needs a queue"),
        (["monitor", "--queue", "postgresql://localhost/", "--metrics", "9999"], "--metrics needs --every, as in"),
        (["monitor", "--metrics", "9999"], "--metrics needs --every, as in"),
        *(([name, "--queue", ""], "--queue is empty. Give a URL") for name in WITH_QUEUES),
        (["monitor", "--queue", "postgresql://localhost/", "--every", "0"], "--every must be a whole number"),
        (["monitor", "--queue", "postgresql://localhost/", "--every", "9" * 400], "of seconds from 1 to 31536000, not"),
        (
            ["monitor", "--queue", "postgresql://localhost/", "--every", "9" * 5000],
            "of seconds from 1 to 31536000, not",
        ),
    ],
)
def test_wrong_usage_is_told(tmp_path, arguments, said):
    done = run(tmp_path, command(*arguments))
    assert (done.code, len(done.sentences)) == (2, 1)
    assert said in done.sentences[0]


def test_what_is_not_installed_is_told():
    code = """
import sys
sys.modules["prometheus_client"] = None
from blogcrawler.errors import BlogcrawlerError
from blogcrawler.metrics import library
try:
    library()
except BlogcrawlerError as error:
    print(error)
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pip install 'blogcrawler[metrics]'" in told
    assert library().WorkMetrics is WorkMetrics


# ------------------------------------------------------------------------------------------------------ what is written


def test_all_that_is_told_is_documented_and_alerts_ask_for_what_is_told():
    collector = library().StatusCollector("sqlite://", None, lost_after_s=60, note=print)
    page, alerts = ((DOCS / name).read_text() for name in ("scale.md", "containers/alerts.yml"))
    with collector:
        names = {family.name for family in collector.collect()}
    for metrics in (WorkMetrics(slots=1, silent_s=1), RoundMetrics(silent_s=1)):
        names |= {family.name for family in metrics.registry.collect() if family.name.startswith("blogcrawler")}
    for name in names:
        assert re.search(rf"{name}|…_{name.split('_', 2)[-1]}", page), name
    asked = set(
        re.findall(r"blogcrawler_\w+", " ".join(rule["expr"] for rule in yaml.safe_load(alerts)["groups"][0]["rules"]))
    )
    documented = set(re.findall(r"blogcrawler_\w+", page)) | {
        f"blogcrawler_monitor_{end}" for end in re.findall(r"…_(\w+)", page)
    }
    assert asked <= documented
