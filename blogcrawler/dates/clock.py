"""The time and zone that a text gives beside a date."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dates.lexicon import lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from blogcrawler.dates.tokens import Token

# "at", "um", "klockan", "στις": a word or two, and not a sentence.
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
"""What some languages write behind a time: "17 h 38 min", "17:38 Uhr"."""
_HOURS = re.compile(r"h ?\d")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{2})(?:\.(\d{2}))?(?![\d:/%])(?![.,]\d)")
_MAX_ZONE_HOURS = 14
_QUARTERS = (0, 15, 30, 45)


class Clock(NamedTuple):
    """A time, and the part `start` to `end` of the folded text that it takes."""

    start: int
    end: int
    hour: int
    minute: int
    second: int | None
    offset_minutes: int | None


def clock_beside(tokens: Sequence[Token], first: int, last: int, text: str, *, dotted: bool = False) -> Clock | None:
    """The time inside or behind the date at tokens `first` to `last`, or else before it; None without one close by.

    `dotted`: "10.05" directly behind the date is a time, too.
    """
    behind, before = range(last + 1, len(tokens)), range(first - 1, -1, -1)
    for place in (*range(first, last + 1), *_reach(tokens, behind), *_reach(tokens, before)):
        if tokens[place].kind == "t":
            return _clock(tokens, place, text)
    following = next((token for token in tokens[last + 1 :] if token.kind not in "pw"), None)
    found = _DOTTED.match(text, following.start) if dotted and following is not None else None
    return _valid(found.start(), _behind_unit(text, *found.span()), found[0].split(".")) if found else None


def _valid(start: int, end: int, parts: Sequence[int | str], offset: int | None = None) -> Clock | None:
    """The time of an hour, a minute and, if written, a second; None where there is no such time."""
    hour, minute, second = (*map(int, parts), None, None)[:3]
    if hour is None or hour > 23 or (minute or 0) > 59 or (second or 0) > 59:
        return None
    return Clock(start, end, hour, minute or 0, second, offset)


def _reach(tokens: Sequence[Token], places: Iterable[int]) -> list[int]:
    """The places as far as no number, month or sentence stands between."""
    reached: list[int] = []
    words = 0
    for place in places:
        token = tokens[place]
        if (token.kind in "nYMD" and not token.weekdays) or len(reached) == _MAX_TOKENS:
            break
        if token.kind == "x":
            words += 1
            if words > _MAX_WORDS or token.end - token.start > _MAX_WORD_LENGTH:
                break
        reached.append(place)
        if token.kind == "t":
            break
    return reached


def _clock(tokens: Sequence[Token], place: int, text: str) -> Clock | None:
    token = tokens[place]
    numbers = [int(number) for number in _NUMBERS.findall(text[token.start : token.end])[:3]]
    start, end = token.start, token.end
    half = _half(tokens, place, text)
    if half is not None:
        start, end = min(start, half.start), max(end, half.end)
        if 1 <= numbers[0] <= 12:
            numbers[0] = numbers[0] % 12 + 12 * half.value
    is_exact = len(numbers) > 2 or text[token.start - 1 : token.start] == "t"
    offset, end = _zone(text, _behind_unit(text, token.start, end), exact=is_exact)
    return _valid(start, end, numbers, offset)


def _behind_unit(text: str, start: int, end: int) -> int:
    """The end of a time with the word for hours or minutes that is written behind it."""
    found = _UNIT.match(text, end)
    is_its = found is not None and (found["minutes"] is None or _HOURS.search(text, start, end) is not None)
    return found.end() if found is not None and is_its else end


def _half(tokens: Sequence[Token], place: int, text: str) -> Token | None:
    """The word for a half of the day: behind the time, or before it as in East Asia."""
    if place + 1 < len(tokens) and tokens[place + 1].kind == "h":
        return tokens[place + 1]
    if place > 0 and tokens[place - 1].kind == "h":
        of_another = place > 1 and tokens[place - 2].kind == "t"
        return None if of_another and text[tokens[place - 1].start].isascii() else tokens[place - 1]
    return None


def _zone(text: str, start: int, *, exact: bool) -> tuple[int | None, int]:
    """Minutes from UTC of the zone written at `start`, and its end; None and `start` when there is none.

    Sign and digits directly behind a time are a zone only where the time is `exact`: "10:00-11:00" is a span.
    """
    found = _ZONE.match(text, start)
    if found is None:
        return None, start
    if found["name"]:
        offset = lexicon().zones.get(found["name"])
        return offset, start if offset is None else found.end()
    sign = found["unit"] or found["sign"]
    hours = int(found["unit_hours"] or found["hours"])
    minutes = int(found["unit_minutes"] or found["minutes"] or 0)
    plain = found["sign"] and found["minutes"] and text[start] == " " and (not found["colon"] or sign == "+")
    if hours > _MAX_ZONE_HOURS or minutes not in _QUARTERS or not (found["unit"] or exact or plain):
        return None, start
    return (hours * 60 + minutes) * (-1 if sign == "-" else 1), found.end()
