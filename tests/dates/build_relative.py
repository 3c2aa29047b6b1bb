"""Writes relative.json of blogcrawler.dates, the phrases for times past ("3 days ago", "gestern") in many languages.

Out of Babel's copy of Unicode's CLDR and of dateparser's tables, which are CLDR's with what people write besides, and
of num2words for numbers in words. Run as ``python -m tests.dates.build_relative`` after an update of one of them
(dateparser and num2words are needed for this alone). The tables are read in milliseconds; dateparser itself tries two hundred locales
for a text whose language is not known. What a table has dropped stays: pages were written with it.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import defaultdict
from itertools import permutations
from typing import TYPE_CHECKING, Any

from babel import localedata

from blogcrawler.dates.relative import UNITS, key_of
from tests.dates.build_names import DATA, LANGUAGES, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["collect"]

_NUMBER = "{0}"
#: what a plural category without a number in its pattern counts
_COUNTED = {"zero": 0, "one": 1, "two": 2}
_WIDTHS = ("", "-short", "-narrow")
_CALLED = {"nb": ("nb", "no"), "no": ("nb", "no"), "fil": ("fil", "tl"), "iw": ("he",), "zh": ("zh", "ja")}
_PLAIN = re.compile(r"[^\W\d_][\w' ]*")
_MAX_COUNT = 12
_MAX_SPELLED = 60
_MAX_ENDING = 3


Meaning = tuple[str, int | None]
Meanings = dict[str, dict[Meaning, set[str]]]


def collect() -> dict[str, object]:
    """Phrases with unit, number (None where "#" stands for it) and languages; and the words for small numbers."""
    past: Meanings = defaultdict(lambda: defaultdict(set))
    to_come: set[str] = set()
    counts: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for language in sorted(LANGUAGES):
        told = [*_from_cldr(language), *_from_dateparser(language)]
        for key, meaning in _variants([(_key(phrase), meaning) for phrase, meaning, is_past in told if is_past]):
            past[key][meaning].add(language)
        to_come.update(_key(phrase) for phrase, _, is_past in told if not is_past)
        for word, number in _numbers(language):
            counts[key_of(word)][number].add(language)
    return {
        "phrases": {
            key: [[unit, number, " ".join(sorted(codes))] for (unit, number), codes in meanings.items()]
            for key, meanings in sorted(past.items())
            if key not in to_come and _says_something(key)
        },
        "numbers": {
            word: [[number, " ".join(sorted(codes))] for number, codes in sorted(found.items())]
            for word, found in sorted(counts.items())
            if " " not in word and len(word) > 0
        },
    }


def _key(phrase: str) -> str:
    return key_of(phrase.replace(_NUMBER, "0"))


def _variants(told: Sequence[tuple[str, Meaning]]) -> Iterator[tuple[str, Meaning]]:
    """Phrases, and what people make of them.

    Words before the number of every unit go without saying where one behind says the same ("for # dager siden"). Short
    forms take the endings of long ones: of "# hr ago" and "# hours ago" comes "# hrs ago".
    """
    yield from told
    counted = [(key.split(), meaning) for key, meaning in told if "#" in key.split()]
    before = _in_all_units((words[: words.index("#")], meaning) for words, meaning in counted)
    behind = _in_all_units((words[words.index("#") :], meaning) for words, meaning in counted)
    groups: dict[tuple[Meaning, str], set[str]] = defaultdict(set)
    for words, meaning in counted:
        place = words.index("#")
        rest = set(words[place:])
        if place and before.issuperset(words[:place]) and behind & rest - {"#"} and rest - behind:
            yield " ".join(words[place:]), meaning
        for at, word in enumerate(words):
            if word != "#" and word not in before | behind:
                groups[meaning, " ".join((*words[:at], "@", *words[at + 1 :]))].add(word)
    for (meaning, frame), alike in groups.items():
        for short, long in permutations(alike, 2):
            yield from ((frame.replace("@", short + ending), meaning) for ending in _endings(short, long))


def _in_all_units(parts: Iterable[tuple[list[str], Meaning]]) -> set[str]:
    """The words that stand in phrases of each unit."""
    units: dict[str, set[str]] = defaultdict(set)
    for words, (unit, _) in parts:
        units[unit].update(words)
    return set.intersection(*units.values()) if units else set()


def _endings(short: str, long: str) -> set[str]:
    """What a contraction of a word takes from its end: the letters behind those that it has, or the last one."""
    rest = iter(long)
    if len(short) < 2 or len(short) >= len(long) or short[0] != long[0] or not all(x in rest for x in short):
        return set()
    left = "".join(rest)
    return {ending for ending in (left, left[-1:]) if 0 < len(ending) <= _MAX_ENDING}


def _says_something(key: str) -> bool:
    """A sign and a letter ("-3 d") are too little to know a date by."""
    words = [word for word in key.split() if word != "#"]
    return any(len(word) > 2 or not word.isascii() for word in words) or len(words) > 1


def _from_cldr(language: str) -> Iterator[tuple[str, tuple[str, int | None], bool]]:
    identifiers = [name for name in localedata.locale_identifiers() if name.split("_")[0] == language]
    for identifier in sorted(identifiers):
        fields = localedata.load(identifier)["date_fields"]
        for unit in UNITS:
            for width in _WIDTHS:
                for tense in ("past", "future"):
                    patterns: Mapping[str, str] = _plain(fields.get(f"{unit}{width}", {})).get(tense, {})
                    for category, pattern in patterns.items():
                        counted = None if _NUMBER in pattern else _COUNTED.get(category)
                        if _NUMBER in pattern or counted is not None:
                            yield pattern, (unit, counted), tense == "past"


def _plain(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _from_dateparser(language: str) -> Iterator[tuple[str, tuple[str, int | None], bool]]:
    info = _info(language)
    for meaning, phrases in info.get("relative-type", {}).items():
        found = re.fullmatch(r"(\d+) (\w+) ago", meaning)
        if found and found[2] in UNITS:
            for phrase in phrases:
                yield phrase, (found[2], int(found[1])), True
        elif meaning.startswith("in "):
            yield from ((phrase, ("", None), False) for phrase in phrases)
    for meaning, patterns in info.get("relative-type-regex", {}).items():
        found = re.fullmatch(r"(in )?\\1 (\w+)( ago)?", meaning)
        if found and found[2] in UNITS:
            for pattern in patterns:
                phrase = re.sub(r"\(\\d\+\+\[\.,\]\?\\d\*\+\)|\(\\d\+\)", _NUMBER, pattern).replace(r"\s*", " ")
                if re.search(r"[\\()\[\]?*+|]", phrase) is None and _NUMBER in phrase:
                    yield phrase, (found[2], None), bool(found[3])


def _numbers(language: str) -> Iterator[tuple[str, int]]:
    from num2words import CONVERTER_CLASSES, num2words  # of those who build alone

    called = next((name for name in (*_CALLED.get(language, ()), language) if name in CONVERTER_CLASSES), None)
    if called is not None:
        yield from ((num2words(number, lang=called), number) for number in range(1, _MAX_SPELLED + 1))
    for change in _info(language).get("simplifications", []):
        for word, value in change.items():
            if _PLAIN.fullmatch(word) and value.isdecimal() and 0 < int(value) <= _MAX_COUNT:
                yield word, int(value)


def _info(language: str) -> dict[str, Any]:
    info: dict[str, Any] = {}
    for name in _CALLED.get(language, (language,)):
        try:
            module = importlib.import_module(f"dateparser.data.date_translation_data.{name}")
        except ImportError:
            continue
        info = module.info
        break
    return info


def main() -> None:
    """Write the file."""
    path = DATA / "relative.json"
    table = merged(json.loads(path.read_text("utf-8")), collect())
    lines = json.dumps(table, ensure_ascii=False, separators=(",", ":")).replace("]],", "]],\n")
    path.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
