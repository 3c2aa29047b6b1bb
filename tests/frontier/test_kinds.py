"""Bounds on URLs, and shapes that bring nothing."""

from __future__ import annotations

import pytest

from blogcrawler.frontier.kind_history import POOR, KindHistory, PageResult
from blogcrawler.frontier.kinds import is_numbered, is_paged, is_within_bounds, shape_of

E = "http://example.org"


@pytest.mark.parametrize(
    ("url", "fits"),
    [
        (f"{E}/", True),
        (f"{E}/2011/11/11/a-day/", True),
        (f"{E}/a/b/a/b/", True),
        (f"{E}/a/b/a/b/a/b/", False),
        (f"{E}/" + "/".join("abcdefghijkl"), True),
        (f"{E}/" + "/".join("abcdefghijklm"), False),
        (f"{E}/?" + "&".join("abcdef"), True),
        (f"{E}/?" + "&".join("abcdefg"), False),
        (f"{E}/" + "a" * 2060, True),
        (f"{E}/" + "a" * 2070, False),
    ],
)
def test_bounds(url: str, fits: bool) -> None:
    assert is_within_bounds(url) is fits


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (f"{E}/calendar/2014/05/", f"{E}/calendar/1999/12/", True),
        (f"{E}/tag/a/", f"{E}/tag/b-c/", True),
        (f"{E}/?page=2", f"{E}/?page=3000", True),
        (f"{E}/archive/?sort=a&by=b", f"{E}/archive/?by=c&sort=d", True),
        (f"{E}/2014/05/", f"{E}/2015/06/", True),
        (f"{E}/about/", f"{E}/archive/", False),
        (f"{E}/tag/a/", f"{E}/author/a/", False),
        (f"{E}/tag/a/", f"{E}/tag/2/", False),
        (f"{E}/?page=2", f"{E}/?p=2", False),
        (f"{E}/archives/2014_05.html", f"{E}/archives/2009_11.html", True),
        (f"{E}/archives/2014_05.html", f"{E}/archives/000123.html", False),
        (f"{E}/archives/page-2/", f"{E}/archives/page-13/", True),
        (f"{E}/?tag=a", f"{E}/?tag=2", False),
        ("http://a.org/tag/x", "http://b.org/tag/x", False),
    ],
)
def test_shapes(a: str, b: str, same: bool) -> None:
    assert (shape_of(a) == shape_of(b)) is same


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (f"{E}/2014/05/", True),
        (f"{E}/2014-05", True),
        (f"{E}/archives/2014_05.html", True),
        (f"{E}/blog/page-2/", True),
        (f"{E}/blog/p3.php", True),
        (f"{E}/?page=2", True),
        (f"{E}/?y=2014&m=05", True),
        (f"{E}/?tag=a&page=2", False),
        (f"{E}/tag/a/", False),
        (f"{E}/tag/a2/", False),
        (E, False),
    ],
)
def test_pages_that_are_told_by_numbers(url: str, told: bool) -> None:
    assert is_numbered(shape_of(url)) is told


def test_a_shape_that_brings_nothing_is_poor_then_barren() -> None:
    shapes = KindHistory(most=6)
    news = [shapes.record(f"{E}/tag/{n}x", PageResult()) for n in range(6)]
    assert news == [False, False, True, False, False, True]
    assert shapes.exhaustion(f"{E}/tag/other") >= POOR
    assert shapes.is_given_up(f"{E}/tag/other")
    assert shapes.exhaustion(f"{E}/author/other") < POOR


def test_a_find_redeems_it() -> None:
    shapes = KindHistory(most=6)
    for n in range(4):
        shapes.record(f"{E}/tag/{n}x", PageResult())
    assert shapes.record(f"{E}/tag/good", PageResult(1))
    assert shapes.exhaustion(f"{E}/tag/other") < POOR


@pytest.mark.parametrize(
    ("url", "told"),
    [
        (f"{E}/page/7/", True),
        (f"{E}/tag/bread/page/12", True),
        (f"{E}/?offset=120", True),
        (f"{E}/2014/", False),
        (f"{E}/2014/05/", False),
        (f"{E}/?m=201405", False),
        (f"{E}/post-7/", False),
    ],
)
def test_pages_of_a_list_are_told_from_those_of_dates(url: str, told: bool) -> None:
    assert is_paged(url) is told


class TestEndsOfLists:
    def read(self, shapes: KindHistory, pages: int) -> None:
        for number in range(2, 2 + pages):
            shapes.record(f"{E}/page/{number}/", PageResult(1, listed={f"post-{number}"}))

    @pytest.mark.parametrize("listed", [(), ("post-5",)], ids=["nothing", "the last page"])
    def test_four_pages_behind_the_last_are_enough(self, listed: tuple[str, ...]) -> None:
        shapes = KindHistory()
        self.read(shapes, 4)
        ends = []
        for number in range(6, 10):
            shapes.record(f"{E}/page/{number}/", PageResult(listed=listed, leads_on=False))
            ends.append(shapes.is_given_up(f"{E}/page/{number + 1}/"))
        assert ends == [False, False, False, True]

    def test_pages_that_lead_elsewhere_go_on(self) -> None:
        """What they list may be posts that nobody recognises yet."""
        shapes = KindHistory()
        self.read(shapes, 4)
        for number in range(6, 16):
            shapes.record(f"{E}/page/{number}/", PageResult(leads_on=True))
        assert not shapes.is_given_up(f"{E}/page/16/")

    def test_months_may_be_empty(self) -> None:
        shapes = KindHistory()
        shapes.record(f"{E}/2014/05/", PageResult(1, listed={"post"}))
        for month in range(1, 9):
            shapes.record(f"{E}/2013/{month:02}/", PageResult(leads_on=False))
        assert not shapes.is_given_up(f"{E}/2012/12/")


def test_redirects_to_nowhere_count_as_often_as_something_was_asked_for() -> None:
    shapes = KindHistory()
    for number in range(2):
        shapes.record(f"{E}/go/to{number}x", PageResult(is_gone=True, detours=5))
    assert shapes.is_given_up(f"{E}/go/elsewhere")
    shapes = KindHistory()
    for number in range(10):
        shapes.record(f"{E}/go/to{number}x", PageResult(is_gone=True))
    assert not shapes.is_given_up(f"{E}/go/elsewhere"), "others may be there"


def test_empty_pages_at_the_top_say_little_of_other_pages_there() -> None:
    """Of a site all of whose addresses are parameters, static pages are no reason to leave out months."""
    shapes = KindHistory()
    for number in range(12):
        shapes.record(f"{E}/?page_id={number}", PageResult(leads_on=False))
    assert shapes.is_given_up(f"{E}/?page_id=99")
    assert not shapes.is_given_up(f"{E}/?m=201405")
