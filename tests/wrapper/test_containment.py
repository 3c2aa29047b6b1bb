"""Containment: which pieces of a page's text the entry holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.containment import Shingles
from tests.wrapper.pages import POSTS, prose

ARTICLE = [fold(text) for text in POSTS[0].paragraphs]


@pytest.mark.parametrize("piece", [*ARTICLE, ARTICLE[0][:60], ARTICLE[-1][25:]])
def test_all_parts_of_a_text_are_held(piece: str) -> None:
    assert Shingles(ARTICLE).hold(piece)


@pytest.mark.parametrize("number", range(5))
def test_another_text_of_the_same_language_is_not(number: int) -> None:
    other = fold(prose(f"other {number}", 40))
    assert not Shingles([fold("Quite another story, told in few words by somebody who was never there.")]).hold(other)


def test_half_a_text_is_told_from_the_whole() -> None:
    half = Shingles(ARTICLE[:1])
    assert half.hold(ARTICLE[0])
    assert not half.hold("the keeper of the lighthouse wrote postcards to nobody about fog, gulls and marmalade")


def test_a_changed_letter_does_no_harm() -> None:
    changed = ARTICLE[0][:100].replace("a", "á", 1)
    assert Shingles(ARTICLE).hold(changed)


@given(st.lists(st.text(max_size=30).map(fold), max_size=6))
def test_its_own_pieces_are_never_another_text_s(pieces: list[str]) -> None:
    shingles = Shingles(pieces)
    for piece in pieces:
        assert shingles.hold(piece) is (True if any(map(str.isalnum, piece)) else None)


@pytest.mark.parametrize("piece", ["»", "· | ·", "", ARTICLE[0].split()[3]])
def test_signs_and_words_that_may_stand_anywhere_tell_nothing(piece: str) -> None:
    assert Shingles(ARTICLE).hold(piece) is None


def test_a_few_words_that_the_text_has_not_are_another_s() -> None:
    assert Shingles(ARTICLE).hold("tweet") is False


def test_the_empty_text_holds_nothing() -> None:
    assert not Shingles([]).hold("word")
    assert not Shingles([]).hold("a long piece of text that is nowhere")
