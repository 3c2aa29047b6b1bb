"""The line classifier: the probability that a line belongs to the main text.

DGWC's is a support vector machine over five features, each rounded to low, middle or high. This is a logistic
regression over the probabilities of low and high (middle is what is left) of about a hundred features. Measured on the
half of the development corpus that was not trained on, as share of lines told right, weighted by the root of their
length: the paper's five features 0.834; with those of the neighbouring lines 0.889; all 0.944, and 0.956 with their
levels in place of their values. Boosted trees and a neural network are no better (0.956), and harder to keep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np

from blogcrawler.errors import NotEnoughExamples, UnreadableRules
from blogcrawler.serialise import load_file
from blogcrawler.wrapper.fallback.features import features

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

    from blogcrawler.wrapper.fallback.lines import Lines

REGULARISATION = 0.02
"""scikit-learn's C, for weights of lines that are 1 on average."""
ADAPTATION = 0.002
"""The same where a model is adapted to a blog."""
BELIEF = 10.0
"""Weight of what a model says that is adapted."""
DIGITS = 4
SOLVER = "newton-cholesky"
"""The fastest for some hundred features; it ends at the same weights every time."""
ITERATIONS = 100
ALPHA = 0.5
"""Weight of topical lines in MEAN."""
TAILS = (2, 98)
"""Percentiles that stand for MIN and MAX."""
CUT_DIGITS = 5


@dataclass(frozen=True)
class Discretiser:
    """Features as probabilities of being low, middle or high (DGWC, section III-B and figure 4).

    A value up to LOW, half way from MIN to MEAN, is low for sure, one at MEAN is middle, one from HIGH on, half way
    from MEAN to MAX, is high; between these the probabilities go over linearly. MIN and MAX are the 2nd and the 98th
    percentile: a single line of 40,000 characters would make all others low.
    """

    low: tuple[float, ...]
    mean: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def fit(cls, values: NDArray[np.float64], topical: NDArray[np.bool_]) -> Self:
        """Cut points of features (columns) of lines (rows); MEAN is that of all lines where they are of one sort."""
        least, most = np.percentile(values, TAILS, axis=0)
        rare = least == most
        least[rare], most[rare] = values.min(axis=0)[rare], values.max(axis=0)[rare]
        mean = values.mean(axis=0)
        if topical.any() and not topical.all():
            mean = ALPHA * values[topical].mean(axis=0) + (1 - ALPHA) * values[~topical].mean(axis=0)
        mean = np.clip(mean, least, most)
        cuts = (least + mean) / 2, mean, (mean + most) / 2
        return cls(*(tuple(np.round(cut, CUT_DIGITS).tolist()) for cut in cuts))

    def levels(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """The probabilities of low, middle and high, each of the shape of `values`. O(n)."""
        least, mean, most = (np.array(cut) for cut in (self.low, self.mean, self.high))
        low, high = _share(mean - values, mean - least), _share(values - mean, most - mean)
        return low, 1 - low - high, high


def _share(apart: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """`apart` as a share of `whole`, 0 to 1; where that is nothing, 1 for all that is apart at all."""
    return np.where(whole > 0, np.clip(apart / np.where(whole > 0, whole, 1), 0, 1), (apart > 0).astype(float))


@dataclass(frozen=True)
class LabelledPage:
    """A page to train on."""

    lines: Lines
    root: HtmlElement
    #: for each line, whether it is main text; None where that is not known
    topical: Sequence[bool | None]


@dataclass(frozen=True)
class LineModel:
    """Weights of the features of lines; Raises UnreadableRules where its parts do not fit each other."""

    #: of the features, in the order of the weights
    names: tuple[str, ...]
    cuts: Discretiser
    low: tuple[float, ...]
    high: tuple[float, ...]
    bias: float

    def __post_init__(self) -> None:
        cuts = self.cuts
        if any(len(part) != len(self.names) for part in (self.low, self.high, cuts.low, cuts.mean, cuts.high)):
            raise UnreadableRules("The line classifier is damaged: it has not one weight for each feature.")

    @classmethod
    def train(cls, pages: Sequence[LabelledPage]) -> Self:
        """Learn from labelled pages. Raises NotEnoughExamples where they do not hold lines of both sorts.

        All pages weigh the same, and a line by the square root of its length: a classifier that is right on all short
        lines and wrong on the long ones is of no use.
        """
        columns, topical, weights, names = _matrix(pages)
        if topical.all() or not topical.any():
            raise NotEnoughExamples("There are no lines of main text, or no others, to learn from.")
        from sklearn.linear_model import LogisticRegression  # takes half a second, and few processes train

        cuts = Discretiser.fit(columns, topical)
        low, _, high = cuts.levels(columns)
        fitted = LogisticRegression(C=REGULARISATION, solver=SOLVER, max_iter=ITERATIONS)
        fitted.fit(np.hstack([low, high]), topical, sample_weight=weights)
        found = tuple(np.round(fitted.coef_[0], DIGITS).tolist())
        return cls(names, cuts, found[: len(names)], found[len(names) :], round(float(fitted.intercept_[0]), DIGITS))

    def adapt(self, pages: Sequence[LabelledPage]) -> Self:
        """This model, moved as far as the pages of one blog demand. Raises NotEnoughExamples as `train` does.

        What this model says is given to the classifier as one more feature, which costs it next to nothing to believe
        (Chelba and Acero, "Adaptation of maximum entropy capitalizer", 2004). The sum of two linear models is one.
        """
        columns, topical, weights, names = _matrix(pages)
        if topical.all() or not topical.any() or names != self.names:
            raise NotEnoughExamples("There are no lines of main text, or no others, to learn from.")
        from sklearn.linear_model import LogisticRegression  # see above

        low, _, high = self.cuts.levels(columns)
        told = low @ np.array(self.low) + high @ np.array(self.high) + self.bias
        fitted = LogisticRegression(C=ADAPTATION, solver=SOLVER, max_iter=ITERATIONS)
        fitted.fit(np.hstack([BELIEF * told[:, None], low, high]), topical, sample_weight=weights)
        belief, moved = BELIEF * fitted.coef_[0][0], fitted.coef_[0][1:]
        found = belief * np.array([*self.low, *self.high]) + moved
        rounded = tuple(np.round(found, DIGITS).tolist())
        bias = round(float(belief * self.bias + fitted.intercept_[0]), DIGITS)
        return replace(self, low=rounded[: len(names)], high=rounded[len(names) :], bias=bias)

    def probabilities(self, told: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """How likely each line of a page, of which the features are given, is main text. O(n)."""
        low, _, high = self.cuts.levels(np.stack([told[name] for name in self.names], axis=1))
        logits = low @ np.array(self.low) + high @ np.array(self.high) + self.bias
        found: NDArray[np.float64] = 1 / (1 + np.exp(-logits))
        return found


@cache
def shipped_model() -> LineModel:
    """The model that comes with the package, for blogs with no page to train on."""
    return load_file(LineModel, __package__, "lines.json")


def _matrix(
    pages: Sequence[LabelledPage],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], tuple[str, ...]]:
    """Lines whose label is known as rows, with their labels and weights; and the names of the columns."""
    rows, labels, weights = [], [], []
    names: tuple[str, ...] = ()
    for page in pages:
        known = np.array([label is not None for label in page.topical], bool)
        if not known.any():
            continue
        told = features(page.lines, page.root)
        names = tuple(told)
        rows.append(np.stack(list(told.values()), axis=1)[known])
        labels.append(np.array([bool(label) for label in page.topical])[known])
        weight = np.sqrt(np.array([len(line.text) for line in page.lines.lines], float))[known]
        weights.append(weight / weight.sum())
    if not rows:
        raise NotEnoughExamples("There is no page with lines to learn from.")
    weight = np.concatenate(weights)
    return np.concatenate(rows), np.concatenate(labels), weight * len(weight) / weight.sum(), names
