"""What pages list, and what surrounds every page."""

from __future__ import annotations

from blogcrawler.frontier.page_learning import BoilerplateLinks


def test_a_side_bar_is_a_frame_and_a_list_is_none() -> None:
    frames = BoilerplateLinks()
    for number in range(20):
        frames.note({"newest": ["side"], str(number): ["list"] if number % 5 == 0 else []})
    assert frames.is_boilerplate("side")
    assert list(frames.not_on_most_pages(["newest", "3", "new"])) == ["3", "new"]
    assert frames.listed({"a": ["side"], "b": ["list"], "c": ["side", "list"], "d": []}) == {"b", "c", "d"}


def test_a_few_pages_tell_nothing() -> None:
    frames = BoilerplateLinks()
    frames.note({"a": ["list"]})
    assert not frames.is_boilerplate("list")
