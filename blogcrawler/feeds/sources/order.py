"""In which order the sources of a blog are read: the cheapest first, in requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Source


def cheapest_first(sources: Iterable[Source]) -> list[Source]:
    """Sources by their cost; those that are there and take no request first, absent ones left out."""
    return sorted((source for source in sources if source.outcome != "absent"), key=lambda source: source.cost)
