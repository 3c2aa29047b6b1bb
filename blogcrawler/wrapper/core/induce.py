"""Induce rules from scored nodes: every page votes for the rules of its best nodes, and the rule with most votes wins.

This is Algorithm 2 of the BlogForever paper, with votes instead of means over the pages: a mean is misled by posts with
almost no text. A node has several rules, so that the pages can agree on one that holds everywhere. A page votes for all
rules whose scores are within `TOLERANCE` of its best one, so that a few wrong characters do not split the votes. The
pages that the first rule does not explain are used to learn further rules.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.serialise import INLINE
from blogcrawler.wrapper.core.rules import MERGED, NAMED, PLACED, Rule, merged_paths
from blogcrawler.wrapper.core.thresholds import SEVERAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.lookup import Lookup

TOLERANCE = 0.02
COVERED = 0.1
"""A rule explains a page if its score is at most this much below that of the page's best node."""
MAX_NODES = 8
"""Maximum number of a page's best nodes that are considered; more nodes of equal score are nested containers
or a list."""
MAX_RULES = 3


class NodeScores:
    """Scores, 0 to 1, of nodes or of their attributes; the score of all others is 0."""

    def __init__(self, lookup: Lookup, of: dict[tuple[HtmlElement, str], float]) -> None:
        self.lookup = lookup
        self.of = of
        self.best = max(of.values(), default=0.0)

    def candidates(self) -> Iterable[Rule]:
        """The rules of the page's best nodes."""
        near = sorted((item for item in self.of.items() if item[1] >= self.best - TOLERANCE), key=lambda item: -item[1])
        return {rule for (node, attribute), _ in near[:MAX_NODES] for rule in self.lookup.rules_of(node, attribute)}

    def score(self, rule: Rule) -> float:
        """The score of the first node that a rule selects; 0 for a merged path that selects several nodes."""
        nodes = self.lookup.select(rule.xpath)
        is_rule = len(nodes) == 1 or (nodes and rule.kind != MERGED)
        return self.of.get((nodes[0], rule.attribute), 0.0) if is_rule else 0.0


@dataclass(frozen=True)
class Learned:
    """A rule, and its results on the pages from which it was learned."""

    rule: Rule = field(metadata=INLINE)
    #: share of all training pages that it explains
    support: float
    #: mean score on the pages that it explains
    score: float

    @property
    def confidence(self) -> float:
        """The confidence in the rule, 0 to 1."""
        return round(min(1.0, self.score) * (0.5 + 0.5 * self.support), 3)


def best_rule(pages: Sequence[NodeScores]) -> tuple[Rule, list[float]] | None:
    """The rule with most votes, with its score on each page. Of equal rules, one by the node's own names is better than
    one by its place; then the mean score counts, then the kind of the rule."""
    proposed = [page.candidates() for page in pages]
    upper = Counter(rule for rules in proposed for rule in rules)
    upper.update(merged_paths([rule for rule in rules if rule.kind == PLACED] for rules in proposed))
    perfect = _Standing(len(pages), True, round(sum(page.best for page in pages) / len(pages), 3))
    winner: tuple[_Standing, Rule, list[float]] | None = None
    for rule in sorted(upper, key=lambda rule: (-upper[rule], rule)):
        least = winner[0] if winner else _Standing(0, False, 0.0)
        if winner and (upper[rule] < least.votes or least >= perfect):
            break  # votes and standing of the remaining rules cannot be higher
        standing_and_scores = _scores_above(rule, pages, least)
        if standing_and_scores is not None:
            winner = standing_and_scores[0], rule, standing_and_scores[1]
    return (winner[1], winner[2]) if winner and winner[0].votes else None


class _Standing(NamedTuple):
    """The sort key that makes one rule better than another."""

    votes: int
    named: bool
    mean: float


def _scores_above(rule: Rule, pages: Sequence[NodeScores], least: _Standing) -> tuple[_Standing, list[float]] | None:
    """The standing of a rule and its score on each page; None as soon as it cannot exceed `least`."""
    named = rule.kind <= NAMED
    votes, most = len(pages), sum(page.best for page in pages)
    scores = []
    for page in pages:
        score = page.score(rule)
        scores.append(score)
        votes -= not (score > 0 and score >= page.best - TOLERANCE)
        most -= page.best - score
        if _Standing(votes, named, round(most / len(pages), 3)) <= least:
            return None
    standing = _Standing(votes, named, round(sum(scores) / len(scores), 3))
    return (standing, scores) if standing > least else None


def induce(pages: Sequence[NodeScores], minimum: float) -> tuple[Learned, ...]:
    """The rules for a field, the one that explains most pages first. O(n) in the size of the pages.

    Pages whose best node scores less than `minimum` do not show the target and are left out. For each page a bounded
    number of rules is tried on each page.
    """
    remaining = [page for page in pages if page.best >= minimum]
    learned: list[Learned] = []
    while remaining and len(learned) < MAX_RULES:
        rule_and_scores = best_rule(remaining)
        if rule_and_scores is None:
            break
        rule, scores = rule_and_scores
        explained = [score > 0 and score >= page.best - COVERED for page, score in zip(remaining, scores, strict=True)]
        if (learned or len(pages) >= SEVERAL) and sum(explained) < 2:
            break  # a rule for a single page proves no template
        good = [score for score, yes in zip(scores, explained, strict=True) if yes]
        learned.append(Learned(rule, len(good) / len(pages), sum(good) / len(good)))
        remaining = [page for page, yes in zip(remaining, explained, strict=True) if not yes]
    return tuple(learned)
