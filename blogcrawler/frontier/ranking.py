"""The pages that wait, best first: ranked by the posts that they promise, and ranked again as the estimates learn."""

from __future__ import annotations

import heapq
from collections import Counter, deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from blogcrawler.frontier.features import NOFOLLOW, PATTERN, VARIANT, features, names_a_time, places_of
from blogcrawler.frontier.traps import BarrenShapes, Brought, shape_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from blogcrawler.frontier.postlike import PostEstimator
    from blogcrawler.frontier.store import Candidate

__all__ = ["Postlike", "RankedPages", "YieldEstimator"]


class YieldEstimator(Protocol):
    """Estimates how many posts a page leads to."""

    def __len__(self) -> int: ...

    def partial_fit(
        self, urls: Sequence[str], yields: Sequence[float], marks: Sequence[tuple[str, ...]] | None = None
    ) -> object:
        """Learn from fetched pages."""

    def predict(self, urls: Sequence[str], marks: Sequence[tuple[str, ...]] | None = None) -> list[float]:
        """The expected yields."""


class Presumed:
    """Fetched pages that look like no posts so far, by key, as they are described.

    A few of them together count as none, so that pages like them wait, until more pages tell what they are.
    """

    def __init__(self) -> None:
        self._few: dict[str, tuple[str, ...]] = {}
        self._counting: dict[str, tuple[str, ...]] = {}

    def add(self, key: str, described: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Take in a page; those that count from now on."""
        if key in self._counting:
            return []
        self._few[key] = described
        if not self._counting and len(self._few) < FEWEST_PRESUMED:
            return []
        new, self._few = self._few, {}
        self._counting |= new
        return list(new.values())

    def counts(self, key: str) -> bool:
        """Does a page count as no post, though nobody has told it yet?"""
        return key in self._counting

    def settle(self, key: str) -> tuple[str, ...] | None:
        """It was told what a page is; how it is described if it counted as no post until now."""
        self._few.pop(key, None)
        return self._counting.pop(key, None)


class Postlike:
    """Which URLs are posts: those that fit the permalink pattern, until one turns out to be none.

    From then on, and for the menu's pages, the probability decides that is learned from what was fetched.
    """

    SURE = 0.5

    def __init__(self) -> None:
        self._estimator: PostEstimator | None = None
        #: what is still to be learned; of more the estimator would forget the oldest
        self._examples: dict[bool, deque[tuple[str, ...]]] = {kind: deque(maxlen=REMEMBERED) for kind in (True, False)}
        self._is_due = False
        #: has a page contradicted the pattern?
        self.in_doubt = False
        self.presumed = Presumed()

    def presume(self, candidate: Candidate) -> int:
        """A fetched page looks like no post so far; how many pages count as none from now on."""
        new = self.presumed.add(candidate.key, _described(candidate))
        self._examples[False].extend(new)
        if new:
            self.in_doubt = self._is_due = True
        return len(new)

    def learn(self, candidate: Candidate, *, is_post: bool) -> bool:
        """What a fetched page turned out to be. True when its address had said something else."""
        presumed = self.presumed.settle(candidate.key)
        if presumed is not None and not is_post:
            return False  # it was learned from
        surprise = (self.predict([candidate])[0] >= self.SURE) != is_post
        self.in_doubt = self.in_doubt or surprise
        if presumed is not None:
            self._forget(presumed, is_post=False)
        self._examples[is_post].append(_described(candidate))
        self._is_due = self._is_due or surprise
        return surprise

    def _forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        if example in self._examples[is_post]:
            self._examples[is_post].remove(example)
        elif self._estimator is not None:
            self._estimator.forget(example, is_post=is_post)

    def predict(self, candidates: Sequence[Candidate]) -> list[float]:
        """The probability that each is a post."""
        doubtful = [one for one in candidates if self.in_doubt or (one.is_post and one.hints)]
        told = dict.fromkeys((one.key for one in doubtful), 0.0)
        if doubtful:
            told = dict(zip(told, self._learned().predict(list(map(_described, doubtful))), strict=True))
        return [told.get(one.key, float(one.is_post)) for one in candidates]

    def _learned(self) -> PostEstimator:
        if self._estimator is None:
            from blogcrawler.frontier.postlike import PostEstimator  # scikit-learn takes a second to load

            self._estimator = PostEstimator(limit=REMEMBERED)
        if self._is_due or sum(map(len, self._examples.values())) >= max(1, len(self._estimator) // GROWTH):
            self._is_due = False
            for is_post, examples in self._examples.items():
                self._estimator.partial_fit(examples, [is_post] * len(examples))
                examples.clear()
        return self._estimator


def _described(candidate: Candidate) -> tuple[str, ...]:
    pattern = (PATTERN,) if candidate.is_post else ()
    return features(candidate.url, (*candidate.marks, *candidate.hints, *pattern))


FEWEST_PRESUMED = 5
"""Pages that look like no posts, from which on they count as none."""
REMEMBERED = 400
"""Posts that are remembered to learn from, and other pages."""
GROWTH = 5
"""The share of new examples after which is learned again, where none of them was a surprise: a fifth."""
LIKELY = 0.2
"""Probability of being a post, below which a page with a post's address is not worth going on for."""
ENOUGH_CONTRADICTING = 3
"""Other pages at posts' addresses, above which the pattern misleads."""
UNKNOWN = 1.0
"""Posts that a page is taken to lead to before anything was learned."""


class _Rank(NamedTuple):
    """Sorts the heap: last what few things speak for, then by what is promised, then by discovery."""

    tier: int
    cost: float
    position: int
    key: str


class RankedPages:
    """Candidates that are not posts for sure, best first.

    What a page promises is a harvest rate, so that what may be a post and what may be a list can be compared: a page
    that is a post with probability p and leads to g new posts gives p + g posts for 1 + g requests.

    Ranks are not frozen at discovery: all that wait are ranked anew when the estimator has seen a fifth or 25 more
    pages, or a shape of URLs has turned out barren. Of more than `most_ranked` the best half and the newest half are;
    so the cost for each page fetched is bounded and, spread over these pages, small. New candidates are ranked
    together, when the next page is asked for.
    """

    def __init__(self, estimator: YieldEstimator | None = None, *, most_ranked: int = 10_000) -> None:
        self.shapes = BarrenShapes()
        self.most_ranked = most_ranked
        self.postlike = Postlike()
        self._estimator = estimator
        self._waiting: dict[str, Candidate] = {}
        #: keys of those that wait and have a post's address, in the order in which they came
        self._posts: dict[str, None] = {}
        #: keys of those of them that may well be posts
        self._likely: set[str] = set()
        #: keys of those that may tell of other posts: what is named as a list with a number, as "Archive 2010" is,
        #: and what such a list was the first to link to; and the addresses of these lists
        self._telling: dict[str, None] = {}
        self._lists: set[str] = set()
        #: how many wait of each shape
        self._of_shape: Counter[str] = Counter()
        #: pages with a post's address that were not there, and that were others
        self._gone = 0
        self._contradicting = 0
        self._ranks: dict[str, _Rank] = {}
        self._heap: list[_Rank] = []
        self._unranked: dict[str, None] = {}
        self._learned = 0
        self._learned_at_ranking = 0

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def posts(self) -> int:
        """How many of those that wait have a post's address.

        Where many that had one turned out to be other pages, and not just gone, those count that may well be posts.
        """
        is_misleading = self._contradicting > max(ENOUGH_CONTRADICTING, self._gone)
        if not is_misleading:
            return len(self._posts)
        self._rank_what_is_due()  # what has just come is not judged yet
        return len(self._likely)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._waiting.values())

    def get(self, key: str) -> Candidate | None:
        """The candidate that waits under this key."""
        return self._waiting.get(key)

    def add(self, candidate: Candidate) -> None:
        """Let a candidate wait; its rank is found when it is needed."""
        if candidate.key not in self._waiting:
            self._of_shape[shape_of(candidate.url)] += 1
        self._waiting[candidate.key] = candidate
        if candidate.is_post:
            self._posts[candidate.key] = None
            self._likely.add(candidate.key)
        self._unranked[candidate.key] = None
        if VARIANT in candidate.hints:
            return
        if candidate.bonus > 0 and names_a_time(candidate.marks):
            self._lists.add(candidate.url)
            self._telling[candidate.key] = None
        elif candidate.found_on in self._lists:
            self._telling[candidate.key] = None

    def remove(self, key: str) -> Candidate | None:
        """Let a candidate go; None when it does not wait."""
        self._ranks.pop(key, None)
        self._unranked.pop(key, None)
        self._posts.pop(key, None)
        self._likely.discard(key)
        self._telling.pop(key, None)
        candidate = self._waiting.pop(key, None)
        if candidate is not None:
            self._of_shape[shape_of(candidate.url)] -= 1
        return candidate

    def may_tell_more(self) -> bool:
        """Does a page wait of which more is to be expected than of others?

        It is named as a list of older posts, or such a list links to it, and none of its shape was fetched; or all
        pages of its shape were posts, or some led to new ones, as those of tags do, each of which may list a post that
        nothing else does. O(n) in such pages, and in shapes.
        """
        if any(self._of_shape[shape] > 0 for shape in (*self.shapes.of_posts_alone, *self.shapes.fruitful())):
            return True
        return any(not self.shapes.is_tried(self._waiting[key].url) for key in self._telling)

    def pop(self) -> Candidate | None:
        """The best candidate, which waits no longer; None when there is none."""
        self._rank_what_is_due()
        while self._heap:
            rank = heapq.heappop(self._heap)
            if self._ranks.get(rank.key) == rank:
                return self.remove(rank.key)
        return None

    def pop_post(self) -> Candidate | None:
        """The first candidate with a post's address, which waits no longer; None when there is none."""
        key = next(iter(self._posts), None)
        return None if key is None else self.remove(key)

    def learn(self, examples: Sequence[tuple[Candidate, float]]) -> None:
        """Train the estimate with fetched pages and what they led to."""
        if examples:
            urls = [candidate.url for candidate, _ in examples]
            marks = [candidate.marks for candidate, _ in examples]
            self._trained().partial_fit(urls, [count for _, count in examples], marks)
            self._learned += len(examples)

    def learn_kind(self, candidate: Candidate, *, is_post: bool, is_gone: bool = False) -> bool:
        """What a fetched page turned out to be. True when that was not expected."""
        was_presumed = self.postlike.presumed.counts(candidate.key)
        if candidate.is_post and not is_post:
            self._gone += is_gone
            self._contradicting += not is_gone and not was_presumed
        elif was_presumed:
            self._contradicting -= 1
        surprise = self.postlike.learn(candidate, is_post=is_post)
        if surprise:
            self._learned_at_ranking = -1
        return surprise

    def presume(self, candidate: Candidate) -> bool:
        """A page with a post's address was fetched and looks like none so far. True when that changes the ranks."""
        presumed = self.postlike.presume(candidate)
        if presumed:
            self._contradicting += presumed
            self._learned_at_ranking = -1
        return presumed > 0

    def record_harvest(self, candidate: Candidate, brought: Brought) -> None:
        """Count what a page brought for the URLs of its shape; a post brings itself."""
        if self.shapes.record(candidate.url, brought, places_of(candidate.marks)):
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
        urls, marks = [one.url for one in candidates], [one.marks for one in candidates]
        led_to = self._estimator.predict(urls, marks) if self._estimator else [UNKNOWN] * len(urls)
        likely = self.postlike.predict(candidates)
        ranks = [
            _Rank(self._tier(one), -self._promise(one, p, g), one.position, one.key)
            for one, p, g in zip(candidates, likely, led_to, strict=True)
        ]
        self._ranks.update((rank.key, rank) for rank in ranks)
        self._likely -= set(keys)
        self._likely |= {one.key for one, p in zip(candidates, likely, strict=True) if one.is_post and p >= LIKELY}
        return ranks

    def _promise(self, candidate: Candidate, likely: float, led_to: float) -> float:
        """The rate of posts that a page promises; what is called a list is believed to be one if it is the first.

        What a list of older posts links to is believed to be a post, and so is what is of a shape of posts alone.
        """
        may_tell = candidate.bonus > 0 or candidate.key in self._telling
        is_new = may_tell and not self.shapes.is_tried(candidate.url)
        if is_new or shape_of(candidate.url) in self.shapes.of_posts_alone:
            return candidate.bonus + 1.0
        return candidate.bonus + (likely + led_to) / (1 + led_to)

    def _tier(self, candidate: Candidate) -> int:
        if self.shapes.is_poor(candidate.url, places_of(candidate.marks)):
            return 2
        return int(VARIANT in candidate.hints or NOFOLLOW in candidate.marks)
