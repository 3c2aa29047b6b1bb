"""The line classifier: the probability that a line belongs to the main text.

DGWC uses a support vector machine over five features, each rounded to low, middle or high. This is a logistic
regression over the probabilities of low and high (middle is the rest) of more than a hundred features, fitted to single
pages and to posts of blogs. `python -m tests.benchmarks.crossval` prints its accuracy on unseen sites.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from blogcrawler.errors import UnreadableRules
from blogcrawler.lazy import LazyModule
from blogcrawler.serialise import load_file
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fallback.lines import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from lxml.html import HtmlElement
    from numpy.typing import NDArray
else:
    np = LazyModule("numpy")

SENTENCE = 40
"""Number of characters of a line at or above which two posts do not share it by chance."""
SHARED = 3
"""Minimum number of pages with a line of the template; all pages if there are fewer."""
MOST_SHARED = 200


@dataclass(frozen=True)
class Discretiser:
    """Turns features into probabilities of being low, middle or high (DGWC, section III-B and figure 4).

    A value up to LOW, halfway from MIN to MEAN, is certainly low; a value at MEAN is middle; a value from HIGH on,
    halfway from MEAN to MAX, is high. Between these points the probabilities change linearly. MIN and MAX are the 2nd
    and the 98th percentile, since a single line of 40,000 characters would make all others low.
    """

    low: tuple[float, ...]
    mean: tuple[float, ...]
    high: tuple[float, ...]

    def levels(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """The probabilities that each of the values is low, middle or high: three arrays shaped like `values`. O(n)."""
        least, mean, most = (np.array(cut) for cut in (self.low, self.mean, self.high))
        low, high = _share(mean - values, mean - least), _share(values - mean, most - mean)
        return low, 1 - low - high, high


def _share(apart: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """`apart` as a share of `whole`, from 0 to 1; if `whole` is 0, 1 for all positive values."""
    return np.where(whole > 0, np.clip(apart / np.where(whole > 0, whole, 1), 0, 1), (apart > 0).astype(float))


@dataclass(frozen=True)
class LineModel:
    """Weights of the features of lines. Raises UnreadableRules if its parts do not fit together."""

    #: names of the features, in the order of the weights
    names: tuple[str, ...]
    cuts: Discretiser
    low: tuple[float, ...]
    high: tuple[float, ...]
    bias: float

    def __post_init__(self) -> None:
        cuts = self.cuts
        if any(len(part) != len(self.names) for part in (self.low, self.high, cuts.low, cuts.mean, cuts.high)):
            raise UnreadableRules("The line classifier is damaged: its weights do not match its features.")

    def probabilities(self, values: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float64]:
        """The probability that each line of a page is main text, from the page's features. O(n)."""
        low, _, high = self.cuts.levels(np.stack([values[name] for name in self.names], axis=1))
        logits = low @ np.array(self.low) + high @ np.array(self.high) + self.bias
        likely: NDArray[np.float64] = 1 / (1 + np.exp(-logits))
        return likely


@cache
def shipped_model() -> LineModel:
    """The model that tests/wrapper/fallback/build_model.py has fitted."""
    return load_file(LineModel, __package__, "lines.json")


@dataclass(frozen=True)
class OwnLines:
    """Lines that the pages of a blog share."""

    #: folded texts of long lines that several posts share: about the author, the licence, the blog
    shared: frozenset[str] = frozenset()


NO_LINES = OwnLines()


def train(pages: Iterable[HtmlElement]) -> OwnLines:
    """The long lines that several pages share, those of most pages first. O(n)."""
    texts = [{fold(line.text) for line in Lines(page).lines} for page in pages]
    counts = Counter(text for lines in texts for text in lines if len(text) >= SENTENCE)
    least = max(2, min(SHARED, len(texts)))
    shared = sorted((text for text, count in counts.items() if count >= least), key=lambda text: (-counts[text], text))
    return OwnLines(frozenset(shared[:MOST_SHARED]))
