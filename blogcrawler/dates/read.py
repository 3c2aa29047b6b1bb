"""Reads the dates in short texts of pages, in many languages and notations.

Three steps, each linear in the text: fold it (`fold`), cut it into tokens (`tokens`), find the patterns of dates
(`patterns`) and the times beside them (`clock`). Nothing is guessed: what a date may mean beyond doubt is a
list of readings, and `read_date` gives an answer only where one is left.
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

#: Characters that are read, a run of blanks counting as one; what follows is passed over.
MAX_LENGTH = 300
_MAX_SEARCHED = 10 * MAX_LENGTH
_MAX_DATE_LENGTH = 100
# As CLDR writes short dates of all languages that part them so, the year behind.
_DOTTED = re.compile(r"(?<![\d.])\d{1,2}\. ?\d{1,2}\. ?(?:\d{4}|\d{2})(?!\d)")
# A day and a year, or both in one number or in Chinese digits; where months are read, too, a year. Each begins with a
# set of characters, which makes the search for it thrice as fast.
_NUMBERS = {
    False: re.compile(r"[\d〇零一二三四五六七八九十](?:(?<=\d)(?:\D+\d|\d{7})|(?<!\d)年)"),
    True: re.compile(r"[\d年](?:(?<=年)|(?<=\d)(?:\D+\d|\d{3}))"),
}
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})(?:[Tt]?(\d{2})(\d{2})(\d{2})?([Zz]?))?", re.ASCII)
_MACHINE_YEARS = range(1990, 2101)
# What datetime attributes hold as a rule.
_ISO = re.compile(
    r"\d{4}-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-3]):?(?:00|15|30|45))?)?)?", re.ASCII
)
_THAI_LETTER = re.compile("[\u0e00-\u0eff\u1780-\u17ff]")
_ARABIC_LETTER = re.compile("[\u0600-\u06ff]")


def could_be_date(text: str, *, months: bool = False) -> bool:
    """A cheap test that every text of at most 100 characters with a complete date passes (not "3 days ago").

    A run of blanks counts as one character. With `months`, every text with a month and a year passes.
    """
    if len(text) > _MAX_DATE_LENGTH:
        text = " ".join(text[:_MAX_SEARCHED].split())
    return len(text) <= _MAX_DATE_LENGTH and _NUMBERS[months].search(text) is not None


def find_dates(text: str, languages: Sequence[str] = (), *, months: bool = False) -> list[DateSpan]:
    """The complete dates (day, month and year) in a text, in its order, each with all of its readings.

    `languages` are BCP 47 tags of what the text may be written in; they settle what names mean that languages share.
    With `months`, a text without such a date may have a month and a year alone, in words or as `2023-03`.
    O(n) in the text, of which the first `MAX_LENGTH` characters are read. Never raises. What was read is remembered,
    since pages of a blog are asked for the same texts again and again.
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
    """The moment of a text that is one in ISO 8601's notation, also without signs, as in datetime attributes."""
    compact = _COMPACT.fullmatch(text)
    if compact is not None:
        day, clock = "-".join(compact.groups()[:3]), ":".join(filter(None, compact.groups()[3:6]))
        moment = Moment.parse_iso(f"{day}T{clock}{compact[7] or ''}") or Moment.parse_iso(day)
    else:
        moment = Moment.parse_iso(text) if _ISO.fullmatch(text) else None
    return moment if moment is not None and moment.year in _MACHINE_YEARS else None


def readings(text: str, languages: Sequence[str] = ()) -> tuple[Reading, ...]:
    """All readings of the first complete date in a text; empty when there is none."""
    found = find_dates(text, languages)
    return found[0].readings if found else ()


def read_date(
    text: str,
    languages: Sequence[str] = (),
    order: str | None = None,
    now: dt.datetime | None = None,
    months: bool = False,
) -> Moment | None:
    """The first complete date in a text; None when there is none, or none that can be read in one way only.

    `order` ("DMY", "MDY" or "YMD") settles dates such as 05/02/2014, and is passed over where a text cannot be meant
    so. Without it, the day is the first of numbers with full stops: so write all languages that use these. Words such
    as "3 days ago" are read only with `now`, the time at which the page was fetched. `months`: as in `find_dates`.
    """
    spans = find_dates(text, languages, months=months)
    if not spans:
        return read_relative(text, languages, now) if now is not None else None
    if order is None and _DOTTED.search(text, 0, _MAX_SEARCHED):
        order = "DMY"
    return settled(spans[0].readings, order)


def shown_rather(told: str, shown: str, languages: Sequence[str] = ()) -> str:
    """The date to believe of an element: what an attribute says, or the text that readers see where it is another day.

    A day more or less is another zone; a text with several dates contradicts nothing.
    """
    claimed, seen = readings(told, languages), find_dates(shown, languages)
    if not claimed or len(seen) != 1:
        return told
    apart = (abs((one.moment.date - other.moment.date).days) for one in claimed for other in seen[0].readings)
    return told if min(apart) <= 1 else shown


def languages_of_month(text: str, month: int) -> frozenset[str]:
    """The widespread languages (primary subtags) in which a word of a text is the name of a month, 1 to 12. O(n)."""
    tokens = tokenise(fold(text, MAX_LENGTH).text, frozenset())
    named = (name for token in tokens for name in token.months if (name.kind, name.number) == (MONTH, month))
    return frozenset(language for name in named for language in name.languages)


def settled(found: Sequence[Reading], order: str | None = None) -> Moment | None:
    """The one moment that readings leave in an order of day and month; None where they leave several."""
    ordered = [reading for reading in found if not reading.numeric or reading.order == order] or found
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
        first = before  # another may be a name: Sam is Saturday in some languages
        weekdays |= tokens[before].weekdays
    start, end = tokens[first].start, tokens[match.last].end
    if clock is not None:
        start, end = min(start, clock.start), max(end, clock.end)
    found = [Reading(_moment(day, clock, is_day=is_day), order, numeric) for order, numeric, day in match.days]
    kept = [reading for reading in found if reading.moment.date.weekday() in weekdays] or found
    return DateSpan(folded.original(start), folded.original(end - 1) + 1, tuple(dict.fromkeys(kept)))


def _weekday_before(tokens: Sequence[Token], first: int) -> int | None:
    """Index of the weekday that begins a date: directly before, or with one or two signs between."""
    for place in range(first - 1, max(first - 4, -1), -1):
        if tokens[place].weekdays:
            return None if _is_end_of_word(tokens, place) else place
        if tokens[place].kind != "p":
            return None
    return None


def _is_end_of_word(tokens: Sequence[Token], place: int) -> bool:
    """True if a token ends a name with a sign in it, such as `sourdough_sam`."""
    if place < 2:
        return False
    word, sign, end = tokens[place - 2 : place + 1]
    return word.kind == "x" and word.end == sign.start and sign.end == end.start


def _weekdays_behind(tokens: Sequence[Token], last: int) -> frozenset[int]:
    """The weekday directly behind a date, or with one sign between."""
    following = next((token for token in tokens[last + 1 : last + 3] if token.kind != "p"), None)
    return following.weekdays if following is not None and following.kind == "w" else frozenset()


def _moment(day: dt.date, clock: Clock | None, *, is_day: bool) -> Moment:
    if clock is None:
        return Moment(day.year, day.month, day.day if is_day else None)
    hour, minute, second, offset = clock[2:]
    return Moment(day.year, day.month, day.day, hour=hour, minute=minute, second=second, offset_minutes=offset)
