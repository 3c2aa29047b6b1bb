"""Decide which texts of a page are also in the feed's entry; exact, unlike similarity of bigram sets.

A set of bigrams cannot distinguish half of a long article from the whole. Shingles of six characters can: a text is
contained in a target if nearly all of its shingles are (Broder, "On the resemblance and containment of documents",
1997).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH = 6
HELD = 0.85
BEGINNING = 40
"""Number of leading characters that hardly any two texts share."""


class Shingles:
    """The shingles of a text, which tell whether it contains other texts. O(n) to create and to query."""

    def __init__(self, pieces: Iterable[str]) -> None:
        self._pieces = dict.fromkeys(pieces)
        self._text = " ".join(self._pieces)
        self._held: dict[str, bool | None] = {}

    @cached_property
    def _shingles(self) -> set[str]:
        return {self._text[i : i + LENGTH] for i in range(len(self._text) - LENGTH + 1)}

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(self._text.split())

    def __contains__(self, piece: str) -> bool:
        """True if a text is one of this text's own pieces."""
        return piece in self._pieces

    @property
    def pieces(self) -> Iterable[str]:
        """The pieces of this text, in order."""
        return self._pieces

    @cached_property
    def beginning(self) -> str:
        """The beginning of the first piece that is longer than a name or title; empty if there is none."""
        return next((piece[:BEGINNING] for piece in self._pieces if len(piece) >= BEGINNING), "")

    def begin_with(self, text: str) -> bool:
        """True if this text begins with a folded text, ignoring spaces."""
        return self._text[: 2 * len(text)].replace(" ", "").startswith(text.replace(" ", ""))

    def share(self, piece: str) -> float:
        """Share of a piece's shingles that this text contains, 0 to 1."""
        count = len(piece) - LENGTH + 1
        return sum(piece[i : i + LENGTH] in self._shingles for i in range(count)) / count if count > 0 else 0.0

    def hold(self, piece: str) -> bool | None:
        """True if this text contains a folded piece of text. None for punctuation, and for a few words that this text
        contains but not as a piece of its own: a tag's name or a date does not show where it was taken from."""
        if piece not in self._held:
            self._held[piece] = self._hold(piece)
        return self._held[piece]

    def _hold(self, piece: str) -> bool | None:
        if not any(character.isalnum() for character in piece):
            return None
        if piece in self._pieces:
            return True
        count = len(piece) - LENGTH + 1
        if count < LENGTH:
            return None if all(word in self._words for word in piece.split()) else False
        lost = 0
        for i in range(count):
            lost += piece[i : i + LENGTH] not in self._shingles
            if lost > (1 - HELD) * count:
                return False
        return True
