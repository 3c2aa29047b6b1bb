"""Reads dates that count from the moment of reading: "3 days ago", "gestern", "today at 10:05".

data/relative.json holds the phrases of CLDR and dateparser (see tests/dates/build_relative.py), data/extra.json what
libraries for the browser write besides. A phrase is looked up with its number put as "#", in the longest run of words
that is one.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates.clock import clock_beside
from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.lexicon import lexicon, primary_languages
from blogcrawler.dates.moment import Moment
from blogcrawler.dates.tokens import tokenise
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from blogcrawler.dates.clock import Clock

UNITS = {"second": 0, "minute": 0, "hour": 0, "day": 1, "week": 7, "month": 31, "year": 366}
"""Days that a number of such units may be off, as it is rounded."""
_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 7 * 86400,
    "month": 30.44 * 86400,
    "year": 365.25 * 86400,
}
_MAX_LENGTH = 60
_MAX_LENGTH_WITHOUT_NUMBER = 40
_MAX_DIGITS = 3
_HALF = 0.5
_MAX_NUMBER_WORDS = 3
_MAX_GLUED = 8
_NUMBER = re.compile(r"(?<![\d.:/])\d+(?![\d:/])")
_MARKS = re.compile(r"[\s!\"$-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u3006\u3008-\u303f·]+")
_ANY_DIGIT = re.compile(r"\d")
#: the first letter of scripts without blanks between words
_UNSPACED = "\u0e00"
_MAX_LANGUAGES = 64


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
        try:
            then = now - dt.timedelta(seconds=_SECONDS[self.unit] * self.number)
        except OverflowError:
            return None
        # "today" and "now" are exact, "this week" is not
        precision = UNITS[self.unit] if self.number or UNITS[self.unit] > UNITS["day"] else 0
        if self.clock is None:
            return Relative(Moment(then.year, then.month, then.day), precision)
        hour, minute, second, offset = self.clock[2:]
        moment = Moment(then.year, then.month, then.day, hour=hour, minute=minute, second=second, offset_minutes=offset)
        return Relative(moment, precision)


class _Phrase(NamedTuple):
    unit: str
    #: None where the text has the number
    number: float | None
    languages: frozenset[str]


class _Phrases(NamedTuple):
    """The tables, by keys of `key_of`."""

    known: Mapping[str, Sequence[_Phrase]]
    numbers: Mapping[str, Sequence[tuple[float, frozenset[str]]]]
    #: first words of the phrases without a number
    first: frozenset[str]
    most_words: int


def read_relative(text: str, languages: Sequence[str], now: dt.datetime) -> Moment | None:
    """The day of a relative date, counted in the zone of `now`.

    None for texts without one, for weeks, months and years, which name no day, and for days to come.
    """
    counted = count_back(text, languages)
    found = counted.before(now) if counted else None
    return found.moment if found and found.precision <= UNITS["day"] else None


def count_back(text: str, languages: Sequence[str]) -> Counted | None:
    """Units and number in a short text; None where there is no phrase for a time past, or several."""
    text = " ".join(text[: 2 * _MAX_LENGTH].split())
    if not text or len(text) > _MAX_LENGTH:
        return None
    folded = fold_text(text)
    spoken = primary_languages(languages)
    phrase = _find_phrase(folded, spoken)
    if phrase is not None:
        return Counted(phrase.unit, phrase.number or 0)
    clock, rest = _without_time(folded, spoken)
    phrase = _find_phrase(rest, spoken) if clock is not None else None
    return Counted(phrase.unit, phrase.number or 0, clock) if phrase is not None and phrase.unit == "day" else None


def could_be_relative(text: str, languages: Sequence[str] = ()) -> bool:
    """A cheap test that every text with a relative date in these languages or English passes."""
    if len(text) > _MAX_LENGTH or (len(text) > _MAX_LENGTH_WITHOUT_NUMBER and _ANY_DIGIT.search(text) is None):
        return False
    telling = _telling(primary_languages(languages))
    folded = fold_text(text)
    if not telling.words.isdisjoint(_words(folded)):
        return True
    return telling.parts is not None and telling.parts.search(folded) is not None


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


def _find_phrase(folded: str, spoken: frozenset[str]) -> _Phrase | None:
    """The one phrase in a text, with its number."""
    numbers = _NUMBER.findall(folded)
    if len(numbers) > 1 or (numbers and len(numbers[0]) > _MAX_DIGITS):
        return None
    if numbers:
        return _counted(_words(_NUMBER.sub(" # ", folded)), int(numbers[0]), spoken)
    if len(folded) > _MAX_LENGTH_WITHOUT_NUMBER or _ANY_DIGIT.search(folded):
        return None
    words = _words(folded)
    return _in_words(words, spoken) or _uncounted(words, spoken)


def _counted(words: list[str], number: float, spoken: frozenset[str]) -> _Phrase | None:
    """The longest phrase around the number in a text."""
    place, most = words.index("#"), _phrases().most_words
    for run in sorted(_runs_around(words, place, most), key=len, reverse=True):
        phrase = _meaning(run, spoken)
        if phrase is not None and phrase.number is None:
            return phrase._replace(number=number)
    return None


def _runs_around(words: list[str], place: int, most: int) -> Iterator[str]:
    for start in range(max(0, place - most), place + 1):
        for end in range(place + 1, min(len(words), place + most) + 1):
            run = " ".join(words[start:end])
            yield run
            if end > place + 1 and words[end - 1][0] >= _UNSPACED:
                yield from (run[:-cut] for cut in range(1, len(words[end - 1])))


def _in_words(words: list[str], spoken: frozenset[str]) -> _Phrase | None:
    """A phrase whose number is a word: "vor einer Stunde", "an hour ago"."""
    for place in range(len(words)):
        for key, rest in _spelled(words[place:]):
            for number, languages in _phrases().numbers[key]:
                if not spoken or languages & spoken or "en" in languages:
                    found = _counted([*words[:place], "#", *rest], number, spoken)
                    if found is not None and found.languages & languages:
                        return found
    return None


def _spelled(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """The words for a number that a text begins with, and the rest, to which a half may be glued."""
    table, word = _phrases().numbers, words[0]
    runs = [(" ".join(words[:size]), words[size:]) for size in range(min(len(words), _MAX_NUMBER_WORDS), 0, -1)]
    yield from ((key, rest) for key, rest in runs if key in table)
    for cut in range(min(len(word) - 1, _MAX_GLUED), 0, -1):
        key = word[:cut]
        if key in table and (word[0] >= _UNSPACED or any(number == _HALF for number, _ in table[key])):
            yield key, [word[cut:], *words[1:]]


def _uncounted(words: list[str], spoken: frozenset[str]) -> _Phrase | None:
    """A phrase without a number: "yesterday"."""
    phrases = _phrases()
    for start, word in enumerate(words):
        if word not in phrases.first and word[0] < _UNSPACED:
            continue
        for end in range(min(len(words), start + phrases.most_words), start, -1):
            run = " ".join(words[start:end])
            whole = start == 0 and end == len(words)
            phrase = _meaning(run, spoken, strictly=not whole or len(run) < len("ieri "))
            if phrase is not None and phrase.number is not None:
                return phrase
    return None


def _meaning(key: str, spoken: frozenset[str], *, strictly: bool = False) -> _Phrase | None:
    """Meaning of a phrase in the languages of the page, or else in English or any; None where that is not clear."""
    meanings = _phrases().known.get(key, ())
    own = [phrase for phrase in meanings if phrase.languages & spoken]
    english = [phrase for phrase in meanings if "en" in phrase.languages]
    widespread = [phrase for phrase in meanings if phrase.languages & lexicon().widespread]
    chosen = own or english or ([] if strictly and key.isascii() else widespread)
    if len({(phrase.unit, phrase.number) for phrase in chosen}) != 1:
        return None
    return chosen[0]


@cache
def _phrases() -> _Phrases:
    """The tables, read once a process."""
    data = load_file(dict[str, Any], __package__, "phrases.json")
    known = {
        key: [_Phrase(unit, number, frozenset(codes.split())) for unit, number, codes in meanings]
        for key, meanings in data["phrases"].items()
    }
    numbers = {
        word: [(number, frozenset(codes.split())) for number, codes in counts]
        for word, counts in data["numbers"].items()
    }
    first = frozenset(key.partition(" ")[0] for key in known if "#" not in key)
    return _Phrases(known, numbers, first, max(len(key.split(" ")) for key in known))


class _Telling(NamedTuple):
    """Words and parts of words that occur in texts with a phrase."""

    words: frozenset[str]
    #: in scripts without blanks
    parts: re.Pattern[str] | None


@lru_cache(maxsize=_MAX_LANGUAGES)
def _telling(spoken: frozenset[str]) -> _Telling:
    """The longest word of each phrase of some languages and English, or of all widespread ones where none is known."""
    words: set[str] = set()
    parts: set[str] = set()
    languages = spoken | {"en"} if spoken else lexicon().widespread
    for key, meanings in _phrases().known.items():
        if not any(phrase.languages & languages for phrase in meanings):
            continue
        word = max((word for word in key.split(" ") if word != "#"), key=len)
        (parts if word[0] >= _UNSPACED else words).add(word)
    return _Telling(frozenset(words), re.compile("|".join(map(re.escape, sorted(parts)))) if parts else None)
