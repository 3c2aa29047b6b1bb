"""Posts that may have been changed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.crawl.update.rechecks import FIRST, RecheckQueue
from blogcrawler.urls import identity


def urls(count):
    return [f"http://blog.example.org/{number}/" for number in range(count)]


def fetched(count, changed):
    queue, found, portions = RecheckQueue(urls(count)), [], []
    there = {identity(urls(count)[number]) for number in changed}
    while portion := queue.next_portion(there):
        portions.append(portion)
        found += portion
    return found, [len(portion) for portion in portions], queue.note(there)


@given(st.integers(0, 300))
def test_where_nothing_was_changed_few_are_fetched(count):
    found, _, has_changes = fetched(count, [])
    assert len(found) == min(count, FIRST)
    assert not has_changes


@given(st.integers(0, 300))
def test_where_all_were_changed_all_are_fetched_once(count):
    found, portions, has_changes = fetched(count, range(count))
    assert sorted(found) == sorted(urls(count))
    assert len(portions) <= 6
    assert has_changes is (count > 0)


def test_those_at_the_end_are_among_the_first():
    found, _, _ = fetched(100, range(80, 100))
    assert set(urls(100)[80:]) <= set(found) or len(found) > FIRST
