"""Reads relative dates: "3 days ago", "gestern", "today at 10:05".

data/phrases.json holds the phrases of CLDR and dateparser, split (see tests/dates/build_lexicon.py) into names of units
and frames such as "# @ago", where "#" is the number and "@" the unit.
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
#: first letters of scripts without blanks between words
_UNSPACED = "\u0e00"


class Relative(NamedTuple):
    """A day that is relative to the time of reading."""

    moment: Moment
    #: possible error in days
    precision: int


class Counted(NamedTuple):
    """A number of units before the time of reading, optionally with a time of day."""

    unit: str
    number: float
    clock: Clock | None = None

    def before(self, now: dt.datetime) -> Relative | None:
        """The day, in the time zone of `now`; None if it is before Python's earliest year."""
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
    """The day of a relative date, in the time zone of `now`.

    None for texts without a relative date, for weeks, months and years, which name no day, and for future days.
    """
    counted = count_back(text, languages)
    day = counted.before(now) if counted else None
    return day.moment if day and day.precision <= 1 else None


def count_back(text: str, languages: Sequence[str]) -> Counted | None:
    """The unit and number in a text such as "3 days ago"; None unless it has exactly one phrase about the past.

    The result is cached, since the pages of a blog repeat most texts.
    """
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
    clock, remaining = _without_time(folded, spoken)
    phrase = _find_phrase(remaining, spoken) if clock is not None else None
    return Counted(phrase.unit, phrase.number or 0, clock) if phrase is not None and phrase.unit == "day" else None


def _may_have_phrase(folded: str, spoken: frozenset[str]) -> bool:
    """Cheap pre-check: True for every text with a phrase of these languages or of English."""
    if len(folded) > _MAX_LENGTH or (len(folded) > _MAX_LENGTH_WITHOUT_NUMBER and _ANY_DIGIT.search(folded) is None):
        return False
    words, parts = _distinctive_words(spoken)
    return not words.isdisjoint(_BREAKS.split(folded)) or parts.search(folded) is not None


def key_of(text: str) -> str:
    """Look-up key of a phrase: folded, its number replaced by "#", words joined by one blank."""
    return " ".join(_words(_NUMBER.sub(" # ", fold_text(text))))


def _words(text: str) -> list[str]:
    return _MARKS.sub(" ", text).split()


def _without_time(folded: str, spoken: frozenset[str]) -> tuple[Clock | None, str]:
    """The time of day in a text, and the text without it."""
    tokens = tokenise(folded, spoken)
    for index, token in enumerate(tokens):
        if token.kind == "t":
            clock = clock_beside(tokens, index, index, folded)
            return clock, f"{folded[: clock.start]} {folded[clock.end :]}" if clock else folded
    return None, folded


class _Phrase(NamedTuple):
    """A meaning of a phrase or of a unit's name."""

    unit: str
    #: number of units; None if it is a separate number in the text, negative for the future
    number: float | None
    languages: frozenset[str]


class _Frame(NamedTuple):
    """Languages in which a frame denotes the past, and languages in which it denotes the future."""

    past: frozenset[str]
    to_come: frozenset[str]


class _Tables(NamedTuple):
    """The phrase tables, by the keys of `key_of`."""

    #: frames, with "@" for the unit and "#" for the number, if any
    frames: Mapping[str, _Frame]
    units: Mapping[str, Sequence[_Phrase]]
    #: complete phrases, such as "yesterday"
    whole: Mapping[str, Sequence[_Phrase]]
    numbers: Mapping[str, Sequence[tuple[float, frozenset[str]]]]
    #: languages in which a unit without a number means 1
    singular: frozenset[str]
    most_words: int


def _find_phrase(folded: str, spoken: frozenset[str]) -> _Phrase | None:
    """The only phrase in a text, and its number."""
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
    """The longest unambiguous phrase: with "#" for a number, or without a number ("yesterday", "день назад")."""
    length = len(" ".join(words))
    for run, meanings in sorted(_phrases(words), key=lambda found: -len(found[0])):
        phrases = [phrase._replace(number=number) if phrase.number is None else phrase for phrase in meanings]
        fitting = [phrase for phrase in phrases if number is None or phrase.number in (number, _NEVER)]
        strictly = number is None and run.isascii() and len(run) < max(length, len("ieri "))
        phrase = _clear(fitting, spoken, strictly=strictly)
        if phrase is not None:
            return phrase if phrase.number != _NEVER else None
    return None


def _in_words(words: list[str], spoken: frozenset[str]) -> _Phrase | None:
    """A phrase whose number is a word: "vor einer Stunde", "an hour ago"."""
    for index in range(len(words)):
        for key, remaining in _spelled(words[index:]):
            for number, languages in _tables().numbers[key]:
                if not spoken or languages & spoken or "en" in languages:
                    phrase = _longest([*words[:index], "#", *remaining], number, spoken)
                    if phrase is not None and phrase.languages & languages:
                        return phrase
    return None


def _spelled(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the numerals with which a text may begin, each with the remaining text; a half may be attached."""
    table, word = _tables().numbers, words[0]
    runs = [(" ".join(words[:size]), words[size:]) for size in range(min(len(words), _MAX_NUMBER_WORDS), 0, -1)]
    yield from ((key, remaining) for key, remaining in runs if key in table)
    for cut in range(min(len(word) - 1, _MAX_GLUED), 0, -1):
        key = word[:cut]
        if key in table and (word[0] >= _UNSPACED or any(number == _HALF for number, _ in table[key])):
            yield key, [word[cut:], *words[1:]]


def _phrases(words: Sequence[str]) -> Iterator[tuple[str, Sequence[_Phrase]]]:
    """Yield the phrases in a text and their meanings; if the text has a "#", only phrases with it."""
    tables = _tables()
    for run in _runs(words, "#" if "#" in words else ""):
        if run in tables.whole:
            yield run, tables.whole[run]
    for name, framed in _with_units(words):
        for run in _runs(framed, "@"):
            if run in tables.frames and ("#" in run) == ("#" in words):
                yield run.replace("@", f"{name} ").strip(), list(_in_frame(tables.units[name], run))


def _in_frame(units: Sequence[_Phrase], frame: str) -> Iterator[_Phrase]:
    """Meaning of a unit's name in a frame; without a number, it means 1 if the language has a singular."""
    past, to_come = _tables().frames[frame]
    for unit, number, languages in units:
        is_one = number is None and "#" not in frame
        spoken = languages & _tables().singular if is_one else languages
        yield _Phrase(unit, 1 if is_one else number, spoken & past)
        yield _Phrase(unit, _NEVER, spoken & to_come)


def _with_units(words: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the unit names in a text, each with the text in which "@" replaces it."""
    units = _tables().units
    for start, word in enumerate(words):
        for end in range(min(len(words), start + _MAX_UNIT_WORDS), start, -1):
            if (name := " ".join(words[start:end])) in units:
                yield name, [*words[:start], "@", *words[end:]]
        for cut in range(len(word) - 1, 0, -1) if word[0] >= _UNSPACED else ():
            if word[:cut] in units:
                yield word[:cut], [*words[:start], "@" + word[cut:], *words[start + 1 :]]


def _runs(words: Sequence[str], inside: str) -> Iterator[str]:
    """Yield all runs of words with a placeholder. In scripts without blanks, also yield them without the end of the
    last word."""
    most = _tables().most_words
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + most) + 1):
            run = " ".join(words[start:end]).replace("@ ", "@")
            if inside in run:
                yield run
                if "#" in run and words[end - 1].lstrip("@") >= _UNSPACED:
                    yield from (run[:-cut] for cut in range(1, len(words[end - 1])))


def _clear(meanings: Sequence[_Phrase], spoken: frozenset[str], *, strictly: bool = False) -> _Phrase | None:
    """The meaning of a phrase in the page's languages, else in English or in any language; None if ambiguous."""
    own = [phrase for phrase in meanings if phrase.languages & spoken]
    english = [phrase for phrase in meanings if "en" in phrase.languages]
    widespread = [phrase for phrase in meanings if phrase.languages & lexicon().widespread]
    chosen = own or english or ([] if strictly else widespread)
    if len({(phrase.unit, phrase.number) for phrase in chosen}) != 1:
        return None
    return chosen[0]


@cache
def _tables() -> _Tables:
    """Load the tables, once per process."""
    data = load_file(dict[str, Any], __package__, "phrases.json")
    return _Tables(
        frames={
            frame: _Frame(language_set(languages.get("past", "")), language_set(languages.get("to_come", "")))
            for frame, languages in data["frames"].items()
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
def _distinctive_words(spoken: frozenset[str]) -> tuple[frozenset[str], re.Pattern[str]]:
    """The longest word of each phrase in some languages and English; in all major languages if none is known.

    Words of scripts without blanks, which may be parts of longer words, are a regular expression.
    """
    languages = spoken | {"en"} if spoken else lexicon().widespread
    tables = _tables()
    keys = {frame for frame, times in tables.frames.items() if times.past & languages}
    keys |= {
        key for key, meanings in tables.whole.items() if any(meaning.languages & languages for meaning in meanings)
    }
    words = {max(_FRAME_SIGNS.split(key), key=len) for key in keys}
    parts = sorted(re.escape(word) for word in words if word >= _UNSPACED)
    return frozenset(words), re.compile("|".join(parts) or r"(?!)")
