"""Numbers that are kept for a while."""

from __future__ import annotations

from blogcrawler.browse.context import Cache


class Clock:
    """A time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_value_is_kept_twenty_times_as_long_as_it_took():
    clock = Clock()
    kept, made = Cache(clock), []

    def make(seconds):
        clock.now += seconds
        made.append(clock.now)
        return len(made)

    assert kept.get("a", lambda: make(1)) == 1
    clock.now += 19
    assert kept.get("a", lambda: make(1)) == 1
    assert kept.get("b", lambda: make(0)) == 2
    assert kept.get("b", lambda: make(0)) == 3, "what takes no time is made anew"
    clock.now += 2
    assert kept.get("a", lambda: make(1)) == 4


def test_what_cannot_be_made_is_not_kept():
    kept = Cache(Clock())
    for _ in range(2):
        try:
            kept.get("a", lambda: 1 // 0)
        except ZeroDivisionError:
            continue
        raise AssertionError
    assert kept.get("a", lambda: 1) == 1


def test_it_does_not_grow_for_ever():
    kept = Cache(Clock())
    for number in range(10_000):
        assert kept.get(number, lambda value=number: value) == number
    assert len(kept._values) <= 256
