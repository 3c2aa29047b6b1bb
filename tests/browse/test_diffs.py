"""What differs between two texts, in bounded time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.browse.diffs import _aligned, _paragraphs, comment_changes, field_changes, text_changes
from blogcrawler.items import Comment
from tests.export.archives import a_record

FEW = st.lists(st.sampled_from("abcdef"), max_size=40)
TEXTS = st.lists(st.text(st.sampled_from("ab .\n"), max_size=12), max_size=12).map("\n\n".join)


@given(FEW, FEW)
def test_pieces_make_up_both_sides(old, new):
    pieces = list(_aligned(old, new))
    assert [text for _, left, _ in pieces for text in left] == old
    assert [text for _, _, right in pieces for text in right] == new
    assert all(left == right for is_same, left, right in pieces if is_same)
    assert all(left or right for _, left, right in pieces)


@given(TEXTS, TEXTS)
def test_what_is_shown_is_in_the_texts(old, new):
    changes = text_changes(old, new)
    assert bool(changes) == (_paragraphs(old) != _paragraphs(new))
    shown = {
        side: ["".join(part.text for part in change.parts if part.kind in ("same", side)) for change in changes]
        for side in ("removed", "added")
    }
    assert {text for text in shown["removed"] if text} <= {*_paragraphs(old)}
    assert {text for text in shown["added"] if text} <= {*_paragraphs(new)}


def test_words_of_a_paragraph_that_was_changed():
    (change,) = text_changes("Water boils slowly here.", "Water boils quickly here.")
    assert change.kind == "changed"
    assert [(part.kind, part.text) for part in change.parts] == [
        ("same", "Water boils "),
        ("removed", "slowly"),
        ("added", "quickly"),
        ("same", " here."),
    ]


def test_words_that_were_changed_side_by_side_are_one_change():
    (change,) = text_changes("There is a pot of glue, which is closed.", "There are two pots of glue, which is closed.")
    assert [(part.kind, part.text) for part in change.parts] == [
        ("same", "There "),
        ("removed", "is a pot"),
        ("added", "are two pots"),
        ("same", " of glue, which is closed."),
    ]


def test_paragraphs_that_have_little_in_common_are_shown_as_a_whole():
    assert [change.kind for change in text_changes("One two three four.", "Five six seven eight nine.")] == [
        "removed",
        "added",
    ]


def test_what_is_the_same_is_left_out():
    old = "\n\n".join(f"Paragraph {number}." for number in range(20))
    changes = text_changes(old, old.replace("Paragraph 10.", "Another."))
    assert [(change.kind, change.left_out) for change in changes] == [
        ("same", 9), ("same", 0), ("removed", 0), ("added", 0), ("same", 0), ("same", 8),
    ]  # fmt: skip
    assert text_changes(old, old) == []
    assert text_changes(None, None) == []


def test_fields_that_changed():
    old, new = a_record("a"), a_record("a", title="New", tags=["tea"], updated=None)
    assert [(one.name, one.before, one.after) for one in field_changes(old, new)] == [
        ("title", "Post a", "New"),
        ("updated", "2014-06-01", ""),
        ("tags", "tea, green tea", "tea"),
    ]


def test_comments_that_are_said_twice_are_two():
    said = [Comment(author="A", content_text="Yes."), Comment(author="A", content_text="Yes.")]
    assert comment_changes(said, said) == []
    assert [one.kind for one in comment_changes(said[:1], said)] == ["added"]
    assert [one.kind for one in comment_changes(said, said[1:])] == ["removed"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n\nb\n\n" * 20_000, "b\n\na\n\n" * 20_000),
        ("a b " * 40_000, "b a c " * 30_000),
        (" ".join(map(str, range(60_000))), " ".join(map(str, reversed(range(60_000))))),
        ("\n\n".join(map(str, range(30_000))), "\n\n".join(map(str, range(1, 60_000, 2)))),
        ("x" * 1_000_000, "y" * 1_000_000),
        ("," * 300_000, "." * 300_000),
        ("\n" * 1_000_000, " \n" * 500_000),
    ],
    ids=["paragraphs", "words", "turned round", "every second", "one word", "signs", "lines"],
)
def test_long_texts_take_no_long_time(old, new):
    begun = time.perf_counter()
    text_changes(old, new)
    assert time.perf_counter() - begun < 10
