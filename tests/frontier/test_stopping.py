"""When a crawl has done enough."""

from __future__ import annotations

from typing import Any

import pytest

from blogcrawler.frontier import Stop, StopRules


def _check(rules: StopRules, harvest: list[int], **given: Any) -> Stop | None:
    window = rules.harvest()
    for new_posts in harvest:
        window.record(new_posts)
    return rules.check(**{"pages": 10, "elapsed_s": 10.0, "harvest": window, "pending_posts": 0, **given})


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
    assert stop is None or (stop.rule == "harvest" and "last 5 pages" in stop.because)


def test_a_limit_of_nothing_is_a_limit() -> None:
    assert _check(StopRules(page_limit=0), [], pages=0)
