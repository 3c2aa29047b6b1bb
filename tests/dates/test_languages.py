"""What the tables of CLDR, dateparser and num2words write in every language is read as what it means, or not at all."""

from __future__ import annotations

import datetime as dt
import re
import sys
import unicodedata

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from blogcrawler.dates import Moment, read_date
from blogcrawler.dates.lexicon import lexicon
from tests.dates import written

_LANGUAGES = written.languages()
_DAYS = st.dates(dt.date(1995, 1, 1), dt.date(2032, 12, 31))
_ZEROS = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.decimal(chr(code), 1) == 0]
_KANJI = "〇一二三四五六七八九"
# What is read of the texts of a widespread language, at least.
_LEAST = {"formatted": 0.85, "named": 0.9, "past": 0.8, "in words": 0.99}


@pytest.mark.parametrize("language", _LANGUAGES)
def test_nothing_is_read_as_something_else(language: str) -> None:
    kinds = {
        "formatted": written.formatted_dates(language),
        "named": written.named_dates(language),
        "weekdays": written.weekdays(language),
        "past": written.times_past(language),
        "in words": written.times_past_in_words(language),
    }
    for kind, texts in kinds.items():
        verdicts = {text: written.verdict(text, meant, (language,)) for text, meant in texts.items()}
        assert [text for text, verdict in verdicts.items() if verdict == "wrong"] == []
        read = sum(verdict == "read" for verdict in verdicts.values())
        assert language not in lexicon().widespread or read >= _LEAST.get(kind, 0) * len(texts), kind


@settings(deadline=None, max_examples=100, phases=[Phase.generate])
@given(language=st.sampled_from(_LANGUAGES), day=_DAYS)
def test_no_day_is_read_as_another(language: str, day: dt.date) -> None:
    for text in written.formatted_dates(language, [day]):
        if re.fullmatch(r"\d{4}-1[0-2]-1[0-2]", text):
            continue  # Uyghur has the day before the month, but not so in ISO 8601
        assert written.verdict(text, day, (language,)) != "wrong", text


@pytest.mark.parametrize("zero", _ZEROS)
def test_digits_of_every_script(zero: str) -> None:
    digits = {ord("0") + number: chr(ord(zero) + number) for number in range(10)}
    assert read_date("2 May 2014".translate(digits)) == Moment(2014, 5, 2)
    assert read_date("25/05/2014".translate(digits)) == Moment(2014, 5, 25)


@given(_DAYS)
def test_chinese_numerals(day: dt.date) -> None:
    year = "".join(_KANJI[int(digit)] for digit in str(day.year))
    text = f"{year}年{_chinese(day.month)}月{_chinese(day.day)}日"
    assert read_date(text) == Moment(day.year, day.month, day.day)


def _chinese(number: int) -> str:
    tens, ones = divmod(number, 10)
    return (_KANJI[tens] if tens > 1 else "") + ("十" if tens else "") + (_KANJI[ones] if ones else "")


@given(_DAYS)
def test_buddhist_years(day: dt.date) -> None:
    for text in written.formatted_dates("th", [day.replace(day=min(day.day, 28))]):
        buddhist = text.replace(str(day.year), str(day.year + 543))
        if buddhist != text:
            assert read_date(buddhist, ("th",), order="DMY") == Moment(day.year, day.month, min(day.day, 28)), buddhist


@pytest.mark.parametrize(
    ("text", "expected"),
    [("پە 2014-05-02", Moment(2014, 5, 2)), ("2014-5-2", None), ("2014-25-2", Moment(2014, 2, 25))],
)
def test_the_day_before_the_month_behind_a_year(text: str, expected: Moment | None) -> None:
    assert read_date(text, ("ug",)) == expected
