"""What a worker tells of itself to whoever watches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.monitor import Child

Outcome = Literal["done", "failed", "stopped", "put_off"]
"""How a crawl has ended; it is put off where it was killed, could not use the archive, or another one had its blog."""


class Watcher:
    """Is told what a worker does, in the worker's main thread; it must return at once. This one tells nobody."""

    def lives(self, *, is_cut_off: bool) -> None:
        """The worker is at work, and cut off from its queue or not; several times a second."""

    def sees(self, children: Sequence[Child]) -> None:
        """The crawls that are under way; several times a second."""

    def began(self, child: Child) -> None:
        """A crawl was started."""

    def ended(self, child: Child, outcome: Outcome) -> None:
        """A crawl is over; what it has counted can still be read."""
