"""`blogcrawler status`: how the archive stands, and its queue."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from blogcrawler.backend import Archive, Bounds, Holder
from blogcrawler.items import Record
from blogcrawler.queue import open_jobs
from blogcrawler.queue.values import JobRequest
from tests.backend.conftest import postgresql_server, postgresql_url
from tests.commands.terminal import run_on_terminal
from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run

__all__ = ["postgresql_server", "postgresql_url"]

DAY = timedelta(days=1)
BOUNDS = Bounds(DAY, 7 * DAY)
AWAY = "The Redis at redis://:***@127.0.0.1/0 has not answered for 30 s."
GONE = "http://gone.example.org/: it answers 404."


def arguments(*options):
    return [*PROGRAM, "status", *options, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"]


def status(folder, *options):
    done = run(folder, arguments(*options))
    assert not has_traceback(done)
    assert (done.code, done.stderr) == (0, "")
    return done.stdout


def as_json(folder, *options):
    return json.loads(status(folder, "--json", *options))


def rows(shown):
    return [[cell.strip() for cell in line.strip("│").split("│")] for line in shown.splitlines() if "│" in line]


def claim(archive, home, *, since):
    """Let a crawl be under way that began at some time."""
    who = str(Holder.new())
    archive.leases.claim(archive.key_of(home), who, now=since)
    archive.leases.renew(who, now=datetime.now(UTC))


@pytest.fixture
def begun():
    return datetime.now(UTC)


@pytest.fixture
def folder(tmp_path, begun):
    """With an archive of a blog that is due, one that fails, one that is crawled, one that is removed, one to come."""
    with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
        for number, name in enumerate(("due", "fails", "busy", "removed")):
            home = f"http://{name}.example.org/"
            archive.start_crawl(home, now=begun - 2 * DAY)
            archive.finish_crawl(home, now=begun - 2 * DAY, reason="finished")
            archive.register.set_due(home, begun - timedelta(hours=1))
            archive.save_record(Record(blog=home, url=f"{home}1"), now=begun - number * timedelta(hours=9))
        archive.register.note_failure("", "http://fails.example.org/", "It answers 500.", BOUNDS, now=begun)
        claim(archive, "http://busy.example.org/", since=begun - timedelta(minutes=1))
        archive.register.follow("http://removed.example.org/", is_followed=False)
        key = archive.key_of("http://gone.example.org/")
        archive.register.want({key: "http://gone.example.org/"}, now=begun)
        for _ in range(3):
            archive.register.note_failure(key, None, GONE, BOUNDS, now=begun)
        yield tmp_path


def test_without_a_queue_it_tells_of_the_archive_alone(folder, begun):
    told = as_json(folder)
    assert 1 / 300 < told["blogs"].pop("posts_per_second") <= 1 / 60
    assert told["blogs"] == {
        "in_archive": 4,
        "not_crawled_yet": 1,
        "due": 1,
        "being_crawled": 1,
        "failing": 2,
        "removed": 1,
        "posts": 4,
        "posts_last_5_minutes": 1,
        "posts_last_hour": 1,
        "posts_last_day": 3,
    }
    assert (told["queue"], told["put_off"], told["workers"]) == (None, None, None)
    assert [(one["url"], one["reason"], one["failures"]) for one in told["failing"]] == [
        ("http://gone.example.org/", GONE, 3),
        ("http://fails.example.org/", "It answers 500.", 1),
    ]
    assert told["failing"][0]["due"] == (begun + 4 * DAY).isoformat()
    shown = rows(status(folder))
    assert ["due", "1"] in shown
    assert ["last day", "3"] in shown
    assert {row[0] for row in shown} >= {"per second", "last 5 minutes"}
    assert ["http://fails.example.org/", "It answers 500."] in [row[:2] for row in shown]
    assert as_json(folder, "--failed") == told["failing"]
    assert "http://gone.example.org/" in status(folder, "--failed")


def test_a_pace_is_told_only_where_something_is_crawled(folder):
    with Archive.open(f"sqlite:///{folder / DATABASE}") as archive:
        archive.leases.release(next(iter(archive.leases.live(now=datetime.now(UTC)).values())).owner)
    assert as_json(folder)["blogs"]["posts_per_second"] is None
    assert "per second" not in status(folder)


def test_the_pace_is_that_of_five_minutes_at_most_and_of_the_crawls_under_way(folder, begun):
    with Archive.open(f"sqlite:///{folder / DATABASE}") as archive:
        claim(archive, "http://long.example.org/", since=begun - timedelta(hours=1))
        assert as_json(folder)["blogs"]["posts_per_second"] == 1 / 300
        for row in archive.leases.live(now=datetime.now(UTC)).values():
            archive.leases.release(row.owner)
        claim(archive, "http://new.example.org/", since=datetime.now(UTC) + DAY)  # by a clock that is wrong
        assert as_json(folder)["blogs"]["posts_per_second"] == 0


def test_with_a_queue_it_tells_of_jobs_and_workers(folder, postgresql_url):
    with open_jobs(postgresql_url) as jobs, open_jobs(postgresql_url) as idle:
        names = ("due", "later", "gone", "waits")
        jobs.enqueue(JobRequest(f"org,example,{name}", f"http://{name}.example.org/", 0) for name in names)
        jobs.enter("somewhere", 4711, 2, 60)
        idle.enter("elsewhere", 4712, 1, 60)
        _, later, gone = (jobs.claim(name) for name in "abc")
        jobs.give_back(later, datetime.now(UTC) + DAY, reason=AWAY)
        jobs.failed(gone, GONE, 8, again=None)
        told = as_json(folder, "--queue", postgresql_url)
        assert 0 <= told["queue"].pop("oldest_waiting_s") < 60
        assert told["queue"] == {"waiting": 1, "later": 1, "running": 1, "given_up": 1}
        one, other = told["workers"]
        assert (one["host"], one["pid"], one["jobs"], one["is_lost"]) == ("somewhere", 4711, 2, False)
        assert [crawl["url"] for crawl in one["crawls"]] == ["http://due.example.org/"]
        assert told["put_off"] == [{"reason": AWAY, "jobs": 1}]
        assert [AWAY, "1"] in rows(status(folder, "--queue", postgresql_url))
        assert (other["host"], other["crawls"]) == ("elsewhere", [])
        assert told["failing"][0]["due"] is None
        shown = run_on_terminal(folder, arguments("--queue", postgresql_url)).text
        assert {"somewhere", "4711", "elsewhere", "4712"} <= set(shown.split())  # lines may be folded
        assert "given up" in shown
        failed = status(folder, "--queue", postgresql_url, "--failed")
        assert rows(failed)[0][:2] == ["http://gone.example.org/", GONE]
        assert rows(failed)[0][3:] == ["8", "given up"]
        assert "worker --queue URL --retry BLOG" in failed
        assert [one["failures"] for one in as_json(folder, "--queue", postgresql_url, "--failed")] == [8]


def test_nothing_that_fails_is_told(tmp_path, postgresql_url):
    Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
    assert status(tmp_path, "--failed") == "No blog fails.\n"
    assert status(tmp_path, "--failed", "--queue", postgresql_url) == "No blog was given up.\n"
    assert as_json(tmp_path, "--queue", postgresql_url)["workers"] == []


def test_a_queue_that_nobody_has_made_is_empty_and_is_not_made(tmp_path, postgresql_url):
    Archive.open(f"sqlite:///{tmp_path / DATABASE}").close()
    for _ in range(2):
        shown = status(tmp_path, "--queue", postgresql_url)
        assert ["waiting", "0"] in rows(shown)
        assert "/test_" in shown.splitlines()[-1]
        assert shown.endswith(" is empty; monitor --queue adds jobs to it.\n")
        told = as_json(tmp_path, "--queue", postgresql_url)
        assert told["queue"] == {"waiting": 0, "later": 0, "running": 0, "given_up": 0, "oldest_waiting_s": None}
    open_jobs(postgresql_url).__exit__()
    assert "is empty" not in status(tmp_path, "--queue", postgresql_url)


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["now"], 2, "takes no argument"),
        (["--queue", "redis://localhost/"], 2, "is not the URL of a queue"),
        (["--queue", "postgresql://[abc/x"], 2, "is not the URL of a queue"),
        ([], 1, "There is no archive at"),
    ],
)
def test_what_cannot_be_done_is_told(tmp_path, more, code, said):
    done = run(tmp_path, arguments(*more))
    assert (done.code, done.stdout, len(done.sentences)) == (code, "", 1)
    assert said in done.sentences[0]
