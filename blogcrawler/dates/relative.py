"""Reads dates that count from the moment of reading: "3 days ago", "gestern", "today at 10:05".

data/phrases.json holds the phrases of CLDR and dateparser taken apart (see tests/dates/build_lexicon.py): names of
units, and frames around them, such as "# @ago", where "#" is the number and "@" the unit.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates.clock import clock_beside
from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import MAX_LANGUAGE_SETS, language_set, lexicon, primary_languages
from blogcrawler.dates.moment import Moment
from blogcrawler.dates.tokens import tokenise
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from blogcrawler.dates.clock import Clock

_DAY_S = 86400
_UNITS_S = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": _DAY_S,
    "week": 7 * _DAY_S,
    "month": 30.44 * _DAY_S,
    "year": 365.25 * _DAY_S,
}
_MAX_LENGTH = 60
_MAX_LENGTH_WITHOUT_NUMBER = 40
_MAX_DIGITS = 3
_HALF = 0.5
_MAX_NUMBER_WORDS = 3
_MAX_GLUED = 8
_MAX_UNIT_WORDS = 3
_NEVER = -1
_FRAME_SIGNS = re.compile("[#@ ]+")
_NUMBER = re.compile(r"(?<![\d.:/])\d+(?![\d:/])")
_SIGNS = r"\s!\"$-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u3006\u3008-\u303f·"
_MARKS = re.compile(f"[{_SIGNS}]+")
_BREAKS = re.compile(f"[{_SIGNS}#0-9]+")
_ANY_DIGIT = re.compile(r"\d")
#: the first letter of scripts without blanks between words
_UNSPACED = "\u0e00"


class Relative(NamedTuple):
    """A day that a text counts from the moment of reading."""

    moment: Moment
    #: days that the text may be off
    precision: int


class Counted(NamedTuple):
    """So many units before the moment of reading, at a time of the day where the text tells it."""

    unit: str
    number: float
    clock: Clock | None = None

    def before(self, now: dt.datetime) -> Relative | None:
        """The day, in the zone of `now`; None before the years that Python knows."""
        unit_s = _UNITS_S[self.unit]
        try:
            then = now - dt.timedelta(seconds=unit_s * self.number)
        except OverflowError:
            return None
        # Numbers of days are rounded; "today" and "now" are exact, "this week" is not.
        is_exact = unit_s < _DAY_S or (unit_s == _DAY_S and not self.number)
        moment = Moment(then.year, then.month, then.day)
        if self.clock is not None:
            hour, minute, second, offset = self.clock[2:]
            moment = replace(moment, hour=hour, minute=minute, second=second, offset_minutes=offset)
        return Relative(moment, 0 if is_exact else math.ceil(unit_s / _DAY_S))


def read_relative(text: str, languages: Sequence[str], now: dt.datetime) -> Moment | None:
    """The day of a relative date, counted in the zone of `now`.

    None for texts without one, for weeks, months and years, which name no day, and for days to come.
    """
    counted = count_back(text, languages)
    found = counted.before(now) if counted else None
    return found.moment if found and found.precision <= 1 else None


def count_back(text: str, languages: Sequence[str]) -> Counted | None:
    """Units and number in a short text; None where there is no phrase for a time past, or several. What was read is
    remembered, since the pages of a blog have mostly the same texts."""
    return _count_back(text[: 2 * _MAX_LENGTH], tuple(languages))


@lru_cache(maxsize=1 << 12)
def _count_back(text: str, languages: tuple[str, ...]) -> Counted | None:
    folded = fold_text(" ".join(text.split()))
    spoken = primary_languages(languages)
    if not _may_have_phrase(folded, spoken):
        return None
    phrase = _find_phrase(folded, spoken)
    if phrase is not None:
        return Counted(phrase.unit, phrase.number or 0)
    clock, rest = _without_time(folded, spoken)
    phrase = _find_phrase(rest, spoken) if clock is not None else None
    return Counted(phrase.unit, phrase.number or 0, clock) if phrase is not None and phrase.unit == "day" else None


def _may_have_phrase(folded: str, spoken: frozenset[str]) -> bool:
    """A cheap test that every text with a phrase of these languages or English passes."""
    if len(folded) > _MAX_LENGTH or (len(folded) > _MAX_LENGTH_WITHOUT_NUMBER and _ANY_DIGIT.search(folded) is None):
        return False
    words, parts = _telling_words(spoken)
    return not words.isdisjoint(_BREAKS.split(folded)) or parts.search(folded) is not None


def key_of(text: str) -> str:
    """A phrase as it is looked up: folded, its number as "#", words joined by one blank."""
    return " ".join(_words(_NUMBER.sub(" # ", fold_text(text))))


def _words(text: str) -> list[str]:
    return _MARKS.sub(" ", text).split()


def _without_time(folded: str, spoken: frozenset[str]) -> tuple[Clock | None, str]:
    """The time in a text, and the text without it."""
    tokens = tokenise(folded, spoken)
    for place, token in enumerate(tokens):
        if token.kind == "t":
            clock = clock_beside(tokens, place, place, folded)
            return clock, f"{folded[: clock.start]} {folded[clock.end :]}" if clock else folded
    return None, folded


class _Phrase(NamedTuple):
    """One meaning of a phrase, or of the name of a unit."""

    unit: str
    #: None where a number must stand beside it; less than nothing for times to come
    number: float | None
    languages: frozenset[str]


class _Frame(NamedTuple):
    """Languages in which a frame is one of times past, and of times to come."""

    past: frozenset[str]
    to_come: frozenset[str]


class _Tables(NamedTuple):
    """What phrases are made of, by keys of `key_of`."""

    #: with "@" for the unit and, where it is counted, "#" for the number
    frames: Mapping[str, _Frame]
    units: Mapping[str, Sequence[_Phrase]]
    #: phrases that have no frame: "yesterday"
    whole: Mapping[str, Sequence[_Phrase]]
    numbers: Mapping[str, Sequence[tuple[float, frozenset[str]]]]
    #: languages in which a unit without a number is one of them
    singular: frozenset[str]
    most_words: int


def _find_phrase(folded: str, spoken: frozenset[str]) -> _Phrase | None:
    """The one phrase in a text, with its number."""
    numbers = _NUMBER.findall(folded)
    if len(numbers) > 1 or (numbers and len(numbers[0]) > _MAX_DIGITS):
        return None
    if numbers:
        return _longest(_words(_NUMBER.sub(" # ", folded)), int(numbers[0]), spoken)
    if len(folded) > _MAX_LENGTH_WITHOUT_NUMBER or _ANY_DIGIT.search(folded):
        return None
    words = _words(folded)
    return _in_words(words, spoken) or _longest(words, None, spoken)


def _longest(words: Sequence[str], number: float | None, spoken: frozenset[str]) -> _Phrase | None:
    """The longest clear phrase in some words: with "#" for a number, or without one: "yesterday", "день назад"."""
    length = len(" ".join(words))
    for run, meanings in sorted(_phrases(words), key=lambda found: -len(found[0])):
        meant = [phrase._replace(number=number) if phrase.number is None else phrase for phrase in meanings]
        fitting = [phrase for phrase in meant if number is None or phrase.number in (number, _NEVER)]
        strictly = number is None and run.isascii() and len(run) < max(length, len("ieri "))
        phrase = _clear(fitting, spoken, strictly=strictly)
        if phrase is not None:
            return phrase if phrase.number != _NEVER else None
    return None


def _in_words(words: list[str], spoken: frozenset[str]) -> _Phrase | None:
    """A phrase whose number is a word: "vor einer Stunde", "an hour ago"."""
    for place in range(len(words)):
        for key, rest in _spelled(words[place:]):
            for number, languages in _tables().numbers[key]:
                if not spoken or languages & spoken or "en" in languages:
                    found = _longest([*words[:place], "#", *rest], number, spoken)
                    if found is not None and found.languages & languages:
                        return found
    return None


def _spelled(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The words for a number that a text begins with, and the rest, to which a half may be glued."""
    table, word = _tables().numbers, words[0]
    runs = [(" ".join(words[:size]), words[size:]) for size in range(min(len(words), _MAX_NUMBER_WORDS), 0, -1)]
    yield from ((key, rest) for key, rest in runs if key in table)
    for cut in range(min(len(word) - 1, _MAX_GLUED), 0, -1):
        key = word[:cut]
        if key in table and (word[0] >= _UNSPACED or any(number == _HALF for number, _ in table[key])):
            yield key, [word[cut:], *words[1:]]


def _phrases(words: Sequence[str]) -> Iterator[tuple[str, Sequence[_Phrase]]]:
    """The phrases in a text, as it writes them, with their meanings; those about the "#" where it has one."""
    tables = _tables()
    for run in _runs(words, "#" if "#" in words else ""):
        if run in tables.whole:
            yield run, tables.whole[run]
    for name, framed in _with_units(words):
        for run in _runs(framed, "@"):
            if run in tables.frames and ("#" in run) == ("#" in words):
                yield run.replace("@", f"{name} ").strip(), list(_in_frame(tables.units[name], run))


def _in_frame(units: Sequence[_Phrase], frame: str) -> Iterator[_Phrase]:
    """What the name of a unit means in a frame: without a number one of it, where the language has a singular."""
    past, to_come = _tables().frames[frame]
    for unit, number, languages in units:
        is_one = number is None and "#" not in frame
        spoken = languages & _tables().singular if is_one else languages
        yield _Phrase(unit, 1 if is_one else number, spoken & past)
        yield _Phrase(unit, _NEVER, spoken & to_come)


def _with_units(words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """The names of units in a text, and the text with "@" for each."""
    units = _tables().units
    for start, word in enumerate(words):
        for end in range(min(len(words), start + _MAX_UNIT_WORDS), start, -1):
            if (name := " ".join(words[start:end])) in units:
                yield name, [*words[:start], "@", *words[end:]]
        for cut in range(len(word) - 1, 0, -1) if word[0] >= _UNSPACED else ():
            if word[:cut] in units:
                yield word[:cut], [*words[:start], "@" + word[cut:], *words[start + 1 :]]


def _runs(words: Sequence[str], inside: str) -> Iterator[str]:
    """The runs of words with a sign in them, also without the end of a word of a script that has no blanks."""
    most = _tables().most_words
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + most) + 1):
            run = " ".join(words[start:end]).replace("@ ", "@")
            if inside in run:
                yield run
                if "#" in run and words[end - 1].lstrip("@") >= _UNSPACED:
                    yield from (run[:-cut] for cut in range(1, len(words[end - 1])))


def _clear(meanings: Sequence[_Phrase], spoken: frozenset[str], *, strictly: bool = False) -> _Phrase | None:
    """Meaning of a phrase in the languages of the page, or else in English or any; None where that is not clear."""
    own = [phrase for phrase in meanings if phrase.languages & spoken]
    english = [phrase for phrase in meanings if "en" in phrase.languages]
    widespread = [phrase for phrase in meanings if phrase.languages & lexicon().widespread]
    chosen = own or english or ([] if strictly else widespread)
    if len({(phrase.unit, phrase.number) for phrase in chosen}) != 1:
        return None
    return chosen[0]


@cache
def _tables() -> _Tables:
    """The tables, read once a process."""
    data = load_file(dict[str, Any], __package__, "phrases.json")
    return _Tables(
        frames={
            frame: _Frame(language_set(told.get("past", "")), language_set(told.get("to_come", "")))
            for frame, told in data["frames"].items()
        },
        units=_meanings(data["units"]),
        whole=_meanings(data["whole"]),
        numbers={
            word: [(number, language_set(codes)) for number, codes in counts]
            for word, counts in data["numbers"].items()
        },
        singular=frozenset(data["singular"]),
        most_words=max(len(key.replace("@", "@ ").split(" ")) for key in (*data["frames"], *data["whole"])),
    )


def _meanings(table: Mapping[str, Sequence[tuple[str, float | None, str]]]) -> dict[str, list[_Phrase]]:
    return {
        key: [_Phrase(unit, number, language_set(codes)) for unit, number, codes in meanings]
        for key, meanings in table.items()
    }


@lru_cache(maxsize=MAX_LANGUAGE_SETS)
def _telling_words(spoken: frozenset[str]) -> tuple[frozenset[str], re.Pattern[str]]:
    """The longest word of each phrase of some languages and English, or of all widespread ones where none is known.

    Those of scripts without blanks, which may be parts of words, are a pattern.
    """
    languages = spoken | {"en"} if spoken else lexicon().widespread
    tables = _tables()
    keys = {frame for frame, times in tables.frames.items() if times.past & languages}
    keys |= {key for key, meanings in tables.whole.items() if any(one.languages & languages for one in meanings)}
    words = {max(_FRAME_SIGNS.split(key), key=len) for key in keys}
    parts = sorted(re.escape(word) for word in words if word >= _UNSPACED)
    return frozenset(words), re.compile("|".join(parts) or r"(?!)")
