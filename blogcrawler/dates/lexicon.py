"""The words of dates in all languages, looked up in folded form.

data/names.json is generated from the tables of CLDR and dateparser (see tests/dates/build_lexicon.py).
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
"""Number of language sets for which tables are cached."""


class Name(NamedTuple):
    """A meaning of a word."""

    kind: str
    #: months from 1; weekdays from 0 for Monday; halves of the day from 0 for before noon; 0 for connectors
    number: int
    #: primary language subtags
    languages: frozenset[str]


Names = dict[str, tuple[Name, ...]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Tables by folded words; words of a phrase are joined by one blank."""

    #: words with one meaning in all languages
    common: Names
    #: words that only have a meaning in texts of their languages: words of small languages, and short words
    own: Names
    #: languages by the date notation that they use
    customs: Mapping[str, frozenset[str]]
    #: languages whose words are tried if the language of a text is unknown
    widespread: frozenset[str]
    #: words for "year", which may follow a year
    years: frozenset[str]
    #: words that make the next number a month
    month_markers: frozenset[str]
    #: suffixes of a number that is a month
    numbered: tuple[str, ...]
    #: languages that write months as Roman numerals, also between blanks
    roman_months: frozenset[str]
    #: East Asian eras with the year before their first year
    eras: Mapping[str, int]
    #: words that make a following "10.05" a time
    before_times: tuple[str, ...]
    #: words that make a following "1.2.14" a version number
    version_words: frozenset[str]
    #: offsets from UTC in minutes, by name of the time zone
    zones: Mapping[str, int]
    #: maximum number of words of names, by their first word
    longest: Mapping[str, int]

    def meanings(self, word: str, languages: frozenset[str]) -> tuple[Name, ...]:
        """Meanings of a word in these languages; if it has none in them, its meanings in all languages."""
        common = self.common.get(word, ())
        if word not in self.own or not languages:
            return common
        own = tuple(name for name in self.own[word] if name.languages & languages)
        return own + tuple(name for name in common if all(name.kind != other.kind for other in own))

    def kinds(self, word: str) -> set[str]:
        """The kinds that a word may have in any language."""
        return {name.kind for name in self.common.get(word, ())}


@cache
def lexicon() -> Lexicon:
    """Load the lexicon, once per process."""
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
    """The primary subtags of BCP 47 tags, with one subtag for the two written forms of Norwegian."""
    subtags = {tag.replace("_", "-").split("-", 1)[0].lower() for tag in tags}
    return frozenset(subtags | ({"no", "nb"} if subtags & {"no", "nb"} else set()))


@cache
def language_set(codes: str) -> frozenset[str]:
    """A set of language codes, cached since the data contain few different sets."""
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
