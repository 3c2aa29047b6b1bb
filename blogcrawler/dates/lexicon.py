"""The words of dates in all languages, for look-up by folded words.

data/names.json comes from the tables of CLDR and dateparser (see tests/dates/build_lexicon.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MONTH, JALALI_MONTH, WEEKDAY, HALF, CONNECTOR = "month", "jalali", "weekday", "half", "connector"
_BEGINNING = "beginning"
MAX_LANGUAGE_SETS = 64
"""Sets of languages of texts for which tables are remembered."""


class Name(NamedTuple):
    """One meaning of a word."""

    kind: str
    #: months from 1; weekdays from 0, Monday; halves of a day: 0 before noon; 0 for connectors
    number: int
    #: primary language subtags
    languages: frozenset[str]


Names = dict[str, tuple[Name, ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Tables by folded words; several words are joined by one blank."""

    #: words that mean the same in texts of any language
    common: Names
    #: words that have a meaning in texts of their languages alone: those of small languages, and short ones
    own: Names
    #: custom → languages that write dates by it
    customs: Mapping[str, frozenset[str]]
    #: languages whose words are looked for in texts of unknown language
    widespread: frozenset[str]
    #: words for "year", which are connectors behind one
    years: frozenset[str]
    #: words that make the number after them a month
    month_markers: frozenset[str]
    #: what follows the number of a month
    numbered: tuple[str, ...]
    #: languages that write months as Roman numbers, also between blanks
    roman_months: frozenset[str]
    #: East Asian eras, by the year before their first
    eras: Mapping[str, int]
    #: words that make "10.05" behind them a time
    before_times: tuple[str, ...]
    #: words that make "1.2.14" behind them a version
    version_words: frozenset[str]
    #: minutes from UTC
    zones: Mapping[str, int]
    #: first word of names of several words → the most words
    longest: Mapping[str, int]

    def meanings(self, word: str, languages: frozenset[str]) -> tuple[Name, ...]:
        """What a word may mean in a text in some languages: what it means in them, or else in any."""
        common = self.common.get(word, ())
        if word not in self.own or not languages:
            return common
        own = tuple(name for name in self.own[word] if name.languages & languages)
        return own + tuple(name for name in common if all(name.kind != other.kind for other in own))

    def kinds(self, word: str) -> set[str]:
        """What a word may be in a text of any language."""
        return {name.kind for name in self.common.get(word, ())}


@cache
def lexicon() -> Lexicon:
    """The lexicon, read once a process."""
    data = load_file(dict[str, Any], __package__, "names.json")
    return Lexicon(
        common=_names(data["common"]),
        own=_names(data["own"]),
        customs={name: frozenset(codes) for name, codes in data["customs"].items()},
        widespread=frozenset(data["widespread"].split()),
        years=frozenset(data["years"]),
        month_markers=frozenset(data["month_markers"]),
        numbered=tuple(data["numbered"]),
        roman_months=frozenset(data["roman_months"]),
        eras=data["eras"],
        before_times=tuple(data["before_times"]),
        version_words=frozenset(data["version_words"]),
        zones=data["zones"],
        longest=data["longest"],
    )


def primary_languages(tags: Iterable[str]) -> frozenset[str]:
    """The primary subtags of BCP 47 tags, with one name for the two of Norwegian."""
    found = {tag.replace("_", "-").split("-", 1)[0].lower() for tag in tags}
    return frozenset(found | ({"no", "nb"} if found & {"no", "nb"} else set()))


@cache
def language_set(codes: str) -> frozenset[str]:
    """The codes of languages in the data, which hold few different sets of them."""
    return frozenset(codes.split())


def _names(kinds: Mapping[str, Mapping[str, Mapping[str, str]]]) -> Names:
    names: Names = {}
    for kind, words in kinds.items():
        for word, numbers in words.items():
            found = (
                Name(MONTH if kind == _BEGINNING else kind, int(number), language_set(codes))
                for number, codes in numbers.items()
            )
            names[word] = (*names.get(word, ()), *found)
    return names
