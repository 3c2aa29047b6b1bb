"""Estimate the probability that an unfetched page is a post, with scikit-learn's logistic regression."""

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
    """Modules that scikit-learn imports for other estimators only, and that take longer to import than
    those needed here."""
    _OPTIONAL = ("pandas", "rich.progress")
    """Modules that scikit-learn uses if they are installed, and that are not needed here."""
    try:
        with functions_later(*_UNUSED), not_installed(*_OPTIONAL):
            from scipy.sparse import csr_matrix
            from sklearn.linear_model import LogisticRegression
    except (ImportError, AttributeError, TypeError):  # a version that needs more of these modules
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
"""Examples used before any page was fetched: marks, whether a page with them is a post, and weight."""


class PostEstimator:
    """Logistic regression over the features of URLs and links, which predicts posts beside the permalink pattern.

    The newest `limit` posts and the newest `limit` other pages are the examples, so that the cost of learning and
    predicting does not grow with the crawl. The model is fitted again when it is used after new examples.
    Deterministic.
    """

    def __init__(self, *, limit: int = 400) -> None:
        self.limit = limit
        self._examples: dict[bool, deque[tuple[str, ...]]] = {is_post: deque(maxlen=limit) for is_post in (True, False)}
        #: weight of each feature; None if the model must be fitted again
        self._weights: dict[str, float] | None = None
        self._intercept = 0.0

    def __len__(self) -> int:
        return sum(map(len, self._examples.values()))

    def partial_fit(self, examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool]) -> PostEstimator:
        """Learn from fetched pages: their features and marks, and whether they are posts."""
        for example, is_post in zip(examples, are_posts, strict=True):
            self._examples[is_post].append(example)
        self._weights = None
        return self

    def forget(self, example: tuple[str, ...], *, is_post: bool) -> None:
        """Remove an example that was judged wrongly, if it is still remembered."""
        with suppress(ValueError):
            self._examples[is_post].remove(example)
            self._weights = None

    def predict(self, examples: Sequence[tuple[str, ...]]) -> list[float]:
        """The probability that each page is a post."""
        weight = self._fitted().get
        return [
            1 / (1 + exp(-self._intercept - sum(weight(feature, 0.0) for feature in example))) for example in examples
        ]

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
