"""When to try again what did not succeed: after longer and longer pauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

LONGEST = 16
"""Occasions, at least one of which is used."""


@dataclass(frozen=True)
class RetrySchedule:
    """Which occasions are used: the first, the next, then the second after it, the fourth, and so on.

    Kept as `dataclasses.asdict`.
    """

    #: from one occasion that is used to the next
    pause: int = 0
    #: how many occasions are still to be skipped
    left: int = 0

    @property
    def is_due(self) -> bool:
        """True if this occasion is to be used."""
        return self.left <= 0

    def skipped(self) -> Self:
        """The schedule after an occasion that was not used."""
        return type(self)(self.pause, self.left - 1)

    def failed(self) -> Self:
        """The schedule after an occasion that was used without success."""
        pause = min(LONGEST, 2 * self.pause or 1)
        return type(self)(pause, pause - 1)
