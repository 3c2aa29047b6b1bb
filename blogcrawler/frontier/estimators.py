"""Estimate how many posts an unfetched page leads to.

Section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler": L(v), the number of links to posts on page v, is
the weighted mean of L(u) over the k fetched pages most similar to v (Dudani, "The Distance-Weighted k-Nearest-Neighbor
Rule", IEEE Transactions on Systems, Man, and Cybernetics, 1976). The published crawler measured the edit distance to
1,000 URLs for each link. We take the cosine between features of the URL and of the links to it, over a training set
that is bounded and kept diverse. Examples are few and most predictions are for one page, so an index by feature is ten
times as fast as sparse matrices.
"""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from math import log1p, sqrt
from typing import TYPE_CHECKING, Self

import numpy as np

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.features import features
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

Marks = tuple[str, ...]
_NOTHING_IN_COMMON = 1e-9
#: similarity that the oldest example loses relative to the newest
_AGE = 0.02
#: weight of the prior relative to the neighbours
_DOUBT = 0.5
#: pages compared at a time, which bounds the memory to a few megabytes
_BATCH = 500


class LinkYieldEstimator:
    """Distance-weighted k-nearest-neighbour estimate of the posts that a page leads to, O(limit) for each URL.

    `k` neighbours vote. If there are more than `limit` examples, the oldest of the most common URL shape is removed, so
    that rare kinds of pages are remembered. `prior` is the estimate for a page that resembles no example. It has the
    weight `_DOUBT`, while a neighbour has the square of its similarity. `examples_` holds yields and marks by URL, in
    order of arrival.

    Weights are absolute, while Dudani's are relative to the farthest neighbour: one fruitless page must not decide
    about all pages that resemble it a little. Of equally similar neighbours the newest count, since pages yield less as
    fewer posts are left to find. Yields are averaged as log(1 + yield), so that one list of all posts does not decide
    about every page that resembles it.
    """

    def __init__(self, *, k: int = 8, limit: int = 2000, prior: float = 1.0) -> None:
        self.k = k
        self.limit = limit
        self.prior = prior
        self._forget()

    def __len__(self) -> int:
        return len(self.examples_)

    def fit(self, urls: Sequence[str], yields: Sequence[float], marks: Sequence[Marks] | None = None) -> Self:
        """Learn from these examples alone. Raises NotEnoughExamples when there are none."""
        self._forget()
        return self.partial_fit(urls, yields, marks)

    def partial_fit(self, urls: Sequence[str], yields: Sequence[float], marks: Sequence[Marks] | None = None) -> Self:
        """Learn from more examples; the newest yield of a URL counts. Raises NotEnoughExamples if there are none."""
        if not urls:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        for url, count, url_marks in zip(urls, yields, marks or [()] * len(urls), strict=True):
            self._keep(url, float(count), url_marks)
        return self

    def predict(self, urls: Sequence[str], marks: Sequence[Marks] | None = None) -> list[float]:
        """The expected number of posts of each page. Raises NotEnoughExamples before the first example."""
        if not self.examples_:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        if not urls:
            return []
        queries = [features(url, url_marks) for url, url_marks in zip(urls, marks or [()] * len(urls), strict=True)]
        different = list(dict.fromkeys(queries))
        expected: list[float] = []
        for start in range(0, len(different), _BATCH):
            expected += self._expected(different[start : start + _BATCH]).tolist()
        by_features = dict(zip(different, expected, strict=True))
        return [by_features[query] for query in queries]

    def _forget(self) -> None:
        self.examples_: dict[str, tuple[float, Marks]] = {}
        self._by_shape: dict[str, deque[str]] = {}
        #: features of the examples, and their yields as logarithms; None if they must be built again
        self._index: FeatureIndex | None = None
        self._targets = array("d")
        #: number of each example in the index, by URL
        self._numbers: dict[str, int] = {}

    def _keep(self, url: str, count: float, marks: Marks) -> None:
        if url in self.examples_:
            self._index = None
        else:
            self._by_shape.setdefault(shape_of(url), deque()).append(url)
            self._add(url, max(0.0, count), marks)
        self.examples_[url] = max(0.0, count), marks
        if len(self.examples_) > self.limit:
            commonest = max(self._by_shape.values(), key=len)
            self._remove(commonest.popleft())

    def _add(self, url: str, count: float, marks: Marks) -> None:
        if self._index is not None:
            self._numbers[url] = self._index.append(features(url, marks))
            self._targets.append(log1p(count))

    def _remove(self, url: str) -> None:
        del self.examples_[url]
        if self._index is not None:
            self._index.remove(self._numbers.pop(url))
            if self._index.removed > self.limit:
                self._index = None

    def _expected(self, queries: Sequence[tuple[str, ...]]) -> Vector:
        index, targets = self._fitted()
        similar = np.stack([index.similarities(query) for query in queries])
        count = min(self.k, similar.shape[1])
        aged = similar + np.linspace(0, _AGE, similar.shape[1])
        nearest = np.argpartition(-aged, count - 1, axis=1)[:, :count]
        near = np.take_along_axis(similar, nearest, axis=1)
        weights = np.where(near > _NOTHING_IN_COMMON, near**2, 0.0)
        total = (weights * targets[nearest]).sum(axis=1) + _DOUBT * np.log1p(self.prior)
        return np.asarray(np.expm1(total / (weights.sum(axis=1) + _DOUBT)), dtype=np.float64)

    def _fitted(self) -> tuple[FeatureIndex, Vector]:
        """Features of the current examples, and their yields as logarithms."""
        if self._index is None:
            self._index, self._targets, self._numbers = FeatureIndex(), array("d"), {}
            for url, (count, marks) in self.examples_.items():
                self._add(url, count, marks)
        return self._index, self._index.of_kept(np.array(self._targets))


class FeatureIndex:
    """Examples indexed by feature; a feature counts as often as an example contains it.

    Removed examples stay in memory, but do not count.
    """

    def __init__(self) -> None:
        self._with: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        self._lengths = array("d")
        self._is_kept = bytearray()
        #: number of removed examples
        self.removed = 0

    def append(self, example: tuple[str, ...]) -> int:
        """Append an example; returns its number."""
        number = len(self._lengths)
        for feature in example:
            self._with[feature].append(number)
        self._lengths.append(_length(example))
        self._is_kept.append(True)
        return number

    def remove(self, number: int) -> None:
        """Remove an example. O(1)."""
        self._is_kept[number] = False
        self.removed += 1

    def of_kept(self, values: Vector) -> Vector:
        """Of one value for each example, those of the examples that were not removed."""
        return values[np.frombuffer(self._is_kept, np.bool_)]

    def similarities(self, query: tuple[str, ...]) -> Vector:
        """Cosine between the given features and those of each example that was not removed."""
        having = [np.frombuffer(self._with[feature], np.int64) for feature in query if feature in self._with]
        numbers = np.concatenate(having) if having else np.zeros(0, np.int64)
        common = np.bincount(numbers, minlength=len(self._lengths))
        return self.of_kept(common / (np.frombuffer(self._lengths) * _length(query)))


def _length(example: tuple[str, ...]) -> float:
    """The Euclidean length of a vector of features."""
    return sqrt(sum(map(example.count, example)))
