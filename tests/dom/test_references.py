"""Absolute URLs that need no resolving are given back as they are, and are what resolving would have given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom import references, resolve

BASES = st.sampled_from(
    [
        "http://blog.example/2014/post/",
        "http://blog.example?a",
        "http://blog.example/a/b/c?d/e",
        "http://blog.example/a//b/./c/",
        "http://blog.example/%23%2F/a/b/c",
        "http://é.example/b;c/",
        "https://other.example:8080/a?b#c",
        "http://a.example",
        "http://127.0.0.1:40000/a/b",
        "http://c.example:65536/",
        "http://c.example:080/",
    ]
)
PIECES = st.sampled_from(
    ["http", "https", "://", "//", "/", "a", "Example.", "b.example", ":80", ":64999", ":65536", ":0", ":", "?", "#", ";", "&", "=", "..", ".",
     "%41", "%", "~", "+", "é", " ", "\n", "\\", "@", "_", "'", "(", "$"]
)  # fmt: skip
URLS = st.lists(PIECES, max_size=12).map("".join)


@given(
    st.one_of(URLS, *(URLS.map(begin.__add__) for begin in ("http://b.example/", "https://b", "/", "../", "../../a"))),
    BASES,
)
def test_the_short_way_gives_the_same(url: str, base: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        quick = resolve(url, base)
        patch.setattr(references, "_resolve_plain", lambda *_: None)
        assert resolve(url, base) == quick


@pytest.mark.parametrize(
    ("reference", "want"),
    [(url, url) for url in ("http://b.example/a//../c?d=/?#e?f", "https://b.example?a", "http://b.example")]
    + [("/a/b-c.jpg?d=e#f", "http://blog.example/a/b-c.jpg?d=e#f"), ("/", "http://blog.example/")]
    + [("../a/?b", "http://blog.example/2014/a/?b"), ("../../../a", "http://blog.example/a")],
)
def test_what_goes_the_short_way(reference: str, want: str) -> None:
    base = "http://blog.example/2014/post/"
    assert resolve(reference, base) == references._resolve_plain(reference, base) == want


@pytest.mark.parametrize("reference", ["/a/b-c.jpg", "http://blog.example:8080/a/b-c.jpg"])
def test_a_port_goes_the_short_way(reference: str) -> None:
    base = "http://blog.example:8080/2014/post/"
    want = "http://blog.example:8080/a/b-c.jpg"
    assert resolve(reference, base) == references._resolve_plain(reference, base) == want
