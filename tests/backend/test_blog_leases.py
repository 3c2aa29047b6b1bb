"""Leases of blogs: nobody crawls what another one crawls, and nobody keeps what is not crawled any more."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blogcrawler.backend import Archive, Hold, Holder
from blogcrawler.backend.leases import LEASE
from blogcrawler.errors import BeingCrawled

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
HOME = "http://example.org/"


@pytest.fixture
def url(archive_url):
    return archive_url


def someone():
    return str(Holder.new())


def waits_for(condition, most_s=30):
    deadline = time.monotonic() + most_s
    while not condition():
        assert time.monotonic() < deadline, "what the test waits for does not happen"
        time.sleep(0.01)


# ----------------------------------------------------------------------------------------------------------- holders


def test_a_holder_is_written_and_read():
    holder = Holder.new()
    assert Holder.parse(str(holder)) == holder
    assert Holder.new() != holder


@given(st.text() | st.dictionaries(st.text(), st.integers()).map(json.dumps))
def test_what_is_no_holder(text):
    assert Holder.parse(text) is None


@pytest.mark.parametrize("pid", [-1, 0, "1"])
def test_numbers_that_no_process_has(pid):
    assert Holder.parse(str(replace(Holder.new(), pid=pid))) is None


def test_a_process_that_lives_and_one_that_does_not():
    here = Holder.new()
    assert not here.is_dead()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        other = replace(here, pid=child.pid, began="")
        assert not other.is_dead()
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert other.is_dead(), "it has ended, though nobody has taken notice"
    assert other.is_dead()


def test_a_number_that_another_process_has_got_since():
    here = Holder.new()
    assert here.began
    assert replace(here, began=str(int(here.began) - 1)).is_dead()


def test_of_other_machines_nothing_is_known():
    assert not replace(Holder.new(), place="elsewhere 1 pid:[1]", pid=2**22 + 1).is_dead()


# ------------------------------------------------------------------------------------------------------------ claims


def test_a_claim_keeps_others_away_until_it_is_released(archive):
    ann, bo = someone(), someone()
    assert archive.leases.claim(HOME, ann, now=NOW) is None
    in_the_way = archive.leases.claim(HOME, bo, now=NOW + SECOND)
    assert in_the_way is not None
    assert (in_the_way.owner, in_the_way.since) == (ann, NOW)
    assert f"process {os.getpid()}" in str(in_the_way.refusal(HOME))
    assert archive.leases.claim(f"{HOME}other/", bo, now=NOW) is None
    archive.leases.release(ann)
    assert archive.leases.claim(HOME, bo, now=NOW) is None
    assert set(archive.leases.live(now=NOW)) == {HOME, f"{HOME}other/"}


def test_a_claim_runs_out_unless_it_is_renewed(archive):
    ann, bo = someone(), someone()
    archive.leases.claim(HOME, ann, now=NOW)
    assert archive.leases.renew(ann, now=NOW + LEASE - SECOND) == 1
    assert archive.leases.claim(HOME, bo, now=NOW + LEASE + SECOND) is not None
    assert archive.leases.claim(HOME, bo, now=NOW + 2 * LEASE) is None
    assert archive.leases.renew(ann, now=NOW + 2 * LEASE) == 0
    archive.leases.release(ann)
    assert archive.leases.find(HOME).owner == bo


def test_the_claim_of_a_dead_process_is_free_at_once(archive):
    dead = str(replace(Holder.new(), began="1"))
    archive.leases.claim(HOME, dead, now=NOW)
    assert archive.leases.live(now=NOW) == {}
    assert archive.leases.claim(HOME, someone(), now=NOW) is None


def test_a_claim_is_handed_over_once(archive):
    monitor, child, other = someone(), someone(), someone()
    archive.leases.claim(HOME, monitor, now=NOW, is_monitored=True)
    assert archive.leases.claim(HOME, child, now=NOW + SECOND, heir_of=monitor, is_monitored=True) is None
    assert archive.leases.find(HOME).since == NOW
    assert archive.leases.claim(HOME, other, now=NOW, heir_of=monitor) is not None
    archive.leases.release(monitor)
    assert archive.leases.find(HOME).owner == child


def test_dead_claims_are_forgotten(archive):
    archive.leases.claim("a", str(replace(Holder.new(), began="1")), now=NOW)
    archive.leases.claim("b", someone(), now=NOW - 2 * LEASE)
    archive.leases.claim("c", someone(), now=NOW)
    archive.leases.forget_dead(now=NOW)
    assert [archive.leases.find(key) is None for key in "abc"] == [True, True, False]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "renew", "release"]), st.integers(0, 2), st.sampled_from("xy"), st.integers(0, 90)
    ),
    max_size=25,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(STEPS)
def test_at_any_moment_one_holds_what_was_claimed(sqlite_url, steps):
    with Archive.open(sqlite_url) as archive:
        check_that_one_holds(archive, steps)


def check_that_one_holds(archive, steps):
    """Beside a model: who has taken what, and until when."""
    people = [someone() for _ in range(3)]
    until: dict[tuple[str, str], datetime] = {}
    now = NOW
    for what, number, key, seconds in steps:
        now += seconds * SECOND
        who = people[number]
        if what == "take":
            holders = [one for (one, claimed), end in until.items() if claimed == key and end > now and one != who]
            refused = archive.leases.claim(key, who, now=now) is not None
            assert refused == bool(holders)
            if not refused:
                until = {pair: end for pair, end in until.items() if pair[1] != key} | {(who, key): now + LEASE}
        elif what == "renew":
            mine = [pair for pair in until if pair[0] == who]
            assert archive.leases.renew(who, now=now) == len(mine)
            until |= dict.fromkeys(mine, now + LEASE)
        else:
            archive.leases.release(who)
            until = {pair: end for pair, end in until.items() if pair[0] != who}
        assert {key: row.owner for key, row in archive.leases.live(now=now).items()} == {
            key: who for (who, key), end in until.items() if end > now
        }
    for who in people:
        archive.leases.release(who)


TAKES = """
import sys, time
from datetime import UTC, datetime
from blogcrawler.backend import Archive, Holder
archive, who = Archive.open(sys.argv[1]), str(Holder.new())
sys.stdin.readline()
now = datetime.now(UTC)
print(*[n for n in range(40) if archive.leases.claim(f"key{n}", who, now=now) is None], flush=True)
sys.stdin.readline()
"""


def test_of_several_processes_one_gets_each(url):
    Archive.open(url).close()
    with ExitStack() as stack:
        processes = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-c", TAKES, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for _ in range(4)
        ]
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        got = [number for process in processes for number in process.stdout.readline().split()]
    assert sorted(map(int, got)) == list(range(40))


# -------------------------------------------------------------------------------------------------------------- holds


def test_a_hold_renews_its_claims_and_gives_them_up(url, archive):
    hold = Hold(url, renewal_s=0.02)
    hold.take(HOME)
    first = archive.leases.find(archive.key_of(HOME)).until
    hold.take("http://example.com/")
    waits_for(lambda: archive.leases.find(archive.key_of(HOME)).until > first)
    told = r"example\.org is being crawled by another process since"
    with pytest.raises(BeingCrawled, match=told), closing(Hold(url)) as refused:
        refused.take("https://www.example.org")
    hold.close()
    assert archive.leases.live(now=datetime.now(UTC)) == {}


def test_a_hold_renews_while_the_crawl_is_busy_and_the_database_too(url, archive):
    """What keeps the crawl's own connection, and its thread, does not keep the claim from being renewed."""
    hold = Hold(url, renewal_s=0.02)
    hold.take(HOME)
    with archive.transaction():
        time.sleep(0.3)  # nobody else can write
    begin = archive.leases.find(archive.key_of(HOME)).until
    waits_for(lambda: archive.leases.find(archive.key_of(HOME)).until > begin)
    hold.close()


def test_a_hold_tells_that_its_claim_was_lost(url, archive):
    told: list[BeingCrawled] = []
    late = threading.Event()
    hold = Hold(url, renewal_s=0.02, on_lost=told.append, clock=lambda: datetime.now(UTC) - 2 * LEASE)
    hold.take(HOME)  # it has run out already, as if the machine had slept
    other = Hold(url, renewal_s=0.02, on_lost=lambda _: late.set())
    other.take(HOME)
    waits_for(lambda: told)
    assert "http://example.org/ is being crawled by another process now" in str(told[0])
    hold.close()
    other.close()
    assert len(told) == 1
    assert not late.is_set()


def test_a_hold_that_nobody_else_has_got_is_taken_again(url, archive):
    told: list[BeingCrawled] = []
    hold = Hold(url, renewal_s=0.02, on_lost=told.append)
    hold.take(HOME)
    archive.leases.release(archive.leases.find(archive.key_of(HOME)).owner)
    waits_for(lambda: archive.leases.find(archive.key_of(HOME)) is not None)
    hold.close()
    assert told == []


HOLDS = """
import sys, time
from blogcrawler.backend import Hold
Hold(sys.argv[1]).take(sys.argv[2])
print("held", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_what_a_killed_process_held_is_free(url, number):
    with subprocess.Popen([sys.executable, "-c", HOLDS, url, HOME], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        with pytest.raises(BeingCrawled, match=f"process {process.pid} on "), closing(Hold(url)) as refused:
            refused.take(HOME)
        process.send_signal(number)
        process.wait()
    hold = Hold(url)
    hold.take(HOME)
    hold.close()
