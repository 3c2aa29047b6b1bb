"""String similarity by bigrams: Sørensen–Dice over sets of adjacent characters.

A set of bigrams is stored as the bits of one integer. Bigrams are numbered when they first occur, up to `CAPACITY`;
further ones share existing numbers. So the alphabet is finite for any script, sets are integers of bounded size, and
union, intersection and counting cost one bounded operation each, as required by the proof of linearity in Blanvillain,
Kasioumis and Banos ("BlogForever Crawler", section 3.4).
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache, reduce
from itertools import pairwise
from operator import add, or_
from unicodedata import normalize

CAPACITY = 1 << 14
"""Number of distinguished bigrams: the Latin pages of a blog have about 1,500, Chinese pages up to 10,000."""


REMEMBERED = 5000
"""Maximum length of a text whose bigrams are cached: menus recur on every page, and paragraphs in the feed."""


TYPOGRAPHY = (
    *((sign, "'") for sign in "\u2018\u2019\u201a\u201b\u2032"),
    *((sign, '"') for sign in "\u201c\u201d\u201e\u201f"),
    *((sign, "-") for sign in "\u2010\u2012\u2013\u2014\u2015\u2212"),
)
"""Typographic characters and their keyboard equivalents: quotes, primes, dashes and the minus sign."""
DASHES = re.compile("--+")


SHORT = 100
"""Maximum length of a text whose folded form is cached, since the pages of a blog repeat many short texts."""


def fold(text: str) -> str:
    """Normalise a text for comparison.

    Compatibility forms are unified, case is removed, white space is collapsed, and quotes and dashes are replaced by
    their keyboard equivalents, several dashes by one hyphen. O(n).
    """
    return _fold_short(text) if len(text) <= SHORT else _fold(text)


def squeezed(text: str) -> str:
    """A folded text without spaces. O(n)."""
    return fold(text).replace(" ", "")


def _fold(text: str) -> str:
    if not text.isascii():
        text = normalize("NFKC", text)
        for sign, typed in TYPOGRAPHY:
            text = text.replace(sign, typed)
    if "--" in text:
        text = DASHES.sub("-", text)
    return " ".join(text.casefold().split())


_fold_short = lru_cache(maxsize=1 << 12)(_fold)


class _Bits(dict[str, int]):
    """The bit of each bigram, assigned on first use."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity

    def __missing__(self, pair: str) -> int:
        bit = self[pair] = 1 << (len(self) % self._capacity)
        return bit


class Alphabet:
    """Numbers bigrams and builds sets of them.

    Sets of one alphabet can be combined with `|` and `&` and counted with `int.bit_count()`; sets of different
    alphabets cannot be compared.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._bits = _Bits(capacity)
        self._known: dict[str, tuple[str, int]] = {}

    def read(self, text: str) -> tuple[str, int]:
        """The folded text and the set of its bigrams. O(n); cached for texts that recur on all pages."""
        cached = self._known.get(text)
        if cached is None:
            folded = fold(text)
            cached = folded, self.bigrams(folded)
            if len(text) <= REMEMBERED:
                self._known[text] = cached
        return cached

    def fold(self, text: str) -> str:
        """The folded text. O(n)."""
        cached = self._known.get(text)
        return cached[0] if cached else fold(text)

    def bigrams(self, folded: str) -> int:
        """The set of pairs of adjacent characters of a folded text. O(n)."""
        return reduce(or_, map(self._bits.__getitem__, set(map(add, folded, folded[1:]))), 0)


def dice(first: int, second: int) -> float:
    """Sørensen–Dice coefficient of two sets of one alphabet, 0 to 1; 0 for two empty sets."""
    total = first.bit_count() + second.bit_count()
    return 2 * (first & second).bit_count() / total if total else 0.0


def similarity(first: str, second: str) -> float:
    """Sørensen–Dice coefficient of two texts' bigrams, 0 to 1 (function Similarity of the paper). O(n)."""
    alphabet = Alphabet()
    return dice(alphabet.bigrams(fold(first)), alphabet.bigrams(fold(second)))


LONG_WORDS = 16
"""Average word length above which a text is in a script without spaces."""


def units(text: str) -> list[str]:
    """The words of a folded text; its characters if it is in a script without spaces. O(n)."""
    folded = fold(text)
    words = folded.split()
    return words if len(folded) < LONG_WORDS * len(words) else list(folded)


def pairs(text: str) -> Counter[tuple[str, str]]:
    """Pairs of adjacent words; of characters if a text has no spaces. O(n)."""
    return Counter(pairwise(units(text)))
