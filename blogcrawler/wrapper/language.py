"""Which language a text is written in, where the text leaves no doubt (langid: Lui and Baldwin, ACL 2012)."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

__all__ = ["LONGEST", "is_known", "language_of", "names_language", "same_language"]

SURE = 0.95
"""Probability from which a language is believed."""
SHORTEST = 60
"""Letters that a text must have; signs of Chinese and the like count three."""
LONGEST = 300
"""Characters of a text that are read."""

LETTER = re.compile(r"[^\W\d_]")
SYLLABLE = re.compile(r"[\u3041-\u9fff\uac00-\ud7af]")
NAMES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ms": "id", "bs": "hr", "cmn": "zh"}
"""Other names of languages, and languages that are too near to each other to be told apart."""
NO_LANGUAGE = frozenset({"zxx", "und", "mul", "mis"})
"""Codes of ISO 639-2 for texts without language, of unknown, several or other languages; "zxx" is told of listings."""


def language_of(text: str) -> str | None:
    """The language of a text (ISO 639-1), None where it is too short, is none, or two languages come near. O(n)."""
    text = text[:LONGEST]
    if len(LETTER.findall(text)) + 2 * len(SYLLABLE.findall(text)) < SHORTEST:
        return None
    language, probability = _identifier().classify(text)
    return _primary(language) if probability >= SURE and names_language(language) else None


def names_language(tag: str) -> bool:
    """Is a tag of BCP 47 that of one language?"""
    return _primary(tag) not in NO_LANGUAGE


def is_known(tag: str) -> bool:
    """Is the language of a tag of BCP 47 one that texts are told to be in?"""
    return _primary(tag) in _known()


def same_language(first: str, second: str) -> bool:
    """Do two tags of BCP 47 name one language, whatever the region and script?"""
    return _primary(first) == _primary(second)


def _primary(tag: str) -> str:
    code = re.split("[-_]", tag.casefold())[0]
    return NAMES.get(code, code)


@cache
def _known() -> frozenset[str]:
    return frozenset(map(_primary, _identifier().labels))


@cache
def _identifier() -> LanguageIdentifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # its model takes most of a second to load

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
