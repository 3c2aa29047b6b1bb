"""What was observed on fetched pages and is not in their rows; kept in the order in which the pages were fetched."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.serialise import load

if TYPE_CHECKING:
    from blogcrawler.frontier.store import Candidate

Places = tuple[str, ...]

REDIRECT = "redirect"
"""Reason in the row of a page whose address redirected to another page."""


@dataclass
class Findings:
    """The links that were found on a page, and the candidates whose addresses led to it."""

    #: number of new posts
    new_posts: int = 0
    #: all posts that it links to, each with the places of the links; None if no links were recorded
    shown: dict[str, Places] | None = None
    #: new pages other than posts that it links to, each with the places of the links
    leads_to: dict[str, Places] = field(default_factory=dict)
    #: places at which it links to pages other than posts
    places: dict[str, None] = field(default_factory=dict)
    #: waiting pages other than posts that it links to and that are identified by names
    linked: dict[str, None] = field(default_factory=dict)
    #: the candidate whose address redirected to it
    origin: Candidate | None = None
    #: the candidate for which it was requested at a rewritten address
    asked_as: Candidate | None = None


@dataclass(frozen=True)
class Observation:
    """What a page links to, or that it could not be fetched. Pages are identified by `store.key_of`."""

    key: str
    #: all posts that it links to, each with the places of the links; None if no links were recorded
    shown: Mapping[str, tuple[str, ...]] | None = None
    #: places at which it links to pages other than posts
    places: tuple[str, ...] = ()
    #: key of the page whose address redirected to it
    origin: str | None = None
    #: see `kind_history.PageResult`
    leads_on: bool = True
    is_gone: bool = False
    detours: int = 0
    #: whether it repeats a post
    is_copy: bool = False
    #: whether its address redirected to a known post
    is_alias: bool = False
    #: for a post: waiting pages other than posts that it links to and that are identified by names
    linked: tuple[str, ...] = ()

    def fits(self, page: Candidate) -> bool:
        """True if the page's row is of the same fetch; a page may have been missing at first and have come back."""
        is_gone = page.status == "failed" and page.was_post is False
        return self.is_gone == is_gone and (page.reason != REDIRECT or self.shown is None)

    def to_dict(self) -> dict[str, Any]:
        """The observation as JSON types, without default values."""
        return {name: value for name, value in asdict(self).items() if value != getattr(type(self), name, None)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Restore an observation from `to_dict`. Raises KeyError, TypeError or ValueError for data of
        another version."""
        return load(cls, data)
