"""What every store of a frontier promises."""

from __future__ import annotations

import pytest

from blogcrawler.frontier import Candidate, FrontierStore, Status


def rows(*states: Status) -> list[dict]:
    """A row in each of these states, by position."""
    return [
        Candidate(f"key{n}", f"http://example.org/{n}", n, status=state, marks=("ä", "b")).to_row()
        for n, state in enumerate(states)
    ]


def test_it_is_one(store: FrontierStore) -> None:
    assert isinstance(store, FrontierStore)


def test_rows_come_back_by_position(store: FrontierStore) -> None:
    kept = rows("pending", "done", "shelved", "claimed", "failed", "dropped", "pending")
    store.save(kept[::-1])
    assert list(store.load()) == kept
    assert list(store.load(limit=3)) == kept[:3]


@pytest.mark.parametrize("status", ["pending", "done", "shelved", "claimed", "failed", "dropped"])
def test_rows_in_a_state(store: FrontierStore, status: Status) -> None:
    kept = rows("pending", "done", status, "shelved", "claimed", "failed", "dropped", status)
    store.save(kept)
    assert list(store.load(status)) == [row for row in kept if row["status"] == status]
    assert list(store.load(status, 1)) == [row for row in kept if row["status"] == status][:1]


def test_a_row_replaces_the_one_with_its_key(store: FrontierStore) -> None:
    store.save(rows("pending", "claimed"))
    later = rows("failed")
    store.save(later)
    store.save([])
    assert list(store.load("failed")) == later
    assert [row["status"] for row in store.load()] == ["failed", "claimed"]


def test_nothing_is_left_when_it_is_cleared(store: FrontierStore) -> None:
    store.save(rows("pending", "claimed", "done"))
    store.clear()
    assert list(store.load()) == []
    store.save(rows("done"))
    assert list(store.load()) == rows("done")
