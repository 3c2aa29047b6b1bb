"""Writes data/relative.json, the phrases for times past ("3 days ago", "gestern") in many languages.

Out of Babel's copy of Unicode's CLDR and of dateparser's tables, which are CLDR's with what people write besides. Run
as ``python -m blogcrawler.dates.build_relative`` after an update of one of them. The tables are read in milliseconds;
dateparser itself tries two hundred locales for a text whose language is not known.
"""

from __future__ import annotations

import importlib
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babel import localedata

from blogcrawler.dates.build_names import LANGUAGES
from blogcrawler.dates.relative import UNITS, key_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["collect"]

_NUMBER = "{0}"
#: what a plural category without a number in its pattern counts
_COUNTED = {"zero": 0, "one": 1, "two": 2}
_WIDTHS = ("", "-short", "-narrow")
_CALLED = {"nb": ("nb", "no"), "no": ("nb", "no"), "fil": ("fil", "tl"), "iw": ("he",)}
_PLAIN = re.compile(r"[^\W\d_][\w' ]*")
_MAX_COUNT = 12


Meanings = dict[str, dict[tuple[str, int | None], set[str]]]


def collect() -> dict[str, object]:
    """Phrases with unit, number (None where "#" stands for it) and languages; and the words for small numbers."""
    past: Meanings = defaultdict(lambda: defaultdict(set))
    to_come: set[str] = set()
    counts: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for language in sorted(LANGUAGES):
        for phrase, meaning, is_past in (*_from_cldr(language), *_from_dateparser(language)):
            key = key_of(phrase.replace(_NUMBER, "0"))
            if is_past:
                past[key][meaning].add(language)
            else:
                to_come.add(key)
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


def _plain(value: Any) -> dict[str, Any]:  # noqa: ANN401
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
    """Write the file beside this module."""
    lines = json.dumps(collect(), ensure_ascii=False, separators=(",", ":"))
    lines = lines.replace("]],", "]],\n")
    Path(__file__).with_name("data").joinpath("relative.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
