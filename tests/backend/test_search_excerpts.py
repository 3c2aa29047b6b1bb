"""What stands around words that are sought."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.backend.search import AFTER, BEFORE, BEGIN_MARK, END_MARK, excerpt

LONG = "so " * 200


def shown(said, *terms, are_words=True):
    return excerpt(said, terms, are_words=are_words).replace(BEGIN_MARK, "[").replace(END_MARK, "]")


@pytest.mark.parametrize(
    ("said", "terms", "expected"),
    [
        ("A kettle.", ["kettle"], "A [kettle]."),
        ("KETTLE, kettles, a Kettle.", ["kettle"], "[KETTLE], kettles, a [Kettle]."),
        ("Zoë, Zoe\u0308, zoe", ["ZOE"], "[Zoë], [Zoë], [zoe]"),
        ("Half-full, half full", ["half-full"], "[Half-full], [half full]"),
        ("snake_case", ["case"], "snake_[case]"),
        ("A kettle of tea", ["tea", "kettle"], "A [kettle] of [tea]"),
        ("Nothing here", ["kettle", "&"], "Nothing here"),
        ("", ["kettle"], ""),
        (f"\ue001A {BEGIN_MARK}kettle", ["kettle"], "A [kettle]"),
        ("ABC", ["a.c", "("], "ABC"),
    ],
)
def test_words(said, terms, expected):
    assert shown(said, *terms) == expected


def test_what_a_text_holds():
    assert shown("これは日本語の記事です。", "記事", "(", are_words=False) == "これは日本語の[記事]です。"


def test_a_long_text_is_cut_on_both_sides():
    found = shown(f"{LONG}kettle {LONG}", "kettle")
    assert (found[0], found[-1]) == ("…", "…")
    assert "so [kettle] so" in found
    assert len(found) == BEFORE + AFTER + 4


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, max_size=3), st.booleans())
def test_marks_come_in_pairs(said, terms, are_words):
    found = excerpt(said, terms, are_words=are_words)
    assert [letter for letter in found if letter in (BEGIN_MARK, END_MARK)] == [
        BEGIN_MARK,
        END_MARK,
    ] * found.count(BEGIN_MARK)


@pytest.mark.parametrize("said", ["a" * 2_000_000, "a " * 1_000_000, "a" + " " * 2_000_000, "é" * 2_000_000])
def test_the_time_is_linear(said):
    begin = time.process_time()
    excerpt(said, ["a b", "a" * 200, "é é"], are_words=True)
    assert time.process_time() - begin < 5
