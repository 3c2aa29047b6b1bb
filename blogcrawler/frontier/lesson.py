"""What a page has taught a frontier that its row does not tell: kept in the order in which pages were fetched."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Lesson"]


@dataclass(frozen=True)
class Lesson:
    """What was found on a page, or that it could not be had. Pages are named by `store.key_of`."""

    key: str
    #: all posts that it links to, each with its places; None where nothing was noted
    shown: Mapping[str, tuple[str, ...]] | None = None
    #: places at which it links to other pages
    places: tuple[str, ...] = ()
    #: the page whose address led to it
    origin: str | None = None
    #: see `traps.Brought`
    leads_on: bool = True
    is_gone: bool = False
    detours: int = 0
    #: does it repeat a post?
    is_copy: bool = False
    #: did its address lead to a post that is known?
    is_alias: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON types only, without what is as usual."""
        return {name: value for name, value in asdict(self).items() if value != getattr(type(self), name, None)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The lesson of `to_dict`. Raises TypeError for what another version has written."""
        shown = data.get("shown")
        told = None if shown is None else {key: tuple(places) for key, places in shown.items()}
        return cls(**{**data, "shown": told, "places": tuple(data.get("places", ()))})
