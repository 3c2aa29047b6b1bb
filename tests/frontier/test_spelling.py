"""How a site spells its addresses."""

from __future__ import annotations

import pytest

from blogcrawler.frontier import Frontier, FrontierStore, Link
from blogcrawler.frontier.aliases import REDIRECTS_ALIKE as ENOUGH
from blogcrawler.frontier.aliases import Aliases

E = "http://example.org"


def taught(source: str, target: str, times: int = ENOUGH) -> Aliases:
    aliases = Aliases({}.get, lambda _: False)
    for n in range(times):
        aliases.note_redirect(source.format(n), target.format(n))
    return aliases


@pytest.mark.parametrize(
    ("source", "target", "asked", "spelled"),
    [
        ("http://a.org/{}", "https://a.org/{}", "http://a.org/x", "https://a.org/x"),
        ("http://a.org/{}", "http://www.a.org/{}", "http://a.org/x?y=z", "http://www.a.org/x?y=z"),
        ("http://a.org/{}", "http://a.org/{}/", "http://a.org/x", "http://a.org/x/"),
        ("http://a.org/{}/", "http://a.org/{}", "http://a.org/x/", "http://a.org/x"),
        ("http://a.org/{}", "https://www.a.org/{}/", "http://a.org/x", "https://www.a.org/x/"),
        ("http://a.org/{}", "http://a.org/{}/", "http://a.org/x.html", "http://a.org/x.html"),
        ("http://a.org/{}", "http://a.org/{}/", "http://a.org/?p=1", "http://a.org/?p=1"),
        ("http://a.org/v1.{}", "http://a.org/v1.{}/", "http://a.org/x.html", "http://a.org/x.html"),
        ("http://a.org/{}", "http://a.org/other/{}", "http://a.org/x", "http://a.org/x"),
    ],
)
def test_habits(source: str, target: str, asked: str, spelled: str) -> None:
    assert taught(source, target).request_url(asked) == spelled


def test_few_redirects_are_no_habit() -> None:
    assert taught("http://a.org/{}", "https://a.org/{}", ENOUGH - 1).request_url("http://a.org/x") == "http://a.org/x"


def test_a_page_that_answers_is_no_habit() -> None:
    aliases = taught("http://a.org/{}", "http://a.org/{}/")
    aliases.note_answer("http://a.org/about")
    assert aliases.request_url("http://a.org/x") == "http://a.org/x"


def test_addresses_of_one_shape_may_differ_from_others() -> None:
    """Such as those of the pages of a list, where posts have no slash."""
    aliases = taught("http://a.org/page/{}", "http://a.org/page/{}/")
    aliases.note_answer("http://a.org/a-post")
    assert aliases.request_url("http://a.org/page/7") == "http://a.org/page/7/"
    assert aliases.request_url("http://a.org/tags/7") == "http://a.org/tags/7"
    aliases.note_answer("http://a.org/page/8")
    assert aliases.request_url("http://a.org/page/7") == "http://a.org/page/7"


def with_slashes(store: FrontierStore) -> Frontier:
    frontier = Frontier(store)
    frontier.add_many([Link(f"{E}/post-{n}", is_post=True) for n in range(ENOUGH + 2)])
    for n in range(ENOUGH):
        assert frontier.pop()
        assert frontier.redirected(f"{E}/post-{n}", f"{E}/post-{n}/")
        frontier.done(f"{E}/post-{n}/", yield_=0)
    return frontier


def test_the_frontier_asks_as_the_server_wants_it(store: FrontierStore) -> None:
    frontier = with_slashes(store)
    frontier.done(f"{E}/post-{ENOUGH}/")  # known already: not asked for again
    candidate = frontier.pop()
    assert candidate
    assert candidate.url == f"{E}/post-{ENOUGH + 1}/"
    frontier.done(candidate.url, yield_=0)
    assert frontier.pop() is None


def test_where_the_other_spelling_is_missing_the_link_is_followed(store: FrontierStore) -> None:
    frontier = with_slashes(store)
    candidate = frontier.pop()
    assert candidate
    frontier.failed(candidate.url, "404", gone=True)
    again = frontier.pop()
    assert again
    assert again.url == candidate.url.rstrip("/")
