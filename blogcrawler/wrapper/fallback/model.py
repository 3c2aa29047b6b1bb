"""The line classifier: the probability that a line belongs to the main text.

DGWC's is a support vector machine over five features, each rounded to low, middle or high. This is a logistic
regression over the probabilities of low and high (middle is what is left) of about a hundred features. Measured on the
half of the development corpus that was not trained on, as share of lines told right, weighted by the root of their
length: the paper's five features 0.834; with those of the neighbouring lines 0.889; all 0.944, and 0.956 with their
levels in place of their values. Boosted trees and a neural network are no better (0.956), and harder to keep.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Self

import numpy as np

from blogcrawler.errors import NotEnoughExamples, UnreadableRules
from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.features import features
from blogcrawler.wrapper.fallback.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement
    from numpy.typing import NDArray

ADAPTATION = 0.002
"""scikit-learn's C, for weights of lines that are 1 on average."""
BELIEF = 10.0
"""Weight of what a model says that is adapted."""
DIGITS = 4
SOLVER = "newton-cholesky"
"""The fastest for some hundred features; it ends at the same weights every time."""
ITERATIONS = 100
ENOUGH = 8
"""Pages; fewer teach too little."""
SENTENCE = 40
"""Characters of a line that two posts do not share by chance."""
SHARED = 3
"""Pages on which a line of the template stands, at least; on all where there are fewer."""
MOST_SHARED = 200


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
    """Weights of the features of lines. Raises UnreadableRules where its parts do not fit each other."""

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

    def adapt(self, pages: Sequence[LabelledPage]) -> Self:
        """This model, moved as far as the pages of one blog demand. Raises NotEnoughExamples for lines of one sort.

        What this model says is given to the classifier as one more feature, which costs it next to nothing to believe
        (Chelba and Acero, "Adaptation of maximum entropy capitalizer", 2004). The sum of two linear models is one.
        """
        columns, topical, weights, names = training_matrix(pages)
        if topical.all() or not topical.any() or names != self.names:
            raise NotEnoughExamples("There are no lines of main text, or no others, to learn from.")
        from sklearn.linear_model import LogisticRegression  # takes half a second, and few processes train

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
    """The model for blogs with no page to train on, which tests/wrapper/fallback/build_model.py has fitted."""
    return load_file(LineModel, __package__, "lines.json")


def training_matrix(
    pages: Sequence[LabelledPage],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64], tuple[str, ...]]:
    """Lines whose label is known as rows, with their labels and weights; and the names of the columns.

    All pages weigh the same, and a line by the square root of its length: a classifier that is right on all short
    lines and wrong on the long ones is of no use. Raises NotEnoughExamples where there is no line.
    """
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


@dataclass(frozen=True)
class OwnLines:
    """What the pages of a blog tell of its lines."""

    #: the blog's own classifier; None where too few pages were there to learn it
    model: LineModel | None = None
    #: folded texts of long lines that several posts show: about the author, the licence, the blog
    shared: frozenset[str] = frozenset()


NO_LINES = OwnLines()


def label_lines(page: Lines, container: HtmlElement, article: HtmlElement) -> list[bool]:
    """Which lines of a page are the article's: those in its container that a cleaned copy of it still has. O(n)."""
    kept = Counter(line.text for line in Lines(article).lines)
    inside = set(container.iter())
    found = []
    for line in page.lines:
        topical = page.blocks[line.block].element in inside and kept[line.text] > 0
        kept[line.text] -= topical
        found.append(topical)
    return found


def train(pages: Iterable[tuple[HtmlElement, HtmlElement, HtmlElement]]) -> OwnLines:
    """Learn from pages, each given as its root, the article's container and a cleaned copy of that. O(n)."""
    labelled = []
    for root, container, article in pages:
        page = Lines(root)
        labelled.append(LabelledPage(page, root, label_lines(page, container, article)))
    return OwnLines(_adapted(labelled), _shared([one.lines for one in labelled]))


def _adapted(labelled: Sequence[LabelledPage]) -> LineModel | None:
    if len(labelled) < ENOUGH:
        return None
    try:
        return shipped_model().adapt(labelled)
    except NotEnoughExamples:
        return None


def _shared(pages: Sequence[Lines]) -> frozenset[str]:
    """The long lines that stand on several pages, those of most pages first."""
    counts: Counter[str] = Counter()
    for page in pages:
        texts = {fold(line.text) for line in page.lines}
        counts.update(text for text in texts if len(text) >= SENTENCE)
    least = max(2, min(SHARED, len(pages)))
    found = sorted((text for text, count in counts.items() if count >= least), key=lambda text: (-counts[text], text))
    return frozenset(found[:MOST_SHARED])
