"""Which of several feeds that answered is the blog's."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.feeds import Feed, rank_feeds
from blogcrawler.items import Entry

START = "http://blog.example.net/"


def feed(name: str, urls: list[str], *, summary: bool = False, **more: object) -> Feed:
    entries = tuple(Entry(url, content_html="<p>x</p>", is_summary=summary) for url in urls)
    return Feed(f"{START}{name}", "rss", entries=entries, **more)  # type: ignore[arg-type]


def posts(count: int, folder: str = "") -> list[str]:
    return [f"{START}{folder}{number}" for number in range(count)]


def dated(name: str, year: str, count: int) -> Feed:
    entries = (Entry(f"{START}{year}/{number}", published=f"{year}-01-0{number + 1}") for number in range(count))
    return Feed(f"{START}{name}", "rss", entries=tuple(entries))


@pytest.mark.parametrize(
    ("first", "second", "start"),
    [
        pytest.param(feed("a", posts(1)), feed("b", posts(9), is_comments=True), START, id="comments"),
        pytest.param(feed("a", posts(1)), feed("b", []), START, id="empty"),
        pytest.param(feed("a", posts(1)), feed("b", ["http://other.example/1"] * 3), START, id="other site"),
        pytest.param(feed("a", posts(2)), feed("b", posts(9), summary=True), START, id="full before summary"),
        pytest.param(feed("a", posts(9)), feed("b", posts(3)), START, id="more entries"),
        pytest.param(feed("a", posts(2, "blog/")), feed("b", posts(9, "shop/")), f"{START}blog/", id="folder"),
        pytest.param(
            feed("a", posts(2), language="fr"), feed("b", posts(5), language="en"), f"{START}fr/", id="language"
        ),
        pytest.param(feed("a", posts(1)), feed("b", [START]), START, id="home page"),
        pytest.param(feed("a", posts(1)), feed("home/b.xml", [f"{START}home/"]), START, id="folder of the feed"),
        pytest.param(dated("a", "2023", 3), dated("b", "2014", 9), START, id="stale"),
    ],
)
def test_order(first, second, start):
    assert rank_feeds([first, second], start) == [first, second]
    assert rank_feeds([second, first], start) == [first, second]


def test_what_the_start_page_shows_comes_first():
    spoken, written = feed("a", posts(9, "episodes/")), feed("b", posts(5))
    assert rank_feeds([spoken, written], START, [*posts(5), *posts(2, "episodes/")]) == [written, spoken]
    assert rank_feeds([spoken, written], START) == [spoken, written]


def test_what_is_equal_stays():
    one, other = feed("a", posts(3)), feed("b", posts(3))
    assert rank_feeds([one, other], START) == [one, other]
    assert rank_feeds([other, one], START) == [other, one]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=5))
def test_ranking_keeps_all(shapes):
    feeds = [
        feed(str(number), posts(count), summary=summary, is_comments=comments)
        for number, (count, summary, comments) in enumerate(shapes)
    ]
    assert sorted(one.url for one in rank_feeds(feeds, START)) == sorted(one.url for one in feeds)
