"""Posts of several authors, where the feed names the first one only.

Any rule that finds the first author agrees with such a feed. Of those that do, one is better that finds others beside
the first on some pages, if they are known to write for the blog. On most pages it must find the feed's authors alone:
else it finds a list of all who write.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from blogcrawler.people import joint_name, separate
from blogcrawler.similarity import fold
from blogcrawler.wrapper.bylines import looks_like_name
from blogcrawler.wrapper.fields.author_rule import MINIMUM, author_rule, author_scores
from blogcrawler.wrapper.induce import Learned
from blogcrawler.wrapper.rules import LINKED
from blogcrawler.wrapper.values import values_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.fields.author_rule import Known
    from blogcrawler.wrapper.fields.text import TextRule
    from blogcrawler.wrapper.rules import Rule
    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["rule_of_several"]

ALONE = 0.5
"""Share of the pages on which the feed's authors must be all that a rule finds."""
MAX_TRIED = 5
BESIDE = 10
"""Elements beside an author's that may hold others."""
PLACED = 7
"""Rules of this kind and above know a node by its mere tag or place."""


def rule_of_several(rules: Sequence[TextRule], known: Known, people: frozenset[str]) -> TextRule | None:
    """The rule that finds most authors beside those of the feed, and these wherever the first of `rules` does.

    `people` are the folded names of all who are known. O(n) in the size of the pages: a bounded number of rules.
    """
    if len(people) < 2:
        return None
    votes: Counter[Rule] = Counter()
    for page, names in known:
        votes.update(page.once(_rules_of_several, names, people))
    if not votes:
        return None
    first = [_names_by(rules[0], page, people) if rules else frozenset() for page, _ in known]
    best: tuple[int, TextRule] | None = None
    for rule in sorted(votes, key=lambda rule: (-votes[rule], rule))[:MAX_TRIED]:
        marked = _marked(rule, known, people)
        more = _further(marked, first, known, people)
        if more > (best[0] if best else 0):
            best = more, marked
    return best[1] if best else None


def _rules_of_several(page: TrainingPage, names: tuple[str, ...], people: frozenset[str]) -> set[Rule]:
    """The rules of nodes that name the author together with somebody else who is known."""
    others = people - set(map(fold, names))
    found: set[Rule] = set()
    for (node, attribute), score in page.once(author_scores, names[0]).of.items():
        if score < MINIMUM:
            continue
        beside = _beside(page, node, attribute)
        folded = fold(" ".join(beside))
        if not any(other in folded for other in others):
            continue
        together = joint_name(beside[0], names[0], people) if beside else ""
        named = {fold(name) for text in (*beside[1:], *separate(together, people)) for name in separate(text, people)}
        if not named.isdisjoint(others):
            found.update(rule for rule in page.lookup.rules_of(node, attribute) if rule.kind < PLACED)
    return found


def _beside(page: TrainingPage, node: HtmlElement, attribute: str) -> list[str]:
    """The text of a node, and what stands in the next nodes beside it, or in the next items of a list."""
    if attribute.startswith(LINKED):
        return values_at([node], attribute)
    texts = values_at([node], attribute)
    parent = node.getparent()
    if attribute or parent is None:
        return texts
    items = parent.itersiblings() if len(parent) == 1 else node.itersiblings()
    positions = (page.position(one) for one in islice(items, BESIDE))
    return [*texts, *(text for at in positions if at is not None and (text := page.profile.texts[at]))]


def _marked(rule: Rule, known: Known, people: frozenset[str]) -> TextRule:
    scores = [page.once(author_scores, names[0]).score(rule) for page, names in known]
    good = [score for score in scores if score >= MINIMUM]
    learned = Learned(rule, len(good) / len(known), sum(good) / len(good) if good else 0.0)
    return replace(author_rule(learned, known, people)[0], several=True)


def _names_by(rule: TextRule, page: TrainingPage, people: frozenset[str]) -> frozenset[str]:
    """The names that a rule finds on a page, folded; empty where it finds something else."""
    texts = rule.extract_all(page.tree, page.article[0] if page.article else None)
    found = [name for text in texts for name in separate(text, people)]
    return frozenset(map(fold, found)) if all(map(looks_like_name, found)) else frozenset()


def _further(rule: TextRule, first: Sequence[frozenset[str]], known: Known, people: frozenset[str]) -> int:
    """On how many more pages does a rule find known authors beside the feed's? 0 where it finds less, or too much."""
    alone = more = unknown = 0
    for (page, names), before in zip(known, first, strict=True):
        told = frozenset(map(fold, names))
        found = _names_by(rule, page, people)
        if not before & told <= found:
            return 0
        alone += found <= told
        more += bool(found & people - told) - bool(before & people - told)
        unknown += not found <= people | told
    return more if alone >= ALONE * len(known) and unknown <= more else 0
