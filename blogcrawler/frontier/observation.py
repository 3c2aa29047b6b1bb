"""Observations of fetched pages that their rows do not hold: kept in the order in which pages were fetched."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.serialise import load

if TYPE_CHECKING:
    from blogcrawler.frontier.store import Candidate

Places = tuple[str, ...]

REDIRECT = "redirect"
"""Why the row of a page is done whose address led to another."""


@dataclass
class Findings:
    """Links that were found on a page, and the candidates whose addresses led to it."""

    #: posts that nobody knew
    new_posts: int = 0
    #: all posts that it links to, each with its places; None where nothing was noted
    shown: dict[str, Places] | None = None
    #: other pages that nobody knew and that it links to, each with its places
    leads_to: dict[str, Places] = field(default_factory=dict)
    #: places at which it links to other pages, each once
    places: dict[str, None] = field(default_factory=dict)
    #: other pages that it links to, that wait and are told by names
    linked: dict[str, None] = field(default_factory=dict)
    #: the candidate whose address led to it
    origin: Candidate | None = None
    #: the candidate in whose place it was requested, at an address that no link has
    asked_as: Candidate | None = None


@dataclass(frozen=True)
class Observation:
    """The links of a page, or that it could not be fetched. Pages are named by `store.key_of`."""

    key: str
    #: all posts that it links to, each with its places; None where nothing was noted
    shown: Mapping[str, tuple[str, ...]] | None = None
    #: places at which it links to other pages
    places: tuple[str, ...] = ()
    #: the page whose address led to it
    origin: str | None = None
    #: see `kind_history.Brought`
    leads_on: bool = True
    is_gone: bool = False
    detours: int = 0
    #: whether it repeats a post
    is_copy: bool = False
    #: whether its address led to a post that is known
    is_alias: bool = False
    #: of a post: other pages that waited, are told by names, and that it links to
    linked: tuple[str, ...] = ()

    def fits(self, page: Candidate) -> bool:
        """True if the page's row is of the same fetch; a page may have been gone at first, and back later."""
        is_gone = page.status == "failed" and page.was_post is False
        return self.is_gone == is_gone and (page.reason != REDIRECT or self.shown is None)

    def to_dict(self) -> dict[str, Any]:
        """JSON types only, without what is as usual."""
        return {name: value for name, value in asdict(self).items() if value != getattr(type(self), name, None)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The observation of `to_dict`. Raises KeyError, TypeError or ValueError for what another version wrote."""
        return load(cls, data)
