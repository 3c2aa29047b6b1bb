"""One rule for the author: how nodes score that name one, and what stands around the name in their text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.people import is_joint, joint_name, separate
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fields.text import TextRule, learn_marks
from blogcrawler.wrapper.induce import NodeScores
from blogcrawler.wrapper.nearness import place_of
from blogcrawler.wrapper.rules import NAMED, OWN_TEXT
from blogcrawler.wrapper.values import values_at

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.induce import Learned
    from blogcrawler.wrapper.training import TrainingPage

    Known = Sequence[tuple[TrainingPage, tuple[str, ...]]]

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
    found = [(page.lookup.select(rule.xpath), names) for page, names in known]
    texts = [(values_at(nodes, rule.attribute), names) for nodes, names in found]
    pairs = [(held[0], joint_name(held[0], names[0], {*names, *people})) for held, names in texts if held]
    # Further texts are authors where a rule finds just those on nearly all pages, or known people in a line; and
    # where it finds more on some, since many feeds name but the first of several, if the element is called an author's.
    alone = sum(len(held) in {0, len(names)} or _are_joint(held, names) for held, names in texts)
    beside = sum(len(nodes) > 1 == len(names) and _are_in_line(nodes, people) for nodes, names in found)
    several = alone + beside >= (NEARLY_ALONE if rule.kind <= NAMED else ALONE) * len(found)
    place = place_of(rule, [page for page, _ in known])
    return TextRule(learned, *learn_marks(pairs), several, place), pairs


def _are_in_line(nodes: Sequence[HtmlElement], people: Collection[str]) -> bool:
    """True if each of some elements names somebody who is known, with words such as "and" or a comma between them."""
    joints = [(node.tail or "").strip() for node in nodes[:-1]]
    is_one = len({node.getparent() for node in nodes}) == 1 and all(joint and is_joint(joint) for joint in joints)
    return is_one and all(fold(inline_text(node)) in people for node in nodes)


def _are_joint(texts: Sequence[str], names: Sequence[str]) -> bool:
    """Does one text name all authors of a page?"""
    return len(texts) == 1 and len(separate(joint_name(texts[0], names[0], names), set(map(fold, names)))) == len(names)


def author_scores(page: TrainingPage, author: str, is_shown: bool = False) -> NodeScores:
    """Scores of the short texts that name the author: alone best, among other words less, and less with the distance to
    the article (section 3.5 of the paper). With `is_shown`, those alone that readers see."""
    name = fold(author)
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?![\w'’])")
    distances = page.distances
    values = [value for value in page.values if not is_shown or value.attribute in {"", OWN_TEXT}]
    naming = [value for value in values if len(value.folded) <= len(name) + EXTRA and whole.search(value.folded)]
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
