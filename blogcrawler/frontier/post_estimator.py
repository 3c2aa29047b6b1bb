"""Estimate the probability that an unfetched page is a post, with logistic regression."""

from __future__ import annotations

import sys
from collections import deque
from contextlib import suppress
from math import exp
from typing import TYPE_CHECKING

import numpy as np

from blogcrawler.frontier.features import MENU, PATTERN, TWIN
from blogcrawler.lazy import functions_later

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from scipy.optimize import minimize

    Vector = npt.NDArray[np.float64]
else:
    _UNUSED = (
        "numpy.f2py",
        *(f"scipy.{name}" for name in ("fft", "spatial", "sparse.csgraph")),
        *(f"scipy.optimize.{name}" for name in ("_linprog", "_trustregion_constr")),
    )
    """Modules that SciPy imports for other methods only, and that take longer to import than those needed here."""
    try:
        with functions_later(*_UNUSED):
            from scipy.optimize import minimize
    except (ImportError, AttributeError, TypeError):  # a version that needs more of these modules
        for name in [name for name in sys.modules if name.startswith("scipy.optimize")]:
            del sys.modules[name]
        from scipy.optimize import minimize

_BELIEFS: Sequence[tuple[tuple[str, ...], bool, float]] = (
    ((PATTERN,), True, 3.0),
    ((), False, 3.0),
    ((PATTERN, MENU), False, 3.0),
    ((PATTERN, TWIN), False, 3.0),
)
"""Examples used before any page was fetched: marks, whether a page with them is a post, and weight."""
GRADIENT = 1e-2
"""Largest element of the gradient at which a fit ends: estimates decide between pages, so a rough optimum is enough."""


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
            self._weights, self._intercept = _fit(*zip(*_BELIEFS, *fetched, strict=True))
        return self._weights


def _fit(
    examples: Sequence[tuple[str, ...]], are_posts: Sequence[bool], importance: Sequence[float]
) -> tuple[dict[str, float], float]:
    """The weight of each feature, and the intercept, of a logistic regression with an L2 penalty.

    The same as scikit-learn's LogisticRegression(C=1), which takes longer to import than this takes for a hundred fits.
    """
    columns: dict[str, int] = {}
    column = np.array([columns.setdefault(feature, len(columns)) for example in examples for feature in example])
    row = np.repeat(np.arange(len(examples)), list(map(len, examples)))
    labels, share = np.array(are_posts, np.float64), np.array(importance) / sum(importance)
    penalty = 1 / sum(importance)

    def loss(parameters: Vector) -> tuple[float, Vector]:
        """The mean loss with the penalty, and its gradient."""
        weights = parameters[:-1]
        scores = np.bincount(row, weights[column], len(examples)) + parameters[-1]
        residuals = share * (1 / (1 + np.exp(-scores)) - labels)
        gradient = np.bincount(column, residuals[row], len(columns)) + penalty * weights
        value = share @ (np.logaddexp(0, scores) - labels * scores) + penalty / 2 * (weights @ weights)
        return float(value), np.append(gradient, residuals.sum())

    fitted = minimize(
        loss,
        np.zeros(len(columns) + 1),
        method="L-BFGS-B",
        jac=True,
        options={"maxiter": 50, "maxls": 50, "gtol": GRADIENT, "ftol": 64 * float(np.finfo(float).eps)},
    )
    *weights, intercept = fitted.x.tolist()
    return dict(zip(columns, weights, strict=True)), intercept
