"""Which of several candidates is the value of a field: one fitted model a field, over named signs of a candidate.

A conditional logit model (McFadden, 1974): candidates of a page compete, and "none of them" with them. What it says of
the best one is the confidence in it. tests/wrapper/fallback/build_rankers.py fits the weights.
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
    """A value, and where it came from."""

    value: str
    source: FieldSource


@dataclass
class Candidate:
    """A value that a field may have; all places of a page that say it are one candidate."""

    value: str
    source: Source
    #: the place that said it first
    where: str | None
    signs: dict[str, float] = field(default_factory=dict)

    def mark(self, *signs: str) -> None:
        """Note signs that it has."""
        self.signs.update(dict.fromkeys(signs, 1.0))


@dataclass(frozen=True)
class Ranker:
    """Weights of signs. What is not named weighs nothing."""

    weights: dict[str, float]
    #: logit of "none of them"
    none: float

    def probabilities(self, candidates: Collection[Candidate]) -> list[float]:
        """How likely each is the right one; what is missing to 1 is left for none of them. O(n)."""
        logits = [sum(self.weights.get(name, 0.0) * value for name, value in one.signs.items()) for one in candidates]
        top = max([self.none, *logits])
        odds = [exp(logit - top) for logit in logits]
        whole = sum(odds) + exp(self.none - top)
        return [each / whole for each in odds]

    def best(self, candidates: Sequence[Candidate]) -> Fact | None:
        """The likeliest candidate, with how likely it is as its confidence. O(n)."""
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
