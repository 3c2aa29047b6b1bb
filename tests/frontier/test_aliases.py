"""Addresses that differ in their spelling."""

from __future__ import annotations

import pytest

from blogcrawler.frontier import Frontier, FrontierStore, Link
from blogcrawler.frontier.address_differences import with_slash_toggled
from blogcrawler.frontier.aliases import ENOUGH, Aliases
from blogcrawler.frontier.store import Candidate, key_of

E = "http://example.org"


def met(*urls: str) -> Aliases:
    aliases = Aliases({}.get, lambda _: False)
    for url in urls:
        aliases.note_page(Candidate(key_of(url), url, 0, is_post=True))
    return aliases


@pytest.mark.parametrize(
    ("url", "other", "difference"),
    [
        (f"{E}/a", f"{E}/a/", "slash"),
        (f"{E}/a/?b=c", f"{E}/a?b=c", "slash"),
        (f"{E}/a/default.htm", f"{E}/a/", "file default.htm"),
        (f"{E}/a/", f"{E}/a/default.htm", "file default.htm"),
        (f"{E}/a.html", f"{E}/a", "file .html"),
        (f"{E}/a", f"{E}/a.html", "file .html"),
        (f"{E}/a/b.php", f"{E}/a/b", "file .php"),
        (f"{E}/a/.html", f"{E}/a/", "file .html"),
        (f"{E}/version-1.2", f"{E}/version-1", None),
        (f"{E}/a.html", f"{E}/a.php", None),
        (f"{E}/A-word", f"{E}/a-word", "letters"),
        (f"{E}/a-word", f"{E}/A-Word", "letters"),
        (f"{E}/a", "http://example.net/a", "host example.net example.org"),
        (f"{E}/code/a-long-way", f"{E}/life/a-long-way", "category"),
        (f"{E}/zh/code/a-long-way", f"{E}/code/a-long-way", "folder zh"),
        (f"{E}/blog/code/a-long-way", f"{E}/blog/zh/code/a-long-way", "folder zh"),
        (f"{E}/code/web/a-long-way", f"{E}/code/a-long-way", "category"),
        (f"{E}/2020/05/a-long-way", f"{E}/2020/06/a-long-way", None),
        (f"{E}/code/links", f"{E}/life/links", None),
        (f"{E}/a", f"{E}/b", None),
        (f"{E}/a?b=c", f"{E}/a", None),
        (f"{E}/a/b/", f"{E}/a/", None),
        (f"{E}/a", "http://example.net/a/", None),
    ],
)
def test_differences(url: str, other: str, difference: str | None) -> None:
    assert met(url, other).difference(url, other) == difference


def test_a_difference_is_none_as_long_as_nearly_all_pages_are_alike() -> None:
    aliases = met(f"{E}/a")
    aliases.note("slash", is_same=True)
    assert not aliases.makes_no_page("slash")
    aliases.note("slash", is_same=True)
    assert aliases.makes_no_page("slash")
    aliases.note("slash", is_same=False)
    assert not aliases.makes_no_page("slash")


def fetched(frontier: Frontier, path: str, like: str | None = None) -> bool:
    """Fetch the next page; True if it was the post of another address."""
    candidate = frontier.pop()
    assert candidate
    assert candidate.url == E + path
    if frontier.end_if_duplicate(candidate.url, like and E + like):
        return True
    frontier.done(candidate.url, yield_=0, is_post=True)
    return False


def with_slashes(store: FrontierStore, count: int) -> Frontier:
    frontier = Frontier(store)
    both = [f"{E}/post-{n}{slash}" for n in range(count) for slash in ("", "/")]
    frontier.add_many([Link(url, is_post=True) for url in both])
    return frontier


def test_posts_at_two_addresses_are_fetched_once(store: FrontierStore) -> None:
    frontier = with_slashes(store, 5)
    assert not any(fetched(frontier, f"/post-{n}") for n in range(5)), "the others come last"
    assert all(fetched(frontier, f"/post-{n}/", f"/post-{n}") for n in range(ENOUGH))
    assert frontier.pop() is None
    assert frontier.add_many([Link(f"{E}/post-4/", is_post=True), Link(f"{E}/post-9/", is_post=True)]) == 1


@pytest.mark.parametrize(("first", "second"), [("", ".html"), (".html", "")])
def test_pages_with_and_without_a_suffix_are_fetched_once(store: FrontierStore, first: str, second: str) -> None:
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}/post-{n}{first}", is_post=True) for n in range(5)])
    assert not any(fetched(frontier, f"/post-{n}{first}") for n in range(5))
    frontier.add_many([Link(f"{E}/post-{n}{second}", is_post=True) for n in range(ENOUGH)])
    assert all(fetched(frontier, f"/post-{n}{second}", f"/post-{n}{first}") for n in range(ENOUGH))
    others = [Link(f"{E}/post-{n}{second}", is_post=True) for n in range(ENOUGH, 5)]
    assert frontier.add_many([*others, Link(f"{E}/page{first}", is_post=False)]) == 1
    page = frontier.pop()
    assert page
    assert page.url == f"{E}/page{first}"
    frontier.done(page.url, yield_=0, is_post=False)
    frontier.add(f"{E}/page{second}", is_post=False)
    assert frontier.pop() is None


def test_what_was_learned_outlives_the_process(store: FrontierStore) -> None:
    frontier = with_slashes(store, 5)
    for n in range(5):
        fetched(frontier, f"/post-{n}")
    for n in range(ENOUGH):
        fetched(frontier, f"/post-{n}/", f"/post-{n}")
    frontier.flush()
    assert Frontier(store).pop() is None


def test_only_one_is_tried_at_a_time(store: FrontierStore) -> None:
    frontier = with_slashes(store, 3)
    for n in range(3):
        fetched(frontier, f"/post-{n}")
    assert frontier.pop()
    frontier.add(f"{E}/page", is_post=False)
    assert frontier.pop() is None


def test_posts_that_differ_are_all_fetched(store: FrontierStore) -> None:
    frontier = with_slashes(store, 5)
    for n in range(5):
        fetched(frontier, f"/post-{n}")
    assert not any(fetched(frontier, f"/post-{n}/") for n in range(5))


def test_addresses_that_are_said_to_be_one_are_compared_no_more(store: FrontierStore) -> None:
    frontier = with_slashes(store, 5)
    for n in range(5):
        fetched(frontier, f"/post-{n}")
    assert all(frontier.is_spelling(f"{E}/page-{n}", f"{E}/page-{n}/") for n in range(ENOUGH))
    assert not frontier.is_spelling(f"{E}/page-1", f"{E}/page-2")
    assert frontier.pop() is None


@pytest.mark.parametrize("first", ["/tags", "/tags/"])
def test_a_list_that_a_server_gave_is_not_fetched_with_the_slash_toggled(store: FrontierStore, first: str) -> None:
    second = with_slash_toggled(first)
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}{first}", is_post=False), Link(f"{E}{second}", is_post=False)])
    assert frontier.pop().url == E + first
    frontier.done(E + first, yield_=0, is_post=False)
    assert frontier.is_mirrored(E + second)
    assert frontier.pop() is None


def test_a_list_that_failed_is_fetched_with_the_slash_toggled(store: FrontierStore) -> None:
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}/tags", is_post=False), Link(f"{E}/tags/", is_post=False)])
    frontier.pop()
    frontier.failed(f"{E}/tags", "404 Not Found", gone=True)
    assert not frontier.is_mirrored(f"{E}/tags/")
    assert frontier.pop().url == f"{E}/tags/"
