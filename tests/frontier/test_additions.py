"""Addresses of known pages with something added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.frontier import is_filter, marks_of
from blogcrawler.frontier.additions import Additions
from blogcrawler.frontier.address_differences import additions_to
from blogcrawler.frontier.store import Candidate, key_of

E = "http://example.org"
KNOWN = {f"{E}/2020/01/a-long-name/", f"{E}/read?id=1", f"{E}/archive", f"{E}/archive?sort=a", f"{E}/words-of-mine"}


@pytest.mark.parametrize(
    ("url", "names"),
    [
        ("/2020/01/a-long-name/?reply=5", ["?reply"]),
        ("/2020/01/a-long-name/?a=1&b=2", ["?a&b"]),
        ("/read?id=1&visit=abc", ["?visit"]),
        ("/read?visit=abc&id=1", ["?visit"]),
        ("/archive?sort=a&order=b", ["?order", "?order&sort"]),
        ("/x-9f3/2020/01/a-long-name/", ["#/…"]),
        ("/mobile/lite/2020/01/a-long-name/", ["mobile/lite/…"]),
        ("/2020/zh/01/a-long-name/", ["zh/…"]),
        ("/words-of-mine/amp", ["…/amp"]),
        ("/words-of-mine/page-2", ["…/page-#"]),
        ("/2020/01/another-name/", []),
        ("/read?id=2", []),
        ("/", []),
    ],
)
def test_what_is_added(url: str, names: list[str]) -> None:
    assert [name for name, _ in additions_to(E + url, KNOWN.__contains__)] == names


def test_what_lists_show_in_another_language_tells_nothing_of_posts() -> None:
    additions, post = Additions(KNOWN.__contains__), f"{E}/words-of-mine"
    additions.note_page(Candidate(key_of(post), post, 0, is_post=True))
    for _ in range(Additions.FOR_OTHERS):
        additions.record(f"{E}/archive?lang=zh", brings_something=False)
    assert additions.is_idle(f"{E}/archive?lang=zh", is_post=False)
    assert additions.may_be_version(f"{post}?lang=zh")
    additions.record(f"{post}?lang=zh", brings_something=False)
    assert not additions.may_be_version(f"{post}?lang=zh")


@pytest.mark.parametrize(
    ("added", "marks", "may_be_one"),
    [
        ("words-of-mine?lang=zh", [], True),
        ("words-of-mine?hl=pt-BR", [], True),
        ("words-of-mine?de", [], True),
        ("words-of-mine?language=german", [], True),
        ("fr/words-of-mine", [], True),
        ("zh_hant/words-of-mine", [], True),
        ("German/words-of-mine", [], True),
        ("words-of-mine/de", [], True),
        ("words-of-mine/pt-BR.html", [], True),
        ("words-of-mine/my-life", [], False),
        ("words-of-mine/print.html", [], False),
        ("words-of-mine/2", marks_of(7, (), "German"), True),
        ("words-of-mine?replytocom=5", [], False),
        ("words-of-mine?reply=5&print=1", [], False),
        ("mobile/words-of-mine", [], False),
        ("words-of-mine/feed", [], False),
        ("words-of-mine/amp", [], False),
        ("words-of-mine?v=2", marks_of(7, (), "Deutsch (de)"), False),
        ("words-of-mine?v=2", marks_of(7, (), "EN"), True),
        ("words-of-mine?v=2", marks_of(7, (), "French"), True),
        ("x/words-of-mine", marks_of(7, ("alternate",)), True),
    ],
)
def test_what_may_be_in_another_language(added: str, marks: list[str], may_be_one: bool) -> None:
    additions, post = Additions(KNOWN.__contains__), f"{E}/words-of-mine"
    additions.note_page(Candidate(key_of(post), post, 0, is_post=True))
    assert additions.may_be_version(f"{E}/{added}", marks) is may_be_one


@pytest.mark.parametrize(
    ("url", "is_one"),
    [
        ("/archive?sort=a", True),
        ("/archive?page=2&sort=a", True),
        ("/archive?page=2", False),
        ("/archive", False),
        ("/other?sort=a", False),
    ],
)
def test_filters(url: str, is_one: bool) -> None:
    assert is_filter(E + url, KNOWN.__contains__) is is_one


def test_what_changes_nothing() -> None:
    additions = Additions(KNOWN.__contains__)
    page, copy = f"{E}/2020/01/a-long-name/", f"{E}/2020/01/a-long-name/?reply=5"
    assert not additions.is_idle(copy, is_post=False)
    assert not additions.is_open(copy, ["?reply"]), "the first of its kind is under way"
    additions.record(copy, brings_something=False)
    assert additions.is_open(copy, ["?reply"])
    assert not additions.is_idle(copy, is_post=False)
    additions.note_page(Candidate(key_of(page), page, 0, is_post=True))
    assert additions.is_idle(copy, is_post=False), "once is enough of a post"
    assert not additions.is_idle(copy, is_post=True)
    additions.record(copy, brings_something=True)
    assert not additions.is_idle(copy, is_post=False)


@given(st.text("/?&=ab1.-", max_size=60))
def test_the_known_address_is_shorter(rest: str) -> None:
    url = f"{E}/{rest}"
    assert all(len(base) < len(url) for _, base in additions_to(url, lambda _: True))
