"""What known posts show of a site's spelling is applied to all addresses of a list."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.feeds.sources.spelling import Spelling


@pytest.mark.parametrize(
    ("listed", "own"),
    [
        ("http://example.org/a/{}", "http://example.org/a/{}/"),
        ("http://example.org/a/{}/", "https://www.example.org/a/{}"),
        ("http://example.org//a//{}/index.html", "http://example.org/a/{}/index.html"),
        ("http://localhost:4000/a/{}.html", "https://example.org/a/{}.html"),
        ("http://example.org/a/{}/index.html?x=1", "http://example.org/a/{}/?x=1"),
    ],
)
def test_one_spelling_explains_all(listed, own) -> None:
    names = ["one", "two", "three", "four"]
    spelling = Spelling.learn([listed.format(name) for name in names], [own.format(name) for name in names[:2]])
    assert spelling is not None
    assert [spelling.applied(listed.format(name)) for name in names] == [own.format(name) for name in names]


def test_nothing_is_changed_where_both_agree_or_nothing_is_known() -> None:
    urls = ["http://example.org/a/one", "http://example.org/a/two"]
    assert Spelling.learn(urls, urls) is None
    assert Spelling.learn(urls, []) is None
    assert Spelling.learn([], urls) is None


def test_nothing_is_changed_where_no_spelling_explains_all() -> None:
    listed = ["http://example.org/a/one", "http://example.org/a/two"]
    assert Spelling.learn(listed, ["http://example.org/a/one/", "http://other.example/a/two"]) is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.from_regex(r"https?://[a-c]\.org(/[a-c.]{0,3}){0,4}(\?[a-z]=1)?", fullmatch=True), max_size=8))
def test_applying_twice_changes_nothing_more(urls) -> None:
    spelling = Spelling.learn(urls[:4], urls[4:])
    for url in urls if spelling is not None else ():
        once = spelling.applied(url)
        assert spelling.applied(once) == once
