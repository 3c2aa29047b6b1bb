"""From post to post, where no list shows them."""

from __future__ import annotations

from blogcrawler.crawl.link_places import Places
from blogcrawler.crawl.update.gap_filling import MOST_TRIED, Neighbours
from blogcrawler.frontier import Link, marks_of
from blogcrawler.urls import identity

HOME = "http://blog.example.org/"
OLDER, SIDE = 7, 9


def post(number: int) -> str:
    return f"{HOME}posts/entry-{number}.html"


def to(*numbers: int, place: int = 0, **more: bool) -> list[Link]:
    return [Link(post(number), is_post=True, marks=tuple(marks_of(place, (), "")), **more) for number in numbers]


def places(**linked: int) -> Places:
    """Where posts are linked that nobody has judged; three that are known stand at `OLDER`."""
    found = Places()
    found.note([(post(number), OLDER) for number in (1, 2, 3)], HOME)
    for number in (1, 2, 3):
        found.judge(identity(post(number)), is_post=True)
    found.note([(post(int(name[1:])), place) for name, place in linked.items()], HOME)
    return found


def anything(url: str) -> bool:
    return True


def test_all_that_stand_where_posts_do_come_at_once():
    neighbours = Neighbours()
    neighbours.note([*to(4, 5), Link(f"{HOME}about", is_post=False)])
    assert neighbours.next_posts(places(p4=OLDER, p5=OLDER), anything) == [post(4), post(5)]
    assert neighbours.next_posts(places(p4=OLDER, p5=OLDER), anything) == []


def test_what_is_known_is_none():
    neighbours = Neighbours()
    neighbours.note(to(4, 5))
    assert neighbours.next_posts(places(p4=OLDER, p5=OLDER), lambda url: url != post(4)) == [post(5)]


def test_what_may_stand_where_posts_do_is_tried_one_by_one_and_not_for_ever():
    neighbours, there = Neighbours(), places(**{f"p{number}": SIDE for number in range(10, 50)})
    for number in range(10, 30):
        neighbours.note([*to(number, place=SIDE), *to(*range(30, 50), place=11)])
    tried = [neighbours.next_posts(there, anything) for _ in range(20)]
    assert tried == [[post(10 + n)] for n in range(MOST_TRIED)] + [[]] * (20 - MOST_TRIED)


def test_what_stands_where_pages_are_no_posts_is_not_tried():
    neighbours, there = Neighbours(), places(p10=SIDE, p11=SIDE)
    there.judge(identity(post(10)), is_post=False, is_permalink=True)
    neighbours.note(to(11, place=SIDE))
    assert neighbours.next_posts(there, anything) == []


def test_menus_and_running_text_tell_nothing():
    neighbours = Neighbours()
    neighbours.note([*to(4, in_menu=True), *to(5, is_variant=True), *to(6)])
    assert neighbours.next_posts(places(p4=OLDER, p5=OLDER), anything) == []
