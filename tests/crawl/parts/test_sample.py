"""Which posts are waited for before rules are made better by them."""

from __future__ import annotations

import pytest

from blogcrawler.crawl.sample import MOST_HELD, SIZE, Sample
from blogcrawler.items import Page, Record, RecordSource
from blogcrawler.urls import identity

HOME = "http://example.org/"
FOUND = [f"{HOME}{number:02}" for number in range(20)]


def sample(urls: list[str]) -> Sample:
    held = Sample()
    held.held = [Record(HOME, url, source=RecordSource(Page(url, b""), None)) for url in urls]
    return held


def names(urls: list[str]) -> list[str]:
    return [identity(url) for url in urls]


@pytest.mark.parametrize("slow", [0, 3, SIZE - 1])
def test_those_found_first_are_waited_for(slow: int) -> None:
    came = [url for url in FOUND[: SIZE + 1] if url != FOUND[slow]]
    assert not sample(came).is_complete(names(FOUND))
    held = sample([*came, FOUND[slow]])
    assert held.is_complete(names(FOUND))
    assert [record.url for record in held.take(names(FOUND))] == FOUND[: SIZE + 1]
    assert held.held == []


def test_one_that_is_gone_is_not_waited_for() -> None:
    assert sample(FOUND[1 : SIZE + 1]).is_complete(names(FOUND[1:]))


def test_a_slow_one_is_not_waited_for_without_end() -> None:
    assert not sample(FOUND[1:MOST_HELD]).is_complete(names(FOUND))
    assert sample(FOUND[1 : MOST_HELD + 1]).is_complete(names(FOUND))
