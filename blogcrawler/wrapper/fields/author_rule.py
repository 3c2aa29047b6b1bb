"""One rule for the author: how nodes score that name one, and what stands around the name in their text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.people import joint_name, separate
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fields.text import TextRule, learn_marks
from blogcrawler.wrapper.induce import NodeScores
from blogcrawler.wrapper.nearness import place_of
from blogcrawler.wrapper.rules import NAMED, OWN_TEXT
from blogcrawler.wrapper.values import values_at

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from blogcrawler.wrapper.induce import Learned
    from blogcrawler.wrapper.rules import Rule
    from blogcrawler.wrapper.training import TrainingPage

    Known = Sequence[tuple[TrainingPage, tuple[str, ...]]]

__all__ = ["MINIMUM", "author_rule", "author_scores"]

MINIMUM = 0.5
"""Score of a node that is taken to name the author."""
HOLDS = 0.92
EXTRA = 120
DISTANCE = 0.01
FAR = 15
UNSEEN = 0.04
SHELL = 0.025
"""What is around an element that has the name may hold other things, or several names on other pages."""
ALONE, NEARLY_ALONE = 0.9, 0.7
"""Share of the pages on which a rule finds just the authors."""


def author_rule(learned: Learned, known: Known, people: Collection[str]) -> tuple[TextRule, list[tuple[str, str]]]:
    """A rule with the marks around the name; and the texts that it finds on pages whose authors are known, with the
    first author as joined to others there. `people` are all who are known, folded."""
    rule = learned.rule
    found = [(values_at(page.lookup.select(rule.xpath), rule.attribute), names) for page, names in known]
    pairs = [(texts[0], joint_name(texts[0], names[0], {*names, *people})) for texts, names in found if texts]
    before, after = learn_marks(pairs)
    place = place_of(rule, [page for page, _ in known])
    return TextRule(learned, before, after, _may_be_several(rule, found), place), pairs


def _may_be_several(rule: Rule, found: Sequence[tuple[Sequence[str], Sequence[str]]]) -> bool:
    """Are the further texts that a rule finds on a page further authors?

    So it is where it finds just the authors on nearly all pages; and where it finds more on some, since many feeds name
    but the first of several, if the element is an author's by its name.
    """
    alone = sum(len(texts) in {0, len(names)} or _are_joint(texts, names) for texts, names in found)
    return alone >= (NEARLY_ALONE if rule.kind <= NAMED else ALONE) * len(found)


def _are_joint(texts: Sequence[str], names: Sequence[str]) -> bool:
    """Does one text name all authors of a page?"""
    return len(texts) == 1 and len(separate(joint_name(texts[0], names[0], names), set(map(fold, names)))) == len(names)


def author_scores(page: TrainingPage, author: str) -> NodeScores:
    """Scores of the short texts that name the author: alone best, among other words less, and less with the distance to
    the article (section 3.5 of the paper)."""
    name = fold(author)
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?![\w'’])")
    distances = page.distances
    naming = [value for value in page.values if len(value.folded) <= len(name) + EXTRA and whole.search(value.folded)]
    around = {value.node.getparent() for value in naming if not value.attribute}
    found = {}
    for value in naming:
        text = value.folded
        score = 1.0 if text == name else HOLDS - 0.001 * (len(text) - len(name))
        if value.attribute not in {"", OWN_TEXT} or value.node.tag == "title":
            score -= UNSEEN + DISTANCE * 3
        else:
            score -= DISTANCE * min(FAR, distances[value.position])
            score -= SHELL * (value.node in around)
        found[value.node, value.attribute] = score
    return NodeScores(page.lookup, found)
