"""What stands in a text around words that are sought."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BEGIN_MARK, END_MARK = "\ue000", "\ue001"
"""Around the words of an excerpt that were sought: characters for private use, which are taken out of texts."""
BEFORE, AFTER = 50, 150
"""Characters before the first word that is found, and from it on."""
_MARKS = {ord(BEGIN_MARK): None, ord(END_MARK): None}


class _Bases(dict[int, int]):
    """Letters without their diacritics, one for each, by their numbers."""

    def __missing__(self, letter: int) -> int:
        return self.setdefault(letter, ord(unicodedata.normalize("NFD", chr(letter))[0]))


_BASES = _Bases()


def excerpt(said: str, terms: Sequence[str], *, are_words: bool) -> str:
    """What stands around the first of the terms, all of them there marked; the beginning where none is found.

    `are_words`: terms are whole words, in whatever spelling; else they may be parts of words. O(n).
    """
    said = unicodedata.normalize("NFC", said).translate(_MARKS)
    pattern = re.compile("|".join(_pattern(term, are_words=are_words) for term in terms), re.IGNORECASE)
    plain = said.translate(_BASES) if are_words else said
    first = pattern.search(plain)
    start = max(0, first.start() - BEFORE) if first else 0
    end = max(first.end() if first else 0, start + BEFORE + AFTER)
    shown, place = "…" if start else "", start
    for found in pattern.finditer(plain, start, end) if first else ():
        shown += f"{said[place : found.start()]}{BEGIN_MARK}{said[found.start() : found.end()]}{END_MARK}"
        place = found.end()
    return f"{shown}{said[place:end]}{'…' if end < len(said) else ''}"


def _pattern(term: str, *, are_words: bool) -> str:
    if not are_words:
        return re.escape(term)
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", term).translate(_BASES))
    return r"(?<![^\W_])" + r"[\W_]+".join(map(re.escape, words)) + r"(?![^\W_])" if words else r"(?!)"
