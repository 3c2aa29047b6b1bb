"""Dates in digits alone: 2014-05-02, 02.05.14, 5/2/2014, 2014. 5. 2.

Which of the numbers is the day is for others to settle.
"""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise
from typing import TYPE_CHECKING

from blogcrawler.dates.calendars import full_year, gregorian_day
from blogcrawler.dates.lexicon import lexicon

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.dates.calendars import Customs
    from blogcrawler.dates.tokens import Token

#: kinds of tokens that a date in digits may begin with
NUMERIC_STARTS = "nY"

#: order, whether another order would do as well, day
Day = tuple[str, bool, dt.date]

# Sunday and Monday of Korean are also the words for day and month.
_SEPARATED = re.compile(r"(n)p(n)p([nDM])")
_SPACED = re.compile(r"(n)(n)(n)(?!n)")
_AFTER_YEAR = re.compile(r"(Y)p?(n)p(n)")
_SEPARATORS = frozenset("./-|·_")
# A number with one of these in front or behind is a price, a share, a tag.
_SIGNS = frozenset("$€£¥₽#=%+&@*^\\")
# Characters that join numbers to longer ones: addresses, versions, decimals.
_JOINTS = frozenset(".-/:,")
_VERSION_WORDS = frozenset({"version", "ver", "release", "build", "v"})


def numeric_date(
    tokens: Sequence[Token], shape: str, position: int, text: str, *, customs: Customs
) -> tuple[int, tuple[Day, ...]] | None:
    """Last token and readings of the date in digits that begins at a token; None when none does."""
    for pattern, accepts in ((_SEPARATED, _is_separated), (_AFTER_YEAR, _is_separated), (_SPACED, _is_spaced)):
        found = pattern.match(shape, position)
        if found is None:
            continue
        parts = [tokens[found.start(group)] for group in (1, 2, 3)]
        last = found.end() - 1
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
    # Two digits of a year: no blanks, save behind the full stops of Czech and Slovak; and no version number.
    blanks = first != first.strip() or second != second.strip()
    if blanks and (first, second) != (". ", ". "):
        return False
    return text[: parts[0].start].rstrip(" .:").rpartition(" ")[2] not in _VERSION_WORDS


def _is_spaced(parts: Sequence[Token], text: str) -> bool:
    """Blanks alone separate numbers of many kinds, so that all zeros must be written."""
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
    """True between characters as in proftpd-1.2.10 and 1.2.14-beta."""
    return (_is_letter(left[:1]) and left[1:] in ("-", "_")) or (right[:1] in ("-", "_") and _is_letter(right[1:]))


def _may_end(last: Token, following: Sequence[Token]) -> bool:
    """Letters behind a date: ISO's T before a time, its Z, or a word for "year"."""
    if last.suffix == "t":
        return bool(following) and following[0].kind in "tn"
    return last.suffix == "z" or last.suffix in lexicon().connectors


def _is_letter(character: str) -> bool:
    """A letter of a script that puts blanks between words."""
    return character.isalpha() and character < "\u0e00"


def _days(parts: Sequence[Token], customs: Customs) -> list[Day]:
    a, b, c = (part.value for part in parts)
    digits = [part.digits for part in parts]
    if digits[1] > 2 or min(digits[0], digits[2]) > 2:
        return []
    if digits[0] == 4:
        found = [("YMD", False, gregorian_day(a, b, c, customs))]
    elif digits[2] == 4:
        found = [("DMY", True, gregorian_day(c, b, a, customs)), ("MDY", True, gregorian_day(c, a, b, customs))]
    elif digits[2] == 2 and digits[0] <= 2:
        year = full_year(c, customs)
        found = [("DMY", True, gregorian_day(year, b, a)), ("MDY", True, gregorian_day(year, a, b))]
        if digits == [2, 2, 2] or (customs.short_year_first and digits[0] == 2):
            found.append(("YMD", True, gregorian_day(full_year(a), b, c)))
    elif digits[0] == 2 and digits[2] == 1 and customs.short_year_first:
        found = [("YMD", True, gregorian_day(full_year(a), b, c))]
    else:
        return []
    return [(order, numeric, day) for order, numeric, day in found if day is not None]
