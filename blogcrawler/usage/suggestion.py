"""What was probably meant by a name that does not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LIKENESS = 0.7
"""Between two names, from 0 to 1, from which on one may be a misspelling of the other."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question with the known name that is most like this one; empty where none is like it."""
    from difflib import get_close_matches  # takes longer to import than all of the usage

    folded = {one.lower(): one for one in known}
    like = get_close_matches(name.lower(), folded, n=1, cutoff=LIKENESS)
    return f" Did you mean {folded[like[0]]}?" if like else ""
