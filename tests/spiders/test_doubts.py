"""Posts that may have been changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.spiders.doubts import FIRST, Doubts
from blogcrawler.urls import identity


def urls(count):
    return [f"http://blog.example.org/{number}/" for number in range(count)]


def looked_at(count, changed):
    doubts, found, portions = Doubts(urls(count)), [], []
    there = {identity(urls(count)[number]) for number in changed}
    while doubts.are_open:
        portions.append(doubts.next_portion(there))
        found += portions[-1]
    return found, [len(portion) for portion in portions], doubts.note(there)


@given(st.integers(0, 300))
def test_where_nothing_was_changed_few_are_looked_at(count):
    found, _, is_justified = looked_at(count, [])
    assert len(found) == min(count, FIRST)
    assert not is_justified


@given(st.integers(0, 300))
def test_where_all_were_changed_all_are_looked_at_once(count):
    found, portions, is_justified = looked_at(count, range(count))
    assert sorted(found) == sorted(urls(count))
    assert len(portions) <= 6
    assert is_justified is (count > 0)


def test_those_at_the_end_are_among_the_first():
    found, _, _ = looked_at(100, range(80, 100))
    assert set(urls(100)[80:]) <= set(found) or len(found) > FIRST
