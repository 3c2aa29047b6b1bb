"""What is told of a crawl is kept with the rows that it belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from blogcrawler.crawl.journal import Journal, JournalledStore
from blogcrawler.frontier import Frontier, MemoryStore

SITE = "http://example.org"


class Kept(MemoryStore):
    """A store that can be away."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Any] = []
        self.is_away = False

    def write(self, rows: Any, told: Any = ()) -> None:
        if self.is_away:
            raise OSError
        self.save(rows)
        self.told += told


@pytest.fixture
def kept() -> Kept:
    return Kept()


def test_it_is_written_with_the_rows_and_without_any(kept):
    journal = Journal()
    frontier = Frontier(JournalledStore(kept, journal))
    journal.note("reader", "know", [f"{SITE}/a"])
    assert kept.told == []
    frontier.add(f"{SITE}/a", is_post=False)
    frontier.flush()
    assert kept.told == [["reader", "know", [[f"{SITE}/a"]], {}]]
    journal.note("reader", "add_list", f"{SITE}/b")
    frontier.flush()
    frontier.flush()
    assert [command[1] for command in kept.told] == ["know", "add_list"]


def test_what_could_not_be_written_is_told_the_next_time_in_order(kept):
    journal = Journal()
    frontier = Frontier(JournalledStore(kept, journal))
    frontier.add(f"{SITE}/a", is_post=False)
    journal.note("places", "judge", "first")
    kept.is_away = True
    with pytest.raises(OSError):  # noqa: PT011
        frontier.flush()
    journal.note("places", "judge", "second")
    kept.is_away = False
    frontier.flush()
    assert [command[2] for command in kept.told] == [["first"], ["second"]]
    assert len(list(kept.load())) == 1


def test_a_page_and_all_that_it_has_taught_are_written_in_one_go(kept):
    journal = Journal()
    frontier = Frontier(JournalledStore(kept, journal))
    frontier.add(f"{SITE}/a", is_post=False)
    frontier.pop()
    frontier.commit_page(f"{SITE}/a", yield_=0, links=[], is_post=False, flush=False)
    assert [row["status"] for row in kept.load()] in ([], ["pending"], ["claimed"])
    journal.note("coverage", "note_list", f"{SITE}/a")
    frontier.flush()
    assert ([row["status"] for row in kept.load()], len(kept.told)) == (["done"], 1)
