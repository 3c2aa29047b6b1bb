"""Estimates of scikit-learn for pages that are not fetched yet: how many posts each leads to, and whether it is one.

Section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler": L(v), the number of links to posts on the page
v, is the weighted mean of L(u) over the k pages most similar to v that were fetched (Dudani, "The Distance-Weighted
k-Nearest-Neighbor Rule", IEEE Transactions on Systems, Man, and Cybernetics, 1976). Where the published crawler
measured the edit distance to 1,000 URLs for each link, we take the cosine of hashed features of the URL and of the
links to it, for all candidates in one product of sparse matrices, over a training set that is bounded and kept diverse.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.features import MENU, PATTERN, TWIN, features
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from scipy.sparse import csr_matrix

Marks = tuple[str, ...]
_NOTHING_IN_COMMON = 1e-9
#: similarity that the oldest example loses against the newest
_AGE = 0.02
#: weight of the prior beside the neighbours'
_DOUBT = 0.5
#: rows of a product at a time, so that it fits in a few megabytes
_BATCH = 1000
_BELIEFS: Sequence[tuple[tuple[str, ...], bool, float]] = (
    ((PATTERN,), True, 3.0),
    ((), False, 3.0),
    ((PATTERN, MENU), False, 3.0),
    ((PATTERN, TWIN), False, 3.0),
)
"""Examples before anything was fetched: marks, whether that is a post, weight."""


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
        self._model: tuple[csr_matrix, npt.NDArray[np.float64]] | None = None
        self._vectorizer = HashingVectorizer(analyzer=tuple, n_features=2**16, alternate_sign=False)
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
        self._model = None
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
        self._model = None

    def _keep(self, url: str, count: float, marks: Marks) -> None:
        if url not in self.examples_:
            self._by_shape.setdefault(shape_of(url), deque()).append(url)
        self.examples_[url] = max(0.0, count), marks
        if len(self.examples_) > self.limit:
            commonest = max(self._by_shape.values(), key=len)
            del self.examples_[commonest.popleft()]

    def _expected(self, asked: Sequence[tuple[str, ...]]) -> npt.NDArray[np.float64]:
        vectors, targets = self._fitted()
        similar = (self._vectorizer.transform(asked) @ vectors).toarray()
        count = min(self.k, similar.shape[1])
        aged = similar + np.linspace(0, _AGE, similar.shape[1])
        nearest = np.argpartition(-aged, count - 1, axis=1)[:, :count]
        near = np.take_along_axis(similar, nearest, axis=1)
        weights = np.where(near > _NOTHING_IN_COMMON, near**2, 0.0)
        total = (weights * targets[nearest]).sum(axis=1) + _DOUBT * np.log1p(self.prior)
        return np.asarray(np.expm1(total / (weights.sum(axis=1) + _DOUBT)), dtype=np.float64)

    def _fitted(self) -> tuple[csr_matrix, npt.NDArray[np.float64]]:
        """The features of the present examples, a column each, and their yields as logarithms."""
        if self._model is None:
            rows = self._vectorizer.transform([features(url, marks) for url, (_, marks) in self.examples_.items()])
            targets = np.log1p(np.fromiter((count for count, _ in self.examples_.values()), float))
            self._model = rows.T.tocsr(), targets
        return self._model


class PostEstimator:
    """Logistic regression over the features of URLs and links: whether a URL is a post's, beside the permalink pattern.

    Of posts and of other pages the newest `limit` each are remembered, so that learning and predicting cost the same
    however long a crawl is. Refitted when asked after new examples. Deterministic.
    """

    def __init__(self, *, limit: int = 400) -> None:
        self.limit = limit
        self._examples: dict[bool, deque[tuple[str, ...]]] = {is_post: deque(maxlen=limit) for is_post in (True, False)}
        self._vectorizer = HashingVectorizer(analyzer=tuple, n_features=2**12, alternate_sign=False, norm=None)
        self._model: LogisticRegression | None = None

    def __len__(self) -> int:
        return sum(map(len, self._examples.values()))

    def partial_fit(self, examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool]) -> PostEstimator:
        """Learn from fetched pages: their features, with marks, and what they turned out to be."""
        for example, is_post in zip(examples, are_posts, strict=True):
            self._examples[is_post].append(example)
        self._model = None
        return self

    def forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        """Unlearn a page that turned out to be something else, where it is remembered."""
        with suppress(ValueError):
            self._examples[is_post].remove(example)
            self._model = None

    def predict(self, asked: Sequence[tuple[str, ...]]) -> list[float]:
        """The probability that each is a post."""
        if not asked:
            return []
        found: list[float] = self._fitted().predict_proba(self._vectorizer.transform(asked))[:, 1].tolist()
        return found

    def _fitted(self) -> LogisticRegression:
        if self._model is None:
            fetched = [(marks, is_post, 1.0) for is_post, kept in self._examples.items() for marks in kept]
            examples, labels, weights = zip(*_BELIEFS, *fetched, strict=True)
            model = LogisticRegression(C=1.0, max_iter=50, tol=1e-2)
            self._model = model.fit(self._vectorizer.transform(examples), labels, sample_weight=weights)
        return self._model
