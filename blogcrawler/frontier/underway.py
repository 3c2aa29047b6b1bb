"""The pages that are being fetched, and the links that were found on them so far. Pages are named by `store.key_of`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blogcrawler.frontier.store import Candidate

__all__ = ["Findings", "UnderWay"]

Places = tuple[str, ...]


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


class UnderWay:
    """The candidates that were handed out, by key, and their findings until these are taken."""

    def __init__(self) -> None:
        self._claimed: dict[str, Candidate] = {}
        self._findings: dict[str, Findings] = {}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._claimed.values())

    def __contains__(self, key: str) -> bool:
        return key in self._claimed

    def get(self, key: str) -> Candidate | None:
        """The candidate of a page under way."""
        return self._claimed.get(key)

    def add(self, candidate: Candidate) -> None:
        """Note that a page is fetched from now on."""
        self._claimed[candidate.key] = candidate

    def remove(self, key: str) -> Candidate | None:
        """Forget a page, but not its findings."""
        return self._claimed.pop(key, None)

    def findings(self, key: str) -> Findings:
        """The findings of a page, to read or to add to."""
        return self._findings.setdefault(key, Findings())

    def take_findings(self, key: str) -> Findings:
        """The findings of a page, which are forgotten."""
        return self._findings.pop(key, None) or Findings()
