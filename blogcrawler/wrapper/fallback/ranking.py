"""Choose the value of a field among several candidates, by a fitted model for each field over named signs.

A conditional logit model (McFadden, 1974): the candidates of a page compete with each other and with "none of them".
The probability of the best candidate is its confidence. tests/wrapper/fallback/build_rankers.py fits the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import exp
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.items import FieldSource
from blogcrawler.serialise import load_file

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from blogcrawler.items import Source


class Fact(NamedTuple):
    """A value and its source."""

    value: str
    source: FieldSource


@dataclass
class Candidate:
    """A possible value of a field; all places of a page with the same value are one candidate."""

    value: str
    source: Source
    #: the place where it was found first
    where: str | None
    signs: dict[str, float] = field(default_factory=dict)

    def mark(self, *signs: str) -> None:
        """Add signs that the candidate has."""
        self.signs.update(dict.fromkeys(signs, 1.0))


@dataclass(frozen=True)
class Ranker:
    """Weights of signs; a sign without a weight has no effect."""

    weights: dict[str, float]
    #: logit of "none of them"
    none: float

    def probabilities(self, candidates: Collection[Candidate]) -> list[float]:
        """The probability of each candidate; the rest up to 1 is that of none of them. O(n)."""
        logits = [
            sum(self.weights.get(name, 0.0) * value for name, value in candidate.signs.items())
            for candidate in candidates
        ]
        top = max([self.none, *logits])
        odds = [exp(logit - top) for logit in logits]
        whole = sum(odds) + exp(self.none - top)
        return [each / whole for each in odds]

    def best(self, candidates: Sequence[Candidate]) -> Fact | None:
        """The most likely candidate, with its probability as confidence. O(n)."""
        if not candidates:
            return None
        likely = self.probabilities(candidates)
        place = max(range(len(likely)), key=likely.__getitem__)
        chosen = candidates[place]
        return Fact(chosen.value, FieldSource(chosen.source, chosen.where, round(likely[place], 3)))


@cache
def shipped_ranker(name: str) -> Ranker:
    """The ranker of a field."""
    return load_file(Ranker, __package__, f"{name}.json")
