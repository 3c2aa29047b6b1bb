"""Dates and times past as the tables of Unicode's CLDR, dateparser and num2words write them, by language.

Each sample is a text with what it means; reading it must give that or nothing.
"""

from __future__ import annotations

import datetime as dt
import importlib
import re
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from babel import Locale, localedata
from babel.dates import format_date

from blogcrawler.dates import Moment, count_back, find_dates, read_date

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

UNITS = ("second", "minute", "hour", "day", "week", "month", "year")
NUMBER = "{0}"
_SECONDS = dict(zip(UNITS, (1, 60, 3600, 86_400, 604_800, 2_630_000, 31_560_000), strict=True))
MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
WEEKDAYS = tuple("monday tuesday wednesday thursday friday saturday sunday".split())  # noqa: SIM905
#: a day of each month
EACH_MONTH = tuple(dt.date(2014, month, 2 * month) for month in range(1, 13))
_COUNTS = (1, 2, 3, 5, 11, 21)
_SPELLED = (*range(1, 13), 15, 20, 30)
#: what a plural category without a number in its pattern counts
_COUNTED = {"zero": 0, "one": 1, "two": 2}
_FORMS = ("{day} {name} 2014", "{name} {day}, 2014", "{day:02}-{name}-2014", "2014 {name} {day}")
_DATEPARSER_NUMBER = re.compile(r"\(\\d\+\+\[\.,\]\?\\d\*\+\)|\(\\d\+\)")
# What CLDR writes for locales that have no words of their own: "M02", "-3 d".
_ROOT_MONTH = re.compile(r"M\d\d")
SIGNS = "+-–−"
_GLUED_UNIT = re.compile(r"\{0\}[a-z]")
#: Norwegian and Filipino go by other names in one of the tables; num2words writes Chinese numbers as Japanese ones, and
#: those of Croatian and Bosnian as Serbian ones
_NAMES = {
    "nb": ("nb", "no"),
    "no": ("nb", "no"),
    "fil": ("fil", "tl"),
    "zh": ("zh", "ja"),
    "hr": ("hr", "sr"),
    "bs": ("bs", "sr"),
}


class Phrase(NamedTuple):
    """A phrase for a time past; None for a number that the phrase has as `NUMBER`."""

    text: str
    unit: str
    number: float | None


def languages() -> list[str]:
    """Primary subtags of all languages that CLDR or dateparser knows."""
    return sorted({name.split("_")[0] for name in localedata.locale_identifiers()} - {"root"})


def locales(language: str) -> list[str]:
    """The identifiers of a language's locales."""
    return [name for name in sorted(localedata.locale_identifiers()) if name.split("_")[0] == language]


@cache
def dateparser_table(language: str) -> Mapping[str, Any]:
    """What dateparser knows of a language; empty where it knows nothing."""
    for name in _NAMES.get(language, (language,)):
        try:
            return dict(importlib.import_module(f"dateparser.data.date_translation_data.{name}").info)
        except ImportError:
            continue
    return {}


def formatted_dates(language: str, days: Iterable[dt.date] = EACH_MONTH) -> dict[str, dt.date]:
    """Days in each of the formats for a complete day of a language's locales."""
    texts = {
        format_date(day, pattern, locale): day
        for locale in map(Locale.parse, locales(language))
        for day, pattern in product(days, patterns(locale))
    }
    return {text: day for text, day in texts.items() if not _ROOT_MONTH.search(text)}


def patterns(locale: Locale) -> list[str]:
    """The patterns for a complete day, without those that name the era or count days of the year."""
    skeletons = [
        form.pattern
        for name, form in locale.datetime_skeletons.items()
        if set("yMd") <= set(name) and "G" not in name and "ddd" not in form.pattern
    ]
    return [*(form.pattern for form in locale.date_formats.values()), *skeletons, "d LLLL yyyy", "d LLL yyyy"]


def named_dates(language: str) -> dict[str, dt.date]:
    """Days with the names of months that dateparser knows."""
    table = dateparser_table(language)
    return {
        form.format(name=name, day=2 * number): dt.date(2014, number, 2 * number)
        for number, month in enumerate(MONTHS, start=1)
        for name, form in product(table.get(month, ()), _FORMS)
    }


def weekdays(language: str) -> dict[str, Moment]:
    """Days in digits that the name of the weekday before them settles."""
    table = dateparser_table(language)
    return {
        f"{name}, {number:02}/04/2013": Moment(2013, 4, number)
        for number, weekday in enumerate(WEEKDAYS, start=1)
        for name in table.get(weekday, ())
    }


def phrases(language: str) -> Iterator[Phrase]:
    """The phrases for times past of both tables."""
    for identifier in locales(language):
        fields = localedata.load(identifier)["date_fields"]
        for unit, width in product(UNITS, ("", "-short", "-narrow")):
            field = fields.get(f"{unit}{width}", {})
            patterns = field.get("past", {}) if hasattr(field, "get") else {}
            for category, text in patterns.items():
                number = _COUNTED.get(category)
                if category == "two" or (NUMBER not in text and number is not None):
                    yield Phrase(text.replace(NUMBER, "2"), unit, number)
                elif NUMBER in text:
                    yield Phrase(text, unit, None)
    table = dateparser_table(language)
    for meaning, texts in table.get("relative-type", {}).items():
        if (found := re.fullmatch(r"(\d+) (\w+) ago", meaning)) and found[2] in UNITS:
            yield from (Phrase(text, found[2], int(found[1])) for text in texts if re.search(r"\d", text) is None)
    for meaning, texts in table.get("relative-type-regex", {}).items():
        if (found := re.fullmatch(r"\\1 (\w+) ago", meaning)) and found[1] in UNITS:
            plain = (_DATEPARSER_NUMBER.sub(NUMBER, text).replace(r"\s*", " ") for text in texts)
            yield from (Phrase(text, found[1], None) for text in plain if not re.search(r"[\\()\[\]?*+|]", text))


def verdict(text: str, meant: Moment | dt.date | tuple[str, float], languages: Sequence[str]) -> str:
    """What comes of reading a text: "read", "wrong" or "none". Of several readings of a day one must be right."""
    if isinstance(meant, Moment):
        moment = read_date(text, languages)
        return "none" if moment is None else "read" if moment == meant else "wrong"
    if isinstance(meant, tuple):
        counted = count_back(text, languages)
        if counted is None:
            return "none"
        return "read" if _seconds(counted.unit, counted.number) == _seconds(*meant) else "wrong"
    days = {reading.moment.date for span in find_dates(text, languages) for reading in span.readings}
    return ("read" if meant in days else "wrong") if days else "none"


def _seconds(unit: str, number: float) -> float:
    return _SECONDS[unit] * number


def times_past(language: str) -> dict[str, tuple[str, float]]:
    """Texts with unit and number: the phrases with numbers in digits."""
    found: dict[str, tuple[str, float]] = {}
    for text, unit, number in phrases(language):
        for count in _COUNTS if number is None else (number,):
            found[text.replace(NUMBER, str(count))] = unit, count
    return {text: meant for text, meant in found.items() if text[0] not in SIGNS}


def times_past_in_words(language: str) -> dict[str, tuple[str, float]]:
    """The same with numbers in words."""
    words = number_words(language, _SPELLED)
    return {
        text.replace(NUMBER, word): (unit, count)
        for text, unit, number in phrases(language)
        for count, word in words.items()
        if number is None and text[0] not in SIGNS and not _GLUED_UNIT.search(text)
    }


def number_words(language: str, numbers: Iterable[int]) -> dict[int, str]:
    """Numbers in words; empty where num2words does not know the language."""
    from num2words import CONVERTER_CLASSES, num2words

    name = next((name for name in _NAMES.get(language, (language,)) if name in CONVERTER_CLASSES), None)
    return {number: num2words(number, lang=name) for number in numbers} if name else {}
