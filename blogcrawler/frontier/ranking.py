"""The pages that wait, best first: ranked by the estimated yield, and ranked again as the estimate learns."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple, Protocol

from blogcrawler.frontier.traps import BarrenShapes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.frontier.store import Candidate

__all__ = ["RankedPages", "YieldEstimator"]


class YieldEstimator(Protocol):
    """Estimates how many links to posts a page holds."""

    def __len__(self) -> int: ...

    def partial_fit(self, urls: Sequence[str], yields: Sequence[float]) -> object:
        """Learn from fetched pages."""

    def predict(self, urls: Sequence[str]) -> list[float]:
        """The expected yields."""


class _Rank(NamedTuple):
    """Sorts the heap: poor shapes last, then by yield, then by discovery."""

    is_poor: bool
    cost: float
    position: int
    key: str


class RankedPages:
    """Candidates that are not posts, best first.

    Ranks are not frozen at discovery: all that wait are ranked anew when the estimator has seen a fifth or 25 more
    pages, or a shape of URLs has turned out barren. Of more than `most_ranked` the best half and the newest half are;
    so the cost for each page fetched is bounded and, spread over these pages, small. New candidates are ranked
    together, when the next page is asked for.
    """

    def __init__(self, estimator: YieldEstimator | None = None, *, most_ranked: int = 10_000) -> None:
        self.shapes = BarrenShapes()
        self.most_ranked = most_ranked
        self._estimator = estimator
        self._waiting: dict[str, Candidate] = {}
        self._ranks: dict[str, _Rank] = {}
        self._heap: list[_Rank] = []
        self._unranked: dict[str, None] = {}
        self._learned = 0
        self._learned_at_ranking = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._waiting.values())

    def get(self, key: str) -> Candidate | None:
        """The candidate that waits under this key."""
        return self._waiting.get(key)

    def add(self, candidate: Candidate) -> None:
        """Let a candidate wait; its rank is found when it is needed."""
        self._waiting[candidate.key] = candidate
        self._unranked[candidate.key] = None

    def remove(self, key: str) -> Candidate | None:
        """Let a candidate go; None when it does not wait."""
        self._ranks.pop(key, None)
        self._unranked.pop(key, None)
        return self._waiting.pop(key, None)

    def pop(self) -> Candidate | None:
        """The best candidate, which waits no longer; None when there is none."""
        self._rank_what_is_due()
        while self._heap:
            rank = heapq.heappop(self._heap)
            if self._ranks.get(rank.key) == rank:
                return self.remove(rank.key)
        return None

    def learn(self, examples: Sequence[tuple[str, int]]) -> None:
        """Train the estimate with URLs of fetched pages and their numbers of links to posts."""
        if examples:
            urls, yields = zip(*examples, strict=True)
            self._trained().partial_fit(urls, yields)
            self._learned += len(examples)

    def record_harvest(self, url: str, new_posts: int) -> None:
        """Count what a fetched page brought for the URLs of its shape."""
        if self.shapes.record(url, new_posts):
            self._learned_at_ranking = -1

    def _trained(self) -> YieldEstimator:
        if self._estimator is None:
            from blogcrawler.frontier.knn import LinkYieldEstimator  # scikit-learn takes a second to load

            self._estimator = LinkYieldEstimator()
        return self._estimator

    def _rank_what_is_due(self) -> None:
        learned_since = self._learned - self._learned_at_ranking
        if self._learned_at_ranking < 0 or (learned_since and learned_since >= min(25, 0.2 * self._learned_at_ranking)):
            self._learned_at_ranking = self._learned
            self._rank(self._selected())
            self._heap = list(self._ranks.values())
            heapq.heapify(self._heap)
        elif self._unranked:
            for rank in self._rank(self._unranked):
                heapq.heappush(self._heap, rank)
        self._unranked.clear()

    def _selected(self) -> Iterable[str]:
        """Keys to rank anew: all, or the best and the newest."""
        if len(self._waiting) <= self.most_ranked:
            return self._waiting
        best = heapq.nsmallest(self.most_ranked // 2, self._ranks.values())
        newest = list(self._waiting)[-self.most_ranked // 2 :]
        return {**dict.fromkeys(rank.key for rank in best), **dict.fromkeys(newest), **self._unranked}

    def _rank(self, keys: Iterable[str]) -> list[_Rank]:
        candidates = [self._waiting[key] for key in keys]
        urls = [candidate.url for candidate in candidates]
        scores = self._estimator.predict(urls) if self._estimator else [0.0] * len(urls)
        ranks = [
            _Rank(self.shapes.is_poor(one.url), -(score + one.bonus), one.position, one.key)
            for one, score in zip(candidates, scores, strict=True)
        ]
        self._ranks.update((rank.key, rank) for rank in ranks)
        return ranks
