"""Writes a date in the forms that a theme might show: the several target strings of one field.

Blanvillain, Kasioumis and Banos, "BlogForever Crawler: Techniques and Algorithms to Harvest Modern Weblogs" (2014),
match each feed value as several strings, since pages hardly ever print a date as the feed does. The forms here are
those of Unicode's CLDR for the locale and those of data/forms.txt.
"""

from __future__ import annotations

import datetime as dt
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_time

if TYPE_CHECKING:
    from blogcrawler.dates.moment import Moment

__all__ = ["forms"]

_FALLBACK = "en"
_STYLES = ("full", "long", "medium", "short")
_TIMES = ("HH:mm", "H:mm", "h:mm a", "HH:mm:ss")
# The locale's own forms, which come first, are the ones that stand with a time.
_TIMED_FORMS = 8
_MONTH_ALONE = "LLLL"
_ORDINAL = "ORD"
_ENGLISH_SUFFIXES = {"one": "st", "two": "nd", "few": "rd", "other": "th"}
# The Romance languages have an ordinal for the first of a month alone.
_FIRST_OF_MONTH = {"fr": "1er", "it": "1º", "es": "1º", "pt": "1º", "ca": "1r", "gl": "1º"}
_MAX_LOCALES = 64


def forms(moment: Moment, locale: str) -> tuple[str, ...]:
    """The strings that a theme in a language may show for a date, likely ones first, without doubles.

    `locale` is a BCP 47 tag; for one that CLDR does not know the forms are English. Upper and lower case are added for
    forms with names. Where `moment` has a time, the locale's own dates with the time follow. O(forms): about 115
    without a time and 150 with one.
    """
    known = _locale(locale)
    dates = [_form(moment, pattern, known) for pattern in _patterns(str(known))]
    styled = [format_date(moment.date, style, known) for style in _STYLES]
    written = [form for form in (*styled, *dates) if form is not None]
    cased = [
        changed for form in written for changed in (form.upper(), form.lower(), form.capitalize()) if changed != form
    ]
    return tuple(
        dict.fromkeys((moment.isoformat(), *written, *cased, *_with_time(moment, written[:_TIMED_FORMS], known)))
    )


def _form(moment: Moment, pattern: str, locale: Locale) -> str | None:
    if _ORDINAL in pattern:
        ordinal = _ordinal(moment.day, locale)
        if ordinal is None:
            return None
        pattern = pattern.replace(_ORDINAL, f"'{ordinal}'")
    if _MONTH_ALONE in pattern:
        name = locale.months["stand-alone"]["wide"][moment.month].replace("'", "''")
        pattern = pattern.replace(_MONTH_ALONE, f"'{name}'")
    return format_date(moment.date, pattern, locale)


def _with_time(moment: Moment, dates: list[str], locale: Locale) -> list[str]:
    if moment.hour is None:
        return []
    time = dt.time(moment.hour, moment.minute or 0, moment.second or 0)
    times = [
        format_time(time, pattern, locale=locale)
        for pattern in _TIMES
        if moment.second is not None or "s" not in pattern
    ]
    joined = [f"{date}{glue}{written}" for date in dates for written in times for glue in (" ", ", ")]
    return joined + [
        str(locale.datetime_formats["medium"]).replace("{1}", date).replace("{0}", times[0]) for date in dates
    ]


def _ordinal(day: int, locale: Locale) -> str | None:
    if locale.language == "en":
        return f"{day}{_ENGLISH_SUFFIXES[locale.ordinal_form(day)]}"
    return _FIRST_OF_MONTH.get(locale.language) if day == 1 else None


@lru_cache(maxsize=_MAX_LOCALES)
def _locale(tag: str) -> Locale:
    """The locale of a tag, of its language alone, or English."""
    for name in (tag.replace("_", "-"), tag.replace("_", "-").split("-", 1)[0]):
        try:
            return Locale.parse(name, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale.parse(_FALLBACK)


@lru_cache(maxsize=_MAX_LOCALES)
def _patterns(identifier: str) -> tuple[str, ...]:
    """The locale's skeletons for a day, then the forms of all locales."""
    skeletons = Locale.parse(identifier).datetime_skeletons
    own = (skeletons[name].pattern for name in ("yMMMMd", "yMMMd", "yMMMEd", "yMd") if name in skeletons)
    return tuple(dict.fromkeys((*own, *_common_patterns())))


@cache
def _common_patterns() -> tuple[str, ...]:
    lines = (Path(__file__).parent / "data" / "forms.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))
