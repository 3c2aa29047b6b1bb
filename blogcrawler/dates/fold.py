"""Texts as the readers compare them, in one case and without accents; and the way back to the original."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from blogcrawler.serialise import load_file

_BLANKS_BOUND = 10

# The scripts of India that Unicode lays out alike, 128 characters each from Devanagari to Malayalam (chapter 12): at
# these places stand letters that writers of one word choose between. Long vowels are written short, nuktas are left
# out, and an anusvara is the m with a virama that is said before the "b" of "September".
_INDIC = range(0x0900, 0x0D80)
_SHORT_VOWELS = {0x08: 0x07, 0x0A: 0x09, 0x40: 0x3F, 0x42: 0x41}
_NUKTA, _ANUSVARA, _MA, _VIRAMA = 0x3C, 0x02, 0x2E, 0x4D


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; `offsets[i]` is where its character i stood in the original, None when nothing moved."""

    text: str
    length: int
    offsets: tuple[int, ...] | None = None

    def original(self, position: int) -> int:
        """Offset in the original text of an offset in the folded one, the end included."""
        if self.offsets is None:
            return position
        return self.offsets[position] if position < len(self.offsets) else self.length


def fold(text: str, limit: int) -> Folded:
    """Fold a text up to `limit` characters, with each run of blanks as one. O(n)."""
    # Indented markup is mostly blanks: what is read of it is bounded too.
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
    """The folded text alone."""
    return text.lower() if text.isascii() else "".join(map(_fold_character, text))


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    alike = _alike()
    if character in alike:
        return alike[character]
    if character.isspace():
        return " "
    # Soft hyphens, joiners, direction marks, variation selectors; the tatweel that stretches Arabic words.
    if unicodedata.category(character) == "Cf" or character in "\u0640\ufe0e\ufe0f":
        return ""
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    parts = unicodedata.normalize("NFKD", character.casefold())
    kept = "".join(alike.get(part) or _fold_indic(part) for part in parts if not _is_accent(part))
    return unicodedata.normalize("NFKC", kept)


@cache
def _alike() -> dict[str, str]:
    """Letters and marks that Unicode's decompositions keep apart and writers do not."""
    return load_file(dict[str, str], __package__, "alike.json")


def _fold_indic(character: str) -> str:
    """A letter of a script of India as all spell it; any other character as it is."""
    code = ord(character)
    if code not in _INDIC:
        return character
    place = code % 0x80
    script = code - place
    if place == _ANUSVARA:
        return chr(script + _MA) + chr(script + _VIRAMA)
    return "" if place == _NUKTA else chr(script + _SHORT_VOWELS.get(place, place))


def _is_accent(character: str) -> bool:
    """True for accents of Latin, Greek and Cyrillic and points of Hebrew and Arabic, which writers leave out."""
    return "\u0300" <= character <= "\u036f" or "\u0591" <= character <= "\u05c7" or "\u064b" <= character <= "\u0655"
