from __future__ import annotations

import datetime as dt

import pytest
from babel import Locale, localedata
from babel.dates import format_date
from hypothesis import given, settings
from hypothesis import strategies as st

from blogcrawler.dates import Moment, read_date
from blogcrawler.dates.read import readings
from tests.dates.forms import forms

_LOCALE_TAGS = """
en en-GB de de-AT fr fr-CA es es-MX pt-BR pt-PT it nl sv da nb nn fi pl cs sk hu ro ru uk bg el tr id vi th ja zh-CN
zh-TW ko ar ar-MA ar-LB fa he hi ca hr lt lv et sl sr sr-Latn bs mk sq is ga cy gl af ms fil sw bn ta te mr gu kn ml pa
ur ne si km lo ka hy az kk ky uz be eu eo lb
"""
_LOCALES = tuple(_LOCALE_TAGS.split())
_DAYS = st.dates(dt.date(1995, 1, 1), dt.date(2035, 12, 31))
_NAMED = (
    "d MMMM yyyy",
    "MMMM d, yyyy",
    "d. MMMM yyyy",
    "d MMM yyyy",
    "MMM d, yyyy",
    "EEEE, d MMMM yyyy",
    "dd-MMM-yyyy",
)
_DIGITS = (
    "dd.MM.yyyy",
    "d/M/yyyy",
    "MM/dd/yyyy",
    "yyyy-MM-dd",
    "dd/MM/yy",
    "MM/dd/yy",
    "yy/MM/dd",
    "d. M. yyyy",
    "yyyy年M月d日",
)


@pytest.mark.parametrize("locale", _LOCALES)
def test_every_month_of_every_locale_is_read_back(locale: str) -> None:
    for month in range(1, 13):
        day = dt.date(2014, month, 2 * month)
        texts = [format_date(day, form, Locale.parse(locale, sep="-")) for form in (*_NAMED, "long", "full")]
        assert {text: read_date(text, (locale,)) for text in texts} == dict.fromkeys(
            texts, Moment(2014, month, 2 * month)
        )


@settings(deadline=None, max_examples=200)
@given(locale=st.sampled_from(_LOCALES), day=_DAYS, pattern=st.sampled_from(_NAMED))
def test_named_months_are_read_back(locale: str, day: dt.date, pattern: str) -> None:
    text = format_date(day, pattern, Locale.parse(locale, sep="-"))
    assert read_date(text, (locale,)) == Moment(day.year, day.month, day.day), text


@settings(deadline=None)
@given(day=_DAYS, pattern=st.sampled_from(_DIGITS))
def test_digits_have_the_day_among_their_readings(day: dt.date, pattern: str) -> None:
    text = format_date(day, pattern, "en")
    assert Moment(day.year, day.month, day.day) in {reading.moment for reading in readings(text)}, text


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        (
            "en",
            {
                "May 2, 2014",
                "2nd May 2014",
                "MAY 2, 2014",
                "2014-05-02",
                "05/02/14",
                "Friday, May 2nd, 2014",
                "May 2 '14",
            },
        ),
        ("de", {"2. Mai 2014", "02.05.2014", "02.05.14", "Freitag, 2. Mai 2014", "Mai 2, 2014"}),
        ("pt-BR", {"2 de maio de 2014", "02/05/2014"}),
        ("ru", {"2 мая 2014\u202fг.", "2 мая 2014", "2 май 2014"}),
        ("ja_JP", {"2014年5月2日", "2014/05/02"}),
        ("xx-unknown", {"May 2, 2014"}),
        ("", {"May 2, 2014"}),
    ],
)
def test_forms_of_a_day(locale: str, expected: set[str]) -> None:
    assert expected <= set(forms(Moment(2014, 5, 2), locale))


def test_forms_have_a_time_only_where_it_is_known() -> None:
    assert not any(":" in form for form in forms(Moment(2014, 5, 2), "en"))
    timed = forms(Moment(2014, 5, 2, hour=15, minute=4), "en")
    assert "May 2, 2014 3:04 PM" in timed
    assert "May 2, 2014 15:04" in timed
    assert not any("15:04:" in form for form in timed[1:])


def test_forms_do_not_depend_on_what_was_written_before() -> None:
    forms(Moment(2014, 5, 2), "he")
    assert not any("\u0590" < letter < "\u05ff" for form in forms(Moment(2014, 5, 2), "az") for letter in form)


def test_names_of_every_locale_come_from_the_installed_cldr() -> None:
    assert len(_LOCALES) >= 60
    assert {locale.split("-")[0] for locale in _LOCALES} <= {
        name.split("_")[0] for name in localedata.locale_identifiers()
    }
