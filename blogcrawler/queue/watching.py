"""What a worker tells of itself to whoever watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.monitor import Child

__all__ = ["Outcome", "Unwatched", "Watcher"]

Outcome = Literal["done", "failed", "stopped", "put_off"]
"""How a crawl has ended; it is put off where it was killed, could not use the archive, or another one had its blog."""


class Watcher(Protocol):
    """Is told what a worker does, in the worker's main thread; it must return at once."""

    def lives(self, *, is_cut_off: bool) -> None:
        """The worker is at work, and cut off from its queue or not; several times a second."""

    def sees(self, children: Sequence[Child]) -> None:
        """The crawls that are under way; several times a second."""

    def began(self, child: Child) -> None:
        """A crawl was started."""

    def ended(self, child: Child, outcome: Outcome) -> None:
        """A crawl is over; what it has counted can still be read."""


class Unwatched:
    """The watcher of a worker that nobody watches."""

    def lives(self, *, is_cut_off: bool) -> None:
        """Nobody is told."""

    def sees(self, children: Sequence[Child]) -> None:
        """Nobody is told."""

    def began(self, child: Child) -> None:
        """Nobody is told."""

    def ended(self, child: Child, outcome: Outcome) -> None:
        """Nobody is told."""
