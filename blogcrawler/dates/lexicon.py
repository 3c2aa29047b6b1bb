"""The words of dates in some hundred languages, for look-up by folded words.

data/names.json comes from Unicode's CLDR (see tests/dates/build_names.py); data/extra.json adds what blogs write and
CLDR does not list: older and unaccented spellings, names of other calendars, zones, words between the parts of a date.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates.calendars import GREGORIAN, JALALI
from blogcrawler.dates.fold import fold_text
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Languages whose months are also known by their first letters.
_CUT = "bg ca cs da de el en es et fi fr hr hu id it lt lv nb nl no pl pt ro ru sk sl sr sv tr uk"
_LONG = 5


class Month(NamedTuple):
    """One meaning of a month's name."""

    number: int
    calendar: str
    #: primary language subtags
    languages: frozenset[str]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Tables by folded words; several words are joined by one blank."""

    months: Mapping[str, tuple[Month, ...]]
    #: 0 is Monday; more than one where languages disagree
    weekdays: Mapping[str, frozenset[int]]
    #: 0 before noon, 1 after
    halves: Mapping[str, int]
    connectors: frozenset[str]
    #: words for "year", which are connectors behind one
    years: frozenset[str]
    #: words that make the number after them a month
    month_markers: frozenset[str]
    #: what follows the number of a month
    numbered: tuple[str, ...]
    #: minutes from UTC
    zones: Mapping[str, int]
    #: first word of names of several words → the most words
    longest: Mapping[str, int]


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once a process."""
    names, extra = (load_file(dict[str, Any], __package__, name) for name in ("names.json", "extra.json"))
    months: dict[str, dict[tuple[int, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for table in (names["months"], extra["months"]):
        for name, numbers in table.items():
            for number, languages in numbers.items():
                months[fold_text(name)][int(number), GREGORIAN].update(languages.split())
    for name, number in extra["jalali"].items():
        months[fold_text(name)][number, JALALI].add("fa")
    weekdays = {
        fold_text(k): frozenset(v) for table in (names["weekdays"], extra["weekdays"]) for k, v in table.items()
    }
    halves = {fold_text(k): half for half, key in enumerate(("am", "pm")) for k in (*names[key], *extra[key])}
    connectors = frozenset(fold_text(k) for k in (*names["connectors"], *extra["connectors"]))
    _add_forms(months, {*weekdays, *halves, *connectors})
    return Lexicon(
        months={
            name: tuple(Month(*key, frozenset(codes)) for key, codes in found.items()) for name, found in months.items()
        },
        weekdays=weekdays,
        halves=halves,
        connectors=connectors,
        years=frozenset(names["years"]),
        month_markers=frozenset(extra["month_markers"]),
        numbered=tuple(names["numbered"]),
        zones=extra["zones"],
        longest=_longest((*months, *weekdays, *halves, *connectors)),
    )


def primary_languages(tags: Iterable[str]) -> frozenset[str]:
    """The primary subtags of BCP 47 tags, with one name for the two of Norwegian."""
    found = {tag.replace("_", "-").split("-", 1)[0].lower() for tag in tags}
    return frozenset(found | ({"no", "nb"} if found & {"no", "nb"} else set()))


def _add_forms(months: dict[str, dict[tuple[int, str], set[str]]], others: set[str]) -> None:
    """Add the beginnings of names, by which themes cut them, as far as they are one month's alone, and no other name.

    Two letters are enough in scripts other than the Latin, three of the languages of `_CUT`, five of all.
    """
    cut = set(_CUT.split())
    prefixes: dict[str, dict[tuple[int, str], set[str]]] = defaultdict(lambda: defaultdict(set))
    for name, numbers in months.items():
        for (number, calendar), languages in numbers.items():
            for length in range(2, len(name)) if calendar == GREGORIAN and name < "\u0590" and " " not in name else ():
                told = languages if length >= _LONG else languages & cut if length > 2 or not name.isascii() else set()
                if told:
                    prefixes[name[:length]][number, calendar] |= told
    for prefix, found in prefixes.items():
        if len(found) == 1 and prefix not in months and prefix not in others:
            months[prefix] = found


def _longest(keys: Iterable[str]) -> dict[str, int]:
    longest: dict[str, int] = {}
    for key in keys:
        words = key.split(" ")
        if len(words) > 1:
            longest[words[0]] = max(longest.get(words[0], 0), len(words))
    return longest
