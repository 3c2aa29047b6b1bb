from __future__ import annotations

import datetime as dt
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dates import Moment, could_be_date, find_dates, read_date
from blogcrawler.dates.read import readings

_DATA = Path(__file__).with_name("data")
_NOW = dt.datetime(2014, 5, 5, 12, tzinfo=dt.UTC)


def _lines(name: str) -> list[str]:
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


_EXAMPLES = [tuple(line.split("\t")) for line in _lines("languages.txt")]


def _read(text: str, languages: tuple[str, ...] = (), order: str | None = None) -> str | None:
    moment = read_date(text, languages, order)
    return None if moment is None else moment.isoformat()


_ZONES = st.sampled_from(["", "Z", "+02:00", "-0530", "+05:45", "+14:00", "-13:45", "+00:07"])
_TIMES = st.one_of(
    st.just(""),
    st.tuples(
        st.integers(0, 24), st.integers(0, 60), st.sampled_from(["", ":00", ":59", ":60", ":07.250"]), _ZONES
    ).map(lambda parts: "T{:02}:{:02}{}{}".format(*parts)),
)


@given(st.integers(1989, 2101), st.integers(0, 13), st.integers(0, 32), _TIMES)
def test_what_machines_write_reads_as_the_same_within_a_sentence(year: int, month: int, day: int, time: str) -> None:
    text = f"{year}-{month:02}-{day:02}{time}"
    alone, inside = find_dates(text), find_dates(f"({text})")
    assert [(span.start + 1, span.end + 1, span.readings) for span in alone] == [tuple(span) for span in inside]


@pytest.mark.parametrize(("language", "expected", "text"), _EXAMPLES)
def test_languages(language: str, expected: str, text: str) -> None:
    assert _read(text, (language,)) == expected


# Croatian and Polish share "listopada"; Thai alone says by which era it counts.
@pytest.mark.parametrize(("language", "expected", "text"), [row for row in _EXAMPLES if "listopada" not in row[2]])
def test_languages_unknown(language: str, expected: str, text: str) -> None:
    assert _read(text) == expected
    assert could_be_date(text)


def test_name_of_two_months_needs_a_language() -> None:
    assert read_date("2. listopada 2014") is None
    assert {reading.moment.month for reading in readings("2. listopada 2014")} == {10, 11}


@pytest.mark.parametrize("text", _lines("none.txt"))
def test_no_complete_date(text: str) -> None:
    assert find_dates(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2014-05-02T10:00:00+02:00", "2014-05-02T10:00:00+02:00"),
        ("2014-05-02T10:00Z", "2014-05-02T10:00:00+00:00"),
        ("2014-05-02T10:00:00.000-0700", "2014-05-02T10:00:00-07:00"),
        ("20140502T100000Z", "2014-05-02T10:00:00+00:00"),
        ("20140502", "2014-05-02"),
        ("Fri, 02 May 2014 10:00:00 +0200", "2014-05-02T10:00:00+02:00"),
        ("Fri, 02 May 2014 10:00:00 GMT", "2014-05-02T10:00:00+00:00"),
        ("Fri May 2 10:00:00 CEST 2014", "2014-05-02T10:00:00+02:00"),
        ("Fri May 02 10:00:00 +0000 2014", "2014-05-02T10:00:00+00:00"),
        ("Fri May 02 10:00:00 CST 2014", "2014-05-02T10:00:00"),
        ("2 May 2014 10:00 UTC+5:30", "2014-05-02T10:00:00+05:30"),
        ("May 2, 2014 10:00-11:00", "2014-05-02T10:00:00"),
        ("May 2, 2014 10:00 - 20 comments", "2014-05-02T10:00:00"),
        ("10:30, 2 May 2014", "2014-05-02T10:30:00"),
        ("May 2, 2014 25:00", "2014-05-02"),
    ],
)
def test_time_and_zone_only_as_written(text: str, expected: str) -> None:
    assert _read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("May 2014", "2014-05"),
        ("Posted in May 2014 with 3 comments", "2014-05"),
        ("May 2014 · 5 min read", "2014-05"),
        ("Mai 2014", "2014-05"),
        ("maig del 2014", "2014-05"),
        ("2014-ж., май", "2014-05"),
        ("2014年5月", "2014-05"),
        ("平成26年5月", "2014-05"),
        ("พฤษภาคม 2557", "2014-05"),
        ("2014-05", "2014-05"),
        ("2 May 2014", "2014-05-02"),
        ("listopad 2014", None),
        ("January - May 2014", None),
        ("May 2013 - May 2014", None),
        ("31 February 2014", None),
        ("2014 May 32", None),
        ("May 14", None),
        ("خرداد ۱۳۹۳", None),  # parts of two months
    ],
)
def test_a_month_alone(text: str, expected: str | None) -> None:
    moment = read_date(text, months=True)
    assert (moment and moment.isoformat()) == expected
    assert expected is None or len(expected) > len("2014-05") or read_date(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("02\nMay\n2014", "2014-05-02"),
        ("May 02\n                                                                     2014", "2014-05-02"),
        ("2\u00a0mai\u00a02014", "2014-05-02"),
        ("Septem\u00adber 2, 2014", "2014-09-02"),
        ("2 fe\u0301vrier 2014", "2014-02-02"),
        ("\u200e2 May\u200f 2014", "2014-05-02"),
        ("May 2,2014", "2014-05-02"),
        ("02May2014", "2014-05-02"),
        ("2 May | 2014", "2014-05-02"),
        ("2014 May 2, 2015", "2015-05-02"),
        ("2 May 14, 2014", "2014-05-14"),
        ("2-May-14", "2014-05-02"),
    ],
)
def test_layout_of_themes(text: str, expected: str) -> None:
    assert _read(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5/2/2014", {"DMY": "2014-02-05", "MDY": "2014-05-02"}),
        ("02.05.14", {"DMY": "2014-05-02", "MDY": "2014-02-05", "YMD": "2002-05-14"}),
        ("14/05/02", {"DMY": "2002-05-14", "YMD": "2014-05-02"}),
        ("25.05.2014г.", {"DMY": "2014-05-25"}),
        ("Friday 05/02/2014", {"MDY": "2014-05-02"}),
        ("2014-05-02", {"YMD": "2014-05-02"}),
    ],
)
def test_all_readings_of_digits(text: str, expected: dict[str, str]) -> None:
    assert {reading.order: reading.moment.isoformat() for reading in readings(text)} == expected


def test_order_settles_digits_and_nothing_is_guessed() -> None:
    assert read_date("05/02/2014") is None
    assert _read("05/02/2014", order="DMY") == "2014-02-05"
    assert _read("05/02/2014", order="MDY") == "2014-05-02"
    assert _read("25/02/2014", order="MDY") == "2014-02-25"
    assert _read("05/05/2014") == "2014-05-05"
    assert _read("2014-05-02", order="DMY") == "2014-05-02"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Posted on May 2nd, 2014 by Ann", "May 2nd, 2014"),
        ("Le vendredi, 2 mai 2014 à 10 h 03, par Zoé", "vendredi, 2 mai 2014 à 10 h 03"),
        ("作成: 平成26年5月2日。", "平成26年5月2日"),
        ("Zoé, 2 mai 2014 à 17 h 38 min : merci", "2 mai 2014 à 17 h 38 min"),
        ("2 de maio de 2014 às 17h38min.", "2 de maio de 2014 às 17h38min."),
        ("am 2. Mai 2014 um 17.38 Uhr von Ann", "2. Mai 2014 um 17.38 Uhr"),
        ("2 mei 2014 om 17:38 uur", "2 mei 2014 om 17:38 uur"),
        ("2 mai 2014 à 10h Min Lee", "2 mai 2014 à 10h"),
        ("2 mai 2014 à 17h38 Min-ho", "2 mai 2014 à 17h38"),
        ("2 May 2014 10:30 H. Smith", "2 May 2014 10:30"),
        ("2 May 2014 10:30 5 min read", "2 May 2014 10:30"),
        ("a   b\n\n 2.\u00a0Mai  2014   c", "2.\u00a0Mai  2014"),
    ],
)
def test_span_covers_the_date(text: str, date: str) -> None:
    (span,) = find_dates(text)
    assert text[span.start : span.end] == date


def test_several_dates_in_order() -> None:
    text = "Posted May 2, 2014, updated 3 June 2015, 2016-07-04"
    assert [span.readings[0].moment.isoformat() for span in find_dates(text)] == [
        "2014-05-02",
        "2015-06-03",
        "2016-07-04",
    ]
    assert _read(text) == "2014-05-02"


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("3 days ago", ()),
        ("Posted 3 days ago", ("en",)),
        ("vor 3 Tagen", ("de",)),
        ("3日前", ("ja",)),
        ("3 дня назад", ()),
        ("il y a 3 jours", ("fr", "xx")),
    ],
)
def test_relative_to_now(text: str, languages: tuple[str, ...]) -> None:
    assert read_date(text, languages) is None
    assert read_date(text, languages, now=_NOW) == Moment(2014, 5, 2)


@pytest.mark.parametrize(
    "text",
    [
        "last week",
        "2 months ago",
        "tomorrow",
        "in 3 days",
        "5 minutes",
        "5 min read",
        "3 days",
        "Comments",
        "5",
        "",
        "may",
    ],
)
def test_relative_names_no_past_day(text: str) -> None:
    assert read_date(text, ("en",), now=_NOW) is None


def test_length_is_bounded() -> None:
    assert read_date("x" * 301 + " May 2, 2014") is None
    assert read_date("x" * 250 + " " * 1000 + " May 2, 2014") == Moment(2014, 5, 2)
    assert not could_be_date("May 2, 2014 " + "x" * 100)
    assert could_be_date("May 2,\n" + " " * 200 + "2014")


@given(st.text(max_size=120))
def test_never_raises_on_text(text: str) -> None:
    for span in find_dates(text):
        assert 0 <= span.start < span.end <= len(text)
        assert span.readings


_PIECES = [
    "May",
    "mai",
    "мая",
    "月",
    "年",
    "日",
    "2",
    "14",
    "2014",
    "二十",
    "元",
    "平成",
    "/",
    "-",
    ".",
    ":",
    " ",
    "T",
    "+02:00",
    "am",
    "th",
    "h",
    "10:30",
    "Fri",
    "İ",
    "٢",
]


@given(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join))
def test_never_raises_on_pieces_of_dates(text: str) -> None:
    for span in find_dates(text, ("en", "th", "fa")):
        assert 0 <= span.start < span.end <= len(text)
        assert all(sorted(reading.order) == ["D", "M", "Y"] for reading in span.readings)


@pytest.mark.parametrize(
    "piece", ["1.2.14 ", "2014 May 2 ", "1 ", "мая 2 ", "10:30 ", "(((((", "Tháng ", "1年", "p. m. "]
)
def test_time_does_not_grow_with_hostile_text(piece: str) -> None:
    find_dates("May 2, 2014")
    start = time.process_time()
    find_dates(piece * 200_000)
    assert time.process_time() - start < 0.25


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "2 mai 2014 à 10 h 05", "2014-05-02T10:05:00"),
        ("ja", "2014年5月2日(金) 10時05分", "2014-05-02T10:05:00"),
        ("ja", "2014/5/2金曜日", "2014-05-02"),
        ("ko", "2014년 5월 2일 오후 3:05", "2014-05-02T15:05:00"),
        ("ko", "22. 9. 8.", "2022-09-08"),
        ("ko", "2014. 5. 2. PM 3:05", "2014-05-02T15:05:00"),
        ("en", "Friday, 02 May 2014, 10:05:12 PM EST", "2014-05-02T22:05:12-05:00"),
        ("en", "2 May 2014 10:05 +02:00", "2014-05-02T10:05:00+02:00"),
        ("en", "02/May/2014", "2014-05-02"),
        ("en", "May 02 14", "2014-05-02"),
        ("pl", "2.V.2014", "2014-05-02"),
        ("pl", "2 XII 2014", "2014-12-02"),
        ("hu", "2014. V. 2.", "2014-05-02"),
        ("", "2/IX/2014", "2014-09-02"),
        ("de", "2 Mai '14", "2014-05-02"),
        ("th", "๒ พฤษภาคม ๒๕๕๗", "2014-05-02"),
        ("th", "2 พ.ค. 57", "2014-05-02"),
        ("", "โดย มาลี | 2 พ.ค. 57 | หนังสือ", "2014-05-02"),
        ("th", "22/5/57", "2014-05-22"),
        ("th", "2 พ.ค. 48", "2005-05-02"),
        ("th", "2 พ.ค. 14", "2014-05-02"),
        ("en", "Ann | 2 May 14 | Books", "2014-05-02"),
        ("en", "Ann | 2 May 57 | Books", None),
        ("fa", "جمعه ۱۲ اردیبهشت ۱۳۹۳ ساعت ۱۰:۰۵", "2014-05-02T10:05:00"),
        ("fa", "۱۳۹۳/۰۲/۱۲", "2014-05-02"),
        ("en", "02 May 2014", "2014-05-02"),
        ("en", "May 2014 02", "2014-05-02"),
        ("en", "02 2014 May", "2014-05-02"),
        ("en", "May | 02 | 2014", "2014-05-02"),
        ("en", "2 · May · 2014", "2014-05-02"),
        ("da", "fredag den 2. maj 2014 10.05", "2014-05-02T10:05:00"),
        ("id", "2 Mei 2014 pukul 10.05 WIB", "2014-05-02T10:05:00+07:00"),
    ],
)
def test_how_themes_write(language: str, text: str, expected: str | None) -> None:
    assert _read(text, (language,) if language else ()) == expected


@pytest.mark.parametrize(
    "text", ["May 2014 12 comments", "I and 2 i 2014", "2 v 2014", "2 May 2014 3.1415", "12 2014 May we go"]
)
def test_numbers_beside_dates_are_no_parts_of_them(text: str) -> None:
    assert _read(text, ("en",)) in (None, "2014-05-02")


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("04.03.2009", None, (2009, 3, 4)),
        ("Written on 4. 3. 2009 by Cleo", None, (2009, 3, 4)),
        ("04.03.09", None, (2009, 3, 4)),
        ("04.03.2009", "MDY", (2009, 4, 3)),
        ("04.23.2009", None, (2009, 4, 23)),
        ("04/03/2009", None, None),
        ("04-03-2009", None, None),
    ],
)
def test_the_day_is_first_before_full_stops(text: str, order: str | None, day: tuple[int, int, int] | None) -> None:
    assert read_date(text, (), order) == (Moment(*day) if day else None)


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Sam · 13 May 2024", "13 May 2024"),
        ("sourdough_sam · 18 May 2024", "18 May 2024"),
        ("big-sun, 5 May 2024", "5 May 2024"),
        ("Sun 5 May 2024", "Sun 5 May 2024"),
        ("bob (Sat, 18 May 2024)", "Sat, 18 May 2024"),
    ],
)
def test_a_name_before_a_date_is_no_weekday_of_it(text: str, date: str) -> None:
    """`Sam` is Saturday in some languages."""
    (found,) = find_dates(text, ["en"])
    assert text[found.start : found.end] == date


def test_a_name_behind_a_word_is_no_weekday_of_the_date() -> None:
    """`Ann` is the fifth day of the week in some languages."""
    assert [reading.order for reading in readings("4. 3. 2009 by Ann", ["en"])] == ["DMY", "MDY"]
    assert [reading.order for reading in readings("4. 3. 2009, středa", ["cs"])] == ["DMY"]
