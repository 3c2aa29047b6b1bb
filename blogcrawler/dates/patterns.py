"""Finds dates in a list of tokens: regular expressions over the list's shape, and checks that a match must pass.

Months are words, or numbers as in 2014-05-02, 02.05.14, 5/2/2014 and 2014. 5. 2. Callers decide which number is the
day.
"""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates.calendars import Customs, full_year, gregorian_day, jalali_to_gregorian
from blogcrawler.dates.lexicon import CONNECTOR, JALALI_MONTH, MONTH, lexicon
from blogcrawler.dates.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_GAP = "[pcw]{0,6}"
# Order, quality and pattern. A year before day and month may belong to something else, so the other orders are better.
# The last two orders occur in the columns of some pages; they only count at the start of a text.
_NAMED = tuple(
    (order, quality, re.compile(pattern))
    for order, quality, pattern in (
        ("DMY", 3, rf"(?P<day>[nD]){_GAP}(?P<month>M)(?:pM)?{_GAP}(?P<year>[nY])"),
        ("MDY", 3, rf"(?P<month>M){_GAP}(?P<day>[nD]){_GAP}(?P<year>[nY])"),
        ("MDY", 3, rf"(?P<month>M){_GAP}(?P<day>[nD])[pcw]{{0,2}}t[pcwhx]{{0,3}}(?:(?<=x)n)?[pc]{{0,2}}(?P<year>n)"),
        ("YMD", 2, rf"(?P<year>[nY]){_GAP}(?P<month>M){_GAP}(?P<day>[nD])"),
        ("YDM", 1, rf"(?P<year>[nY]){_GAP}(?P<day>[nD]){_GAP}(?P<month>M)"),
        ("MYD", 0, rf"^w?(?P<month>M){_GAP}(?P<year>[nY]){_GAP}(?P<day>[nD])(?:[pcth]|$)"),
        ("DYM", 0, rf"^w?(?P<day>[nD]){_GAP}(?P<year>[nY]){_GAP}(?P<month>M)(?:[pcth]|$)"),
    )
)
_MONTH_ALONE = (
    re.compile(rf"(?P<month>M){_GAP}(?P<year>[nY])c?"),
    re.compile(rf"(?P<year>[nY]){_GAP}(?P<month>M)c?(?!{_GAP}[nD])"),
)
_FULL_QUALITY = 3
_SHORT_YEAR_QUALITY = 0
_GLUE = frozenset({"-", "/", ".", ". ", "_", ""})
#: order of a month and year without a day
MONTH_ALONE = "YM"
_FIRST = Token("n", 0, 0, value=1, digits=1)
# Characters that separate a date from other texts in a line.
_DIVIDERS = frozenset("|•")
#: kinds of tokens with which a numeric date may begin
NUMERIC_STARTS = "nY"
#: order, whether another order is equally good, day
Day = tuple[str, bool, dt.date]
# The Korean words for Sunday and Monday are also the words for day and month.
_SEPARATED = re.compile(r"(n)p(n)p([nDM])")
_SPACED = re.compile(r"(n)(n)(n)(?!n)")
_AFTER_YEAR = re.compile(r"(Y)p?(n)p(n)")
_SEPARATORS = frozenset("./-|·_")
# A number next to one of these characters is a price, a percentage or a tag.
_SIGNS = frozenset("$€£¥₽#=%+&@*^\\")
# Characters that join numbers to longer ones: addresses, versions, decimals.
_JOINTS = frozenset(".-/:,")


class Match(NamedTuple):
    """A date at tokens `first` to `last`."""

    quality: int
    first: int
    last: int
    #: all interpretations
    days: tuple[Day, ...]


def best_matches(tokens: Sequence[Token], shape: str, text: str, customs: Customs) -> list[Match]:
    """Non-overlapping dates in text order. Of overlapping matches the better one wins, then the earlier one."""
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
    """Month and year of a text without a day, if there is exactly one such pair."""
    match = next(filter(None, (pattern.search(shape) for pattern in _MONTH_ALONE)), None)
    if match is None or shape.count("M") > 1 or shape[: match.start()].rstrip("pcw")[-1:] in ("n", "D"):
        return []
    parts = {"year": tokens[match.start("year")], "month": tokens[match.start("month")], "day": _FIRST}
    first_days = _named_days(parts, customs) if parts["year"].digits == 4 else ()
    days = tuple(
        (MONTH_ALONE, False, day) for day in first_days if day.day == 1
    )  # the other months belong to other calendars
    return [Match(0, match.start(), match.end() - 1, days)] if days else []


def _candidates(tokens: Sequence[Token], shape: str, text: str, customs: Customs) -> Iterator[Match]:
    with_month = "M" in shape
    for position, kind in enumerate(shape):
        if kind in "nMYD" and with_month:
            yield from _named_dates(tokens, shape, position, text, customs)
        if kind in NUMERIC_STARTS:
            numeric = numeric_date(tokens, shape, position, text, customs=customs)
            if numeric is not None:
                yield Match(_FULL_QUALITY, position, *numeric)


def _named_dates(tokens: Sequence[Token], shape: str, position: int, text: str, customs: Customs) -> Iterator[Match]:
    for order, quality, pattern in _NAMED:
        match = pattern.match(shape, position)
        if match is None:
            continue
        parts = {name: tokens[match.start(name)] for name in ("year", "month", "day")}
        last = max(match.end(name) for name in parts) - 1
        if len({(token.months[:1], token.value) for token in tokens[position : last + 1] if token.kind == "M"}) > 1:
            continue
        short = parts["year"].digits == 2 and parts["year"].kind == "n"
        if short and not _is_short_year(tokens, match, order, text):
            continue
        if _is_range(tokens, match.start("day"), text) or not _may_be_day(parts["day"]):
            continue
        days = tuple((order, False, day) for day in _named_days(parts, customs))
        if days:
            yield Match(_SHORT_YEAR_QUALITY if short else quality, position, last, days)


def _named_days(parts: dict[str, Token], customs: Customs) -> Iterator[dt.date]:
    year, month, day = parts["year"], parts["month"], parts["day"]
    if year.digits not in (2, 4):
        return
    written = full_year(year.value, customs) if year.digits == 2 else year.value
    for kind, number in [(name.kind, name.number) for name in month.months] or [(MONTH, month.value)]:
        if kind == JALALI_MONTH:
            gregorian = jalali_to_gregorian(written, number, day.value)
        else:
            gregorian = gregorian_day(written, number, day.value, customs)
        if gregorian is not None:
            yield gregorian


def _may_be_day(token: Token) -> bool:
    return 1 <= token.value <= 31 and 1 <= token.digits <= 2


def _is_range(tokens: Sequence[Token], day: int, text: str) -> bool:
    """True for the 4 in "2-4 May 2014": a range of days is not a post's date."""
    if day < 2:
        return False
    number, hyphen = tokens[day - 2], tokens[day - 1]
    return number.kind == "n" and number.digits <= 2 and text[hyphen.start : hyphen.end] == "-"


def _is_short_year(tokens: Sequence[Token], match: re.Match[str], order: str, text: str) -> bool:
    """True if two digits are a year, and not a count after day and month ("12 Dec 10 comments")."""
    year = tokens[match.start("year")]
    middle, outer = ("month", "day") if order == "DMY" else ("day", "month")
    gap = text[tokens[match.start(middle)].end : year.start]
    if "'" in gap:
        return True
    if order not in ("DMY", "MDY") or year.suffix:
        return False
    first_gap = text[tokens[match.start(outer)].end : tokens[match.start(middle)].start]
    following = tokens[match.end()] if match.end() < len(tokens) else None
    if following is not None and not _may_follow(following, text):
        return False
    if gap == first_gap and gap.strip() in _GLUE and gap.strip():
        return True
    ends = following is None and order == "MDY" and match.start("month") == 0 and not gap.strip()
    return ends or "," in gap or (order == "DMY" and gap.strip(". ") == "")


def _may_follow(token: Token, text: str) -> bool:
    """True if this token may follow a two-digit year, which would otherwise be an hour or a count."""
    sign = text[token.start]
    return sign in _DIVIDERS or (token.kind in "pth" and sign not in ":/'")


def numeric_date(
    tokens: Sequence[Token], shape: str, position: int, text: str, *, customs: Customs
) -> tuple[int, tuple[Day, ...]] | None:
    """Last token and interpretations of the numeric date that begins at a token; None if there is none."""
    for pattern, accepts in ((_SEPARATED, _is_separated), (_AFTER_YEAR, _is_separated), (_SPACED, _is_spaced)):
        match = pattern.match(shape, position)
        if match is None:
            continue
        parts = [tokens[match.start(group)] for group in (1, 2, 3)]
        last = match.end() - 1
        if accepts(parts, text) and _stands_alone(parts, text, tokens[last + 1 : last + 2]):
            days = tuple(_days(parts, customs))
            return (last, days) if days else None
    return None


def _is_separated(parts: Sequence[Token], text: str) -> bool:
    first, second = (text[left.end : right.start] for left, right in pairwise(parts))
    signs = {first.strip(), second.strip()}
    if parts[0].kind == "Y":
        return second.strip() in _SEPARATORS
    if len(signs) > 1 or not signs <= _SEPARATORS:
        return False
    if any(part.digits == 4 for part in parts):
        return True
    # With a two-digit year there must be no blanks, except after the full stops of Czech and Slovak, and no version
    # number.
    blanks = first != first.strip() or second != second.strip()
    if blanks and (first, second) != (". ", ". "):
        return False
    return text[: parts[0].start].rstrip(" .:").rpartition(" ")[2] not in lexicon().version_words


def _is_spaced(parts: Sequence[Token], text: str) -> bool:
    """Numbers separated by blanks alone may be anything, so a date must have all leading zeros."""
    if [part.digits for part in parts] not in ([4, 2, 2], [2, 2, 4]):
        return False
    before = text[: parts[0].start].rstrip()[-1:]
    return not before.isdigit()


def _stands_alone(parts: Sequence[Token], text: str, following: Sequence[Token]) -> bool:
    first, last = parts[0], parts[2]
    left, right = text[max(0, first.start - 2) : first.start], text[last.end : last.end + 2]
    if any(part.suffix for part in parts[:2]) or (last.suffix and not _may_end(last, following)):
        return False
    if _is_letter(left[-1:]) or left[-1:] in _SIGNS or (left[-1:] in _JOINTS and left[:1].isdigit()):
        return False
    if right[:1] in _SIGNS or (_is_letter(right[:1]) and not last.suffix):
        return False
    is_time = bool(following) and following[0].kind == "t"
    if right[:1] in _JOINTS and right[1:].isdigit() and not is_time:
        return False
    return any(part.digits == 4 for part in parts) or not _is_part_of_name(left, right)


def _is_part_of_name(left: str, right: str) -> bool:
    """True inside of names such as proftpd-1.2.10 and 1.2.14-beta."""
    return (_is_letter(left[:1]) and left[1:] in ("-", "_")) or (right[:1] in ("-", "_") and _is_letter(right[1:]))


def _may_end(last: Token, following: Sequence[Token]) -> bool:
    """True if these letters may follow a date: ISO 8601's T and Z, or a word for "year"."""
    if last.suffix == "t":
        return bool(following) and following[0].kind in "tn"
    return last.suffix == "z" or CONNECTOR in lexicon().kinds(last.suffix)


def _is_letter(character: str) -> bool:
    """True for a letter of a script that separates words by blanks."""
    return character.isalpha() and character < "\u0e00"


def _days(parts: Sequence[Token], customs: Customs) -> list[Day]:
    a, b, c = (part.value for part in parts)
    digits = [part.digits for part in parts]
    if digits[1] > 2 or min(digits[0], digits[2]) > 2:
        return []
    if digits[0] == 4:
        is_iso = digits == [4, 2, 2] and parts[1].start == parts[0].end + 1
        day_may_follow = customs.year_day_month and not is_iso
        candidates = [("YMD", day_may_follow, gregorian_day(a, b, c, customs))]
        if day_may_follow:
            candidates.append(("YDM", True, gregorian_day(a, c, b, customs)))
    elif digits[2] == 4:
        candidates = [("DMY", True, gregorian_day(c, b, a, customs)), ("MDY", True, gregorian_day(c, a, b, customs))]
    elif digits[2] == 2 and digits[0] <= 2:
        year = full_year(c, customs)
        candidates = [("DMY", True, gregorian_day(year, b, a)), ("MDY", True, gregorian_day(year, a, b))]
        if digits == [2, 2, 2] or (customs.short_year_first and digits[0] == 2):
            candidates.append(("YMD", True, gregorian_day(full_year(a), b, c)))
    elif digits[0] == 2 and digits[2] == 1 and customs.short_year_first:
        candidates = [("YMD", True, gregorian_day(full_year(a), b, c))]
    else:
        return []
    return [(order, numeric, day) for order, numeric, day in candidates if day is not None]
