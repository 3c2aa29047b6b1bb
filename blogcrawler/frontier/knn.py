"""How many links to posts will a page hold? The estimate that ranks the frontier.

Section 4.3 of Blanvillain, Kasioumis and Banos, "BlogForever Crawler": L(v), the number of links to posts on the page
v, is the weighted mean of L(u) over the k pages most similar to v that were fetched. The weights are those of Dudani,
"The Distance-Weighted k-Nearest-Neighbor Rule", IEEE Transactions on Systems, Man, and Cybernetics, 1976, equation 1.
Where the published crawler measured the edit distance to 1,000 URLs for each link, we take the cosine of hashed
features of the path, for all candidates in one product of sparse matrices, over a training set that is bounded and
kept diverse.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.neighbors import NearestNeighbors

from blogcrawler.errors import NotEnoughExamples
from blogcrawler.frontier.traps import shape_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

__all__ = ["LinkYieldEstimator"]

_DIGITS = re.compile(r"[0-9]+")
#: of a URL: what comes after is not looked at
_MAX_SEGMENTS, _MAX_TEXT = 8, 40

#: cosine distances
_NOTHING_IN_COMMON, _EQUALLY_FAR = 1 - 1e-9, 1e-9


class LinkYieldEstimator:
    """Distance-weighted k-nearest-neighbour estimate of a page's number of links to posts, from its URL.

    Parameters ---------- k how many neighbours vote limit how many examples are kept: when there are more, the oldest
    of the commonest shape of URL goes, so that the cost of a prediction is bounded and rare kinds of pages are
    remembered

    Attributes
    ----------
    examples_
        the examples that are kept: yields by URL, in order of arrival

    Notes ----- Yields are averaged as log(1 + yield): one list of all posts must not speak for every page that
    resembles it. A URL that resembles no example gets the mean over all examples, so that what is unlike anything seen
    is tried before what is known to be poor. Predicting costs O(limit) for each URL.
    """

    def __init__(self, *, k: int = 8, limit: int = 2000) -> None:
        self.k = k
        self.limit = limit
        self._model: tuple[NearestNeighbors, npt.NDArray[np.float64]] | None = None
        self._vectorizer = HashingVectorizer(analyzer=tuple, n_features=2**16, alternate_sign=False)
        self._forget()

    def __len__(self) -> int:
        return len(self.examples_)

    def fit(self, urls: Sequence[str], yields: Sequence[float]) -> Self:
        """Learn from these examples alone. Raises NotEnoughExamples when there are none."""
        self._forget()
        return self.partial_fit(urls, yields)

    def partial_fit(self, urls: Sequence[str], yields: Sequence[float]) -> Self:
        """Learn from more examples; of a URL seen before the newest yield counts. Raises NotEnoughExamples for none."""
        if not urls:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        for url, count in zip(urls, yields, strict=True):
            self._keep(url, float(count))
        self._model = None
        return self

    def predict(self, urls: Sequence[str]) -> list[float]:
        """The expected number of links to posts on each page. Raises NotEnoughExamples before any example."""
        if not self.examples_:
            raise NotEnoughExamples("There are no fetched pages to learn the yield of links from.")
        if not urls:
            return []
        features = [tuple(_features(url)) for url in urls]
        different = list(dict.fromkeys(features))
        model, targets = self._fitted()
        distances, nearest = model.kneighbors(self._vectorizer.transform(different))
        weights = _dudani(distances)
        means = (weights * targets[nearest]).sum(axis=1) / weights.sum(axis=1)
        expected = np.expm1(np.where(distances[:, 0] < _NOTHING_IN_COMMON, means, targets.mean()))
        by_features = dict(zip(different, expected.tolist(), strict=True))
        return [by_features[one] for one in features]

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"k": self.k, "limit": self.limit, "examples": [[url, count] for url, count in self.examples_.items()]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The estimator of `to_dict`."""
        estimator = cls(k=int(data["k"]), limit=int(data["limit"]))
        for url, count in data["examples"]:
            estimator._keep(str(url), float(count))
        return estimator

    def _forget(self) -> None:
        self.examples_: dict[str, float] = {}
        self._by_shape: dict[str, deque[str]] = {}
        self._model = None

    def _keep(self, url: str, count: float) -> None:
        if url not in self.examples_:
            self._by_shape.setdefault(shape_of(url), deque()).append(url)
        self.examples_[url] = max(0.0, count)
        if len(self.examples_) > self.limit:
            commonest = max(self._by_shape.values(), key=len)
            del self.examples_[commonest.popleft()]

    def _fitted(self) -> tuple[NearestNeighbors, npt.NDArray[np.float64]]:
        """The neighbours of the present examples, and their yields as logarithms."""
        if self._model is None:
            model = NearestNeighbors(n_neighbors=min(self.k, len(self.examples_)), metric="cosine", algorithm="brute")
            model.fit(self._vectorizer.transform([_features(url) for url in self.examples_]))
            self._model = model, np.log1p(np.fromiter(self.examples_.values(), float))
        return self._model


def _dudani(distances: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Weight 1 for the nearest, 0 for the farthest, linear between; 1 for all where they are equally far."""
    nearest, farthest = distances[:, :1], distances[:, -1:]
    spread = farthest - nearest
    return np.where(spread > _EQUALLY_FAR, (farthest - distances) / np.maximum(spread, _EQUALLY_FAR), 1.0)


def _features(url: str) -> Iterator[str]:
    """What makes two URLs alike: their folders by name and form, at their depth and on their way; their parameters."""
    address, _, query = url.partition("?")
    segments = [segment[:_MAX_TEXT] for segment in address.split("/")[3:] if segment][:_MAX_SEGMENTS]
    forms = [_form(segment) for segment in segments]
    yield f"depth {len(segments)}"
    for depth, (segment, form) in enumerate(zip(segments, forms, strict=True)):
        yield f"form {depth} {form}"
        yield f"way {'/'.join(forms[: depth + 1])}"
        yield f"name {_DIGITS.sub('#', segment)}"
        yield f"start {depth} {_DIGITS.sub('#', segment)}"
    if segments:
        yield f"end {forms[-1]}{'/' if address.endswith('/') else ''}"
    for parameter in query.split("&")[:_MAX_SEGMENTS] if query else ():
        name, _, value = parameter[:_MAX_TEXT].partition("=")
        yield f"parameter {name}"
        yield f"value {name} {_DIGITS.sub('#', value)}"


def _form(segment: str) -> str:
    """The kind of a segment: how long its number is, or that it is words, with its extension."""
    stem, dot, extension = segment.rpartition(".")
    text, ending = (stem, f".{extension}") if dot and len(extension) <= 5 else (segment, "")
    if text.isascii() and text.isdigit():
        return f"{'#' * min(len(text), 5)}{ending}"
    words = "words" if any(mark in text for mark in "-_%") else "word"
    return f"{words}{'#' if _DIGITS.search(text) else ''}{ending}"
