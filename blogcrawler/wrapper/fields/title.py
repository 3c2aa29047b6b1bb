"""The title: the node that says what the feed's title says, nearest to the article."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.similarity import dice
from blogcrawler.urls import resolve
from blogcrawler.wrapper.fields.text import TextRule, learn_marks
from blogcrawler.wrapper.induce import NodeScores, induce
from blogcrawler.wrapper.nearness import place_of
from blogcrawler.wrapper.rules import OWN_TEXT, select
from blogcrawler.wrapper.values import value_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["learn_title", "title_link", "title_scores"]

MINIMUM = 0.75
HOLDS = 0.9
"""Score of a text that holds the title among other words."""
EXTRA = 100
"""Characters that such a text may have besides."""
DISTANCE = 0.004
FAR = 10
"""Edges; what is further from the article is not worse any more."""
UNSEEN = 0.04
"""A title that readers do not see (in the head, in an attribute) is taken where the page shows none."""
HEADING = 0.01
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])


def learn_title(pages: Sequence[TrainingPage]) -> tuple[TextRule, ...]:
    """Rules for the title. O(n) in the size of the pages."""
    known = [page for page in pages if page.title]
    rules = []
    for learned in induce([page.once(title_scores) for page in known], MINIMUM):
        pairs = []
        for page in known:
            nodes = page.lookup.select(learned.rule.xpath)
            if nodes and page.entry.title:
                pairs.append((value_at(nodes[0], learned.rule.attribute), page.entry.title))
        before, after = learn_marks(pairs)
        rules.append(TextRule(learned, before, after, place=place_of(learned.rule, known)))
    return tuple(rules)


def title_link(tree: HtmlElement, rule: TextRule, url: str) -> str | None:
    """Where the title of a page leads, if it is a link as a whole."""
    for node in select(tree, rule.learned.rule.xpath)[:1]:
        around = next(node.iterancestors("a"), None)
        anchor = around if around is not None else next(node.iter("a"), None)
        if anchor is None or (around is None and 2 * len(inline_text(anchor)) < len(inline_text(node))):
            return None
        href = anchor.get("href")
        return resolve(url, href) if href else None
    return None


def title_scores(page: TrainingPage) -> NodeScores:
    """Dice similarity of each short text with the feed's title, less a little for the distance to the article.

    Recent posts in a side bar and links to the next post say the same words; votes over the pages tell them from the
    title, which stands in the same place everywhere.
    """
    target = page.profile.alphabet.bigrams(page.title)
    distances = page.distances
    found = {}
    for value in page.values:
        likeness = _likeness(value.folded, page.title, value.bigrams, target)
        if likeness < MINIMUM:
            continue
        tag = value.node.tag
        if value.attribute not in {"", OWN_TEXT} or tag == "title":
            likeness -= UNSEEN
        else:
            parent = value.node.getparent()
            likeness -= DISTANCE * min(FAR, distances[value.position])
            likeness += HEADING * (tag in HEADINGS or (parent is not None and parent.tag in HEADINGS))
        found[value.node, value.attribute] = likeness
    return NodeScores(page.lookup, found)


def _likeness(text: str, title: str, bigrams: int, target: int) -> float:
    if text == title:
        return 1.0 - HEADING
    likeness = dice(bigrams, target)
    if title in text and len(text) <= len(title) + EXTRA:
        return max(HOLDS, likeness - HEADING)
    return min(likeness, 1 - 2 * HEADING)
