"""Reads dates that count from the moment of reading: "3 days ago", "gestern", "today at 10:05".

data/phrases.json holds the phrases of CLDR and dateparser taken apart (see tests/dates/build_lexicon.py): names of units,
and frames around them, such as "# @ago", where "#" is the number and "@" the unit.
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
_MAX_UNIT_WORDS = 3
_NEVER = -1
_FRAME_SIGNS = re.compile("[#@ ]+")
#: letters of words that tell nothing alone: "fa", "ago", "vor"
_SHORT = 3
_NUMBER = re.compile(r"(?<![\d.:/])\d+(?![\d:/])")
_SIGNS = r"\s!\"$-/:-@\[-`{-~\u00a1-\u00bf\u2000-\u206f\u3000-\u3006\u3008-\u303f·"
_MARKS = re.compile(f"[{_SIGNS}]+")
_BREAKS = re.compile(f"[{_SIGNS}#0-9]+")
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
    if not could_be_relative(text, languages):
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
    words = _BREAKS.split(folded)
    if not telling.words.isdisjoint(words):
        return True
    if not telling.short.isdisjoint(words) and not telling.units.isdisjoint(words):
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

    frames: Mapping[str, _Frame]
    #: the same without the "#"
    bare_frames: Mapping[str, _Frame]
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
        return _counted(_words(_NUMBER.sub(" # ", folded)), int(numbers[0]), spoken)
    if len(folded) > _MAX_LENGTH_WITHOUT_NUMBER or _ANY_DIGIT.search(folded):
        return None
    words = _words(folded)
    return _in_words(words, spoken) or _uncounted(words, spoken)


def _counted(words: Sequence[str], number: float, spoken: frozenset[str]) -> _Phrase | None:
    """The longest phrase with the "#" of a text, for which the number is put."""
    for _, meanings in sorted(_phrases(words, spoken), key=lambda found: -len(found[0])):
        told = {phrase._replace(number=number) for phrase in meanings if phrase.number in (None, number)}
        phrase = _clear([*told, *(phrase for phrase in meanings if phrase.number == _NEVER)], spoken)
        if phrase is not None:
            return phrase if phrase.number == number else None
    return None


def _in_words(words: list[str], spoken: frozenset[str]) -> _Phrase | None:
    """A phrase whose number is a word: "vor einer Stunde", "an hour ago"."""
    for place in range(len(words)):
        for key, rest in _spelled(words[place:]):
            for number, languages in _tables().numbers[key]:
                if not spoken or languages & spoken or "en" in languages:
                    found = _counted([*words[:place], "#", *rest], number, spoken)
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


def _uncounted(words: Sequence[str], spoken: frozenset[str]) -> _Phrase | None:
    """The longest phrase without a number: "yesterday", "день назад"."""
    for run, meanings in sorted(_phrases(words, spoken), key=lambda found: -len(found[0])):
        is_all = len(run) >= max(len(" ".join(words)), len("ieri "))
        phrase = _clear(meanings, spoken, strictly=not is_all and run.isascii())
        if phrase is not None:
            return phrase if phrase.number is not None and phrase.number >= 0 else None
    return None


def _phrases(words: Sequence[str], spoken: frozenset[str]) -> Iterator[tuple[str, Sequence[_Phrase]]]:
    """The phrases in a text, as it writes them, with their meanings; those about the "#" where it has one."""
    tables = _tables()
    for run in _runs(words, "#" if "#" in words else ""):
        if run in tables.whole:
            yield run, tables.whole[run]
    for name, framed in _with_units(words):
        for run in _runs(framed, "@"):
            is_counted = "#" in run
            frame = (tables.frames if is_counted else tables.bare_frames).get(run)
            if frame is not None and is_counted == ("#" in words):
                yield run.replace("@", name), list(_in_frame(tables.units[name], frame, is_counted=is_counted))


def _in_frame(units: Sequence[_Phrase], frame: _Frame, *, is_counted: bool) -> Iterator[_Phrase]:
    """What the name of a unit means in a frame: without a number one of it, where the language has a singular."""
    for unit, number, languages in units:
        meant, codes = number, languages
        if number is None and not is_counted:
            meant, codes = 1, languages & _tables().singular
        yield _Phrase(unit, meant, codes & frame.past)
        yield _Phrase(unit, _NEVER, codes & frame.to_come)


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
    past, to_come = (
        {key: frozenset(codes.split()) for key, codes in data[kind].items()} for kind in ("past", "to_come")
    )
    none: frozenset[str] = frozenset()
    frames = {frame: _Frame(past.get(frame, none), to_come.get(frame, none)) for frame in past | to_come}
    bare: dict[str, _Frame] = {}
    for frame, codes in frames.items():
        key = " ".join(frame.replace("#", "").split())
        known = bare.get(key, _Frame(none, none))
        bare[key] = _Frame(known.past | codes.past, known.to_come | codes.to_come)
    numbers = {
        word: [(number, frozenset(codes.split())) for number, codes in counts]
        for word, counts in data["numbers"].items()
    }
    most = max(len(key.replace("@", "@ ").split(" ")) for key in (*frames, *data["whole"]))
    return _Tables(
        frames, bare, _meanings(data["units"]), _meanings(data["whole"]), numbers, frozenset(data["singular"]), most
    )


def _meanings(table: Mapping[str, Sequence[tuple[str, float | None, str]]]) -> dict[str, list[_Phrase]]:
    return {
        key: [_Phrase(unit, number, frozenset(codes.split())) for unit, number, codes in meanings]
        for key, meanings in table.items()
    }


class _Telling(NamedTuple):
    """Words and parts of words that occur in texts with a phrase."""

    words: frozenset[str]
    #: words that tell something beside a name of a unit alone
    short: frozenset[str]
    units: frozenset[str]
    #: in scripts without blanks
    parts: re.Pattern[str] | None


@lru_cache(maxsize=_MAX_LANGUAGES)
def _telling(spoken: frozenset[str]) -> _Telling:
    """The longest word of each phrase of some languages and English, or of all widespread ones where none is known."""
    languages = spoken | {"en"} if spoken else lexicon().widespread
    tables = _tables()
    units = {name for name, meanings in tables.units.items() if any(one.languages & languages for one in meanings)}
    frames = {
        max(_FRAME_SIGNS.split(frame), key=len) for frame, codes in tables.frames.items() if codes.past & languages
    }
    whole = {
        max(key.split(" "), key=len)
        for key, meanings in tables.whole.items()
        if any(one.languages & languages for one in meanings)
    }
    words = {word for word in frames if len(word) > _SHORT} | whole
    unspaced = [{re.escape(word) for word in table if word > _UNSPACED} for table in (units, frames, whole)]
    names, tails, others = ("|".join(sorted(table, key=len, reverse=True)) for table in unspaced)
    parts = "|".join(filter(None, (others, f"(?:{names}) ?(?:{tails})" if names and tails else "")))
    return _Telling(
        words=frozenset(words),
        short=frozenset(frames),
        units=frozenset(word for name in units for word in name.split(" ")),
        parts=re.compile(parts) if parts else None,
    )
