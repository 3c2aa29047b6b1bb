"""Maximum weighted matching of a page's parts with a feed's comments."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.similarity import Alphabet, dice
from blogcrawler.wrapper.comments.feed_matching import match, weights

TEXTS = st.lists(st.text(alphabet="abcde ", max_size=20), min_size=1, max_size=5)


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_weights_are_dice_similarities(nodes: list[str], comments: list[str]) -> None:
    alphabet = Alphabet()
    one, other = [alphabet.bigrams(text) for text in nodes], [alphabet.bigrams(text) for text in comments]
    found = weights(one, other)
    assert [[round(float(cell), 9) for cell in row] for row in found] == [
        [round(dice(left, right), 9) for right in other] for left in one
    ]


@given(TEXTS, TEXTS)
@settings(deadline=None)
def test_no_other_pairing_is_better(nodes: list[str], comments: list[str]) -> None:
    alphabet = Alphabet()
    one, other = [alphabet.bigrams(text) for text in nodes], [alphabet.bigrams(text) for text in comments]
    few, many = sorted((one, other), key=len)
    best = max(sum(dice(a, b) for a, b in zip(few, order, strict=False)) for order in permutations(many, len(few)))
    assert abs(sum(weight for *_, weight in match(one, other)) - best) < 1e-9


def test_nothing_matches_nothing() -> None:
    assert match([], [1]) == []
    assert match([1], []) == []
