"""Which text of a page stands in the feed's entry too: exact where similarity by bigram sets is not.

A set of bigrams cannot tell half of a long article from the whole. Shingles of six characters can: a piece of text is
held by a target when nearly all of its shingles are (Broder, "On the resemblance and containment of documents", 1997).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LENGTH = 6
HELD = 0.85
BEGINNING = 40
"""Characters of a text that hardly two texts begin with."""


class Shingles:
    """The shingles of a text, to ask which pieces it holds. O(n) to make and to ask."""

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
        """True if a piece of text is one of this text's own pieces."""
        return piece in self._pieces

    @property
    def pieces(self) -> Iterable[str]:
        """This text's own pieces, in their order."""
        return self._pieces

    @cached_property
    def beginning(self) -> str:
        """How the first piece begins that is no mere name or title; empty where none is long enough."""
        return next((piece[:BEGINNING] for piece in self._pieces if len(piece) >= BEGINNING), "")

    def begin_with(self, text: str) -> bool:
        """True if this text begins with a folded text, whatever the spaces."""
        return self._text[: 2 * len(text)].replace(" ", "").startswith(text.replace(" ", ""))

    def share(self, piece: str) -> float:
        """The share of a piece's shingles that are this text's, 0 to 1."""
        count = len(piece) - LENGTH + 1
        return sum(piece[i : i + LENGTH] in self._shingles for i in range(count)) / count if count > 0 else 0.0

    def hold(self, piece: str) -> bool | None:
        """True if this text holds a folded piece of text; None for signs, and for a few words that it has, but not as a
        piece of their own: a tag's name or a date says nothing of where it was taken from."""
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
