"""A frontier that several spiders work on at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from blogcrawler.errors import LeftBehind, RedisUnavailable
from blogcrawler.frontier import Candidate
from blogcrawler.shared import Redis, RedisFrontierStore
from blogcrawler.shared.frontier_store import LEASE_S
from tests.shared.server import Server

HOME = "http://example.org/"
CRAWL = "2026-11-25"


def row(key: str, **fields: Any) -> dict[str, Any]:
    return Candidate(key, f"{HOME}{key}", fields.pop("position", 0), **fields).to_row()


def states(store: RedisFrontierStore) -> dict[str, str]:
    return {each["key"]: each["status"] for each in store.load()}


def run_out(redis: Redis, store: RedisFrontierStore, *keys: str) -> None:
    """Let the leases of claims have ended."""
    redis.client.zadd(f"{store._name}:leases", dict.fromkeys(keys, 0))


@pytest.fixture
def redis(redis_server):
    made = Redis(redis_server.url)
    yield made
    made.close()


@pytest.fixture
def store(redis):
    return RedisFrontierStore(redis, HOME)


@pytest.fixture
def other(redis):
    return RedisFrontierStore(redis, HOME)


def test_a_page_is_one_spiders_alone(store, other):
    store.save([row("a"), row("b")])
    assert store.claim(row("a"), []) == "ours"
    assert store.claim(row("a"), []) == "ours", "asked again, since the answer was lost"
    assert other.claim(row("a"), []) == "claimed"
    assert other.claim(row("b"), []) == "ours"
    assert (store.holds("a"), store.holds("b"), other.holds("b")) == (True, False, True)
    assert store.still().claimed == {"b"}
    assert other.still().claimed == {"a"}
    store.save([row("a", status="done", post_links=3)])
    assert other.claim(row("a"), []) == "done"
    assert not store.holds("a")


def test_a_page_that_nobody_knows_can_be_claimed(store, other):
    assert store.claim(row("a"), []) == "ours"
    assert list(other.load()) == [row("a", status="claimed")]


def test_what_another_spider_has_claimed_or_done_is_not_written(store, other):
    store.save([row("a"), row("b"), row("c")])
    store.claim(row("a"), [])
    store.claim(row("b"), [])
    store.save([row("b", status="done", post_links=2)])
    other.save([row("a", status="dropped"), row("b"), row("c", status="dropped")])
    assert states(store) == {"a": "claimed", "b": "done", "c": "dropped"}
    assert next(iter(store.load("done")))["post_links"] == 2


def test_what_has_ended_waits_again_only_if_that_is_meant(store, other):
    store.save([row("a", status="failed", reason="500"), row("b", status="done")])
    other.save([row("a"), row("b")])
    assert states(store) == {"a": "failed", "b": "done"}
    assert other.claim(row("a"), []) == "done"
    other.write([row("a"), row("b")], again={"a"})
    assert states(store) == {"a": "pending", "b": "done"}
    assert other.claim(row("a"), []) == "ours"


def test_rows_come_back_as_they_were(store):
    odd = row("a", marks=("ä", "\0"), bonus=0.25, hints=("x",), found_on=HOME, depth=3)
    store.save([odd])
    assert list(store.load()) == [odd]


def test_pages_have_places_of_their_own_whoever_found_them(store, other):
    store.save([row("a", position=7)])
    other.save([row("b", position=7), row("c", position=8)])
    other.save([row("a", position=0, is_post=True)])
    assert [(each["key"], each["position"]) for each in store.load()] == [("a", 7), ("b", 8), ("c", 9)]


def test_thousands_are_written_and_read_in_parts(store):
    store.fill(row(f"{number}", position=number) for number in range(2600))
    assert [each["position"] for each in store.load()] == list(range(2600))
    assert [each["key"] for each in store.load("pending", 2)] == ["0", "1"]
    assert len(list(store.load("pending"))) == 2600
    assert len(store.still().waiting) == 1000


# ------------------------------------------------------------------------------------------------------- what is told


def test_spiders_hear_what_others_tell_in_order_and_once(store, other):
    store.write([row("a")], [[1, "é"]])
    other.write([], [[2], [3]])
    store.claim(row("a"), [[4]])
    assert other.news() == [1, "é", [4]] or other.news() == []
    store.write([], [[5]])
    assert other.news() == [5]
    assert store.news() == [2, 3]
    assert store.news() == []


def test_who_joins_hears_only_what_is_told_from_then_on(redis, store):
    store.ready(CRAWL)
    store.write([row("a")], [["before"]])
    late = RedisFrontierStore(redis, HOME)
    assert late.join("another crawl").spiders == 0
    assert late.join(CRAWL).spiders == 2
    store.write([], [["after"]])
    assert late.news() == ["after"]
    assert list(late.earlier()) == ["before"]


def test_who_joins_late_can_hear_all_that_was_told_before(redis, store):
    store.ready(CRAWL)
    for number in range(250):
        store.write([], [[number]])
    late = RedisFrontierStore(redis, HOME)
    late.join(CRAWL)
    store.write([], [["after"]])
    assert list(late.earlier()) == list(range(250))
    assert late.news() == ["after"]
    assert list(store.earlier()) == []


def test_who_joins_late_knows_how_much_was_done_and_what_has_ended_the_crawl(redis, store, other):
    store.ready(CRAWL, 7)
    other.join(CRAWL)
    for key in "abc":
        store.save([row(key)])
    store.claim(row("a"), [])
    other.claim(row("b"), [])
    other.claim(row("a"), [])
    other.stop(["page_limit", "nine"], ["over"])
    store.stop(["time_limit", "hours"], ["over too"])
    assert store.news() == ["over"]
    late = RedisFrontierStore(redis, HOME)
    assert late.join(CRAWL)[:3] == (3, 9, ["page_limit", "nine"])
    for one in (store, other, late):
        redis.client.zrem(f"{store._name}:spiders", one._spider)
    again = RedisFrontierStore(redis, HOME)
    assert again.join(CRAWL)[:3] == (1, 0, None), "the crawl goes on when nobody was at work on it"


def test_who_joins_is_told_what_those_agree_on_that_are_at_work(redis, store, other):
    store.ready(CRAWL, terms={"version": "1"})
    assert other.join(CRAWL, {"version": "2"}).terms == {"version": "1"}
    for one in (store, other):
        redis.client.zrem(f"{store._name}:spiders", one._spider)
    first, second = RedisFrontierStore(redis, HOME), RedisFrontierStore(redis, HOME)
    assert first.join(CRAWL, {"version": "3"}).terms == {"version": "3"}, "the dead need not agree"
    assert second.join(CRAWL, {"version": "2"}).terms == {"version": "3"}, "at once, whatever is still to be written"


def test_what_one_tells_of_a_page_that_is_another_s_by_now_is_not_told(redis, store, other):
    store.save([row("a")])
    assert store.claim(row("a"), []) == "ours"
    run_out(redis, store, "a")
    other.news()
    assert other.claim(row("a"), []) == "ours"
    store.write([row("a", status="done"), row("b")], [["read by the first"]])
    assert other.news() == []
    assert states(other) == {"a": "claimed", "b": "pending"}
    other.write([row("a", status="done")], [["read by the second"]])
    assert store.news()[-1] == "read by the second"


def test_halves_of_characters_do_no_harm(redis, store, other):
    store.save([row("a", marks="\ud800", reason="\0\udfff")])
    store.claim(row("a", marks="\ud800", reason="\0\udfff"), ["told \ud83d"])
    assert other.news() == ["told ?"]
    run_out(redis, store, "a")
    assert list(other.still().waiting) == [row("a", marks="?")]


def test_a_frontier_that_nobody_has_ended_is_forgotten_some_time(redis, store):
    store.ready(CRAWL)
    store.save([row("a")])
    keys = [f"{store._name}:{part}" for part in ("rows", "state:pending", "ready")]
    assert all(redis.client.ttl(key) > 1_000_000 for key in keys), "its spider may be killed"
    for key in keys:
        redis.client.expire(key, 100)
    store.beat()
    assert all(redis.client.ttl(key) > 1_000_000 for key in keys)
    store.leave()
    assert 0 < redis.client.ttl(f"{store._name}:closing") <= LEASE_S
    store.reopen()
    RedisFrontierStore(redis, HOME).join(CRAWL)
    assert all(redis.client.ttl(key) > 1_000_000 for key in keys)


def test_who_was_away_for_too_long_is_told_so(redis, store, other):
    store.write([], [["first"]])
    assert other.news() == ["first"]
    for number in range(9000):
        redis.client.xadd(f"{store._name}:log", {"by": "x", "did": "[]"}, maxlen=4000, id=f"{2**60}-{number}")
    with pytest.raises(LeftBehind, match="have gone on without this one"):
        other.news()


# ----------------------------------------------------------------------------------------- spiders that die or are slow


def test_what_a_dead_spider_has_claimed_waits_again_and_all_are_told(redis, store, other):
    store.save([row("a"), row("b")])
    store.claim(row("a"), [])
    run_out(redis, store, "a")
    assert other.news() == [["frontier", "wait_again", [f"{HOME}a"], {}]]
    assert states(other) == {"a": "pending", "b": "pending"}
    assert other.claim(row("a"), []) == "ours"


def test_what_comes_too_late_changes_nothing(redis, store, other):
    store.save([row("a")])
    store.claim(row("a"), [])
    run_out(redis, store, "a")
    store.write([row("a", status="done")])
    assert states(store) == {"a": "pending"}
    store.claim(row("a"), [])
    run_out(redis, store, "a")
    assert other.claim(row("a"), []) == "ours"
    store.write([row("a", status="failed", reason="404")])
    store.beat()
    assert states(store) == {"a": "claimed"}
    other.save([row("a", status="done")])
    assert states(store) == {"a": "done"}


def test_claims_hold_as_long_as_their_spider_tells_that_it_lives(redis):
    store = RedisFrontierStore(redis, HOME, lease_s=0.4)
    store.claim(row("a"), [])
    for _ in range(4):
        time.sleep(0.2)
        store.beat()
    store.save([row("a", status="done")])
    assert states(store) == {"a": "done"}


def test_a_page_that_spiders_may_have_died_of_is_given_up(redis, store, other):
    store.save([row("a")])
    for _ in range(3):
        assert store.claim(row("a"), []) == "ours"
        run_out(redis, store, "a")
        store.still()
        store.lose("a")
    reason = "the spiders that asked for it died, several times"
    assert other.news()[-1] == ["frontier", "given_up", [f"{HOME}a", reason], {}]
    assert list(store.load("failed")) == [row("a", status="failed", reason=reason)]


def test_who_leaves_gives_back_what_is_under_way(store, other):
    store.ready(CRAWL)
    assert other.join(CRAWL).spiders == 2
    store.save([row("a"), row("b")])
    store.claim(row("a"), [])
    other.claim(row("b"), [])
    threading.Timer(0.2, other.beat).start()
    assert store.leave() == 1
    assert states(other) == {"a": "pending", "b": "claimed"}
    assert other.leave() == 0
    late = RedisFrontierStore(other._redis, HOME)
    assert late.join(CRAWL).spiders == -1, "the last one writes down how the crawl ended"
    store.clear(is_ended=True)
    assert late.join(CRAWL).spiders == -1, "which another one cannot have done"
    other.clear(is_ended=True)
    assert late.join(CRAWL).spiders == 0


def test_a_crawl_whose_end_could_not_be_written_down_can_be_joined(redis, store):
    store.ready(CRAWL)
    store.save([row("a")])
    assert store.leave() == 0
    assert store.leave() == 0, "asked again, since the answer was lost"
    store.reopen()
    late = RedisFrontierStore(redis, HOME)
    assert late.join(CRAWL).spiders == 1
    assert states(late) == {"a": "pending"}


def test_who_has_left_is_not_at_work_any_more_by_a_late_beat(redis, store, other):
    store.ready(CRAWL)
    other.join(CRAWL)
    threading.Timer(0.2, other.beat).start()
    assert store.leave() == 1
    store.beat()
    assert redis.client.zrange(f"{store._name}:spiders", 0, -1) == [other._spider]


def end_lapses(redis: Redis, store: RedisFrontierStore) -> None:
    """Let the last spider not have told for long that it lives."""
    redis.client.delete(f"{store._name}:closing")


def test_the_last_one_ends_the_crawl_for_as_long_as_it_tells_that_it_lives(redis, store, other):
    store.ready(CRAWL)
    assert store.leave() == 0
    before = redis.client.pttl(f"{store._name}:closing")
    time.sleep(0.1)
    assert redis.client.pttl(f"{store._name}:closing") < before
    store.beat()
    assert redis.client.pttl(f"{store._name}:closing") >= before - 50
    assert other.join(CRAWL).spiders == -1
    end_lapses(redis, store)
    assert store.is_last(), "it slept, and nobody came"
    assert other.join(CRAWL).spiders == -1
    end_lapses(redis, store)
    assert other.join(CRAWL).spiders == 1
    assert not store.is_last()
    redis.client.zrem(f"{store._name}:spiders", other._spider)
    store.beat()
    assert other.claim(row("a"), []) == "ours", "it is the other's to end"


def test_the_last_one_forgets_the_crawl_also_where_it_was_slow(redis, redis_server, store):
    store.ready(CRAWL)
    store.save([row("a")])
    assert store.leave() == 0
    end_lapses(redis, store)
    store.clear(is_ended=True)
    assert redis_server.size == 0


@pytest.mark.parametrize("end", [lambda store: store.clear(is_ended=True), RedisFrontierStore.reopen])
def test_a_late_beat_of_the_one_that_has_ended_the_crawl_changes_nothing(redis, end):
    last, late = (RedisFrontierStore(redis, HOME) for _ in range(2))
    last.ready(CRAWL)
    assert last.leave() == 0
    end(last)
    last.beat()
    late.ready(CRAWL)
    assert late.claim(row("a"), []) == "ours"
    late.leave()


def test_who_wakes_while_the_crawl_is_ended_changes_nothing(redis, store, other):
    store.ready(CRAWL)
    other.join(CRAWL)
    redis.client.zrem(f"{store._name}:spiders", other._spider)
    assert store.leave() == 0
    with pytest.raises(LeftBehind):
        other.write([row("a")])
    other.beat()
    assert (list(store.load()), other.leave()) == ([], 1)


def test_the_last_of_those_that_live_is_told_so_when_the_dead_are_known_to_be(redis):
    store, dead = (RedisFrontierStore(redis, HOME, lease_s=0.5) for _ in range(2))
    store.ready(CRAWL)
    dead.join(CRAWL)
    assert store.leave() == 0
    with pytest.raises(LeftBehind):
        dead.news()


def test_who_leaves_may_go_when_another_one_is_heard_of(redis, store, other):
    store.ready(CRAWL)
    other.join(CRAWL)
    timer = threading.Timer(0.3, other.beat)
    timer.start()
    assert store.leave() == 1
    assert other.leave() == 0


def test_who_has_no_time_waits_for_no_sign_of_others(redis):
    """As who is asked to end; `leave` asks again and again whether there is time."""
    store, dead = (RedisFrontierStore(redis, HOME, lease_s=60) for _ in range(2))
    store.ready(CRAWL)
    dead.join(CRAWL)
    times = iter([True, True, False])
    assert store.leave(lambda: next(times)) == 1
    assert list(times) == []


def test_who_joins_a_crawl_of_the_dead_has_all_that_they_had(redis, store):
    store.ready(CRAWL)
    store.save([row("a")])
    store.claim(row("a"), [])
    redis.client.zadd(f"{store._name}:spiders", {store._spider: 0})
    late = RedisFrontierStore(redis, HOME)
    assert late.join(CRAWL).spiders == 1
    assert states(late) == {"a": "pending"}


def test_one_at_a_time_has_a_lock(store, other):
    assert store.lock("x")
    assert store.lock("x")
    assert not other.lock("x")
    assert other.lock("y")
    other.unlock("x")
    assert not other.lock("x")
    store.unlock("x")
    assert other.lock("x")


def test_a_lock_of_the_dead_is_free(redis, other):
    assert RedisFrontierStore(redis, HOME, lease_s=0.1).lock("x")
    time.sleep(0.15)
    assert other.lock("x")


def test_nothing_stays_of_a_blog_that_is_done(redis_server, redis, store):
    other = RedisFrontierStore(redis, "http://other.org/")
    for each in (store, other):
        each.ready(CRAWL)
        each.write([row("a"), row("b")], [["told"]])
        each.claim(row("a"), [])
        run_out(redis, each, "a")
        each.claim(row("b"), [])
    size = redis_server.size
    store.clear()
    assert (list(store.load()), redis_server.size) == ([], size / 2)
    other.clear()
    assert redis_server.size == 0


# ------------------------------------------------------------------------------------------------ a Redis that is away


def test_nothing_is_lost_when_redis_is_killed_and_starts_again(redis_of_session):
    with Server(is_safe=True) as server:
        redis = Redis(server.url)
        store, other = RedisFrontierStore(redis, HOME), RedisFrontierStore(redis, HOME)
        store.save([row(f"{number}", position=number) for number in range(100)])
        for number in range(10):
            store.claim(row(f"{number}"), [])
        store.write([row("0", status="done"), row("new")], [["told"]])
        before = list(store.load())
        server.kill()
        server.start()
        assert list(store.load()) == before
        assert other.claim(row("1"), []) == "claimed"
        assert other.news()[-1] == "told"
        redis.close()


def test_what_is_asked_of_a_redis_that_starts_again_is_done_once(redis_of_session, monkeypatch):
    with Server(is_safe=True) as server:
        redis = Redis(server.url, patience_s=10, sleep=lambda _: server.start())
        store, other = RedisFrontierStore(redis, HOME), RedisFrontierStore(redis, HOME)
        store.claim(row("a"), [])
        run, lost = Redis.ask, []

        def lose_answer(self: Redis, question: Any) -> Any:
            def asked() -> Any:
                answer = question()
                if not lost:
                    lost.append(answer)
                    server.kill()
                    question()
                return answer

            return run(self, asked)

        monkeypatch.setattr(Redis, "ask", lose_answer)
        store.write([row("a", status="done"), row("b")], [["told"]])
        assert other.news() == ["told"]
        assert states(store) == {"a": "done", "b": "pending"}
        redis.close()


def test_patience_has_an_end(redis_of_session):
    with Server() as server:
        redis = Redis(server.url, patience_s=0.3)
        server.kill()
        with pytest.raises(RedisUnavailable, match="has not answered for 0 s"):
            RedisFrontierStore(redis, HOME).still()
        redis.close()


class Spiders(RuleBasedStateMachine):
    """Against a model: whatever three spiders claim, end and lose in whatever order, no page is lost or done twice.

    Time passes by leases that are set to have run out.
    """

    server: Server
    pages = st.sampled_from("abcdef")
    spiders = st.integers(0, 2)

    def __init__(self) -> None:
        super().__init__()
        self.server.empty()
        self.redis = Redis(self.server.url)
        self.stores = [RedisFrontierStore(self.redis, HOME) for _ in range(3)]
        self.states: dict[str, str] = {}
        self.owners: dict[str, int] = {}
        self.lapses: Counter[str] = Counter()
        self.done: Counter[str] = Counter()

    def teardown(self) -> None:
        self.redis.close()

    @rule(page=pages, spider=spiders)
    def find(self, page: str, spider: int) -> None:
        self.stores[spider].save([row(page)])
        if self.owners.get(page) == spider:  # given back
            del self.owners[page], self.lapses[page]
        if page not in self.owners and self.states.get(page) not in ("done", "failed"):
            self.states[page] = "pending"

    @rule(page=pages, spider=spiders)
    def claim(self, page: str, spider: int) -> None:
        store = self.stores[spider]
        if store.holds(page) and self.owners.get(page) != spider:
            store.lose(page)  # as it is told of that
        expected = "done" if self.states.get(page) in ("done", "failed") else "ours"
        if self.owners.get(page, spider) != spider:
            expected = "claimed"
        assert store.claim(row(page), []) == expected
        if expected == "ours":
            self.states[page], self.owners[page] = "claimed", spider

    @rule(page=pages, spider=spiders, status=st.sampled_from(["done", "failed", "pending"]))
    def end(self, page: str, spider: int, status: str) -> None:
        store = self.stores[spider]
        if not store.holds(page):
            return
        store.save([row(page, status=status)])
        if self.owners.get(page) == spider:
            self.states[page] = status
            self.done[page] += status == "done"
            del self.owners[page], self.lapses[page]

    @precondition(lambda self: self.owners)
    @rule(data=st.data())
    def expire(self, data: Any) -> None:
        page = data.draw(st.sampled_from(sorted(self.owners)))
        run_out(self.redis, self.stores[0], page)
        self.stores[0].still()
        self.lapses[page] += 1
        self.states[page] = "failed" if self.lapses[page] > 2 else "pending"
        del self.owners[page]

    @rule(spider=spiders)
    def leave(self, spider: int) -> None:
        self.redis.client.delete(f"{self.stores[0]._name}:spiders")  # else it would wait to hear of another one
        self.stores[spider].leave()
        self.stores[spider] = RedisFrontierStore(self.redis, HOME)
        for page in [page for page, owner in self.owners.items() if owner == spider]:
            self.states[page] = "pending"
            del self.owners[page]

    @rule(spider=spiders)
    def beat(self, spider: int) -> None:
        self.stores[spider].beat()

    @rule(spider=spiders)
    def die(self, spider: int) -> None:
        """Another one begins in its place; what it had claimed runs out some time."""
        self.stores[spider] = RedisFrontierStore(self.redis, HOME)
        for page in [page for page, owner in self.owners.items() if owner == spider]:
            self.owners[page] = -1

    @invariant()
    def nothing_is_lost(self) -> None:
        assert states(self.stores[0]) == self.states
        assert all(count == 1 for count in self.done.values() if count)


class TestSpiders(Spiders.TestCase):
    settings = settings(max_examples=30, stateful_step_count=25, deadline=None)

    @pytest.fixture(autouse=True)
    def _server(self, redis_server):
        Spiders.server = redis_server
