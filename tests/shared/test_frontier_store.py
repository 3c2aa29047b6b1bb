"""A frontier that several crawlers work on at once."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from blogcrawler.errors import RedisUnavailable
from blogcrawler.frontier import Candidate
from blogcrawler.shared import Claim, Redis, RedisFrontierStore
from tests.shared.server import Server

HOME = "http://example.org/"
LONG = 60.0


def row(key: str, **fields: Any) -> dict[str, Any]:
    return Candidate(key, f"{HOME}{key}", fields.pop("position", 0), **fields).to_row()


def ended(claim: Claim, status: str = "done", **fields: Any) -> dict[str, Any]:
    return {**claim.row, "status": status, **fields}


def keys(claims: list[Claim]) -> list[str]:
    return [claim.key for claim in claims]


@pytest.fixture
def redis(redis_server):
    made = Redis(redis_server.url)
    yield made
    made.close()


@pytest.fixture
def store(redis):
    return RedisFrontierStore(redis, HOME)


def test_posts_are_claimed_first_then_pages_as_they_were_found(store):
    assert store.add([row("page"), row("a", is_post=True), row("other"), row("b", is_post=True)]) == 4
    assert keys(store.claim(3, lease_s=LONG)) == ["a", "b", "page"]
    assert keys(store.claim(3, lease_s=LONG)) == ["other"]
    assert store.claim(3, lease_s=LONG) == []
    assert store.counts() == {"pending": 0, "shelved": 0, "claimed": 4, "done": 0, "failed": 0, "dropped": 0}


def test_what_is_known_is_not_added_again_whatever_has_become_of_it(store):
    store.add([row("a"), row("b"), row("a")])
    (claim,) = store.claim(lease_s=LONG)
    store.settle(claim, ended(claim, post_links=3))
    assert store.add([row("a"), row("b"), row("c")]) == 1
    assert [(each["key"], each["position"], each["status"]) for each in store.load()] == [
        ("a", 0, "done"), ("b", 1, "pending"), ("c", 2, "pending"),
    ]  # fmt: skip


def test_ranks_say_what_is_best_and_leave_what_waits_no_more(store):
    store.add([row(key) for key in "abcd"])
    (first,) = store.claim(lease_s=LONG)
    store.rank({"a": -9, "d": 1.5, "c": 2, "unknown": 0} | {f"x{number}": 0 for number in range(2500)})
    assert first.key == "a"
    assert keys(store.claim(9, lease_s=LONG)) == ["d", "c", "b"]


def test_a_page_ends_together_with_what_was_found_on_it(store):
    store.add([row("a", marks=("ä", "\ud800"))])
    (claim,) = store.claim(lease_s=LONG)
    assert claim.row == row("a", marks=("ä", "\ud800"), status="claimed")
    assert store.settle(claim, ended(claim, post_links=2), [row("a"), row("b", is_post=True), row("c")]) == 2
    assert list(store.load("done")) == [row("a", marks=("ä", "\ud800"), status="done", post_links=2)]
    assert list(store.load("pending")) == [row("b", position=1, is_post=True), row("c", position=2)]


def test_an_answer_that_was_lost_is_asked_for_again(store):
    store.add([row("a")])
    (claim,) = store.claim(lease_s=LONG)
    assert store.settle(claim, ended(claim), [row("b")]) == 1
    assert store.settle(claim, ended(claim), [row("b")]) == 0
    assert store.counts()["done"] == 1


def test_a_late_end_of_a_claim_that_ran_out_is_refused(store):
    store.add([row("a"), row("b")])
    (late,) = store.claim(lease_s=0.05)
    time.sleep(0.06)
    assert store.settle(late, ended(late), [row("new")]) is None
    assert keys(again := store.claim(lease_s=LONG)) == ["a"], "before others, though it waits again"
    assert again[0].token > late.token
    assert store.settle(late, ended(late), [row("new")]) is None
    assert store.renew([late, *again], lease_s=LONG) == {"a"}
    assert store.settle(again[0], ended(again[0], "failed", reason="404")) == 0
    assert store.counts() == {"pending": 1, "shelved": 0, "claimed": 0, "done": 0, "failed": 1, "dropped": 0}


def test_a_page_that_crawlers_may_have_died_of_comes_last_in_the_end(redis, store):
    store.add([row("a", is_post=True), row("b"), row("c")])
    claimed = []
    for _ in range(5):
        (claim,) = store.claim(lease_s=LONG)
        claimed.append(claim.key)
        if claim.key == "a":
            redis.client.zadd(f"{store._name}:leases", {"a": 0})
    assert claimed == ["a", "a", "a", "b", "c"]
    (last,) = store.claim(lease_s=LONG)
    assert store.settle(last, ended(last)) == 0
    assert redis.client.exists(f"{store._name}:lapses") == 0


def test_claims_that_are_renewed_hold(store):
    store.add([row("a")])
    claims = store.claim(lease_s=0.3)
    for _ in range(3):
        time.sleep(0.15)
        assert store.renew(claims, lease_s=0.3) == set()
        assert store.claim(lease_s=LONG) == []
    assert store.settle(claims[0], ended(claims[0])) == 0


def test_what_is_given_back_waits_at_once(store):
    store.add([row("a"), row("b")])
    claims = store.claim(1, lease_s=LONG)
    store.release(claims)
    store.release(claims)
    assert store.settle(claims[0], ended(claims[0])) is None
    assert keys(store.claim(2, lease_s=LONG)) == ["a", "b"]


def test_a_row_that_is_saved_is_nobodys_any_more(store):
    store.add([row("a")])
    (claim,) = store.claim(lease_s=LONG)
    store.save([row("a")])
    assert store.settle(claim, ended(claim)) is None
    assert list(store.load()) == [row("a")]


def test_rows_of_saves_and_finds_have_places_of_their_own(store):
    store.save([row("a", position=7)])
    store.add([row("b")])
    assert [each["position"] for each in store.load()] == [7, 8]


def test_thousands_are_read_in_parts(store):
    store.add([row(f"{number}", is_post=number % 3 == 0) for number in range(2600)])
    for claim in store.claim(50, lease_s=LONG):
        store.settle(claim, ended(claim))
    assert [each["position"] for each in store.load()] == list(range(2600))
    assert len(list(store.load("pending"))) == 2550
    assert [each["key"] for each in store.load("done", 2)] == ["0", "3"]


def test_nothing_stays_of_a_blog_that_is_done(redis_server, redis, store):
    other = RedisFrontierStore(redis, "http://other.org/")
    for each in (store, other):
        each.add([row("a"), row("b")])
        (claim,) = each.claim(lease_s=LONG)
        each.settle(claim, ended(claim))
        each.claim(lease_s=LONG)
    size = redis_server.size
    store.clear()
    assert (list(store.load()), redis_server.size) == ([], size / 2)
    other.clear()
    assert redis_server.size == 0


def test_the_example_works_off_a_frontier(redis_server, redis):
    text = (Path(__file__).parents[2] / "docs" / "shared-crawls.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1].replace("redis://localhost:6379/0", redis_server.url), names)
    assert RedisFrontierStore(redis, names["url"]).counts()["done"] == 1


# ---------------------------------------------------------------------------------------------------------- what may go wrong


def test_nothing_is_lost_when_redis_is_killed_and_starts_again(redis_of_session):
    with Server(is_safe=True) as server:
        redis = Redis(server.url)
        store = RedisFrontierStore(redis, HOME)
        store.add([row(f"{number}") for number in range(100)])
        claims = store.claim(10, lease_s=LONG)
        for claim in claims[:5]:
            store.settle(claim, ended(claim), [row(f"from {claim.key}")])
        before, counts = list(store.load()), store.counts()
        server.kill()
        server.start()
        assert (list(store.load()), store.counts()) == (before, counts)
        assert [store.settle(claim, ended(claim)) for claim in claims] == [0] * 10, "those that were settled, once more"
        assert len(store.claim(1000, lease_s=LONG)) == 95
        redis.close()


def test_what_is_asked_of_a_redis_that_starts_again_waits(redis_of_session):
    with Server(is_safe=True) as server:
        redis = Redis(server.url, patience_s=10, sleep=lambda _: server.start())
        store = RedisFrontierStore(redis, HOME)
        store.add([row("a")])
        (claim,) = store.claim(lease_s=LONG)
        server.kill()
        assert store.settle(claim, ended(claim), [row("b")]) == 1
        redis.close()


def test_patience_has_an_end(redis_of_session):
    with Server() as server:
        redis = Redis(server.url, patience_s=0.3)
        server.kill()
        with pytest.raises(RedisUnavailable, match="has not answered for 0 s"):
            RedisFrontierStore(redis, HOME).counts()
        redis.close()


CRAWLER = """
import json, sys, time
from blogcrawler.frontier import Candidate
from blogcrawler.shared import Redis, RedisFrontierStore
url, home, lease_s, work_s = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
store = RedisFrontierStore(Redis(url), home)
while True:
    claims = store.claim(2, lease_s=lease_s)
    if not claims and not any(store.counts()[state] for state in ("pending", "claimed")):
        break
    print(json.dumps({"claimed": [claim.key for claim in claims]}), flush=True)
    time.sleep(work_s if claims else 0.02)
    for claim in claims:
        name = claim.key
        links = [Candidate(key, home + key, 0).to_row() for key in (name + "0", name + "1", "x") if len(key) < 8]
        new = store.settle(claim, {**claim.row, "status": "done"}, links)
        print(json.dumps({"done": name, "new": new}), flush=True)
"""


def crawler(url: str, *, lease_s: float, work_s: float) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-c", CRAWLER, url, HOME, str(lease_s), str(work_s)]
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> list[dict[str, Any]]:
    assert process.stdout is not None
    return [json.loads(line) for line in process.stdout]


@pytest.mark.slow
def test_pages_of_a_crawler_that_is_killed_are_fetched_by_others(redis_server, store):
    store.add([row("x")])
    with crawler(redis_server.url, lease_s=1, work_s=60) as dying:
        assert dying.stdout is not None
        assert json.loads(dying.stdout.readline()) == {"claimed": ["x"]}
        dying.send_signal(signal.SIGKILL)
    with crawler(redis_server.url, lease_s=5, work_s=0) as one, crawler(redis_server.url, lease_s=5, work_s=0) as two:
        events = told(one) + told(two)
    done = Counter(event["done"] for event in events if "done" in event)
    assert len(done) == 127, "x, and what follows from it: six further digits, each 0 or 1"
    assert set(done.values()) == {1}
    assert sum(event["new"] for event in events if "done" in event) == 126
    assert store.counts()["done"] == 127


@pytest.mark.slow
def test_a_crawler_that_hangs_cannot_end_what_others_have_claimed_since(redis_server, store):
    store.add([row("x")])
    with crawler(redis_server.url, lease_s=0.5, work_s=0.2) as hanging:
        assert hanging.stdout is not None
        hanging.stdout.readline()
        hanging.send_signal(signal.SIGSTOP)
        with crawler(redis_server.url, lease_s=5, work_s=0) as other:
            events = told(other)
        hanging.send_signal(signal.SIGCONT)
        late = told(hanging)
    assert Counter(event["done"] for event in events if "done" in event).most_common(1)[0][1] == 1
    assert late == [{"done": "x", "new": None}]
    assert store.counts()["done"] == 127


class Crawlers(RuleBasedStateMachine):
    """Against a model: whatever is claimed, ends, runs out or dies in whatever order, no page is lost or done twice.

    Time passes by leases that are set to have run out.
    """

    server: Server

    def __init__(self) -> None:
        super().__init__()
        self.redis = Redis(self.server.url)
        self.store = RedisFrontierStore(self.redis, HOME)
        self.states: dict[str, str] = {}
        #: the only claim of a page that holds
        self.valid: dict[str, Claim] = {}
        #: all that crawlers believe to have
        self.claims: list[Claim] = []

    def teardown(self) -> None:
        self.store.clear()
        self.redis.close()

    def new(self, names: list[str]) -> int:
        fresh = set(names) - set(self.states)
        self.states.update(dict.fromkeys(fresh, "pending"))
        return len(fresh)

    pages = st.lists(st.sampled_from("abcdefghij"), max_size=4)

    @rule(names=pages)
    def add(self, names: list[str]) -> None:
        assert self.store.add([row(name, is_post=name < "d") for name in names]) == self.new(names)

    @rule(count=st.integers(1, 3))
    def claim(self, count: int) -> None:
        waiting = {name for name, state in self.states.items() if state == "pending"}
        found = self.store.claim(count, lease_s=LONG)
        assert set(keys(found)) <= waiting
        assert len(found) == min(count, len(waiting))
        for claim in found:
            self.states[claim.key], self.valid[claim.key] = "claimed", claim
        self.claims += found

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), status=st.sampled_from(["done", "failed", "pending"]), found=pages)
    def settle(self, data: Any, status: str, found: list[str]) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        new = self.store.settle(claim, ended(claim, status), [row(name) for name in found])
        if self.valid.get(claim.key) == claim:
            self.states[claim.key] = status
            del self.valid[claim.key]
            assert new == self.new(found)
            self.claims.remove(claim)
        else:
            assert new is None

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def release(self, data: Any) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        self.store.release([claim])
        if self.valid.get(claim.key) == claim:
            self.run_out(claim.key)

    @precondition(lambda self: self.claims)
    @rule(data=st.data())
    def renew(self, data: Any) -> None:
        claim = data.draw(st.sampled_from(self.claims))
        lost = self.store.renew([claim], lease_s=LONG)
        assert lost == (set() if self.valid.get(claim.key) == claim else {claim.key})

    @precondition(lambda self: self.valid)
    @rule(data=st.data())
    def expire(self, data: Any) -> None:
        key = data.draw(st.sampled_from(sorted(self.valid)))
        self.redis.client.zadd(f"{self.store._name}:leases", {key: 0})
        self.run_out(key)

    def run_out(self, key: str) -> None:
        self.states[key] = "pending"
        del self.valid[key]

    @rule()
    def all_crawlers_die(self) -> None:
        self.claims.clear()

    @rule(ranks=st.dictionaries(st.sampled_from("abcdefghij"), st.floats(-1e9, 1e9)))
    def rank(self, ranks: dict[str, float]) -> None:
        self.store.rank(ranks)

    @invariant()
    def nothing_is_lost(self) -> None:
        counts = {state: count for state, count in self.store.counts().items() if count}
        assert counts == Counter(self.states.values())
        assert {each["key"]: each["status"] for each in self.store.load()} == self.states


class TestCrawlers(Crawlers.TestCase):
    settings = settings(max_examples=60, stateful_step_count=40, deadline=None)

    @pytest.fixture(autouse=True)
    def _server(self, redis_server):
        Crawlers.server = redis_server
