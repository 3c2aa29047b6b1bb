"""When a crawl has done enough."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import Any

import pytest

from blogcrawler.frontier import Progress, Stop, StopReason, StopRules
from blogcrawler.frontier.stop_rules import Harvest


def _check(rules: StopRules, harvest: list[int], **given: Any) -> Stop | None:
    window = rules.harvest()
    for new_posts in harvest:
        window.record(new_posts)
    return rules.check(Progress(**{"pages": 10, "elapsed_s": 10.0, "harvest": window, **given}))


def test_no_rules_no_stop() -> None:
    assert _check(StopRules(), [0] * 1000, pages=10**9, elapsed_s=1e9) is None


@pytest.mark.parametrize(("pages", "stops"), [(99, False), (100, True), (101, True)])
def test_page_limit(pages: int, stops: bool) -> None:
    assert bool(_check(StopRules(page_limit=100), [], pages=pages)) is stops


@pytest.mark.parametrize(("elapsed_s", "stops"), [(59.9, False), (60.0, True)])
def test_time_limit(elapsed_s: float, stops: bool) -> None:
    assert bool(_check(StopRules(time_limit_s=60), [], elapsed_s=elapsed_s)) is stops


@pytest.mark.parametrize(
    ("harvest", "pending_posts", "stops"),
    [
        ([], 0, False),
        ([0] * 4, 0, False),
        ([0] * 5, 0, True),
        ([0] * 5, 1, False),
        ([9, 0, 0, 0, 0, 0], 0, True),
        ([0, 1, 0, 0, 0], 0, True),
        ([0, 1, 0, 1, 0], 0, False),
    ],
)
def test_harvest(harvest: list[int], pending_posts: int, stops: bool) -> None:
    stop = _check(StopRules(harvest_window=5, harvest_min=2), harvest, pending_posts=pending_posts)
    assert bool(stop) is stops
    assert stop is None or (stop.rule == "harvest" and (stop.reason, stop.pages) == (StopReason.LOW_HARVEST, 5))


def _harvest(posts: int, again: int, in_vain: int) -> Harvest:
    """Posts that a list shows first, some of which another one shows again, before pages that show nothing."""
    harvest = StopRules().harvest()
    for number in range(posts):
        harvest.look([str(number)])
    harvest.record(posts)
    harvest.record(0, map(str, range(again)))
    for _ in range(in_vain):
        harvest.record(0)
    return harvest


@pytest.mark.parametrize(
    ("again", "in_vain", "pending_posts", "stops"),
    [(16, 5, 0, True), (15, 5, 0, False), (18, 4, 0, False), (18, 5, 1, False)],
)
def test_pages_that_lead_to_known_posts_alone(again: int, in_vain: int, pending_posts: int, stops: bool) -> None:
    rules = StopRules(patience=5)
    harvest = _harvest(20, again, in_vain)
    stop = rules.check(Progress(pages=10, elapsed_s=1, harvest=harvest, pending_posts=pending_posts, posts=20))
    assert bool(stop) is stops
    harvest.discovered()
    assert rules.check(Progress(pages=10, elapsed_s=1, harvest=harvest, posts=20)) is None


@pytest.mark.parametrize(("in_vain", "stops"), [(19, False), (20, True)])
def test_large_blogs_need_more_patience(in_vain: int, stops: bool) -> None:
    harvest = _harvest(200, 200, in_vain)
    assert bool(StopRules(patience=5).check(Progress(pages=9, elapsed_s=1, harvest=harvest, posts=200))) is stops


@pytest.mark.parametrize(
    ("in_vain", "seeds", "stops"), [(5, 19, True), (5, 20, False), (14, 20, False), (15, 20, True)]
)
def test_more_patience_is_needed_as_long_as_the_feed_was_all(in_vain: int, seeds: int, stops: bool) -> None:
    progress = Progress(pages=9, elapsed_s=1, harvest=_harvest(20, 20, in_vain), posts=20, seeds=seeds)
    assert bool(StopRules(patience=5).check(progress)) is stops


@pytest.mark.parametrize(
    ("in_vain", "most_listed", "seeds", "stops"),
    [(5, 95, 50, True), (4, 95, 50, False), (9, 94, 50, False), (9, 95, 51, False), (10, 94, 51, True)],
)
def test_half_the_patience_is_enough_where_one_page_lists_all(
    in_vain: int, most_listed: int, seeds: int, stops: bool
) -> None:
    given = {"posts": 100, "seeds": seeds, "most_listed": most_listed}
    progress = Progress(pages=9, elapsed_s=1, harvest=_harvest(100, 100, in_vain), **given)
    assert bool(StopRules(patience=10).check(progress)) is stops


def test_lists_that_go_on_through_known_posts_may_lead_to_others() -> None:
    harvest = _harvest(30, 0, 0)
    for number in range(15):
        harvest.record(0, [str(2 * number), str(2 * number + 1)])
    assert StopRules(patience=5).check(Progress(pages=9, elapsed_s=1, harvest=harvest, posts=30)) is None


@pytest.mark.parametrize(
    ("most_listed", "again", "pages", "found_on_posts", "stops"),
    [
        (100, 40, 4, 50, True),
        (90, 40, 4, 50, False),
        (100, 30, 4, 50, False),
        (100, 40, 1, 50, False),
        (100, 40, 4, 40, False),
    ],
)
def test_a_list_of_all_posts_that_links_between_posts_confirm_needs_few_pages_that_agree(
    most_listed: int, again: int, pages: int, found_on_posts: int, *, stops: bool
) -> None:
    rules, harvest = StopRules(patience=2), _harvest(100, 0, 0)
    harvest.discovered()
    for number in range(pages):
        harvest.record(0, map(str, range(number * again // pages, (number + 1) * again // pages)))
    given = {"posts": 100, "seeds": 10, "most_listed": most_listed, "found_on_posts": found_on_posts}
    assert bool(rules.check(Progress(pages=9, elapsed_s=1, harvest=harvest, **given))) is stops
    waits = {"has_promising_page": lambda: True}
    assert rules.check(Progress(pages=9, elapsed_s=1, harvest=harvest, **given, **waits)) is None


def test_a_side_bar_lists_nothing() -> None:
    harvest = StopRules().harvest()
    for _ in range(40):
        harvest.record(0, map(str, range(10)))
    assert StopRules(patience=5).check(Progress(pages=9, elapsed_s=1, harvest=harvest, posts=10)) is None


def test_a_page_that_shows_what_another_has_shown() -> None:
    harvest = StopRules().harvest()
    assert not harvest.is_repetition(["a", "b", "c"])
    assert not harvest.is_repetition(["a", "b", "d"])
    assert harvest.is_repetition(["c", "b", "a"])
    assert not harvest.is_repetition(["a", "b"])
    assert not harvest.is_repetition(["b", "a"]), "two posts may be the same by chance"


def test_a_limit_of_nothing_is_a_limit() -> None:
    assert _check(StopRules(page_limit=0), [], pages=0)


@pytest.mark.parametrize("seed", range(5))
def test_posts_on_more_than_half_of_the_pages_do_not_count_as_linked_again(seed: int) -> None:
    source, harvest = random.Random(seed), StopRules().harvest()
    counts, again = Counter[str](), set[str]()
    for page in range(1, 200):
        shown = {name for name in "abcdefghij" if source.random() < (0.45 if name < "f" else 0.55)}
        counts.update(shown)
        if page % 50 == 0:
            harvest.record(1, shown)
            again.clear()
        elif page % 2:
            harvest.look(shown)
        else:
            harvest.record(0, shown)
            again |= shown
        frequent = {name for name, count in counts.items() if 2 * count > page}
        if page % source.randint(1, 9) == 0:
            assert harvest.seen_again() == (len(again - frequent), len(frequent))


def test_the_check_takes_no_longer_with_more_posts() -> None:
    def seconds(posts: int) -> float:
        harvest = _harvest(posts, posts, 3)
        progress = Progress(pages=9, elapsed_s=1, harvest=harvest, posts=posts)
        StopRules(patience=5).check(progress)
        start = time.process_time()
        for _ in range(100):
            assert StopRules(patience=5).check(progress) is None
        return time.process_time() - start

    assert min(seconds(20_000) for _ in range(3)) < 10 * min(seconds(200) for _ in range(3))
