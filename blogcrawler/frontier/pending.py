"""The pages that wait: posts in order of discovery, other pages by expected yield."""

from __future__ import annotations

import heapq
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.frontier.features import NOFOLLOW, VARIANT, names_a_time
from blogcrawler.frontier.kind_history import POOR
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blogcrawler.frontier.store import Candidate
    from blogcrawler.frontier.yields import Estimate, YieldModel

LATE = 2**40
"""Added to the position of a post that is put off until after all others."""
LIKELY = 0.2
"""Probability of being a post below which a page with a post's address is no reason to go on."""
MOST_RANKED = 10_000
"""Maximum number of pages that are ranked again at once; of more pages the best half and the newest half of
this number."""


class WaitingPosts:
    """Candidates that are surely posts; possible aliases of other posts come last."""

    def __init__(self) -> None:
        self._waiting: dict[str, Candidate] = {}
        self._order: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._waiting.values())

    def get(self, key: str) -> Candidate | None:
        """The waiting candidate with this key."""
        return self._waiting.get(key)

    def add(self, candidate: Candidate) -> None:
        """Add a candidate at its position of discovery; one that waits already keeps its place."""
        self._waiting[candidate.key] = candidate
        heapq.heappush(self._order, (candidate.position, candidate.key))

    def remove(self, key: str) -> Candidate | None:
        """Remove a candidate; None if it does not wait."""
        return self._waiting.pop(key, None)

    def first(self) -> tuple[Candidate, bool] | None:
        """The next candidate, which stays, and whether it was put off; None if there is none."""
        while self._order:
            place, key = self._order[0]
            if (candidate := self._waiting.get(key)) is not None:
                return candidate, place >= LATE
            heapq.heappop(self._order)
        return None

    def put_off_first(self) -> None:
        """Put the next candidate off until after all others."""
        place, key = self._order[0]
        heapq.heapreplace(self._order, (place + LATE, key))


class _Rank(NamedTuple):
    """Sort order of the heap: unpromising pages last, then by expected harvest rate, then by position."""

    tier: int
    cost: float
    position: int
    key: str


class RankedPages:
    """Candidates that are not surely posts, by expected harvest rate, best first.

    All are ranked again when the model has learned from a fifth more pages or 25, or a kind of URL was given up.
    Beyond MOST_RANKED only a part is ranked, so that the cost for each fetched page is bounded. New candidates are
    ranked together when the next page is requested.
    """

    def __init__(self, model: YieldModel) -> None:
        self._model = model
        self._waiting: dict[str, Candidate] = {}
        #: keys of the waiting candidates with a post's address, in order of arrival
        self._posts: dict[str, None] = {}
        #: keys of those that are likely posts
        self._likely: set[str] = set()
        #: keys of candidates that may list further posts: named as a list with a number, like "Archive 2010", or first
        #: linked by such a list; and the addresses of these lists
        self._list_candidates: dict[str, None] = {}
        self._lists: set[str] = set()
        #: keys of those that extend the address of a known post, in order of arrival
        self._variants: dict[str, None] = {}
        #: number of waiting candidates by shape
        self._of_shape: Counter[str] = Counter()
        self._ranks: dict[str, _Rank] = {}
        self._heap: list[_Rank] = []
        self._unranked: dict[str, None] = {}
        self._examples_at_ranking = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._waiting.values())

    @property
    def variants(self) -> Iterator[Candidate]:
        """The waiting candidates that extend the address of a known post, in order of arrival."""
        return map(self._waiting.__getitem__, self._variants)

    @property
    def posts(self) -> int:
        """Number of waiting candidates with a post's address; only likely posts if the permalink pattern misleads."""
        if not self._model.is_pattern_misleading:
            return len(self._posts)
        self._rank_outdated()  # new candidates are not judged yet
        return len(self._likely)

    def get(self, key: str) -> Candidate | None:
        """The waiting candidate with this key."""
        return self._waiting.get(key)

    def add(self, candidate: Candidate) -> None:
        """Add a candidate; it is ranked when the next page is requested."""
        if candidate.key not in self._waiting:
            self._of_shape[shape_of(candidate.url)] += 1
        self._waiting[candidate.key] = candidate
        if candidate.is_post:
            self._posts[candidate.key] = None
            self._likely.add(candidate.key)
        self._unranked[candidate.key] = None
        if VARIANT in candidate.hints:
            self._variants[candidate.key] = None
            return
        if candidate.bonus > 0 and names_a_time(candidate.marks):
            self._lists.add(candidate.url)
            self._list_candidates[candidate.key] = None
        elif candidate.found_on in self._lists:
            self._list_candidates[candidate.key] = None

    def remove(self, key: str) -> Candidate | None:
        """Remove a candidate; None if it does not wait."""
        for table in (self._ranks, self._unranked, self._posts, self._list_candidates, self._variants):
            table.pop(key, None)
        self._likely.discard(key)
        candidate = self._waiting.pop(key, None)
        if candidate is not None:
            shape = shape_of(candidate.url)
            self._of_shape[shape] -= 1
            if self._of_shape[shape] <= 0:
                del self._of_shape[shape]
        return candidate

    def has_promising_page(self) -> bool:
        """True if a waiting page promises more than the others. O(n) in such pages, and in the shapes that wait.

        Such a page is named as a list of older posts, or linked by such a list, and no page of its shape was fetched
        yet; or all pages of its shape were posts; or pages of its kind have led to new posts, as tags do.
        """
        kinds = self._model.kinds
        if any(shape in kinds.of_posts_alone or kinds.is_fruitful(shape) for shape in self._of_shape):
            return True
        return any(not kinds.samples(self._waiting[key].url) for key in self._list_candidates)

    def pop(self) -> Candidate | None:
        """Remove and return the best candidate; None if there is none."""
        self._rank_outdated()
        while self._heap:
            rank = heapq.heappop(self._heap)
            if self._ranks.get(rank.key) == rank:
                return self.remove(rank.key)
        return None

    def pop_post(self) -> Candidate | None:
        """Remove and return the first candidate with a post's address; None if there is none."""
        key = next(iter(self._posts), None)
        return None if key is None else self.remove(key)

    def _rank_outdated(self) -> None:
        new = self._model.examples - self._examples_at_ranking
        if self._model.is_overturned or (new and new >= min(25, 0.2 * self._examples_at_ranking)):
            self._examples_at_ranking = self._model.examples
            self._model.is_overturned = False
            self._rank(self._selected())
            self._heap = list(self._ranks.values())
            heapq.heapify(self._heap)
        elif self._unranked:
            for rank in self._rank(self._unranked):
                heapq.heappush(self._heap, rank)
        self._unranked.clear()

    def _selected(self) -> Iterable[str]:
        """Keys to rank again: all, or the best and the newest."""
        if len(self._waiting) <= MOST_RANKED:
            return self._waiting
        best = heapq.nsmallest(MOST_RANKED // 2, self._ranks.values())
        newest = list(self._waiting)[-MOST_RANKED // 2 :]
        return {**dict.fromkeys(rank.key for rank in best), **dict.fromkeys(newest), **self._unranked}

    def _rank(self, keys: Iterable[str]) -> list[_Rank]:
        candidates = [self._waiting[key] for key in keys]
        estimates = list(zip(candidates, self._model.estimate(candidates), strict=True))
        ranks = [
            _Rank(_tier(page, estimate), -self._promise(page, estimate), page.position, page.key)
            for page, estimate in estimates
        ]
        self._ranks.update((rank.key, rank) for rank in ranks)
        self._likely -= set(keys)
        self._likely |= {page.key for page, estimate in estimates if page.is_post and estimate.is_post >= LIKELY}
        return ranks

    def _promise(self, page: Candidate, estimate: Estimate) -> float:
        """The expected harvest rate; 1 for shapes whose pages were all posts, and for the first list of
        older posts."""
        may_list = page.bonus > 0 or page.key in self._list_candidates
        if (may_list and not estimate.samples) or estimate.all_were_posts:
            return page.bonus + 1.0
        return page.bonus + estimate.harvest_rate


def _tier(page: Candidate, estimate: Estimate) -> int:
    if estimate.exhaustion >= POOR:
        return 2
    return int(VARIANT in page.hints or NOFOLLOW in page.marks)
