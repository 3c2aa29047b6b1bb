"""Which language a text is written in, where the text leaves no doubt (langid: Lui and Baldwin, ACL 2012)."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SURE = 0.95
"""Probability from which a language is believed."""
SHORTEST = 30
"""Letters that a text must have; signs of Chinese and the like count three."""
FEW = 3
"""Languages that come near each other, such as Croatian and Serbian, at most."""
LONGEST = 300
"""Characters of a text that are read."""

LETTER = re.compile(r"[^\W\d_]")
SYLLABLE = re.compile(r"[\u3041-\u9fff\uac00-\ud7af]")
LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
KANA = re.compile(r"[\u3041-\u30fa]")
NAMES = {
    "nb": "no", "nn": "no", "iw": "he", "in": "id", "ms": "id", "bs": "hr", "cmn": "zh", "yue": "zh", "wuu": "zh",
    "arz": "ar",
}  # fmt: skip
"""Other names of languages, and languages that are too near to each other to be told apart."""
NO_LANGUAGE = frozenset({"zxx", "und", "mul", "mis"})
"""Codes of ISO 639-2 for texts without language, of unknown, several or other languages; "zxx" is told of listings."""


def likely_languages(text: str) -> tuple[str, ...]:
    """The few languages of which a text surely has one, the likeliest first; empty where there is more doubt. O(n).

    Terms in Latin letters do not count in a text that is mostly Chinese, Japanese or Korean; and one with kana may be
    Japanese, as lists of names in it are like Chinese.
    """
    text = normalize("NFKC", text[:LONGEST])  # letters of Arabic may be written as the forms that they are shown in
    signs = len(SYLLABLE.findall(text))
    letters = len(LETTER.findall(text)) + 2 * signs
    if letters < SHORTEST:
        return ()
    votes: Counter[str] = Counter()
    for name, probability in _identifier().rank(LATIN.sub(" ", text) if 6 * signs >= letters else text):
        votes[_primary(name)] += probability
    likely: list[str] = []
    while sum(votes[name] for name in likely) < SURE:
        likely.append(votes.most_common(len(likely) + 1)[-1][0])
    if likely == ["zh"] and KANA.search(text):
        likely.append("ja")
    return tuple(likely) if len(likely) <= FEW and all(map(names_language, likely)) else ()


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
