"""String similarity by bigrams: Sørensen–Dice over sets of adjacent characters.

A set of bigrams is kept as the bits of one integer. The bigrams that occur are numbered as they are met, up to
`CAPACITY`; from then on further ones share the numbers given out. So the alphabet is finite whatever the script,
every set is an integer of bounded size, and union, intersection and counting cost one bounded operation each, as the
proof of linearity of Blanvillain, Kasioumis and Banos ("BlogForever Crawler", section 3.4) asks.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache, reduce
from itertools import pairwise
from operator import add, or_
from unicodedata import normalize

CAPACITY = 1 << 14
"""Distinct bigrams that are told apart: the Latin pages of a blog hold about 1,500, Chinese ones up to 10,000."""


REMEMBERED = 5000
"""Characters of the longest text whose bigrams are kept: menus recur on every page, and paragraphs in the feed."""


TYPOGRAPHY = (
    *((sign, "'") for sign in "\u2018\u2019\u201a\u201b\u2032"),
    *((sign, '"') for sign in "\u201c\u201d\u201e\u201f"),
    *((sign, "-") for sign in "\u2010\u2012\u2013\u2014\u2015\u2212"),
)
"""Signs that keyboards lack, and what is typed for them: quotes, primes, dashes and the sign for minus."""
DASHES = re.compile("--+")


SHORT = 100
"""Characters of a text that is kept as it is compared: the pages of a blog say many short ones again and again."""


def fold(text: str) -> str:
    """The text as it is compared: compatibility forms unified, without case, white space collapsed, and quotes and
    dashes as they are typed, one hyphen for several. O(n)."""
    return _fold_short(text) if len(text) <= SHORT else _fold(text)


def squeezed(text: str) -> str:
    """The text as it is compared, without spaces. O(n)."""
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
    """The bit of each bigram, which it gets when it is first asked for."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity

    def __missing__(self, pair: str) -> int:
        bit = self[pair] = 1 << (len(self) % self._capacity)
        return bit


class Alphabet:
    """Numbers bigrams, and makes sets of them.

    Sets of one alphabet can be joined with `|`, cut with `&` and counted with `int.bit_count()`; sets of different
    alphabets have nothing to do with each other.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._bits = _Bits(capacity)
        self._known: dict[str, tuple[str, int]] = {}

    def read(self, text: str) -> tuple[str, int]:
        """A text as `fold` writes it, and the set of its bigrams. O(n); what all pages of a blog say is read once."""
        known = self._known.get(text)
        if known is None:
            folded = fold(text)
            known = folded, self.bigrams(folded)
            if len(text) <= REMEMBERED:
                self._known[text] = known
        return known

    def fold(self, text: str) -> str:
        """A text as `fold` writes it. O(n)."""
        known = self._known.get(text)
        return known[0] if known else fold(text)

    def bigrams(self, folded: str) -> int:
        """The set of pairs of adjacent characters of a text that went through `fold`. O(n)."""
        return reduce(or_, map(self._bits.__getitem__, set(map(add, folded, folded[1:]))), 0)


def dice(first: int, second: int) -> float:
    """Sørensen–Dice coefficient of two sets of one alphabet, 0 to 1; two empty sets are unlike (0)."""
    total = first.bit_count() + second.bit_count()
    return 2 * (first & second).bit_count() / total if total else 0.0


def similarity(first: str, second: str) -> float:
    """Sørensen–Dice coefficient of two texts' bigrams, 0 to 1 (function Similarity of the paper). O(n)."""
    alphabet = Alphabet()
    return dice(alphabet.bigrams(fold(first)), alphabet.bigrams(fold(second)))


LONG_WORDS = 16
"""Characters a word from which a text is in a script without spaces."""


def units(text: str) -> list[str]:
    """The words of a text, folded; its characters where it is in a script without spaces. O(n)."""
    folded = fold(text)
    words = folded.split()
    return words if len(folded) < LONG_WORDS * len(words) else list(folded)


def pairs(text: str) -> Counter[tuple[str, str]]:
    """Pairs of words that stand side by side; of characters where a text has no spaces. O(n)."""
    return Counter(pairwise(units(text)))
