"""What was done in vain, and is tried again more and more seldom."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Seldom"]

LONGEST = 16
"""Occasions, of which one is used at least."""


@dataclass(frozen=True)
class Seldom:
    """Which occasions are used: the first, the next, then the second after it, the fourth, and so on."""

    #: from one occasion that is used to the next
    pause: int = 0
    #: how many occasions are still to be let pass
    left: int = 0

    @property
    def is_due(self) -> bool:
        """Is this occasion one to be used?"""
        return self.left <= 0

    def passed(self) -> Self:
        """An occasion was not used."""
        return type(self)(self.pause, self.left - 1)

    def in_vain(self) -> Self:
        """An occasion was used, in vain."""
        pause = min(LONGEST, 2 * self.pause or 1)
        return type(self)(pause, pause - 1)

    def to_dict(self) -> dict[str, Any]:
        """As JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any] | None) -> Self:
        """What `to_dict` has made; the beginning where there is nothing."""
        return cls(**{name: int(value) for name, value in (data or {}).items() if name in ("pause", "left")})
