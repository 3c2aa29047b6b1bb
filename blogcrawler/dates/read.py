"""Reads the dates in short texts of pages, in many languages and notations.

There are three steps, each linear in the text: fold it (`fold`), split it into tokens (`tokens`), and find the patterns
of dates (`patterns`) and the times next to them (`clock`). Nothing is guessed: the result is a list of all possible
readings, and `read_date` returns a date only if there is exactly one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from blogcrawler.dates.calendars import Customs
from blogcrawler.dates.clock import clock_beside
from blogcrawler.dates.fold import fold
from blogcrawler.dates.lexicon import MAX_LANGUAGE_SETS, MONTH, lexicon, primary_languages
from blogcrawler.dates.moment import DateSpan, Moment, Reading
from blogcrawler.dates.patterns import MONTH_ALONE, best_matches, lone_month
from blogcrawler.dates.relative import read_relative
from blogcrawler.dates.tokens import shape, tokenise

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from blogcrawler.dates.clock import Clock
    from blogcrawler.dates.fold import Folded
    from blogcrawler.dates.patterns import Match
    from blogcrawler.dates.tokens import Token

#: maximum number of characters that are read, counting white space as one
MAX_LENGTH = 300
_MAX_SEARCHED = 10 * MAX_LENGTH
_MAX_DATE_LENGTH = 100
# CLDR's short date formats of all languages with this separator, with the year at the end.
_DOTTED = re.compile(r"(?<![\d.])\d{1,2}\. ?\d{1,2}\. ?(?:\d{4}|\d{2})(?!\d)")
# Require a day and a year, which may be in one number or in Chinese digits; for months, require a year. Each pattern
# begins with a character class, which makes the search three times as fast.
_NUMBERS = {
    False: re.compile(r"[\d〇零一二三四五六七八九十](?:(?<=\d)(?:\D+\d|\d{7})|(?<!\d)年)"),
    True: re.compile(r"[\d年](?:(?<=年)|(?<=\d)(?:\D+\d|\d{3}))"),
}
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[Tt]?(\d{2})(\d{2})(\d{2})?([Zz]?))?", re.ASCII)
_MACHINE_YEARS = range(1990, 2101)
# The usual format of datetime attributes.
_ISO = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-3]):?(?:00|15|30|45))?)?)?", re.ASCII
)
_THAI_LETTER = re.compile("[\u0e00-\u0eff\u1780-\u17ff]")
_ARABIC_LETTER = re.compile("[\u0600-\u06ff]")


def could_be_date(text: str, *, months: bool = False) -> bool:
    """Cheap pre-check: True for every text of up to 100 characters with a complete date (but not "3 days ago").

    White space counts as one character. With `months`, also True for every text with a month and a year.
    """
    if len(text) > _MAX_DATE_LENGTH:
        text = " ".join(text[:_MAX_SEARCHED].split())
    return len(text) <= _MAX_DATE_LENGTH and _NUMBERS[months].search(text) is not None


def find_dates(text: str, languages: Sequence[str] = (), *, months: bool = False) -> list[DateSpan]:
    """All complete dates (day, month and year) in a text, in text order, each with all its readings.

    `languages` are BCP 47 tags of the text's possible languages; they select the meaning of names that several
    languages share. With `months`, a text without a complete date may have just a month and a year, in words or as
    `2023-03`. O(n) in the text; its first `MAX_LENGTH` characters are read. Never raises. Results are cached,
    since the pages of a blog repeat the same texts.
    """
    return list(_find_dates(text[:_MAX_SEARCHED], tuple(languages), months=months))


@lru_cache(maxsize=2048)
def _find_dates(text: str, languages: tuple[str, ...], *, months: bool) -> Sequence[DateSpan]:
    moment = _machine_readable(text.strip())
    if moment is not None and (months or moment.day):
        start = len(text) - len(text.lstrip())
        return [DateSpan(start, start + len(text.strip()), (Reading(moment, "YMD", False),))]
    if _NUMBERS[months].search(text) is None:
        return []
    folded = fold(text, MAX_LENGTH)
    spoken = primary_languages(languages)
    tokens = tokenise(folded.text, spoken)
    customs = _customs(text, spoken)
    matches = best_matches(tokens, shape(tokens), folded.text, customs)
    if months and not matches:
        matches = lone_month(tokens, shape(tokens), customs)
    return [_span(match, tokens, folded, dotted=customs.dotted_times) for match in matches]


def _machine_readable(text: str) -> Moment | None:
    """The date of a text in ISO 8601 format, also without separators, as in datetime attributes."""
    compact = _COMPACT.fullmatch(text)
    if compact is not None:
        day, clock = "-".join(compact.groups()[:3]), ":".join(filter(None, compact.groups()[3:6]))
        moment = Moment.parse_iso(f"{day}T{clock}{compact[7] or ''}") or Moment.parse_iso(day)
    else:
        moment = Moment.parse_iso(text) if _ISO.fullmatch(text) else None
    return moment if moment is not None and moment.year in _MACHINE_YEARS else None


def readings(text: str, languages: Sequence[str] = ()) -> tuple[Reading, ...]:
    """All readings of the first complete date in a text; empty if there is none."""
    spans = find_dates(text, languages)
    return spans[0].readings if spans else ()


def read_date(
    text: str,
    languages: Sequence[str] = (),
    order: str | None = None,
    now: dt.datetime | None = None,
    months: bool = False,
) -> Moment | None:
    """The first complete date in a text; None if there is none, or if it has several readings.

    `order` ("DMY", "MDY" or "YMD") resolves dates such as 05/02/2014; it is ignored for texts that contradict it.
    Without it, numbers separated by full stops begin with the day, since all languages that use full stops do so.
    Phrases such as "3 days ago" are only read with `now`, the time of the fetch. `months` is the same as in
    `find_dates`.
    """
    spans = find_dates(text, languages, months=months)
    if not spans:
        return read_relative(text, languages, now) if now is not None else None
    if order is None and _DOTTED.search(text, 0, _MAX_SEARCHED):
        order = "DMY"
    return settled(spans[0].readings, order)


def shown_rather(attribute: str, visible_text: str, languages: Sequence[str] = ()) -> str:
    """Choose between the date in an element's attribute and its visible text: the text wins if it is a different day.

    A difference of one day may be a time zone; a text with several dates does not count.
    """
    attribute_readings, spans = readings(attribute, languages), find_dates(visible_text, languages)
    if not attribute_readings or len(spans) != 1:
        return attribute
    apart = (
        abs((reading.moment.date - other.moment.date).days)
        for reading in attribute_readings
        for other in spans[0].readings
    )
    return attribute if min(apart) <= 1 else visible_text


def languages_of_month(text: str, month: int) -> frozenset[str]:
    """The major languages (primary subtags) in which the text contains the name of this month, 1 to 12. O(n)."""
    tokens = tokenise(fold(text, MAX_LENGTH).text, frozenset())
    named = (name for token in tokens for name in token.months if (name.kind, name.number) == (MONTH, month))
    return frozenset(language for name in named for language in name.languages)


def settled(readings: Sequence[Reading], order: str | None = None) -> Moment | None:
    """The single date that remains of the readings under this order; None if several remain."""
    ordered = [reading for reading in readings if not reading.numeric or reading.order == order] or readings
    moments = {reading.moment for reading in ordered}
    return moments.pop() if len(moments) == 1 else None


def _customs(text: str, spoken: frozenset[str]) -> Customs:
    customs = _customs_of(spoken)
    if text.isascii():
        return customs
    return customs._replace(
        buddhist=customs.buddhist or _THAI_LETTER.search(text) is not None,
        jalali=customs.jalali or _ARABIC_LETTER.search(text) is not None,
    )


@lru_cache(maxsize=MAX_LANGUAGE_SETS)
def _customs_of(spoken: frozenset[str]) -> Customs:
    return Customs(**{name: not spoken.isdisjoint(codes) for name, codes in lexicon().customs.items()})


def _span(match: Match, tokens: Sequence[Token], folded: Folded, *, dotted: bool) -> DateSpan:
    is_day = match.days[0][0] != MONTH_ALONE
    clock = clock_beside(tokens, match.first, match.last, folded.text, dotted=dotted) if is_day else None
    first = match.first
    if first > 0 and tokens[first - 1].era:
        first -= 1
    weekdays = {weekday for token in tokens[first : match.last + 1] if token.kind == "w" for weekday in token.weekdays}
    weekdays |= _weekdays_behind(tokens, match.last)
    before = _weekday_before(tokens, first)
    if before is not None and any(day.weekday() in tokens[before].weekdays for *_, day in match.days):
        first = before  # the word may also be a name: "Sam" is Saturday in some languages
        weekdays |= tokens[before].weekdays
    start, end = tokens[first].start, tokens[match.last].end
    if clock is not None:
        start, end = min(start, clock.start), max(end, clock.end)
    readings = [Reading(_moment(day, clock, is_day=is_day), order, numeric) for order, numeric, day in match.days]
    confirmed = [reading for reading in readings if reading.moment.date.weekday() in weekdays] or readings
    return DateSpan(folded.original(start), folded.original(end - 1) + 1, tuple(dict.fromkeys(confirmed)))


def _weekday_before(tokens: Sequence[Token], first: int) -> int | None:
    """Index of the weekday token that begins a date: directly before it, or with one or two separators between."""
    for index in range(first - 1, max(first - 4, -1), -1):
        if tokens[index].weekdays:
            return None if _is_end_of_word(tokens, index) else index
        if tokens[index].kind != "p":
            return None
    return None


def _is_end_of_word(tokens: Sequence[Token], index: int) -> bool:
    """True if a token ends a name with a separator in it, such as `sourdough_sam`."""
    if index < 2:
        return False
    word, sign, end = tokens[index - 2 : index + 1]
    return word.kind == "x" and word.end == sign.start and sign.end == end.start


def _weekdays_behind(tokens: Sequence[Token], last: int) -> frozenset[int]:
    """The weekdays directly after a date, or with one separator between."""
    following = next((token for token in tokens[last + 1 : last + 3] if token.kind != "p"), None)
    return following.weekdays if following is not None and following.kind == "w" else frozenset()


def _moment(day: dt.date, clock: Clock | None, *, is_day: bool) -> Moment:
    if clock is None:
        return Moment(day.year, day.month, day.day if is_day else None)
    hour, minute, second, offset = clock[2:]
    return Moment(day.year, day.month, day.day, hour=hour, minute=minute, second=second, offset_minutes=offset)
