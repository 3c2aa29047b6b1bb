"""Estimates for pages that are not fetched yet: how many posts each leads to, and whether it is one.

Section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler": L(v), the number of links to posts on the page
v, is the weighted mean of L(u) over the k pages most similar to v that were fetched (Dudani, "The Distance-Weighted
k-Nearest-Neighbor Rule", IEEE Transactions on Systems, Man, and Cybernetics, 1976). Where the published crawler
measured the edit distance to 1,000 URLs for each link, we take the cosine of features of the URL and of the links to
it, over a training set that is bounded and kept diverse. Examples are few, and most questions are about one page: an
index by feature, on numpy's arrays, answers them in a tenth of the time of scikit-learn's estimators, which also take a
second to load.
"""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from contextlib import suppress
from math import exp, log1p, sqrt
from typing import TYPE_CHECKING, Self

import numpy as np

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.features import MENU, PATTERN, TWIN, features
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Vector = npt.NDArray[np.float64]

Marks = tuple[str, ...]
Example = tuple[Marks, bool, float]
"""Features with marks, whether that is a post, weight."""
_NOTHING_IN_COMMON = 1e-9
#: similarity that the oldest example loses against the newest
_AGE = 0.02
#: weight of the prior beside the neighbours'
_DOUBT = 0.5
#: pages that are compared at a time, so that what is computed fits in a few megabytes
_BATCH = 500
_BELIEFS: Sequence[Example] = (
    ((PATTERN,), True, 3.0),
    ((), False, 3.0),
    ((PATTERN, MENU), False, 3.0),
    ((PATTERN, TWIN), False, 3.0),
)
"""Examples before anything was fetched."""


class LinkYieldEstimator:
    """Distance-weighted k-nearest-neighbour estimate of the posts that a page leads to, in O(limit) for a URL.

    `k` neighbours vote. Of more examples than `limit` the oldest of the commonest shape of URL goes, so that rare kinds
    of pages are remembered; `prior` is expected of a page that resembles none, with the weight `_DOUBT` beside the
    neighbours', whose weight is the square of their similarity. `examples_` holds yields and marks by URL, in order of
    arrival.

    Weights are absolute where Dudani's are relative to the farthest neighbour: one page that brought nothing does not
    speak for all that resemble it a little. Of neighbours that are equally similar the newest count, since pages bring
    less as fewer posts are left to find. Yields are averaged as log(1 + yield): one list of all posts must not speak
    for every page that resembles it.
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
        """Learn from more examples; of a URL seen before the newest yield counts. Raises NotEnoughExamples for none."""
        if not urls:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        for url, count, one in zip(urls, yields, marks or [()] * len(urls), strict=True):
            self._keep(url, float(count), one)
        return self

    def predict(self, urls: Sequence[str], marks: Sequence[Marks] | None = None) -> list[float]:
        """The expected number of posts of each page. Raises NotEnoughExamples before any example."""
        if not self.examples_:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        if not urls:
            return []
        asked = [features(url, one) for url, one in zip(urls, marks or [()] * len(urls), strict=True)]
        different = list(dict.fromkeys(asked))
        expected: list[float] = []
        for start in range(0, len(different), _BATCH):
            expected += self._expected(different[start : start + _BATCH]).tolist()
        by_features = dict(zip(different, expected, strict=True))
        return [by_features[one] for one in asked]

    def _forget(self) -> None:
        self.examples_: dict[str, tuple[float, Marks]] = {}
        self._by_shape: dict[str, deque[str]] = {}
        #: the features of the examples, and their yields as logarithms; none where they are to be read again
        self._index: FeatureIndex | None = None
        self._targets = array("d")

    def _keep(self, url: str, count: float, marks: Marks) -> None:
        if url in self.examples_:
            self._index = None
        else:
            self._by_shape.setdefault(shape_of(url), deque()).append(url)
            self._add(url, max(0.0, count), marks)
        self.examples_[url] = max(0.0, count), marks
        if len(self.examples_) > self.limit:
            commonest = max(self._by_shape.values(), key=len)
            del self.examples_[commonest.popleft()]
            self._index = None

    def _add(self, url: str, count: float, marks: Marks) -> None:
        if self._index is not None:
            self._index.append(features(url, marks))
            self._targets.append(log1p(count))

    def _expected(self, asked: Sequence[tuple[str, ...]]) -> Vector:
        index, targets = self._fitted()
        similar = np.stack([index.similarities(one) for one in asked])
        count = min(self.k, similar.shape[1])
        aged = similar + np.linspace(0, _AGE, similar.shape[1])
        nearest = np.argpartition(-aged, count - 1, axis=1)[:, :count]
        near = np.take_along_axis(similar, nearest, axis=1)
        weights = np.where(near > _NOTHING_IN_COMMON, near**2, 0.0)
        total = (weights * targets[nearest]).sum(axis=1) + _DOUBT * np.log1p(self.prior)
        return np.asarray(np.expm1(total / (weights.sum(axis=1) + _DOUBT)), dtype=np.float64)

    def _fitted(self) -> tuple[FeatureIndex, Vector]:
        """The features of the present examples, and their yields as logarithms."""
        if self._index is None:
            self._index, self._targets = FeatureIndex(), array("d")
            for url, (count, marks) in self.examples_.items():
                self._add(url, count, marks)
        return self._index, np.array(self._targets)


class FeatureIndex:
    """Examples by their features, of which each counts as often as an example has it."""

    def __init__(self) -> None:
        self._with: defaultdict[str, array[int]] = defaultdict(lambda: array("q"))
        self._lengths = array("d")

    def append(self, example: tuple[str, ...]) -> None:
        """Take in an example; the first has the number 0."""
        for feature in example:
            self._with[feature].append(len(self._lengths))
        self._lengths.append(_length(example))

    def similarities(self, asked: tuple[str, ...]) -> Vector:
        """The cosine of some features with those of each example."""
        having = [np.frombuffer(self._with[feature], np.int64) for feature in asked if feature in self._with]
        numbers = np.concatenate(having) if having else np.zeros(0, np.int64)
        common = np.bincount(numbers, minlength=len(self._lengths))
        return common / (np.frombuffer(self._lengths) * _length(asked))


def _length(example: tuple[str, ...]) -> float:
    """The Euclidean length of a vector of features."""
    return sqrt(sum(map(example.count, example)))


class PostEstimator:
    """Logistic regression over the features of URLs and links: whether a URL is a post's, beside the permalink pattern.

    Of posts and of other pages the newest `limit` each are remembered, so that learning and predicting cost the same
    however long a crawl is. Refitted when asked after new examples. Deterministic.
    """

    def __init__(self, *, limit: int = 400) -> None:
        self.limit = limit
        self._examples: dict[bool, deque[tuple[str, ...]]] = {is_post: deque(maxlen=limit) for is_post in (True, False)}
        #: by feature, and whether they are those of the present examples
        self._weights: dict[str, float] = {}
        self._is_fitted = False

    def __len__(self) -> int:
        return sum(map(len, self._examples.values()))

    def partial_fit(self, examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool]) -> PostEstimator:
        """Learn from fetched pages: their features, with marks, and what they turned out to be."""
        for example, is_post in zip(examples, are_posts, strict=True):
            self._examples[is_post].append(example)
        self._is_fitted = False
        return self

    def forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        """Unlearn a page that turned out to be something else, where it is remembered."""
        with suppress(ValueError):
            self._examples[is_post].remove(example)
            self._is_fitted = False

    def predict(self, asked: Sequence[tuple[str, ...]]) -> list[float]:
        """The probability that each is a post."""
        if asked and not self._is_fitted:
            fetched = [(marks, is_post, 1.0) for is_post, kept in self._examples.items() for marks in kept]
            self._weights = _weights([*_BELIEFS, *fetched], self._weights)
            self._is_fitted = True
        weight = self._weights.get
        return [_probability(weight(_ALWAYS, 0.0) + sum(weight(feature, 0.0) for feature in one)) for one in asked]


_ALWAYS = ""
"""The feature that all have, whose weight is not made small."""
_STEPS = 20
_CLOSE = 1e-3
"""Slope along any feature at which the weights are taken for the best."""
_ROUGHLY = 0.1
"""Part of the slope that a step may leave."""


def _probability(evidence: float) -> float:
    return 1 / (1 + exp(-evidence)) if evidence > -500 else 0.0


def _weights(examples: Sequence[Example], start: dict[str, float]) -> dict[str, float]:
    """The weights of a logistic regression with the squares of weights as penalty (C = 1), by Newton's method.

    `start` are weights that are near, as those of fewer examples; the result does not depend on them. O(features of all
    examples) for each of a few steps.
    """
    rows = [(*marks, _ALWAYS) for marks, _, _ in examples]
    columns: dict[str, int] = {}
    of_row = np.array([columns.setdefault(feature, len(columns)) for row in rows for feature in row])
    row = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    truth, importance = np.array([[is_post, weight] for _, is_post, weight in examples]).T
    penalty = np.ones(len(columns))
    penalty[columns[_ALWAYS]] = 0.0

    def by_row(vector: Vector) -> Vector:
        return np.bincount(row, vector[of_row]).astype(float, copy=False)

    def by_column(vector: Vector) -> Vector:
        return np.bincount(of_row, vector[row]).astype(float, copy=False)

    def loss(weights: Vector) -> float:
        evidence = by_row(weights)
        return float(importance @ (np.logaddexp(0, evidence) - truth * evidence) + weights @ (penalty * weights) / 2)

    weights = np.array([start.get(feature, 0.0) for feature in columns])
    for _ in range(_STEPS):
        expected = 1 / (1 + np.exp(-by_row(weights)))
        slope = by_column(importance * (expected - truth)) + penalty * weights
        if np.abs(slope).max() < _CLOSE:
            break
        bend = importance * expected * (1 - expected)
        step = _solved(lambda vector, bend=bend: by_column(bend * by_row(vector)) + penalty * vector, slope)  # type: ignore[misc]
        before, part = loss(weights), 1.0
        while loss(weights - part * step) > before and part > _CLOSE:
            part /= 2
        weights = weights - part * step
    return dict(zip(columns, weights.tolist(), strict=True))


def _solved(times: Callable[[Vector], Vector], right: Vector) -> Vector:
    """Solve a system of equations, whose positive matrix is known by its products, by conjugate gradients."""
    solution, rest = np.zeros_like(right), right
    way, size = rest, float(rest @ rest)
    enough = size * _ROUGHLY**2
    for _ in range(len(right)):
        if size <= enough:
            break
        product = times(way)
        part = size / float(way @ product)
        solution, rest = solution + part * way, rest - part * product
        size, before = float(rest @ rest), size
        way = rest + size / before * way
    return solution
