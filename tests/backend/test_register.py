"""The register: what is wanted, what is due, and when a blog is crawled again."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import Archive, Bounds, Holder
from blogcrawler.backend.leases import LEASE

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BOUNDS = Bounds(HOUR, 7 * DAY)


@pytest.fixture
def url(archive_url):
    return archive_url


def emptied(archive):
    """For one example after another."""
    with archive.transaction() as connection:
        for table in ("claim", "wanted", "blog"):
            connection.exec_driver_sql(f"DELETE FROM {table}")


def want(archive, *urls, now=NOW):
    return archive.register.want({archive.key_of(url): url for url in urls}, now=now)


def crawled(archive, home, *, due=None, complete=True, kind="newcrawl"):
    archive.start_crawl(home, now=NOW - DAY, kind=kind)
    archive.finish_crawl(home, now=NOW - DAY, reason="finished", complete=complete)
    archive.save_addresses(home, [home])
    if due is not None:
        archive.register.set_due(home, due)


def claim(archive, who=None, **more):
    return archive.register.claim_due(who or str(Holder.new()), now=NOW, **more)


def urls(found):
    return [due.url for due in found]


def test_what_is_wanted_is_taken_in_once(archive):
    assert want(archive, "http://a.example/", "http://b.example/") == 2
    assert want(archive, "https://www.a.example", "http://c.example/", now=NOW + HOUR) == 1
    assert [one.url for one in archive.register.wanted()] == [
        "http://a.example/",
        "http://b.example/",
        "http://c.example/",
    ]


def test_what_has_arrived_is_not_wanted_any_more(archive):
    want(archive, "http://a.example/feed", "http://b.example/")
    archive.save_addresses("http://a.example/", ["http://a.example/", "https://a.example/feed"])
    assert [one.url for one in archive.register.wanted()] == ["http://b.example/"]
    assert want(archive, "http://a.example/feed") == 1
    assert [one.url for one in archive.register.wanted()] == ["http://b.example/"], "it is there"
    assert urls(archive.register.due(NOW)) == ["http://a.example/", "http://b.example/"]


def test_the_longest_overdue_comes_first(archive):
    crawled(archive, "http://late.example/", due=NOW - HOUR)
    crawled(archive, "http://later.example/", due=NOW - 2 * DAY)
    crawled(archive, "http://not-yet.example/", due=NOW + HOUR)
    want(archive, "http://wanted.example/", now=NOW - DAY)
    found = archive.register.due(NOW)
    assert urls(found) == ["http://later.example/", "http://wanted.example/", "http://late.example/"]
    assert [due.spider for due in found] == ["updatecrawl", "newcrawl", "updatecrawl"]


@pytest.mark.parametrize(
    ("kind", "complete", "spider"),
    [
        ("newcrawl", True, "updatecrawl"),
        ("newcrawl", False, "newcrawl"),
        ("updatecrawl", True, "updatecrawl"),
        ("updatecrawl", False, "updatecrawl"),
    ],
)
def test_a_first_crawl_is_gone_on_with_until_it_is_complete(archive, kind, complete, spider):
    crawled(archive, "http://a.example/", complete=complete, kind=kind)
    (due,) = archive.register.due(NOW)
    assert (due.spider, due.home) == (spider, "http://a.example/")


def test_a_blog_whose_first_crawl_was_killed_is_due(archive):
    archive.start_crawl("http://a.example/", now=NOW)
    assert urls(archive.register.due(NOW)) == ["http://a.example/"]


def test_what_is_claimed_is_not_claimed_again(archive):
    crawled(archive, "http://a.example/", due=NOW - HOUR)
    want(archive, "http://b.example/")
    first, second = claim(archive), claim(archive)
    assert urls([first, second]) == ["http://a.example/", "http://b.example/"]
    assert claim(archive) is None
    assert set(archive.leases.live(now=NOW)) == {first.key, second.key}


def test_no_more_than_so_many_at_once_over_all(archive):
    want(archive, *(f"http://{n}.example/" for n in range(5)))
    assert archive.leases.claim(archive.key_of("http://0.example/"), str(Holder.new()), now=NOW) is None
    assert [claim(archive, most=2) is None for _ in range(4)] == [False, False, True, True]
    assert claim(archive, most=3) is not None


def test_a_crawl_with_two_claims_is_one(archive):
    want(archive, "http://a.example/feed", "http://b.example/")
    who = str(Holder.new())
    assert claim(archive, who, most=2) is not None
    archive.leases.claim(archive.key_of("http://a.example/"), who, now=NOW, is_monitored=True)
    assert claim(archive, most=2) is not None


def test_the_dead_take_no_place(archive):
    want(archive, "http://a.example/")
    assert claim(archive, str(replace(Holder.new(), began="1")), most=1) is not None
    assert claim(archive, most=1) is not None


def test_what_was_due_when_a_monitor_began_is_what_it_takes(archive):
    crawled(archive, "http://a.example/", due=NOW - HOUR)
    assert claim(archive, before=NOW - 2 * HOUR) is None
    assert claim(archive, besides={archive.key_of("http://a.example/")}) is None
    assert claim(archive, before=NOW - HOUR) is not None


def test_failures_put_a_blog_off_and_a_success_brings_it_back(archive):
    home = "http://a.example/"
    crawled(archive, home)
    waits = []
    for _ in range(4):
        archive.register.note_failure("", home, "It does not answer.", BOUNDS, now=NOW)
        waits.append(archive.blog(home).due - NOW)
    assert waits == [HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR]
    assert (archive.blog(home).failures, archive.blog(home).crawl_reason) == (4, "It does not answer.")
    archive.register.set_due(home, NOW + DAY)
    assert (archive.blog(home).failures, archive.blog(home).due) == (0, NOW + DAY)
    archive.register.note_failure("", home, "\ud800\0", BOUNDS, now=NOW)
    assert archive.blog(home).due == NOW + HOUR


def test_what_is_wanted_in_vain_is_put_off(archive):
    want(archive, "http://a.example/")
    key = archive.key_of("http://a.example/")
    for _ in range(2):
        archive.register.note_failure(key, None, "No feed was found.", BOUNDS, now=NOW)
    (one,) = archive.register.wanted()
    assert (one.tried, one.reason, one.failures, one.due) == (NOW, "No feed was found.", 2, NOW + 2 * HOUR)
    assert archive.register.due(NOW) == []
    archive.register.note_failure("nobody wants this", None, "", BOUNDS, now=NOW)
    assert len(archive.register.wanted()) == 1


def steps(archive, call):
    """How many instructions of SQLite's machine a call takes, in hundreds, and what it returns."""
    taken = []
    with archive.transaction() as connection:
        driver = connection.connection.driver_connection
        driver.set_progress_handler(lambda: taken.append(1), 100)
        try:
            return call(), len(taken)
        finally:
            driver.set_progress_handler(None, 0)


@pytest.mark.parametrize("archive_url", ["sqlite"], indirect=True)  # which counts its steps
def test_a_claim_costs_the_same_however_many_are_due(archive):
    costs = []
    for size in (100, 1000):
        with archive.transaction():
            for number in range(size):
                crawled(archive, f"http://{size}-{number}.example/", due=NOW - HOUR)
            want(archive, *(f"http://wanted-{size}-{number}.example/" for number in range(size)))
        due, cost = steps(archive, lambda: claim(archive))
        still, cost_of_look = steps(archive, lambda due=due: archive.register.find_due(due.key, due.home, NOW))
        assert still
        costs.append(cost + cost_of_look)
    assert costs[1] < 2 * costs[0] + 10


def test_however_many_of_the_first_are_taken_the_next_is_found(archive):
    for number in range(50):
        crawled(archive, f"http://{number:02}.example/", due=NOW - HOUR)
    taken = [claim(archive, besides={archive.key_of("http://00.example/")}) for _ in range(49)]
    assert urls(taken) == [f"http://{number:02}.example/" for number in range(1, 50)]
    assert claim(archive, besides={archive.key_of("http://00.example/")}) is None


def test_what_is_due_is_told_of_one_blog(archive):
    crawled(archive, "http://a.example/", due=NOW - HOUR)
    crawled(archive, "http://b.example/", due=NOW + HOUR)
    archive.start_crawl("http://c.example/", now=NOW)
    want(archive, "http://d.example/")
    homes = ("http://a.example/", "http://b.example/", "http://c.example/")

    def is_due(*blog):
        return archive.register.find_due(*blog) is not None

    assert [is_due(archive.key_of(home), home, NOW) for home in homes] == [True, False, True]
    assert is_due(archive.key_of("http://d.example/"), None, NOW)
    assert not is_due(archive.key_of("http://e.example/"), None, NOW)


DUES = st.dictionaries(st.integers(0, 9), st.integers(-5, 5), min_size=1)
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)


@FEW
@given(DUES, st.integers(1, 4))
def test_monitors_take_all_that_is_due_each_once_and_in_order(sqlite_url, dues, most):
    check_that_each_is_taken_once(sqlite_url, dues, most)


@FEW
@given(DUES, st.integers(1, 4))
def test_monitors_take_all_that_is_due_from_postgresql(postgresql_archive_url, dues, most):
    check_that_each_is_taken_once(postgresql_archive_url, dues, most)


def check_that_each_is_taken_once(archive_url, dues, most):
    """However many take turns: what ends is due at another time, and its place is another's."""
    with Archive.open(archive_url) as archive:
        emptied(archive)
        for number, hours in dues.items():
            crawled(archive, f"http://{number}.example/", due=NOW + hours * HOUR)
        taken, under_way = [], []
        while True:
            who = str(Holder.new())
            due = claim(archive, who, most=most)
            if due is not None:
                taken.append(due)
                under_way.append((due, who))
                assert len(under_way) <= most
            elif under_way:
                ended, holder = under_way.pop(0)
                archive.register.set_due(ended.home, NOW + DAY)
                archive.leases.release(holder)
            else:
                break
        expected = sorted(hours for hours in dues.values() if hours <= 0)
        assert [(due.since - NOW) / HOUR for due in taken] == expected
        assert len({due.key for due in taken}) == len(taken)


WORKS = """
import sys
from datetime import UTC, datetime, timedelta
from blogcrawler.backend import Archive, Holder
archive = Archive.open(sys.argv[1])
sys.stdin.readline()
began = datetime.now(UTC)
while True:
    who = str(Holder.new())
    due = archive.register.claim_due(who, now=datetime.now(UTC), before=began, most=3)
    if due is None:
        if not archive.register.due(began):
            break
        continue
    print(due.url, flush=True)
    archive.register.postpone(due.key, datetime.now(UTC) + timedelta(days=1))
    archive.leases.release(who)
"""


def test_several_processes_take_each_blog_once(url, archive):
    expected = [f"http://{number}.example/" for number in range(60)]
    want(archive, *expected)
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", WORKS, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for _ in range(4)
        ]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        taken = [line for process in processes for line in process.communicate(timeout=100)[0].split()]
        assert [process.returncode for process in processes] == [0] * 4
    assert sorted(taken) == sorted(expected)


def test_a_lease_that_ran_out_is_taken_by_the_next(archive):
    want(archive, "http://a.example/")
    elsewhere = str(replace(Holder.new(), place="elsewhere"))
    assert claim(archive, elsewhere) is not None
    assert claim(archive) is None
    later = archive.register.claim_due(str(Holder.new()), now=NOW + LEASE)
    assert later is not None


def test_one_blog_is_looked_at_by_itself(archive):
    want(archive, "http://a.example/")
    crawled(archive, "http://b.example/", due=NOW)
    for url, home, spider in (
        ("http://a.example/", None, "newcrawl"),
        ("http://b.example/", "http://b.example/", "updatecrawl"),
    ):
        key = archive.key_of(url)
        due = archive.register.find_due(key, home, NOW)
        assert (due.key, due.url, due.spider, due.home) == (key, url, spider, home)
        assert archive.register.find_due(key, home, NOW - HOUR) is None
        assert archive.register.standing(key, home) == (0, NOW)
        if home is None:
            archive.register.note_failure(key, None, "404", BOUNDS, now=NOW)
        else:
            archive.register.note_failure("", home, "404", BOUNDS, now=NOW)
        assert archive.register.standing(key, home) == (1, NOW + HOUR)
        archive.register.begin_again(key, home, NOW)
        assert archive.register.standing(key, home) == (0, NOW)
    assert archive.register.standing("nobody's", None) == (0, None)
    assert archive.register.find_due("nobody's", None, NOW) is None
