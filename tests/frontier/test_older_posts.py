"""Pages that may be of older posts, which are looked at before a crawl ends."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from blogcrawler.frontier import Frontier, Link, MemoryStore, Observation, marks_of

E = "http://example.org"


@pytest.mark.parametrize(
    ("text", "bonus", "in_menu", "is_one"),
    [
        ("Archive 2004-2009", 0.25, False, True),
        ("Before 2010", 0.25, True, True),
        ("Everything up to 2010", 0.25, True, True),
        ("Before 2010", 0.0, True, False),
        ("Archive", 0.25, True, False),
        ("2", 0.25, True, False),
        ("05", 0.0, True, False),
        ("What we have learned in the year 2010", 0.25, True, False),
        ("Seven things of 1234567", 0.25, True, False),
    ],
)
def test_a_list_that_names_a_year(text: str, bonus: float, in_menu: bool, is_one: bool) -> None:
    frontier = Frontier(MemoryStore())
    frontier.add_many([Link(f"{E}/older.html", bonus=bonus, marks=marks_of(7, (), text), in_menu=in_menu)])
    assert frontier.has_promising_page() is is_one


def test_what_such_a_list_links_to_is_looked_at_and_no_more_of_it_when_that_is_no_post() -> None:
    frontier = Frontier(MemoryStore())
    frontier.add_many([Link(f"{E}/older.html", bonus=0.25, marks=marks_of(7, (), "Before 2010"))])
    old = [Link(f"{E}/diary/page-{word}.html", marks=marks_of(8, (), word)) for word in ("one", "two", "three")]
    read(frontier, links=old)
    assert frontier.has_promising_page()
    read(frontier)
    assert not frontier.has_promising_page(), "one of them was no post"


def test_pages_of_a_kind_that_has_posts_alone_are_looked_at_to_the_last() -> None:
    frontier = Frontier(MemoryStore())
    frontier.add_many([Link(f"{E}/diary/page-{word}.html") for word in ("one", "two", "three", "four")])
    told = [frontier.has_promising_page()]
    for is_post in (True, True, False):
        read(frontier, is_post=is_post)
        told.append(frontier.has_promising_page())
    assert told == [False, True, True, False]


def test_the_search_takes_no_longer_after_many_posts_at_the_top_of_a_site() -> None:
    def seconds(posts: int) -> float:
        frontier = Frontier(MemoryStore())
        names = [
            f"{E}/post-{'abcdefghij'[n % 10]}{'klmnopqrst'[n // 10 % 10]}{chr(97 + n // 100)}" for n in range(posts)
        ]
        for name, following in pairwise(names):
            frontier.add(name, is_post=True)
            frontier.pop()
            frontier.commit_page(name, yield_=1, links=[Link(following, is_post=True)], is_post=True)
        frontier.pop()
        start = time.process_time()
        for _ in range(100):
            assert not frontier.has_promising_page()
        return time.process_time() - start

    assert seconds(2000) < 5 * min(seconds(100) for _ in range(3)) + 0.005


def test_days_that_hold_one_post_are_not_of_a_kind_of_posts() -> None:
    frontier = Frontier(MemoryStore())
    frontier.add_many([Link(f"{E}/diary/2008/01/{day:02}.html") for day in range(1, 9)])
    read(frontier, is_post=True)
    assert not frontier.has_promising_page()


def test_pages_like_one_that_led_to_a_post_are_looked_at_until_many_lead_to_none() -> None:
    """A tag may list a post that nothing else does."""
    frontier = Frontier(MemoryStore())
    frontier.add_many([Link(f"{E}/tag/word-{name}/") for name in range(60)])
    read(frontier)
    assert not frontier.has_promising_page()
    read(frontier, links=[Link(f"{E}/2008/01/a-post.html", is_post=True)])
    read(frontier, is_post=True)
    in_vain = 0
    while frontier.has_promising_page():
        read(frontier)
        in_vain += 1
    assert in_vain == 10
    assert len(frontier) > 0


@pytest.mark.parametrize("is_cut", [False, True])
def test_before_names_are_given_up_those_are_looked_at_that_several_posts_link_to(is_cut: bool) -> None:
    """A tag of many posts has listed the newest of them, and may go on to others."""
    store, observations = MemoryStore(), list[Observation]()
    frontier = Frontier(store, on_observation=observations.append)
    frontier.add_many([Link(f"{E}/2014/post-{number}.html", is_post=True) for number in range(4)])
    common = Link(f"{E}/tag/word-9-z/")
    own = {number: [Link(f"{E}/tag/word-{number}-{name}/") for name in "abcdefghijklmnopqrst"] for number in range(4)}
    read(frontier, is_post=True, links=own[0])  # so that all of these were found first
    for number in range(1, 4):
        read(frontier, is_post=True, links=[*own[number], common])
    if is_cut:
        frontier = Frontier(store, observations=observations)
    fetched = []
    while (page := frontier.pop()) is not None:
        fetched.append(page.url)
        links = [Link(f"{E}/2008/an-old-post.html", is_post=True)] if page.url == common.url else []
        frontier.commit_page(page.url, yield_=len(links), links=links, is_post="/tag/" not in page.url)
    assert fetched.index(common.url) <= 10, "as soon as others like it are to be given up"
    assert f"{E}/2008/an-old-post.html" in fetched
    assert len(fetched) < 4 * 20, "those that one post links to are given up"


def test_variants_of_a_list_are_none() -> None:
    frontier = Frontier(MemoryStore())
    marks = marks_of(7, (), "Before 2010")
    frontier.add_many([Link(f"{E}/archive/?until=2010", bonus=0.25, marks=marks, is_variant=True)])
    assert not frontier.has_promising_page()


def read(frontier: Frontier, *, is_post: bool = False, links: list[Link] | None = None) -> None:
    """Fetch the next page."""
    page = frontier.pop()
    assert page is not None
    frontier.commit_page(page.url, yield_=0, links=links or [], is_post=is_post)
