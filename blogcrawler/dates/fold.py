"""Normalises texts for comparison (one case, no accents), and maps positions back to the original text."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from blogcrawler.serialise import load_file

_BLANKS_BOUND = 10

# Unicode arranges the scripts of India from Devanagari to Malayalam in the same way, in blocks of 128 characters
# (chapter 12). These offsets hold letters that writers use interchangeably. Long vowels become short, nuktas are
# removed, and an anusvara becomes m with a virama, as it is pronounced before the "b" of "September".
_INDIC = range(0x0900, 0x0D80)
_SHORT_VOWELS = {0x08: 0x07, 0x0A: 0x09, 0x40: 0x3F, 0x42: 0x41}
_NUKTA, _ANUSVARA, _MA, _VIRAMA = 0x3C, 0x02, 0x2E, 0x4D


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. `offsets[i]` is the original position of character i; None if all positions are unchanged."""

    text: str
    length: int
    offsets: tuple[int, ...] | None = None

    def original(self, position: int) -> int:
        """Original position of a position in the folded text, which may be its end."""
        if self.offsets is None:
            return position
        return self.offsets[position] if position < len(self.offsets) else self.length


def fold(text: str, limit: int) -> Folded:
    """Fold a text up to `limit` characters; each run of white space becomes one blank. O(n)."""
    # Indented markup is mostly white space, so the amount of it that is read is bounded too.
    text = text[: limit * _BLANKS_BOUND]
    if text.isascii() and text.isprintable() and "  " not in text and len(text) <= limit:
        return Folded(text.lower(), len(text))
    pieces = list(map(_fold_character, text))
    whole = "".join(pieces)
    if all(pieces) and len(whole) == len(text) <= limit and "  " not in whole:
        return Folded(whole, len(text))
    folded: list[str] = []
    offsets: list[int] = []
    for position, piece in enumerate(pieces):
        for character in piece:
            if character != " " or folded[-1:] != [" "]:
                folded.append(character)
                offsets.append(position)
        if len(folded) >= limit:
            return Folded("".join(folded), position + 1, tuple(offsets))
    return Folded("".join(folded), len(text), tuple(offsets))


def fold_text(text: str) -> str:
    """Return only the folded text."""
    return text.lower() if text.isascii() else "".join(map(_fold_character, text))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    alike = _alike()
    if character in alike:
        return alike[character]
    if character.isspace():
        return " "
    # Soft hyphens, joiners, direction marks, variation selectors, and the tatweel that stretches Arabic words.
    if unicodedata.category(character) == "Cf" or character in "\u0640\ufe0e\ufe0f":
        return ""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = unicodedata.normalize("NFKD", character.casefold())
    letters = "".join(alike.get(part) or _fold_indic(part) for part in parts if not _is_accent(part))
    return unicodedata.normalize("NFKC", letters)


@cache
def _alike() -> dict[str, str]:
    """Unify letters and marks that Unicode's decompositions distinguish but writers do not."""
    return load_file(dict[str, str], __package__, "alike.json")


def _fold_indic(character: str) -> str:
    """Unify the spelling variants of a letter of an Indian script; other characters are unchanged."""
    code = ord(character)
    if code not in _INDIC:
        return character
    position = code % 0x80
    script = code - position
    if position == _ANUSVARA:
        return chr(script + _MA) + chr(script + _VIRAMA)
    return "" if position == _NUKTA else chr(script + _SHORT_VOWELS.get(position, position))


def _is_accent(character: str) -> bool:
    """True for accents of Latin, Greek and Cyrillic and for points of Hebrew and Arabic, which writers often omit."""
    return "\u0300" <= character <= "\u036f" or "\u0591" <= character <= "\u05c7" or "\u064b" <= character <= "\u0655"
