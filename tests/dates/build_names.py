"""Writes names.json of blogcrawler.dates, the names of months and days in many languages, out of Babel's copy of Unicode's CLDR.

Run as ``python -m tests.dates.build_names`` after an update of Babel. Reading every locale takes a second;
reading the file, milliseconds.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from babel import Locale, localedata

import blogcrawler.dates
from blogcrawler.dates.fold import fold_text
from tests.dates.cldr import half_names, names

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DATA", "LANGUAGES", "collect", "merged"]

DATA = Path(blogcrawler.dates.__file__).with_name("data")

# The rest of CLDR's 312 languages has few blogs, and names of three letters that are words or other months elsewhere.
_LANGUAGES = """
af am ar as ast az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fil fo fr fur fy ga gd gl gu he hi hr hu hy id
is it ja jv ka kk km kn ko ku ky lb lo lt lv mk ml mn mr ms mt my nb ne nl nn no oc or pa pl ps pt rm ro ru si sk sl so
sq sr su sv sw ta te tg th tk tr uk ur uz vi yo zh zu
"""
LANGUAGES = frozenset(_LANGUAGES.split())
_ARTICLES = {"de", "d"}
_UNSPACED = "\u0e00"
_WORD = re.compile(r"[^\W\d_][^\s\d!-/:-@\[-`{-~·]*")
_MAX_LITERAL = 6
# Words of one letter that are written as part of the next: "in", "of", "from", "the".
_CLITICS = {"he": "בלמהש", "ar": "بلو"}
_NUMBERED = re.compile(r"\d{1,2}([^\W\d_]?[^\d]*[^\W\d_])")


def collect() -> dict[str, object]:
    """The names of months with their languages, of weekdays and of halves of a day, and the words inside dates."""
    months: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    weekdays: dict[str, set[int]] = defaultdict(set)
    words: dict[str, set[str]] = {"am": set(), "pm": set(), "connectors": set(), "years": set(), "numbered": set()}
    for identifier in _identifiers():
        locale = Locale.parse(identifier)
        for key, number in _keys(identifier, "months"):
            for variant in _inflected(key, locale):
                months[variant][number].add(locale.language)
        for key, number in _keys(identifier, "days"):
            weekdays[key].add(number)
        words["connectors"] |= _literals(locale) | {k for k in _unit_words(identifier, "month") if k > _UNSPACED}
        words["years"] |= _unit_words(identifier, "year")
        words["numbered"] |= _numbered(identifier)
        for half in ("am", "pm"):
            words[half] |= _half_keys(identifier, half)
    return {
        "months": {
            k: {str(n): " ".join(sorted(codes)) for n, codes in sorted(v.items())} for k, v in sorted(months.items())
        },
        "weekdays": {key: sorted(numbers) for key, numbers in sorted(weekdays.items())},
        **{name: sorted(found) for name, found in words.items()},
    }


def _identifiers() -> list[str]:
    return [name for name in sorted(localedata.locale_identifiers()) if name.split("_")[0] in LANGUAGES]


def _key(name: str) -> str | None:
    """The words of a name without its article; None when the name is a number or a single letter of an alphabet."""
    if any(character.isdigit() for character in name):
        return None
    words = _WORD.findall(fold_text(name))
    while len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    key = " ".join(words)
    return key if len(key) > (2 if key.isascii() else 1) else None


def _keys(identifier: str, table: str) -> Iterator[tuple[str, int]]:
    for _context, _width, number, name in names(identifier, table):
        key = _key(name)
        if key:
            yield key, number


def _inflected(key: str, locale: Locale) -> Iterator[str]:
    """The name itself, and with what is glued to it: Hebrew "in", Basque endings, the word for "month"."""
    yield key
    yield key.replace(" ", "")
    yield from (f"{letter}{key}" for letter in map(fold_text, _CLITICS.get(locale.language, "")))
    if key > _UNSPACED:
        yield from (f"{word}{key}" for word in _unit_words(str(locale), "month"))
    for form in locale.date_formats.values():
        found = re.search(r"(?:^|[\s'])([^\W\dA-Za-z]*)MMMM?(?:'(\w+)')?", form.pattern)
        if found and (found[1] or found[2]):
            yield fold_text(found[1] or "") + key + fold_text(found[2] or "")


def _literals(locale: Locale) -> set[str]:
    patterns = [form.pattern for form in locale.date_formats.values()]
    patterns += [
        form.pattern for name, form in locale.datetime_skeletons.items() if name in ("yMMMd", "yMMMMd", "yMMMEd")
    ]
    # Letters of a pattern are ASCII; others are literals, as is what stands between apostrophes.
    found = {text for pattern in patterns for text in re.findall(r"'([^']+)'|([^\x00-\x7f]+)", pattern)}
    words = _WORD.findall(fold_text(" ".join(part for text in found for part in text)))
    return {word for word in words if len(word) <= _MAX_LITERAL and word not in "年月日년월일"}


def _half_keys(identifier: str, half: str) -> set[str]:
    """Two Latin letters are words of other languages (em, du, de, to), except for those in data/extra.json."""
    keys = {" ".join(_WORD.findall(fold_text(name))) for name in half_names(identifier, half)}
    return {key for key in keys if key and (not key.isascii() or len(key) > 2)}


def _unit_words(identifier: str, unit: str) -> set[str]:
    """What a locale calls a year or month, in whatever form it counts them."""
    data = localedata.load(identifier)
    told = [data["unit_display_names"].get(f"duration-{unit}", {}), data["unit_patterns"].get(f"duration-{unit}", {})]
    texts = [text for table in told for width in ("long", "short") for text in _texts(table.get(width, {}))]
    past = {name: list(_texts(data["date_fields"].get(name, {}).get("past", {}))) for name in ("day", "year", "month")}
    frame = {word for text in past["day"] for word in _WORD.findall(fold_text(text))}
    words = {word for text in (*texts, *past[unit]) for word in _WORD.findall(fold_text(text))} - frame
    return {word for word in words if len(word) > 2 or not word.isascii()}


def _texts(table: object) -> Iterator[str]:
    """The texts in tables within tables."""
    if isinstance(table, str):
        yield table
    elif hasattr(table, "values"):
        for value in table.values():
            yield from _texts(value)


def _numbered(identifier: str) -> set[str]:
    """What follows the number of a month where a locale numbers its months, as in "9-р сар"."""
    found = (_NUMBERED.fullmatch(fold_text(name)) for *_, name in names(identifier, "months"))
    return {match[1] for match in found if match and match[1] not in "月월"}


def merged(old: Any, new: Any) -> Any:
    """A table with what an older one has besides."""
    if isinstance(old, dict):
        return {key: merged(old.get(key, new.get(key)), new.get(key, old.get(key))) for key in sorted({*old, *new})}
    return sorted({*old, *new}) if isinstance(old, list) and all(isinstance(one, str) for one in old) else new


def main() -> None:
    """Write the file. What CLDR has dropped stays in it: pages were written with it."""
    path = DATA / "names.json"
    lines = json.dumps(
        merged(json.loads(path.read_text("utf-8")), collect()), ensure_ascii=False, separators=(",", ":")
    ).replace('"},"', '"},\n"')
    path.write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
