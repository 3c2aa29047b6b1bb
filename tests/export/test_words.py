"""What a search compares: words without case and accents, pairs of letters of scripts without spaces."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.export.words import LONGEST, fold, words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Café CAFE cafe\u0301", ["cafe"]),
        ("Straße, STRASSE", ["strasse"]),
        ("Ｆｕｌｌ ﬁne İstanbul ısı", ["full", "fine", "istanbul", "isi"]),
        ("Ёлка елка", ["елка"]),
        ("ΟΔΟΣ οδός", ["οδοσ"]),
        ("don't snake_case 3.14", ["don", "t", "snake", "case", "3", "14"]),
        ("日本語", ["日本", "本語", "語"]),
        ("Python3で書く", ["python3", "で書", "書く", "く"]),
        ("한국어 블로그", ["한국어", "블로그"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם كِتَاب", ["שלום", "كتاب"]),
        ("x" * 99, ["x" * LONGEST]),
        ("… – 🍵", []),
    ],
)
def test_words(text, found):
    assert words(text) == set(found)


@settings(max_examples=50)
@given(st.text())
def test_what_is_folded_stays(text):
    assert fold(fold(text)) == fold(text)
    assert words(fold(text)) == words(text)
