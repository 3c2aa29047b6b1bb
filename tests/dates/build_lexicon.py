"""Writes the data of blogcrawler.dates, the words of dates in all languages, out of the tables of CLDR, dateparser and
num2words (see `written`) and of data/words.json, which has what blogs write besides.

Run as ``python -m tests.dates.build_lexicon`` after an update of one of them. All words are folded, so that nothing is
left to do when the files are read. What a table has dropped stays in them: pages were written with it.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import permutations, product
from pathlib import Path
from typing import Any

from babel import Locale, localedata

import blogcrawler.dates
from blogcrawler.dates.fold import fold_text
from blogcrawler.dates.relative import key_of
from tests.dates.written import (
    MONTHS,
    NUMBER,
    SIGNS,
    UNITS,
    WEEKDAYS,
    Phrase,
    dateparser_table,
    languages,
    locales,
    number_words,
    phrases,
)

__all__ = ["collect_names", "collect_phrases"]

DATA = Path(blogcrawler.dates.__file__).with_name("data")
_EXTRA: dict[str, Any] = json.loads((Path(__file__).parent / "data" / "words.json").read_text("utf-8"))
# Of texts whose language is not known only these are tried: the other languages have few blogs, and names of three
# letters that are words or other months elsewhere.
_WIDESPREAD = frozenset(_EXTRA["widespread"].split())
_UNSPACED = "\u0e00"
# the first letter of the scripts that write no or few vowels
_SEMITIC = "\u0590"
_WORD = re.compile(r"[^\W\d_][^\s\d!-/:-@\[-`{-~·]*")
_MAX_LITERAL = 6
_NUMBERED = re.compile(r"\d{1,2}([^\W\d_]?[^\d]*[^\W\d_])")
_LONG_BEGINNING = 5
# a duration with a sign, or a phrase with a number of its own beside the one that it counts ("3 x 7 days")
_UNREADABLE = re.compile(rf"^[{re.escape(SIGNS)}]|\d.*\{{0\}}|\{{0\}}.*\d")
_PLAIN = re.compile(r"[^\W\d_][\w' ]*")
_OPTIONAL = re.compile(r"(\w)\?")
_CONTRACTED = re.compile(r"(\d+) (\w+)")
_MAX_COUNT = 12
_MAX_ENDING = 3

#: word → number that it means → languages
Table = dict[str, dict[Any, set[str]]]


def _table() -> Table:
    return defaultdict(lambda: defaultdict(set))


class _Names:
    """The names of some kinds: those that texts of all languages may have, and those of their own language alone."""

    def __init__(self) -> None:
        self.common: dict[str, Table] = defaultdict(_table)
        self.own: dict[str, Table] = defaultdict(_table)

    def add(self, kind: str, word: str, number: int, language: str) -> None:
        """Two Latin letters are words of other languages (em, du, de, to)."""
        is_short = len(word) < 3 if word.isascii() else len(word) < 2 and kind != "half"
        table = self.own if is_short or language not in _WIDESPREAD else self.common
        if len(word) > 1 or (word and not word.isascii()):
            table[kind][word][number].add(language)

    def add_unlisted(self, kind: str, word: str, number: int, language: str) -> None:
        """Add a name that is not in CLDR; where CLDR has it with another meaning it has this in its language alone."""
        known = self.common[kind].get(word)
        if known and number not in known:
            self.own[kind][word][number].add(language)
        else:
            self.add(kind, word, number, language)

    def add_connector(self, word: str, language: str) -> None:
        """Add a word that stands inside dates."""
        if language in _WIDESPREAD:
            self.common["connector"][word][0].add("")
        else:
            self.own["connector"][word][0].add(language)

    def add_extra(self) -> None:
        """Add the names of data/words.json."""
        for kind, words in _EXTRA["names"].items():
            for word, numbers in words.items():
                for number, codes in numbers.items():
                    self.common[kind][fold_text(word)][int(number)].update(codes.split())

    def add_beginnings(self) -> None:
        """Add the beginnings of months, by which themes cut them, as far as they are one month's alone.

        Two letters are enough in scripts other than the Latin, three of the languages of which blogs cut names, five
        of all. Three letters of other languages in these scripts come after, where no other has them.
        """
        cut = set(_EXTRA["cut"].split())
        self._add_beginnings(lambda name, length: cut if length > 2 or not name.isascii() else set())
        self._add_beginnings(lambda name, length: _WIDESPREAD if length > 2 and not name.isascii() else set())

    def _add_beginnings(self, languages_of: Callable[[str, int], Set[str]]) -> None:
        found = _table()
        for name, numbers in self.common["month"].items():
            for length in range(2, len(name)) if name < "\u0590" and " " not in name else ():
                for number, codes in numbers.items():
                    told = codes if length >= _LONG_BEGINNING else codes & languages_of(name, length)
                    if told:
                        found[name[:length]][number] |= told
        taken = {word for words in self.common.values() for word in words}
        self.common["beginning"] |= {
            word: numbers for word, numbers in found.items() if len(numbers) == 1 and word not in taken
        }


def collect_names() -> dict[str, Any]:
    """The names of months, weekdays and halves of a day, the words inside dates, and what else reading dates needs."""
    names = _Names()
    words: dict[str, set[str]] = {"years": set(), "numbered": set()}
    for language in languages():
        for kind, number, name in _cldr_names(language):
            names.add(kind, name, number, language)
        for identifier in locales(language):
            for word in _connectors(identifier):
                names.add_connector(word, language)
            if language in _WIDESPREAD:
                words["years"] |= _unit_words(identifier, "year")
                words["numbered"] |= _numbered(identifier)
    for language in languages():
        for kind, number, name in _dateparser_names(language):
            names.add_unlisted(kind, name, number, language)
    names.add_extra()
    names.add_beginnings()
    several = (word.split(" ") for table in (names.common, names.own) for kind in table.values() for word in kind)
    longest: dict[str, int] = {}
    for first, *rest in several:
        if rest:
            longest[first] = max(longest.get(first, 0), 1 + len(rest))
    return {
        "customs": _customs(),
        "longest": longest,
        "common": _dumped(names.common),
        "own": _dumped(names.own),
        "widespread": " ".join(sorted(_WIDESPREAD)),
        **{name: sorted(found) for name, found in words.items()},
        **_EXTRA["other"],
    }


def _customs() -> dict[str, list[str]]:
    """The languages that write short dates or times in a way of their own, in digits."""
    found: dict[str, set[str]] = {"short_year_first": set(), "year_day_month": set(), "dotted_times": set()}
    for locale in map(Locale.parse, localedata.locale_identifiers()):
        for form in (locale.date_formats["short"], locale.datetime_skeletons["yMd"]):
            parts = re.findall("[yMd]+", form.pattern)
            order = "".join(part[0] for part in parts)
            if order == "yMd" and parts[0] == "yy":
                found["short_year_first"].add(locale.language)
            if order == "ydM":
                found["year_day_month"].add(locale.language)
        if locale.territory is None and re.search(r"[Hh]\.mm", locale.time_formats["short"].pattern):
            found["dotted_times"].add(locale.language)
    return {name: sorted(codes) for name, codes in found.items()} | _EXTRA["customs"]


def _dumped(kinds: Mapping[str, Table]) -> dict[str, Any]:
    return {
        kind: {
            word: {str(number): " ".join(sorted(codes)).strip() for number, codes in sorted(numbers.items())}
            for word, numbers in sorted(words.items())
        }
        for kind, words in sorted(kinds.items())
    }


def _dateparser_names(language: str) -> Iterator[tuple[str, int, str]]:
    table = dateparser_table(language)
    for kind, listed, first in (("month", MONTHS, 1), ("weekday", WEEKDAYS, 0)):
        for number, english in enumerate(listed, start=first):
            yield from ((kind, number, key) for name in table.get(english, ()) if (key := _key(name)))


def _cldr_names(language: str) -> Iterator[tuple[str, int, str]]:
    """Kind, number and folded name."""
    for identifier in locales(language):
        locale = Locale.parse(identifier)
        contexts = list(product(("format", "stand-alone"), ("wide", "abbreviated")))
        for context, width in contexts:
            for number, name in locale.months[context][width].items():
                if key := _key(name):
                    yield from (("month", number, variant) for variant in _inflected(key, locale))
            for number, name in locale.days[context][width].items():
                if key := _key(name):
                    yield "weekday", number, key
        periods = locale.day_periods
        for (context, width), (number, half) in product(contexts, enumerate(("am", "pm"))):
            if name := periods.get(context, {}).get(width, {}).get(half):
                yield "half", number, " ".join(_WORD.findall(fold_text(name)))


def _key(name: str) -> str | None:
    """The words of a name without its article; None when the name has digits ("M01")."""
    if any(character.isdigit() for character in name):
        return None
    words = _WORD.findall(fold_text(name))
    while len(words) > 1 and words[0] in _EXTRA["articles"]:
        words = words[1:]
    return " ".join(words)


def _inflected(key: str, locale: Locale) -> Iterator[str]:
    """The name itself, and with what is glued to it: Hebrew "in", Basque endings, the word for "month"."""
    yield key
    yield key.replace(" ", "")
    yield from (f"{letter}{key}" for letter in map(fold_text, _EXTRA["clitics"].get(locale.language, "")))
    if key > _UNSPACED:
        yield from (f"{word}{key}" for word in _unit_words(str(locale), "month"))
    for form in locale.date_formats.values():
        found = re.search(r"(?:^|[\s'])([^\W\dA-Za-z]*)MMMM?(?:'(\w+)'|([^\W\dA-Za-z]+))?", form.pattern)
        if found and any(found.groups()):
            yield fold_text(found[1] or "") + key + fold_text(found[2] or found[3] or "")


def _connectors(identifier: str) -> set[str]:
    """The words between the parts of dates."""
    locale = Locale.parse(identifier)
    patterns = [form.pattern for form in locale.date_formats.values()]
    patterns += [
        form.pattern for name, form in locale.datetime_skeletons.items() if name in ("yMMMd", "yMMMMd", "yMMMEd")
    ]
    # Letters of a pattern are ASCII; others are literals, as is what stands between apostrophes.
    found = {text for pattern in patterns for text in re.findall(r"'([^']+)'|([^\x00-\x7f]+)", pattern)}
    words = _WORD.findall(fold_text(" ".join(part for text in found for part in text)))
    literals = {word for word in words if len(word) <= _MAX_LITERAL and word not in "年月日년월일"}
    return literals | {word for word in _unit_words(identifier, "month") if word > _UNSPACED}


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
    """The texts in tables within tables; a pair is an alias, and what the locale has instead of the other table's."""
    if isinstance(table, str):
        yield table
    elif isinstance(table, tuple):
        yield from _texts(table[1])
    elif hasattr(table, "items"):
        for name, value in table.items():
            if name != "per":  # "{0} a day" is no number of days
                yield from _texts(value)


def _numbered(identifier: str) -> set[str]:
    """What follows the number of a month where a locale numbers its months: "9-р сар", and without the sign "9 сар"."""
    months = Locale.parse(identifier).months
    names = (name for context in months.values() for width in context.values() for name in width.values())
    found = (_NUMBERED.fullmatch(fold_text(name)) for name in names)
    ends = {match[1] for match in found if match and match[1] not in "月월"}
    return ends | {f" {end.split()[-1]}" for end in ends}


class _Phrases:
    """Phrases for times past, taken apart: frames ("# @ago") and names of units, and what is left whole."""

    def __init__(self) -> None:
        #: names of units → unit and number, None for those that need a number
        self.units = _table()
        #: "#" for the number, "@" for the unit → whether it is past or to come
        self.frames = _table()
        self.whole = _table()
        self.numbers = _table()

    def add_language(self, language: str) -> None:
        """Add what the tables know of a language."""
        past = [phrase for phrase in phrases(language) if not _UNREADABLE.search(phrase.text)]
        past += _extra_phrases(language)
        told = [(_phrase_key(text), unit, number) for text, unit, number in past]
        future_texts = [(text, unit) for text, unit in _phrases_to_come(language) if not _UNREADABLE.search(text)]
        to_come = [(_phrase_key(text), unit) for text, unit in future_texts]
        forms = _unit_names(language, [(key, unit) for key, unit, _ in told], to_come)
        frames = {frame for key, unit, _ in told if (frame := _frame(key, forms[unit]))}
        frames |= {fold_text(frame).replace("@ ", "@") for frame in _EXTRA["frames"].get(language, ())}
        future = {frame for key, unit in to_come if (frame := _frame(key, forms[unit]))}
        # "for # @siden": words before the number go without saying where others follow
        shortened = {frame[frame.find("#") :] for frame in frames}
        frames |= {frame for frame in shortened if re.search(r"@.*[^\W_]", frame)}
        tails = {frame.removeprefix("# @") for frame in frames | future if frame.startswith("# @")}
        for names in forms.values():
            names -= {name + tail for name in names for tail in tails}
        for frame in frames - future:
            self._add_frame(frame, "past", language)
        for frame in future:
            self._add_frame(frame, "to_come", language)
        for unit, names in forms.items():
            for name in names:
                self.units[name][unit, None].add(language)
        for unit, number, word in _contracted(dateparser_table(language)):
            self.units[key_of(word)][unit, number].add(language)
        for key, unit, number in told:
            if not _frame(key, forms[unit]):
                self._add_whole(key, unit, number, frames, language)
        for meanings in self.units.values():
            for unit in {
                unit for (unit, number), codes in meanings.items() if number != 1 and number and language in codes
            }:
                meanings[unit, None].discard(language)
        for key, unit in to_come:
            if "#" not in key:
                self.whole[key][unit, _NEVER].add(language)
        self._add_numbers(language, frames)

    def _add_frame(self, frame: str, time: str, language: str) -> None:
        """Add a frame with its number and without it."""
        for form in (frame, " ".join(frame.replace("#", "").split())):
            self.frames[form][time].add(language)

    def _add_whole(self, key: str, unit: str, number: float | None, frames: set[str], language: str) -> None:
        """Add what has no number, as a name of units where it is in a frame ("2 days"), and what is in no frame."""
        if number is not None and number > 0:
            for frame in sorted(frames, key=len, reverse=True):
                before, _, behind = frame.replace("# ", "").replace("#", "").partition("@")
                if key.startswith(before) and key.endswith(behind) and len(key) > len(before) + len(behind):
                    self.units[key[len(before) : len(key) - len(behind)].strip()][unit, number].add(language)
                    return
        if number is not None or _says_something(key):
            self.whole[key][unit, number].add(language)

    def _add_numbers(self, language: str, frames: set[str]) -> None:
        prefixes = [frame.partition(" #")[0] for frame in frames if re.match(r"[^\W\d_]+ #", frame)]
        glued = [prefix for prefix in prefixes if any(f"{prefix}{{0}}" in text for text, *_ in phrases(language))]
        for word, number in _numbers(language):
            for key in (key_of(word), *(prefix + key_of(word) for prefix in glued)):
                self.numbers[key][number].add(language)


_NEVER = -1


def collect_phrases() -> dict[str, Any]:
    """Frames, names of units, whole phrases and the words for small numbers, with languages."""
    found = _Phrases()
    for language in languages():
        found.add_language(language)
    singular = [code for code in languages() if "one" in Locale.parse(code).plural_form.rules]
    return {
        "frames": {
            frame: {time: " ".join(sorted(codes)) for time, codes in sorted(times.items())}
            for frame, times in sorted(found.frames.items())
        },
        "units": _listed(found.units),
        "whole": _listed(found.whole),
        "numbers": _listed(found.numbers),
        "singular": singular,
    }


def _listed(table: Table) -> dict[str, Any]:
    return {
        word: [
            [*(meaning if isinstance(meaning, tuple) else (meaning,)), " ".join(sorted(codes))]
            for meaning, codes in sorted(meanings.items(), key=str)
            if codes
        ]
        for word, meanings in sorted(table.items())
        if word and any(meanings.values())
    }


def _phrase_key(phrase: str) -> str:
    return key_of(phrase.replace(NUMBER, " 0 "))


def _frame(key: str, forms: set[str]) -> str:
    """A phrase with "@" for the name of the unit next to the number; empty where it has none, or nothing else."""
    place = key.find("#")
    for form in sorted(forms, key=len, reverse=True):
        end = "" if form > _UNSPACED else r"(?!\S)"
        matches = re.finditer(rf"(?<!\S){re.escape(form)}{end}", key)
        for found in sorted(matches, key=lambda found: abs(found.start() - place)):
            frame = re.sub(r"@ ", "@", f"{key[: found.start()]}@{key[found.end() :]}")
            if place >= 0 and re.search(r"[^\W_]", frame):
                return frame
    return ""


def _unit_names(
    language: str, past: Iterable[tuple[str, str]], to_come: Iterable[tuple[str, str]]
) -> dict[str, set[str]]:
    """What a language calls each unit, in all forms: in units and in phrases, as far as these differ by unit."""
    names: dict[str, set[str]] = {unit: set(map(key_of, dateparser_table(language).get(unit, ()))) for unit in UNITS}
    for identifier, unit, width in product(locales(language), UNITS, ("long", "short")):
        data = localedata.load(identifier)
        for table in ("unit_patterns", "unit_display_names"):
            for text in _texts(data[table].get(f"duration-{unit}", {}).get(width, {})):
                if table == "unit_display_names" or NUMBER in text:  # others mean one or two
                    names[unit].add(_phrase_key(text).replace("# ", "").replace(" #", ""))
    in_phrases: dict[str, set[str]] = defaultdict(set)
    for told in (past, to_come):
        counted = [(key.split(), unit) for key, unit in told if "#" in key]
        common = _in_all_units(counted)
        for words, unit in counted:
            rest = [word for word in words if word not in common]
            if rest and " ".join(rest) in " ".join(words):
                in_phrases[" ".join(rest)].add(unit)
    for name, units in in_phrases.items():
        for unit, forms in names.items():  # "m" may be minutes elsewhere
            (forms.add if unit in units else forms.discard)(name)
    for forms in names.values():
        for short, long in permutations([form for form in forms if "" < form < _SEMITIC], 2):
            forms.update(short + ending for ending in _endings(short, long))
        forms -= {form for form in forms if not form or "#" in form}
    return names


def _extra_phrases(language: str) -> list[Phrase]:
    """The phrases of data/words.json."""
    told = _EXTRA["relative"].get(language, {})
    return [Phrase(text.replace("#", NUMBER), unit, number) for text, (unit, number) in told.items()]


def _contracted(table: Mapping[str, Any]) -> Iterator[tuple[str, int, str]]:
    """Words that mean a number of units ("seminggu")."""
    units = {name: unit for unit in UNITS for name in table.get(unit, ())}
    for meaning, words in table.get("relative-type", {}).items():
        if (found := _CONTRACTED.fullmatch(meaning)) and found[2] in UNITS:
            yield from ((found[2], int(found[1]), word) for word in words)
    for change in table.get("simplifications", []):
        for pattern, value in change.items():
            if (found := _CONTRACTED.fullmatch(value)) and found[2] in units:
                for word in {_OPTIONAL.sub("", pattern), _OPTIONAL.sub(r"\1", pattern)}:
                    if _PLAIN.fullmatch(word):
                        yield units[found[2]], int(found[1]), word


def _phrases_to_come(language: str) -> Iterator[tuple[str, str]]:
    for identifier in locales(language):
        fields = localedata.load(identifier)["date_fields"]
        for unit, width in product(UNITS, ("", "-short", "-narrow")):
            field = fields.get(f"{unit}{width}", {})
            yield from ((text, unit) for text in (_texts(field.get("future", {})) if hasattr(field, "get") else ()))
    table = dateparser_table(language)
    for meaning, texts in table.get("relative-type", {}).items():
        if (found := re.fullmatch(r"in \d+ (\w+)", meaning)) and found[1] in UNITS:
            yield from ((text, found[1]) for text in texts)


def _in_all_units(counted: Iterable[tuple[list[str], str]]) -> set[str]:
    """The words that stand in phrases of each unit."""
    units: dict[str, set[str]] = defaultdict(set)
    for words, unit in counted:
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


def _numbers(language: str) -> Iterator[tuple[str, float]]:
    """Words for numbers."""
    yield from ((word, number) for number, word in number_words(language, range(1, 61)).items())
    for change in dateparser_table(language).get("simplifications", []):
        for word, value in change.items():
            if _PLAIN.fullmatch(word) and value.isdecimal() and 0 < int(value) <= _MAX_COUNT:
                yield word, int(value)
    for number, spelled in _EXTRA["counts"].items():
        if language in spelled:
            yield from ((word, float(number)) for word in spelled[language].split("|"))


def _merged(old: Any, new: Any) -> Any:
    """A table with what an older one has besides."""
    if isinstance(old, dict) and isinstance(new, dict):
        return {key: _merged(old.get(key, new.get(key)), new.get(key, old.get(key))) for key in sorted({*old, *new})}
    return sorted({*old, *new}) if isinstance(old, list) and all(isinstance(word, str) for word in old) else new


def main() -> None:
    """Write the files."""
    for name, collected in (("names.json", collect_names()), ("phrases.json", collect_phrases())):
        path = DATA / name
        table = _merged(json.loads(path.read_text("utf-8")), collected) if path.exists() else collected
        lines = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
        path.write_text(lines.replace('"},"', '"},\n"').replace("]],", "]],\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
