"""Suggestions for misspelled names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LIKENESS = 0.7
"""Lowest similarity (0 to 1) of a suggested name, unless the caller asks for more."""


def did_you_mean(name: str, known: Iterable[str], likeness: float = LIKENESS) -> str:
    """Return " Did you mean NAME?" with the most similar known name, or an empty string if none is similar."""
    from difflib import get_close_matches  # takes longer to import than all of the usage

    folded = {known_name.lower(): known_name for known_name in known}
    swapped = [
        known_name for known_name in folded if sorted(known_name) == sorted(name.lower())
    ]  # which counts as two errors of a short name
    like = swapped or get_close_matches(name.lower(), folded, n=1, cutoff=likeness)
    return f" Did you mean {folded[like[0]]}?" if like else ""
