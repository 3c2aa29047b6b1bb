"""Where the pages of a blog are linked."""

from __future__ import annotations

from blogcrawler.crawl.link_places import MOST_PLACES, Places
from blogcrawler.dom import links, parse
from blogcrawler.urls import identity

HOME = "http://blog.example/"


def url(name: str) -> str:
    return f"{HOME}{name}/"


def places(menu: str, listed: str) -> Places:
    """Those of a page with a menu and a list, each the first letters of pages' names."""
    found = Places()
    found.note([*((url(name), 1) for name in menu), *((url(name), 2) for name in listed)], HOME)
    return found


def test_nothing_is_known_at_first() -> None:
    assert places("ab", "cd").is_among_posts(identity(url("a"))) is None
    assert Places().is_among_posts(identity(url("a"))) is None


def test_a_place_is_of_posts_when_what_it_links_to_turned_out_to_be() -> None:
    found = places("ab", "cdef")
    for name in "cd":
        found.judge(identity(url(name)), is_post=True)
    found.judge(identity(url("a")), is_post=False)
    assert found.is_among_posts(identity(url("e"))) is True
    assert found.is_among_posts(identity(url("b"))) is False
    found.judge(identity(url("f")), is_post=False)
    assert found.is_among_posts(identity(url("e"))) is None, "posts and others are linked there"


def test_links_that_are_found_later_count_too() -> None:
    found = Places()
    found.judge(identity(url("c")), is_post=True)
    found.judge(identity(url("d")), is_post=True)
    found.note([(url(name), 2) for name in "cde"], HOME)
    assert found.is_among_posts(identity(url("e"))) is True


def test_links_of_a_page_to_itself_and_in_running_text_tell_nothing() -> None:
    found = Places()
    found.note([(url(name), place) for name in "ab" for place in (0, 3)], url("a"))
    found.judge(identity(url("a")), is_post=False)
    assert found.is_among_posts(identity(url("b"))) is None


def test_a_first_verdict_stays() -> None:
    found = places("", "cde")
    for name in "cd":
        found.judge(identity(url(name)), is_post=True)
        found.judge(identity(url(name)), is_post=False)
    assert found.is_among_posts(identity(url("e"))) is True


def test_few_places_of_a_page_are_remembered() -> None:
    found = Places()
    found.note([(url("a"), place) for place in range(1, MOST_PLACES + 1)], HOME)
    found.note([(url(name), 99) for name in "abc"], HOME)
    for name in "bc":
        found.judge(identity(url(name)), is_post=True)
    assert found.is_among_posts(identity(url("a"))) is None


def test_links_below_the_same_elements_have_the_same_place() -> None:
    text = "words " * 20
    page = (
        '<nav id="menu"><ul><li><a href="/a/">A</a></li><li><a href="/b/">B</a></li></ul></nav>'
        '<nav id="more"><ul><li><a href="/c/">C</a></li></ul></nav>'
        '<div id="post-12"><h2><a href="/d/">D</a></h2></div><div id="post-13"><h2><a href="/e/">E</a></h2></div>'
        f'<div><h2><a rel="category tag" href="/f/">F</a></h2></div><p>{text}<a href="/g/">G</a></p>'
    )
    place = {link.text: link.place for link in links(parse(page.encode()), HOME)}
    assert place["A"] == place["B"] != place["C"]
    assert place["D"] == place["E"] != place["F"]
    assert place["G"] == 0


def test_lists_of_lists_do_not_speak_against_the_posts_of_lists() -> None:
    found = places("", "abcdef")
    for name in "abc":
        found.judge(identity(url(name)), is_post=False)
    assert found.is_among_posts(identity(url("e"))) is False
    assert found.is_among_posts(identity(url("e")), is_permalink=True) is None


def test_pages_at_posts_addresses_speak_against_others() -> None:
    found = places("", "abcdef")
    for name in "ab":
        found.judge(identity(url(name)), is_post=False, is_permalink=True)
    assert found.is_among_posts(identity(url("e")), is_permalink=True) is False
    assert found.is_among_posts(identity(url("e"))) is False


def test_posts_among_lists_are_told_by_their_addresses() -> None:
    found = places("", "abcdefgh")
    for name in "abc":
        found.judge(identity(url(name)), is_post=False)
    for name in "de":
        found.judge(identity(url(name)), is_post=True, is_permalink=True)
    assert found.is_among_posts(identity(url("f")), is_permalink=True) is True
    assert found.is_among_posts(identity(url("f"))) is False
