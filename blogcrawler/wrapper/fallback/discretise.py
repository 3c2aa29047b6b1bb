"""Features as probabilities of being low, middle or high (DGWC, section III-B and figure 4).

A feature's MEAN is `alpha` times its mean over topical lines plus 1 - `alpha` times that over the others; LOW is half
way from MIN to MEAN, HIGH half way from MEAN to MAX. A value up to LOW is low for sure, one at MEAN is middle, one from
HIGH on is high; between these the probabilities go over linearly, so that two of the three at most are not zero.

The paper takes the likeliest of the three as the value. All three probabilities are kept here, because rounding them
loses what a linear classifier could use. MIN and MAX are the 2nd and the 98th percentile: a single line of 40,000
characters would make all others low.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALPHA = 0.5
TAILS = (2, 98)
DIGITS = 5


@dataclass(frozen=True)
class Discretiser:
    """Three numbers a feature: LOW ≤ MEAN ≤ HIGH."""

    low: tuple[float, ...]
    mean: tuple[float, ...]
    high: tuple[float, ...]

    @classmethod
    def fit(cls, values: NDArray[np.float64], topical: NDArray[np.bool_], *, alpha: float = ALPHA) -> Self:
        """Cut points from lines (rows) with features (columns). O(n log n).

        Where all lines or none are topical, MEAN is that of all.
        """
        least, most = np.percentile(values, TAILS, axis=0)
        rare = least == most
        least[rare], most[rare] = values.min(axis=0)[rare], values.max(axis=0)[rare]
        mean = values.mean(axis=0)
        if topical.any() and not topical.all():
            mean = alpha * values[topical].mean(axis=0) + (1 - alpha) * values[~topical].mean(axis=0)
        mean = np.clip(mean, least, most)
        return cls(*(tuple(np.round(cut, DIGITS).tolist()) for cut in ((least + mean) / 2, mean, (mean + most) / 2)))

    def levels(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """The probabilities of low, middle and high, each of the shape of `values`. O(n)."""
        least, mean, most = (np.array(cut) for cut in (self.low, self.mean, self.high))
        low, high = _share(mean - values, mean - least), _share(values - mean, most - mean)
        return low, 1 - low - high, high


def _share(apart: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """`apart` as a share of `whole`, 0 to 1; where that is nothing, 1 for all that is apart at all."""
    return np.where(whole > 0, np.clip(apart / np.where(whole > 0, whole, 1), 0, 1), (apart > 0).astype(float))
