"""The probability that a page is a post before it is fetched: scikit-learn's logistic regression."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from itertools import accumulate
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from blogcrawler.frontier.features import MENU, PATTERN, TWIN
from blogcrawler.lazy import functions_later, not_installed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression
else:
    _UNUSED = (
        "numpy.f2py",
        *(f"scipy.{name}" for name in ("fft", "integrate", "interpolate", "spatial", "stats")),
        *(f"scipy.{name}" for name in ("optimize._linprog", "optimize._trustregion_constr", "sparse.csgraph")),
    )
    """What scikit-learn imports for other estimators: it takes longer than what this one needs."""
    _OPTIONAL = ("pandas", "rich.progress")
    """What it uses if it is installed."""
    try:
        with functions_later(*_UNUSED), not_installed(*_OPTIONAL):
            from scipy.sparse import csr_matrix
            from sklearn.linear_model import LogisticRegression
    except (ImportError, AttributeError, TypeError):  # a version that needs more of it
        for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
            del sys.modules[name]
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import LogisticRegression

_BELIEFS: Sequence[tuple[tuple[str, ...], bool, float]] = (
    ((PATTERN,), True, 3.0),
    ((), False, 3.0),
    ((PATTERN, MENU), False, 3.0),
    ((PATTERN, TWIN), False, 3.0),
)
"""Examples before anything was fetched: marks, whether that is a post, weight."""


class PostEstimator:
    """Logistic regression over the features of URLs and links: whether a URL is a post's, beside the permalink pattern.

    Of posts and of other pages the newest `limit` each are remembered, so that learning and predicting cost the same
    however long a crawl is. Refitted when asked after new examples. Deterministic.
    """

    def __init__(self, *, limit: int = 400) -> None:
        self.limit = limit
        self._examples: dict[bool, deque[tuple[str, ...]]] = {is_post: deque(maxlen=limit) for is_post in (True, False)}
        #: by feature, and without any; none where they are to be fitted again
        self._weights: dict[str, float] | None = None
        self._intercept = 0.0

    def __len__(self) -> int:
        return sum(map(len, self._examples.values()))

    def partial_fit(self, examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool]) -> PostEstimator:
        """Learn from fetched pages: their features, with marks, and what they turned out to be."""
        for example, is_post in zip(examples, are_posts, strict=True):
            self._examples[is_post].append(example)
        self._weights = None
        return self

    def forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        """Unlearn a page that turned out to be something else, where it is remembered."""
        with suppress(ValueError):
            self._examples[is_post].remove(example)
            self._weights = None

    def predict(self, asked: Sequence[tuple[str, ...]]) -> list[float]:
        """The probability that each is a post."""
        weight = self._fitted().get
        return [1 / (1 + exp(-self._intercept - sum(weight(feature, 0.0) for feature in one))) for one in asked]

    def _fitted(self) -> dict[str, float]:
        if self._weights is None:
            fetched = [(marks, is_post, 1.0) for is_post, kept in self._examples.items() for marks in kept]
            examples, labels, importance = zip(*_BELIEFS, *fetched, strict=True)
            columns: dict[str, int] = {}
            of_rows = [columns.setdefault(feature, len(columns)) for example in examples for feature in example]
            ends = list(accumulate(map(len, examples), initial=0))
            rows = csr_matrix((np.ones(len(of_rows)), of_rows, ends), shape=(len(examples), len(columns)))
            model = LogisticRegression(C=1.0, max_iter=50, tol=1e-2).fit(rows, labels, sample_weight=importance)
            self._weights = dict(zip(columns, model.coef_[0].tolist(), strict=True))
            self._intercept = float(model.intercept_[0])
        return self._weights
