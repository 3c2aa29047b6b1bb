"""Similarity by bigrams: the values of the paper, and what must hold for any text in any script."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.similarity import Alphabet, dice, fold, similarity

TEXTS = st.text(max_size=60)
SETS = st.frozensets(st.integers(0, 40))


def naive(first: str, second: str) -> float:
    """The formula of the paper, with Python's sets."""
    one, other = ({a + b for a, b in itertools.pairwise(text)} for text in (fold(first), fold(second)))
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Scheme Scala", "Scala Scheme", 0.90),
        ("Rachid", "Richard", 0.18),
        ("Rachid", "Amy, Rachid and all their friends", 0.29),
    ],
)
def test_table_1_of_the_paper(first: str, second: str, expected: float) -> None:
    assert similarity(first, second) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Straße", "STRASSE"),
        ("  a \n line\t broken ", "a line broken"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("ﬁne", "fine"),
        ("e\u0301te\u0301", "été"),
        ("Блог на русском", "БЛОГ НА РУССКОМ"),
        ('It\'s "here" -- now', "It’s “here” – now"),
        ("Zed's log---at last...", "Zed’s log—at last…"),
        ("5' 6'' and 3-4", "5′ 6″ and 3−4"),
    ],
)
def test_what_readers_take_for_the_same_is_the_same(first: str, second: str) -> None:
    assert fold(first) == fold(second)
    assert similarity(first, second) == 1


@pytest.mark.parametrize(
    ("near", "target", "far"),
    [
        ("我的博客文章的标题", "博客文章的标题", "今天天气很好我们去公园"),
        ("ブログの記事のタイトル", "記事のタイトル", "今日はとてもいい天気です"),
        ("عنوان تدوينة في المدونة", "عنوان تدوينة", "الطقس جميل جدا اليوم"),
        ("블로그 글의 제목입니다", "블로그 글의 제목", "오늘은 날씨가 아주 좋네요"),
        ("😀😁😂🤣😇😈😉 ok", "😀😁😂🤣😇😈😉", "🚗🚕🚙🚌🚎"),
    ],
)
def test_any_script(near: str, target: str, far: str) -> None:
    assert similarity(near, target) > 0.6
    assert similarity(far, target) < 0.2


@given(TEXTS, TEXTS)
def test_agrees_with_the_formula(first: str, second: str) -> None:
    found = similarity(first, second)
    assert found == pytest.approx(naive(first, second))
    assert 0 <= found <= 1
    assert found == similarity(second, first)


@given(TEXTS)
def test_identical_texts(text: str) -> None:
    assert similarity(text, text) == (1.0 if len(fold(text)) > 1 else 0.0)


@given(st.lists(TEXTS, max_size=6))
def test_reading_is_folding_and_numbering(texts: list[str]) -> None:
    alphabet = Alphabet()
    for text in [*texts, *texts]:
        folded = fold(text)
        assert alphabet.read(text) == (folded, alphabet.bigrams(folded))


@given(TEXTS)
def test_long_texts_are_read_like_short_ones(text: str) -> None:
    alphabet, long = Alphabet(), f"{text} " * 20
    assert alphabet.read(long) == (fold(long), alphabet.bigrams(fold(long)))


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_the_set_of_a_whole_holds_the_sets_of_its_parts(texts: list[str]) -> None:
    alphabet = Alphabet()
    whole = alphabet.bigrams(fold(" ".join(texts)))
    for text in texts:
        part = alphabet.bigrams(fold(text))
        assert part & whole == part


@given(TEXTS, TEXTS, st.integers(1, 24))
def test_a_finite_alphabet(first: str, second: str, capacity: int) -> None:
    alphabet = Alphabet(capacity)
    one, other = alphabet.bigrams(fold(first)), alphabet.bigrams(fold(second))
    assert 0 <= one < 1 << capacity
    assert 0 <= other < 1 << capacity
    assert 0 <= dice(one, other) <= 1
    assert dice(one, other) == dice(other, one)
    assert alphabet.bigrams(fold(first)) == one
    assert dice(one, one) == (1.0 if one else 0.0)
    if naive(first, second) > 0:
        assert dice(one, other) > 0


def test_a_full_alphabet_still_tells_texts_apart() -> None:
    alphabet = Alphabet(256)
    alphabet.bigrams("".join(chr(0x4E00 + 7 * n) for n in range(2000)))
    title, same, other = (alphabet.bigrams(fold(text)) for text in ("A small note", "a small  NOTE", "Quite different"))
    assert dice(title, same) == 1
    assert dice(title, other) < 0.3


@given(SETS, SETS)
def test_dice_of_sets(one: frozenset[int], other: frozenset[int]) -> None:
    first, second = (sum(1 << bit for bit in bits) for bits in (one, other))
    total = len(one) + len(other)
    assert dice(first, second) == (2 * len(one & other) / total if total else 0.0)
