"""Finds the time and time zone that a text states next to a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates.lexicon import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.dates.tokens import Token

# A short connector such as "at", "um", "klockan" or "στις", but not a sentence.
_MAX_WORDS = 2
_MAX_WORD_LENGTH = 7
_MAX_TOKENS = 7
_NUMBERS = re.compile(r"\d+")
_ZONE = re.compile(
    r" ?\(?(?:"
    r"(?:utc|gmt) ?(?P<unit>[+-])(?P<unit_hours>\d{1,2})(?::?(?P<unit_minutes>\d{2}))?(?!\d)"
    r"|(?P<sign>[+-])(?P<hours>\d{2})(?P<colon>:?)(?P<minutes>\d{2})?(?![\d:])"
    r"|(?P<name>[^\W\d_]{1,4})(?![^\W\d_])"
    r")"
)
_UNIT = re.compile(r" ?(?:(?P<minutes>min|mn)(?![\w-])\.?|(?:uhr|uur|hrs)(?![\w-])|h(?![\w-]|\. ?[^\W\d_]))")
"""Units that some languages write after a time: "17 h 38 min", "17:38 Uhr"."""
_HOURS = re.compile(r"h ?\d")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?![\d:/%])(?![.,]\d)")
_MAX_ZONE_HOURS = 14
_QUARTERS = (0, 15, 30, 45)


class Clock(NamedTuple):
    """A time, and the range `start` to `end` in the folded text that it occupies."""

    start: int
    end: int
    hour: int
    minute: int
    second: int | None
    offset_minutes: int | None


def clock_beside(tokens: Sequence[Token], first: int, last: int, text: str, *, dotted: bool = False) -> Clock | None:
    """The time inside or after the date at tokens `first` to `last`, else before it; None if there is no time nearby.

    With `dotted`, "10.05" directly after the date is also a time.
    """
    behind, before = range(last + 1, len(tokens)), range(first - 1, -1, -1)
    for index in (*range(first, last + 1), *_reach(tokens, behind), *_reach(tokens, before)):
        if tokens[index].kind == "t":
            return _clock(tokens, index, text)
    following = next((token for token in tokens[last + 1 :] if token.kind not in "pw"), None)
    match = _DOTTED.match(text, following.start) if dotted and following is not None else None
    return _valid(match.start(), _behind_unit(text, *match.span()), match[0].split(".")) if match else None


def _valid(start: int, end: int, parts: Sequence[int | str], offset: int | None = None) -> Clock | None:
    """Combine hour, minute and optional second; None if there is no such time."""
    hour, minute, second = (*map(int, parts), None, None)[:3]
    if hour is None or hour > 23 or (minute or 0) > 59 or (second or 0) > 59:
        return None
    return Clock(start, end, hour, minute or 0, second, offset)


def _reach(tokens: Sequence[Token], indices: Iterable[int]) -> list[int]:
    """Positions of the neighbouring tokens, up to the next number, month or sentence."""
    reached: list[int] = []
    words = 0
    for index in indices:
        token = tokens[index]
        if (token.kind in "nYMD" and not token.weekdays) or len(reached) == _MAX_TOKENS:
            break
        if token.kind == "x":
            words += 1
            if words > _MAX_WORDS or token.end - token.start > _MAX_WORD_LENGTH:
                break
        reached.append(index)
        if token.kind == "t":
            break
    return reached


def _clock(tokens: Sequence[Token], index: int, text: str) -> Clock | None:
    token = tokens[index]
    numbers = [int(number) for number in _NUMBERS.findall(text[token.start : token.end])[:3]]
    start, end = token.start, token.end
    half = _half(tokens, index, text)
    if half is not None:
        start, end = min(start, half.start), max(end, half.end)
        if 1 <= numbers[0] <= 12:
            numbers[0] = numbers[0] % 12 + 12 * half.value
    is_exact = len(numbers) > 2 or text[token.start - 1 : token.start] == "t"
    offset, end = _zone(text, _behind_unit(text, token.start, end), exact=is_exact)
    return _valid(start, end, numbers, offset)


def _behind_unit(text: str, start: int, end: int) -> int:
    """Position after the unit of hours or minutes that follows the time."""
    unit = _UNIT.match(text, end)
    is_its = unit is not None and (unit["minutes"] is None or _HOURS.search(text, start, end) is not None)
    return unit.end() if unit is not None and is_its else end


def _half(tokens: Sequence[Token], index: int, text: str) -> Token | None:
    """The word for the half of the day (am, pm): after the time, or before it as in East Asian languages."""
    if index + 1 < len(tokens) and tokens[index + 1].kind == "h":
        return tokens[index + 1]
    if index > 0 and tokens[index - 1].kind == "h":
        of_another = index > 1 and tokens[index - 2].kind == "t"
        return None if of_another and text[tokens[index - 1].start].isascii() else tokens[index - 1]
    return None


def _zone(text: str, start: int, *, exact: bool) -> tuple[int | None, int]:
    """Offset from UTC in minutes of the time zone at `start`, and its end; None and `start` if there is none.

    A sign and digits directly after a time are a zone only if the time is `exact`, since "10:00-11:00" is a range.
    """
    match = _ZONE.match(text, start)
    if match is None:
        return None, start
    if match["name"]:
        offset = lexicon().zones.get(match["name"])
        return offset, start if offset is None else match.end()
    sign = match["unit"] or match["sign"]
    hours = int(match["unit_hours"] or match["hours"])
    minutes = int(match["unit_minutes"] or match["minutes"] or 0)
    plain = match["sign"] and match["minutes"] and text[start] == " " and (not match["colon"] or sign == "+")
    if hours > _MAX_ZONE_HOURS or minutes not in _QUARTERS or not (match["unit"] or exact or plain):
        return None, start
    return (hours * 60 + minutes) * (-1 if sign == "-" else 1), match.end()
