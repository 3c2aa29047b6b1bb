"""Search terms: words without case and accents; letter bigrams for scripts without spaces. `site/assets/search.js`
reads the same data and does the same in a browser."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Any

from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 40
"""Longest search term, in characters; the rest of a word is ignored."""


def fold(text: str) -> str:
    """Normalise a text: compatible characters, no case, no accents, no optional vowel signs. O(n)."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", text).lower().translate(_folding()))


def words(text: str) -> set[str]:
    """Return the distinct search terms of a text. For scripts without spaces these are the letter bigrams of each run,
    and its last letter. O(n)."""
    terms = set(_word().findall(fold(text).replace("_", " ")))
    runs = {run for word in terms if not word.isascii() for run in _unspaced().split(word) if run}
    unspaced = {run for run in runs if _unspaced().fullmatch(run)}
    spaced = {word[:LONGEST] for word in (runs - unspaced) | {word for word in terms if word.isascii()}}
    return spaced | {run[place : place + 2] for run in unspaced for place in range(len(run))}


@cache
def rules() -> dict[str, Any]:
    """Return the data that a browser needs to do the same."""
    return load_file(dict[str, Any], __package__, "search.json")


@cache
def _folding() -> dict[int, str | None]:
    dropped = {code: None for first, last in rules()["dropped"] for code in range(int(first, 16), int(last, 16) + 1)}
    return {**dropped, **{ord(letter): letters for letter, letters in rules()["replaced"].items()}}


@cache
def _unspaced() -> re.Pattern[str]:
    return re.compile(f"([{_class((int(first, 16), int(last, 16)) for first, last in rules()['unspaced'])}]+)")


@cache
def _word() -> re.Pattern[str]:
    """Letters, digits and marks; unlike Python's word class, which lacks marks."""
    marks = [code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] == "M"]
    begins = [code for code in marks if unicodedata.category(chr(code - 1))[0] != "M"]
    ends = [code for code in marks if unicodedata.category(chr(code + 1))[0] != "M"]
    return re.compile(rf"[\w{_class(zip(begins, ends, strict=True))}]+")


def _class(ranges: Iterable[tuple[int, int]]) -> str:
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
