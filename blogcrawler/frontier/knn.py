"""How many posts a page leads to: the k-nearest-neighbour estimate that ranks the frontier.

Section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler": L(v), the number of links to posts on the page
v, is the weighted mean of L(u) over the k pages most similar to v that were fetched (Dudani, "The Distance-Weighted
k-Nearest-Neighbor Rule", IEEE Transactions on Systems, Man, and Cybernetics, 1976). Where the published crawler
measured the edit distance to 1,000 URLs for each link, we take the cosine of hashed features of the URL and of the
links to it, for all candidates in one product of sparse matrices, over a training set that is bounded and kept diverse.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.features import features
from blogcrawler.frontier.kinds import shape_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from scipy.sparse import csr_matrix

Marks = tuple[str, ...]

_NOTHING_IN_COMMON = 1e-9
#: similarity that the oldest example loses against the newest
_AGE = 0.02
#: rows of a product at a time, so that it fits in a few megabytes
_BATCH = 1000


class LinkYieldEstimator:
    """Distance-weighted k-nearest-neighbour estimate of the posts that a page leads to, before it is fetched.

    `k` neighbours vote. Of more examples than `limit` the oldest of the commonest shape of URL goes, so that the cost
    of a prediction is bounded and rare kinds of pages are remembered; `prior` is expected of a page that resembles
    none, and `doubt` is the weight of that beside the neighbours', whose weight is the square of their similarity.
    `examples_` holds the yields and marks of the examples that are kept, by URL, in order of arrival.

    Weights are absolute where Dudani's are relative to the farthest neighbour: one page that brought nothing does not
    speak for all that resemble it a little. Of neighbours that are equally similar the newest count, since pages bring
    less as fewer posts are left to find. Yields are averaged as log(1 + yield): one list of all posts must not speak
    for every page that resembles it. Predicting costs O(limit) for each URL.
    """

    def __init__(self, *, k: int = 8, limit: int = 2000, prior: float = 1.0, doubt: float = 0.5) -> None:
        self.k = k
        self.limit = limit
        self.prior = prior
        self.doubt = doubt
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
        total = (weights * targets[nearest]).sum(axis=1) + self.doubt * np.log1p(self.prior)
        return np.asarray(np.expm1(total / (weights.sum(axis=1) + self.doubt)), dtype=np.float64)

    def _fitted(self) -> tuple[csr_matrix, npt.NDArray[np.float64]]:
        """The features of the present examples, a column each, and their yields as logarithms."""
        if self._model is None:
            rows = self._vectorizer.transform([features(url, marks) for url, (_, marks) in self.examples_.items()])
            targets = np.log1p(np.fromiter((count for count, _ in self.examples_.values()), float))
            self._model = rows.T.tocsr(), targets
        return self._model
