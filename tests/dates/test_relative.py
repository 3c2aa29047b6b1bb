"""Dates that count from the time of fetching: CLDR's own phrases, and what libraries for the browser write."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest
from babel.dates import format_timedelta

from blogcrawler.dates import Counted, count_back, read_date

_NOW = dt.datetime(2014, 5, 20, 12, tzinfo=dt.UTC)
_TAGS = """
en es de fr pt ru zh-Hans zh-Hant ja ko it nl pl tr ar fa he hi id vi th cs sv da nb fi el hu ro uk bg hr sr sr-Latn sk
sl ca bn ta te mr ur ms fil sw lt lv et
"""
_LINES = (Path(__file__).parent / "data" / "relative.txt").read_text("utf-8").splitlines()[1:]
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
_COUNTS = [(unit, count) for unit in ("second", "minute", "hour", "day", "week") for count in (1, 2, 3, 5, 11)]


@pytest.mark.parametrize("known", [True, False], ids=["language known", "language unknown"])
@pytest.mark.parametrize("tag", _TAGS.split())
def test_phrases_of_cldr_are_read_back(tag: str, known: bool) -> None:
    languages = (tag,) if known else ()
    for unit, count in _COUNTS:
        past = -dt.timedelta(seconds=count * _SECONDS[unit])
        text = format_timedelta(past, granularity=unit, threshold=100, add_direction=True, locale=tag.replace("-", "_"))
        counted = count_back(text, languages)
        assert counted is not None, text
        assert counted.number * _SECONDS.get(counted.unit, 0) == -past.total_seconds(), text
        moment = read_date(text, languages, now=_NOW)
        assert (moment.date if moment else None) == (None if unit == "week" else (_NOW + past).date()), text


@pytest.mark.parametrize("tag", _TAGS.split())
def test_phrases_for_times_to_come_are_none(tag: str) -> None:
    for unit in ("hour", "day", "week"):
        text = format_timedelta(
            dt.timedelta(seconds=3 * _SECONDS[unit]),
            granularity=unit,
            threshold=100,
            add_direction=True,
            locale=tag.replace("-", "_"),
        )
        assert count_back(text, (tag,)) is None, text


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "3 days ago", "2014-05-17"),
        ("en", "Posted 3 days ago by Ann", "2014-05-17"),
        ("en", "a day ago", "2014-05-19"),
        ("en", "an hour ago", "2014-05-20"),
        ("en", "just now", "2014-05-20"),
        ("en", "yesterday", "2014-05-19"),
        ("en", "Today at 10:05", "2014-05-20T10:05:00"),
        ("en", "Yesterday, 3:05 pm", "2014-05-19T15:05:00"),
        ("en", "3d ago", "2014-05-17"),
        ("pt", "3 days ago", "2014-05-17"),
        ("de", "vor 3 Tagen", "2014-05-17"),
        ("de", "vor einer Stunde", "2014-05-20"),
        ("de", "heute um 10:05 Uhr", "2014-05-20T10:05:00"),
        ("fr", "il y a 2 heures", "2014-05-20"),
        ("fr", "hier à 10h05", "2014-05-19T10:05:00"),
        ("es", "hace 3 días", "2014-05-17"),
        ("es", "hace un día", "2014-05-19"),
        ("pt", "há 3 dias", "2014-05-17"),
        ("pt", "3 dias atrás", "2014-05-17"),
        ("it", "un'ora fa", "2014-05-20"),
        ("it", "ieri", "2014-05-19"),
        ("nl", "één dag geleden", "2014-05-19"),
        ("ru", "Вчера, 10:05", "2014-05-19T10:05:00"),
        ("ru", "час назад", "2014-05-20"),
        ("uk", "3 дні тому", "2014-05-17"),
        ("pl", "wczoraj", "2014-05-19"),
        ("cs", "před 3 dny", "2014-05-17"),
        ("sv", "för 3 dagar sedan", "2014-05-17"),
        ("da", "for 3 dage siden", "2014-05-17"),
        ("fi", "3 päivää sitten", "2014-05-17"),
        ("hu", "3 napja", "2014-05-17"),
        ("ro", "acum 3 zile", "2014-05-17"),
        ("tr", "bir gün önce", "2014-05-19"),
        ("el", "χθες", "2014-05-19"),
        ("id", "3 hari yang lalu", "2014-05-17"),
        ("vi", "hôm qua", "2014-05-19"),
        ("th", "3 วันที่แล้ว", "2014-05-17"),
        ("ja", "投稿 3日前に", "2014-05-17"),
        ("zh", "昨天 10:05", "2014-05-19T10:05:00"),
        ("zh", "刚刚", "2014-05-20"),
        ("ko", "3일 전", "2014-05-17"),
        ("ar", "منذ يومين", "2014-05-18"),
        ("fa", "۳ روز پیش", "2014-05-17"),
        ("he", "לפני יומיים", "2014-05-18"),
        ("hi", "3 दिन पहले", "2014-05-17"),
    ],
)
def test_what_pages_write(language: str, text: str, expected: str) -> None:
    moment = read_date(text, (language,), now=_NOW)
    assert moment is not None
    assert moment.isoformat() == expected


@pytest.mark.parametrize("known", [True, False], ids=["language known", "language unknown"])
@pytest.mark.parametrize("line", _LINES)
def test_what_people_make_of_phrases(line: str, known: bool) -> None:
    language, days, text = line.split("\t")
    languages = (language,) if known else ()
    moment = read_date(text, languages, now=_NOW)
    assert moment is not None
    assert moment.date == (_NOW - dt.timedelta(days=int(days))).date()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "half time"),
        ("en", "half of it, three days"),
        ("en", "two hours to go"),
        ("ru", "политика назад"),
        ("nb", "3 dager"),
        ("fr", "demi-finale"),
        ("de", "halbe Sachen, zwanzig Jahre"),
        ("zh", "三天后"),
        ("zh", "半年前"),
        ("ja", "2 週間前"),
        ("en", "2 years ago"),
        ("en", "last week"),
        ("en", "3 weeks 2 days ago"),
        ("en", "tomorrow"),
        ("en", "5 min read"),
        ("en", "5 comments"),
        ("en", "Home"),
        ("en", "today we have 3 cats"),
        ("de", "hier"),
        ("hi", "कल"),
        ("fr", "de"),
    ],
)
def test_no_day(language: str, text: str) -> None:
    assert read_date(text, (language,), now=_NOW) is None


@pytest.mark.parametrize("languages", [("id",), ()], ids=["language known", "language unknown"])
def test_a_word_for_a_number_of_units_of_two_words(languages: tuple[str, ...]) -> None:
    assert count_back("seminggu yang lalu", languages) == Counted("week", 1)


def test_words_of_other_languages_count_only_alone() -> None:
    assert read_date("hier", (), now=_NOW) is None
    assert read_date("avant-hier", (), now=_NOW) is not None
