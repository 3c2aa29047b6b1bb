"""The tags: the nodes that a rule selects are together the feed's categories of the post."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.induce import Learned, induce
from blogcrawler.wrapper.rules import Rule, rules_of, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.training import TrainingPage
    from blogcrawler.wrapper.values import Value

__all__ = ["TagScores", "extract_tags", "learn_tags"]

MINIMUM = 0.6
MAX_TAGS = 60
MAX_NODES = 6
"""Nodes with a tag's name that are considered on a page."""


class TagScores:
    """How well the nodes of a page that rules select agree with the entry's tags: F1 of the two sets."""

    def __init__(self, page: TrainingPage) -> None:
        self._page = page
        self._wanted = frozenset(_name(tag) for tag in page.entry.tags)
        self._named: list[Value] = [
            value for value in page.values if not value.attribute and _name(value.text) in self._wanted
        ]
        self.best = max((self.score(rule) for rule in self.candidates()), default=0.0)

    def candidates(self) -> Iterable[Rule]:
        """Rules without places, of the nodes near the article that hold one of the tags."""
        distances = self._page.distances
        near = sorted(self._named, key=lambda value: distances[value.position])[:MAX_NODES]
        return {rule for value in near for rule in rules_of(value.node) if "[1]" not in rule.xpath and rule.kind < 7}

    def score(self, rule: Rule) -> float:
        """F1 of what a rule extracts, less a little for nodes that say the same again."""
        texts = [_name(inline_text(node)) for node in select(self._page.tree, rule.xpath)[:MAX_TAGS]]
        got = set(filter(None, texts))
        if not got or not self._wanted:
            return 0.0
        return 2 * len(got & self._wanted) / (len(got) + len(self._wanted)) - 0.001 * (len(texts) - len(got))


def learn_tags(pages: Sequence[TrainingPage]) -> tuple[Learned, ...]:
    """Rules for the tags: at most one, since a second one would fire on posts without tags. O(n)."""
    return induce([TagScores(page) for page in pages if page.entry.tags], MINIMUM)[:1]


def extract_tags(tree: HtmlElement, rules: Sequence[Learned]) -> list[str]:
    """The tags of a page, without doubles."""
    for learned in rules:
        texts = [inline_text(node).lstrip("#").strip() for node in select(tree, learned.rule.xpath)[:MAX_TAGS]]
        found = {fold(text): text for text in reversed(texts) if text}
        if found:
            return list(reversed(found.values()))
    return []


def _name(text: str) -> str:
    return fold(text).lstrip("#").strip()
