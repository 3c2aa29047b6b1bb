"""Estimate how likely a group of page parts is comments: a logistic regression over its features.

tests/wrapper/comments/build_model.py fits the weights.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  (serialise)
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import TYPE_CHECKING

from blogcrawler.serialise import load_file
from blogcrawler.wrapper.comments.features import features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blogcrawler.wrapper.comments.features import Sample
    from blogcrawler.wrapper.comments.units import Unit

GROUPS = "comment_groups.json"
LIKELY = 0.5
"""Probability above which a group is comments."""
LEAST = 3
"""Minimum number of comments on one page; on several pages one less is enough."""
FEW = 3
"""With more pages than this, a single page with comments is no evidence unless it announces their number."""


@dataclass(frozen=True)
class LogisticModel:
    """A logistic regression: weights of named features."""

    weights: Mapping[str, float]
    bias: float
    #: calibration: pairs of a minimum probability, in descending order, and the share of correct groups from there to
    #: the next pair; measured on blogs that the model was not fitted to
    right: tuple[tuple[float, float], ...] = ()

    def probability(self, values: Mapping[str, float]) -> float:
        """The probability of the class that the model was fitted to find."""
        return 1 / (1 + exp(-self.bias - sum(weight * values[name] for name, weight in self.weights.items())))


@cache
def shipped_model(name: str) -> LogisticModel:
    """The model in a data file of the package."""
    return load_file(LogisticModel, "blogcrawler.wrapper", name)


def confidence_of(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> float:
    """The confidence that parts of pages are comments; 0 if they are more likely something else.

    Also 0 for fewer than three parts (two on several pages), and if only one of more than `FEW` pages has any, unless
    it announces their number.
    """
    total, pages = sum(map(len, units)), sum(map(bool, units))
    if total < LEAST - (pages > 1):
        return 0.0
    values = features(samples, units)
    if pages == 1 and len(samples) > FEW and not values["announced"]:
        return 0.0
    probability = shipped_model(GROUPS).probability(values)
    return round(probability, 3) if probability > LIKELY else 0.0


def calibrated(probability: float) -> float:
    """The share of groups with this probability that are comments; below the calibrated range, the rounded
    probability."""
    shares = shipped_model(GROUPS).right
    return next((share for least, share in shares if probability >= least), round(probability, 1))
