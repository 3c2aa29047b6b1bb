"""Dates in a list of tokens: patterns over the list's shape, and the tests that a match must pass to be a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates.calendars import GREGORIAN, JALALI, Customs, full_year, gregorian_day, jalali_to_gregorian
from blogcrawler.dates.numeric import NUMERIC_STARTS, Day, numeric_date
from blogcrawler.dates.tokens import Token

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Sequence

_GAP = "[pcw]{0,6}"
# Parts in the order of a page's columns: only where they are all that a text begins with.
_MONTH_YEAR_DAY, _DAY_YEAR_MONTH = "MYD", "DYM"
# Order, quality and pattern. A year in front of a day and month may belong to something else, so the other orders are
# better.
_NAMED = tuple(
    (order, quality, re.compile(pattern))
    for order, quality, pattern in (
        ("DMY", 3, rf"(?P<day>[nD]){_GAP}(?P<month>M)(?:p(?P<again>M))?{_GAP}(?P<year>[nY])"),
        ("MDY", 3, rf"(?P<month>M){_GAP}(?P<day>[nD]){_GAP}(?P<year>[nY])"),
        ("MDY", 3, rf"(?P<month>M){_GAP}(?P<day>[nD])[pcw]{{0,2}}t[pcwhx]{{0,3}}(?:(?<=x)n)?[pc]{{0,2}}(?P<year>n)"),
        ("YMD", 2, rf"(?P<year>[nY]){_GAP}(?P<month>M){_GAP}(?P<day>[nD])"),
        ("YDM", 1, rf"(?P<year>[nY]){_GAP}(?P<day>[nD]){_GAP}(?P<month>M)"),
        (_MONTH_YEAR_DAY, 0, rf"^w?(?P<month>M){_GAP}(?P<year>[nY]){_GAP}(?P<day>[nD])(?:[pcth]|$)"),
        (_DAY_YEAR_MONTH, 0, rf"^w?(?P<day>[nD]){_GAP}(?P<year>[nY]){_GAP}(?P<month>M)(?:[pcth]|$)"),
    )
)
_MONTH_ALONE = (
    re.compile(rf"(?P<month>M){_GAP}(?P<year>[nY])c?"),
    re.compile(rf"(?P<year>[nY]){_GAP}(?P<month>M)c?(?!{_GAP}[nD])"),
)
_FULL_QUALITY = 3
_SHORT_YEAR_QUALITY = 0
_GLUE = frozenset({"-", "/", ".", ". ", "_", ""})
#: order of a month without a day
MONTH_ALONE = "YM"
_FIRST = Token("n", 0, 0, value=1, digits=1)
# Signs that part a date from other things on a line.
_DIVIDERS = frozenset("|•")


class Match(NamedTuple):
    """A date at tokens `first` to `last`."""

    quality: int
    first: int
    last: int
    #: each way to read it
    days: tuple[Day, ...]


def best_matches(tokens: Sequence[Token], shape: str, text: str, customs: Customs) -> list[Match]:
    """The dates in the order of the text. Where matches overlap the better one stays, then the earlier."""
    candidates = sorted(_candidates(tokens, shape, text, customs), key=lambda match: (-match.quality, match.first))
    taken: set[int] = set()
    chosen = []
    for match in candidates:
        covered = range(match.first, match.last + 1)
        if taken.isdisjoint(covered):
            taken.update(covered)
            chosen.append(match)
    return sorted(chosen, key=lambda match: match.first)


def lone_month(tokens: Sequence[Token], shape: str, customs: Customs) -> list[Match]:
    """The only month and year of a text in which these stand beside each other, without a day or another month."""
    found = next(filter(None, (pattern.search(shape) for pattern in _MONTH_ALONE)), None)
    if found is None or shape.count("M") > 1 or shape[: found.start()].rstrip("pcw")[-1:] in ("n", "D"):
        return []
    parts = {"year": tokens[found.start("year")], "month": tokens[found.start("month")], "day": _FIRST}
    first_days = _named_days(parts, customs) if parts["year"].digits == 4 else ()
    days = tuple(
        (MONTH_ALONE, False, day) for day in first_days if day.day == 1
    )  # others are in calendars with other months
    return [Match(0, found.start(), found.end() - 1, days)] if days else []


def _candidates(tokens: Sequence[Token], shape: str, text: str, customs: Customs) -> Iterator[Match]:
    with_month = "M" in shape
    for position, kind in enumerate(shape):
        if kind in "nMYD" and with_month:
            yield from _named_dates(tokens, shape, position, text, customs)
        if kind in NUMERIC_STARTS:
            found = numeric_date(tokens, shape, position, text, customs=customs)
            if found is not None:
                yield Match(_FULL_QUALITY, position, *found)


def _named_dates(tokens: Sequence[Token], shape: str, position: int, text: str, customs: Customs) -> Iterator[Match]:
    for order, quality, pattern in _NAMED:
        found = pattern.match(shape, position)
        if found is None:
            continue
        parts = {name: tokens[found.start(name)] for name in ("year", "month", "day")}
        if found.groupdict().get("again") and parts["month"].months[:1] != tokens[found.start("again")].months[:1]:
            continue
        last = max(found.end(name) for name in ("year", "month", "day", *_again(found))) - 1
        short = parts["year"].digits == 2 and parts["year"].kind == "n"
        if short and not _is_short_year(tokens, found, order, text):
            continue
        if _is_range(tokens, found.start("day"), text) or not _may_be_day(parts["day"]):
            continue
        days = tuple((order, False, day) for day in _named_days(parts, customs))
        if days:
            yield Match(_SHORT_YEAR_QUALITY if short else quality, position, last, days)


def _again(found: re.Match[str]) -> tuple[str, ...]:
    return ("again",) if found.groupdict().get("again") else ()


def _named_days(parts: dict[str, Token], customs: Customs) -> Iterator[dt.date]:
    year, month, day = parts["year"], parts["month"], parts["day"]
    if year.digits not in (2, 4):
        return
    written = full_year(year.value, customs) if year.digits == 2 else year.value
    for calendar, number in [(name.calendar, name.number) for name in month.months] or [(GREGORIAN, month.value)]:
        if calendar == JALALI:
            found = jalali_to_gregorian(written, number, day.value)
        else:
            found = gregorian_day(written, number, day.value, customs)
        if found is not None:
            yield found


def _may_be_day(token: Token) -> bool:
    return 1 <= token.value <= 31 and 1 <= token.digits <= 2


def _is_range(tokens: Sequence[Token], day: int, text: str) -> bool:
    """True for the 4 of "2-4 May 2014", which is no date of a post."""
    if day < 2:
        return False
    number, hyphen = tokens[day - 2], tokens[day - 1]
    return number.kind == "n" and number.digits <= 2 and text[hyphen.start : hyphen.end] == "-"


def _is_short_year(tokens: Sequence[Token], found: re.Match[str], order: str, text: str) -> bool:
    """True where two digits are a year, and not a number that follows a day and month ("12 Dec 10 comments")."""
    year = tokens[found.start("year")]
    middle, outer = ("month", "day") if order == "DMY" else ("day", "month")
    gap = text[tokens[found.start(middle)].end : year.start]
    if "'" in gap:
        return True
    if order not in ("DMY", "MDY") or year.suffix:
        return False
    first_gap = text[tokens[found.start(outer)].end : tokens[found.start(middle)].start]
    following = tokens[found.end()] if found.end() < len(tokens) else None
    if following is not None and not _may_follow(following, text):
        return False
    if gap == first_gap and gap.strip() in _GLUE and gap.strip():
        return True
    ends = following is None and order == "MDY" and found.start("month") == 0 and not gap.strip()
    return ends or "," in gap or (order == "DMY" and gap.strip(". ") == "")


def _may_follow(token: Token, text: str) -> bool:
    """May something stand behind a year of two digits, which are no hours or number of things then?"""
    sign = text[token.start]
    return sign in _DIVIDERS or (token.kind in "pth" and sign not in ":/'")
