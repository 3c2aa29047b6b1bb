"""The walk along a blog's lists back to what is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.frontier import Link, marks_of
from blogcrawler.frontier.list_walk import ListWalk
from blogcrawler.urls import identity

HOME = "http://blog.example.org/"


def post(number: int) -> str:
    return f"{HOME}posts/entry-{number}.html"


def to_posts(*numbers: int, place: int = 3) -> list[Link]:
    return [Link(post(number), is_post=True, marks=marks_of(place)) for number in numbers]


def listing(url: str, text: str = "Older posts") -> Link:
    return Link(url, bonus=1.0, marks=tuple(marks_of(0, (), text)))


@dataclass
class Lists:
    """A blog's lists: what each links to."""

    pages: dict[str, list[Link]]
    known: set[int] = field(default_factory=set)
    no_posts: set[str] = field(default_factory=set)
    is_dated: bool = True
    asked: list[str] = field(default_factory=list)

    def walk(self, news: Iterable[int] = ()) -> ListWalk:
        known = {identity(post(number)) for number in self.known}
        newest = sorted(self.known)[-5:] if self.is_dated else []
        walk = ListWalk(
            [HOME],
            lambda url: identity(url) in known,
            newest={identity(post(number)) for number in newest},
            no_posts=self.no_posts,
            news={identity(post(number)) for number in news},
        )
        while (url := walk.next_url) is not None:
            self.asked.append(url)
            walk.take(url, self.pages.get(url, []))
        return walk


def paged(count: int, size: int, *, popular: tuple[int, ...] = ()) -> dict[str, list[Link]]:
    """Lists of posts from the newest (the highest number) on, with all pages' numbers below, and some posts beside."""
    numbers = list(range(count - 1, -1, -1))
    parts = [numbers[at : at + size] for at in range(0, count, size)]
    urls = [HOME, *(f"{HOME}page/{page}/" for page in range(2, len(parts) + 1))]
    below = [listing(url, str(at)) for at, url in enumerate(urls, 1)]
    return {
        url: [*to_posts(*part), *to_posts(*popular, place=9), *below] for url, part in zip(urls, parts, strict=True)
    }


@given(
    st.integers(1, 60),
    st.integers(1, 12),
    st.integers(0, 60),
    st.lists(st.integers(0, 59), max_size=4),
    st.integers(0, 9),
)
def test_all_that_is_new_is_found_and_no_more_is_read(count, size, known, popular, in_feed):
    known = min(known, count)
    lists = Lists(paged(count, size, popular=tuple(n for n in popular if n < known)), set(range(known)))
    walk = lists.walk(range(max(known, count - in_feed), count))
    assert {identity(post(n)) for n in range(known, count)} == set(walk.posts)
    needed = -(-(count - known) // size)
    assert len(lists.asked) <= needed + 2
    assert walk.is_back == (known > 0)


def test_nothing_new_costs_the_home_page():
    lists = Lists(paged(40, 5), set(range(40)))
    walk = lists.walk()
    assert (lists.asked, walk.is_back, walk.posts) == ([HOME], True, {})


def test_a_link_of_the_menu_that_looks_like_a_post_prolongs_nothing():
    pages = {url: [*links, *to_posts(99, place=9)] for url, links in paged(60, 5).items()}
    lists = Lists(pages, set(range(60)))
    walk = lists.walk()
    assert walk.is_back
    assert len(lists.asked) <= 2


def test_lists_that_show_none_of_the_news_are_old():
    months = [listing(f"{HOME}2026/{month:02}/", f"Month {month} 2026") for month in range(1, 13)]
    pages = {
        HOME: [*to_posts(1, 2), *months],
        f"{HOME}2026/09/": to_posts(11, 12),
        f"{HOME}2026/08/": to_posts(9, 10),
        f"{HOME}2026/07/": to_posts(7, 8),
    }
    lists = Lists(pages, set(range(9)))
    walk = lists.walk([11, 12])
    assert set(walk.posts.values()) == set(map(post, (9, 10, 11, 12)))
    assert walk.is_back
    assert f"{HOME}2026/06/" not in lists.asked


def test_a_list_of_chosen_posts_ends_nothing():
    """One beside the others may go from new posts to known ones, too, and have gaps."""
    months = [listing(f"{HOME}2026/{month:02}/", f"Month {month} 2026") for month in range(1, 13)]
    chosen = to_posts(13, 12, 7, 6, place=7)
    pages = {HOME: [*chosen, *months]} | {
        f"{HOME}2026/{month:02}/": [*to_posts(*range(2 * month + 1, 2 * month - 1, -1)), *chosen]
        for month in range(1, 10)
    }
    walk = Lists(pages, set(range(8))).walk(range(14, 20))
    assert set(walk.posts.values()) == set(map(post, range(8, 20)))
    assert walk.is_back


def test_a_list_of_chosen_posts_beside_the_newest_ends_nothing():
    """Also where nothing else tells what is new."""
    pages = paged(40, 4)
    pages[HOME] += to_posts(38, 29, 28, place=7)
    walk = Lists(pages, set(range(30))).walk()
    assert set(walk.posts.values()) == set(map(post, range(30, 40)))
    assert walk.is_back


def test_a_pause_of_two_years_ends_nothing():
    months = [
        listing(f"{HOME}{year}/{month:02}/", f"{month}/{year}") for year in (2024, 2025) for month in range(1, 13)
    ]
    chosen = to_posts(5, 9, place=7)
    pages = {HOME: [*chosen, *months]} | {link.url: chosen for link in months}
    pages[f"{HOME}2024/02/"] = [*to_posts(8, 7, 6), *chosen]
    walk = Lists(pages, set(range(6))).walk()
    assert set(walk.posts.values()) == set(map(post, (6, 7, 8, 9)))


def test_lists_of_some_posts_end_nothing():
    """The home page and the lists of tags go from new posts to known ones, each with other posts between them."""
    tags = [listing(f"{HOME}tags/{name}/", name) for name in ("old", "red", "blue")]
    pages = {
        HOME: [*to_posts(18, 15, 14, 9, 3, 1), *tags],
        f"{HOME}tags/old/": to_posts(2, 1, 0),
        f"{HOME}tags/red/": to_posts(17, 13, 11, 8, 5),
        f"{HOME}tags/blue/": to_posts(19, 16, 12, 10, 4),
    }
    walk = Lists(pages, set(range(10))).walk(range(14, 20))
    assert set(walk.posts.values()) == set(map(post, range(10, 20)))


def test_a_list_of_some_posts_alone_does_not_lead_back():
    walk = Lists({HOME: [*to_posts(18, 15, 13, 9, 3, 1), listing(f"{HOME}files/")]}, set(range(10))).walk(range(14, 20))
    assert not walk.is_back


@pytest.mark.parametrize("slash", ["", "/"])
def test_addresses_may_end_in_a_slash_here_and_not_there(slash):
    pages = {
        url: [replace(link, url=link.url + slash) if link.is_post else link for link in links]
        for url, links in paged(60, 5).items()
    }
    other = "" if slash else "/"
    walk = ListWalk(
        [HOME],
        lambda url: url.rstrip("/") in set(map(post, range(40))),
        newest=[identity(post(number) + other) for number in range(35, 40)],
        news=[identity(post(number) + other) for number in range(50, 60)],
    )
    asked = 0
    while (url := walk.next_url) is not None:
        walk.take(url, pages[url])
        asked += 1
    assert set(walk.posts) == {identity(post(number)) for number in range(40, 60)}
    assert (walk.is_back, asked) == (True, 5)


def test_posts_in_running_text_are_none_of_a_list():
    pages = paged(40, 5)
    pages[HOME] = to_posts(3, 2, place=0) + pages[HOME]
    pages[f"{HOME}page/2/"] += to_posts(60, place=0)
    lists = Lists(pages, set(range(32)))
    assert lists.walk().is_back
    assert lists.asked == [HOME, f"{HOME}page/2/"]


def test_what_running_text_has_told_does_not_hold_up_a_walk():
    """New posts that lists show later, and old ones that nobody knows, on all lists."""
    pages = paged(40, 5)
    pages[HOME] = to_posts(32, place=0) + pages[HOME]
    for number in range(2, 9):
        pages[f"{HOME}page/{number}/"] += to_posts(60 + number, place=0)
    lists = Lists(pages, set(range(32)))
    walk = lists.walk()
    assert set(walk.posts.values()) == set(map(post, (*range(32, 40), 62)))
    assert lists.asked == [HOME, f"{HOME}page/2/"]


def test_lists_may_be_running_text():
    pages = {url: [replace(link, marks=marks_of(0)) for link in links] for url, links in paged(60, 5).items()}
    pages = {url: [replace(link, bonus=0.0 if link.is_post else 1.0) for link in links] for url, links in pages.items()}
    lists = Lists(pages, set(range(52)))
    walk = lists.walk()
    assert set(walk.posts.values()) == set(map(post, range(52, 60)))
    assert walk.is_back
    assert len(lists.asked) <= 3


def test_news_that_no_list_shows_end_a_walk_in_time():
    lists = Lists(paged(100, 5), set(range(90)))
    walk = lists.walk(range(200, 210))
    assert set(walk.posts.values()) == set(map(post, range(90, 100)))
    assert walk.is_back
    assert len(lists.asked) <= 2 + 10


def test_what_was_found_to_be_no_post_is_no_news():
    lists = Lists({HOME: to_posts(1, 2, 3)}, {1, 2}, {identity(post(3))})
    assert lists.walk().posts == {}


@pytest.mark.parametrize(("known", "is_back"), [({1, 2}, True), (set(), False)])
def test_a_single_list_shows_all(known, is_back):
    lists = Lists({HOME: to_posts(1, 2, 3, 4)}, known)
    walk = lists.walk([3, 4])
    assert walk.is_back is is_back
    assert set(walk.posts.values()) == {post(n) for n in (1, 2, 3, 4) if n not in known}


def test_a_walk_without_end_ends():
    class Endless(dict):
        def get(self, url, default=None):
            number = len(lists.asked)
            return [*to_posts(10_000 + number), listing(f"{HOME}page/{number + 1}/", "Next")]

    lists = Lists(Endless())
    assert not lists.walk().is_back
    assert len(lists.asked) <= 200


def test_a_home_page_of_old_posts_is_no_list_of_the_newest():
    months = [listing(f"{HOME}2026/{month:02}/", f"Month {month} 2026") for month in range(1, 13)]
    pages = {HOME: [*to_posts(1, 2), *months]}
    pages |= {f"{HOME}2026/{month:02}/": to_posts(month, 1) for month in range(1, 10)}
    lists = Lists(pages, set(range(8)))
    walk = lists.walk()
    assert set(walk.posts.values()) == {post(8), post(9)}
    assert walk.is_back


def test_posts_with_addresses_of_another_form_stand_where_posts_stand():
    place = tuple(marks_of(7, (), "x"))
    other = Link(f"{HOME}notes/about-a-day", marks=place)
    elsewhere = Link(f"{HOME}imprint", marks=tuple(marks_of(9, (), "x")))
    in_menu = Link(f"{HOME}contact", marks=place, in_menu=True)
    known = [Link(post(number), is_post=True, marks=place) for number in (1, 2, 3)]
    walk = Lists({HOME: [other, *known, elsewhere, in_menu]}, {1, 2, 3}).walk()
    assert list(walk.posts.values()) == [other.url]


def test_a_home_page_with_popular_posts_alone_does_not_tell_that_nothing_is_new():
    pages = {
        HOME: [*to_posts(4, 39, 7, 11), listing(f"{HOME}all/")],
        f"{HOME}all/": to_posts(*range(41, -1, -1)),
    }
    walk = Lists(pages, set(range(40))).walk()
    assert set(walk.posts.values()) == set(map(post, (40, 41)))
    assert walk.is_back


def test_a_pinned_post_hides_no_news():
    pages = {HOME: [*to_posts(3, *range(39, 30, -1)), *(listing(f"{HOME}page/{n}/", str(n)) for n in (2, 3))]}
    lists = Lists(pages, set(range(40)))
    assert lists.walk().is_back
    assert lists.asked == [HOME]
