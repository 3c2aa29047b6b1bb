"""Every format that CLDR has for a day, in the languages that blogs are written in, is read back to that day."""

from __future__ import annotations

import datetime as dt
from functools import cache

from babel import Locale
from babel.dates import format_date, format_time
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from blogcrawler.dates import DateSpan, find_dates

_TAGS = """
en en-GB es es-MX de de-AT fr fr-CA pt pt-PT ru zh-Hans zh-Hant ja ko it nl pl tr ar ar-EG ar-MA fa he hi id vi th cs
sv da nb nn fi el hu ro uk bg hr sr sr-Latn sk sl ca gl eu bn ta te mr ur ms fil sw lt lv et is ka kk hy az sq be mk bs
af ga cy km pa gu kn ml
"""
_LANGUAGES = tuple(_TAGS.split())
_TIMES = st.times().map(lambda time: time.replace(microsecond=0))
# the two digits of 2033 are those of the Buddhist year 2533
_DAYS = st.dates(dt.date(1995, 1, 1), dt.date(2032, 12, 31))


@cache
def _locale(tag: str) -> Locale:
    return Locale.parse(tag, sep="-")


@cache
def _formats(tag: str) -> tuple[str, ...]:
    """The patterns for a complete day, without those that name the era."""
    locale = _locale(tag)
    skeletons = [
        form.pattern
        for name, form in locale.datetime_skeletons.items()
        if set("yMd") <= set(name) and "G" not in name and "ddd" not in form.pattern  # a slip of CLDR 47: day 001
    ]
    return tuple(dict.fromkeys([*(form.pattern for form in locale.date_formats.values()), *skeletons]))


def _days(spans: list[DateSpan]) -> set[dt.date]:
    return {reading.moment.date for span in spans for reading in span.readings}


def _is_named(pattern: str) -> bool:
    return "MMM" in pattern or "LLL" in pattern


@settings(deadline=None, max_examples=10, phases=[Phase.generate])
@given(day=_DAYS)
def test_every_format_of_a_day_in_every_language(day: dt.date) -> None:
    for tag in _LANGUAGES:
        for pattern in _formats(tag):
            text = format_date(day, pattern, _locale(tag))
            found = _days(find_dates(text, (tag,)))
            assert day in found, (tag, pattern, text)
            assert len(found) == 1 or not _is_named(pattern), (tag, pattern, text)


@settings(deadline=None, max_examples=5, phases=[Phase.generate])
@given(day=_DAYS, time=_TIMES)
def test_every_format_of_a_day_with_a_time_behind_it(day: dt.date, time: dt.time) -> None:
    for tag in _LANGUAGES:
        locale = _locale(tag)
        for pattern in _formats(tag):
            for style in ("short", "medium"):
                text = f"{format_date(day, pattern, locale)} {format_time(time, style, locale=locale)}"
                moments = {reading.moment for span in find_dates(text, (tag,)) for reading in span.readings}
                assert (day, time.hour, time.minute) in {(one.date, one.hour, one.minute) for one in moments}, (
                    tag,
                    pattern,
                    text,
                )
