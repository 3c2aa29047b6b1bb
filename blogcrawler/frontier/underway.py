"""What is known of pages while they are fetched: which candidates they are, and what was found on them so far."""

from __future__ import annotations

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from blogcrawler.frontier.store import Candidate

__all__ = ["Findings", "UnderWay"]


class Findings(NamedTuple):
    """What a page brought, and how it was come to."""

    #: posts that nobody knew
    new_posts: int
    #: all posts that it links to, by name, each with its places; None where nothing was noted
    shown: Mapping[str, tuple[str, ...]] | None
    #: other pages that nobody knew and that it links to, by name, each with its places
    leads_to: Mapping[str, tuple[str, ...]]
    #: places at which it links to other pages, each once
    places: tuple[str, ...]
    #: the candidate whose address led to it
    origin: Candidate | None
    #: the candidate that it was asked for as, at an address that no link has
    asked_as: Candidate | None
    #: other pages that it links to, that wait and are told by names
    linked: tuple[str, ...]


class UnderWay:
    """The candidates that were handed out. Pages are named by `store.key_of`."""

    def __init__(self) -> None:
        self._claimed: dict[str, Candidate] = {}
        self._new_posts: Counter[str] = Counter()
        self._shown: dict[str, dict[str, tuple[str, ...]]] = {}
        self._leads_to: dict[str, dict[str, tuple[str, ...]]] = {}
        self._places: dict[str, dict[str, None]] = {}
        self._origins: dict[str, Candidate] = {}
        self._asked_as: dict[str, Candidate] = {}
        self._linked: dict[str, dict[str, None]] = {}

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._claimed.values())

    def __contains__(self, key: str) -> bool:
        return key in self._claimed

    def __getitem__(self, key: str) -> Candidate:
        return self._claimed[key]

    def get(self, key: str) -> Candidate | None:
        """The candidate of a page under way."""
        return self._claimed.get(key)

    def add(self, candidate: Candidate, origin: Candidate | None = None) -> None:
        """A page is fetched from now on; the address of `origin` led to it."""
        self._claimed[candidate.key] = candidate
        if origin is not None:
            self._origins[candidate.key] = origin

    def remove(self, key: str) -> Candidate | None:
        """A page is not under way any more; what was found on it stays until `take_findings`."""
        return self._claimed.pop(key, None)

    def note_asked_as(self, key: str, candidate: Candidate) -> None:
        """A page is asked for in place of a candidate, whose address is spelled in another way."""
        self._asked_as[key] = candidate

    def note_links(
        self,
        key: str,
        new_posts: int,
        shown: Mapping[str, tuple[str, ...]],
        leads_to: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        places: Iterable[str] = (),
        linked: Iterable[str] = (),
    ) -> None:
        """A page links to posts, some of which nobody knew, and leads to other pages that nobody knew.

        `places` are those at which it links to pages that are no posts; `linked`, see `Findings`.
        """
        self._new_posts[key] += new_posts
        self._shown.setdefault(key, {}).update(shown)
        self._leads_to.setdefault(key, {}).update(leads_to)
        self._places.setdefault(key, {}).update(dict.fromkeys(places))
        self._linked.setdefault(key, {}).update(dict.fromkeys(linked))

    def note_new_posts(self, key: str, count: int) -> None:
        """So many posts that nobody knew were found on a page before, which is fetched again."""
        if count:
            self._new_posts[key] += count

    def findings(self, key: str) -> Findings:
        """All that was noted of a page."""
        return Findings(
            self._new_posts[key],
            self._shown.get(key),
            self._leads_to.get(key, {}),
            tuple(self._places.get(key, ())),
            self._origins.get(key),
            self._asked_as.get(key),
            tuple(self._linked.get(key, ())),
        )

    def take_findings(self, key: str) -> Findings:
        """All that was noted of a page, which is forgotten."""
        found = self.findings(key)
        links = self._new_posts, self._shown, self._leads_to, self._places, self._linked
        for noted in (*links, self._origins, self._asked_as):
            noted.pop(key, None)
        return found
