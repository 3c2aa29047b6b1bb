"""The tags: the nodes that a rule selects are together the feed's categories of the post.

Where no entry of the feed has categories, the links nearest to the article that lead to all posts of a tag stand for
them: those with @rel="tag" (the microformat), and those whose address is that of a tag by the customs of blog software.
"""

from __future__ import annotations

import re
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
LISTS_OF_POSTS = tuple(
    re.compile(rf"[/?&](?:{words})[/=][^#]*\w", re.IGNORECASE)
    for words in ("tags?|labels?|keywords?", "categor(?:y|ies|ias?|ie)|cat|topics?")
)
"""What stands in the address of all posts of a tag, and of a category, which is asked for where there are no tags."""
LONGEST = 60
"""Characters of a tag's name."""
PROSE = 60
"""Characters beside a link that make it a part of a sentence, and no tag."""
MAX_NODES = 6
"""Nodes with a tag's name that are considered on a page."""


class TagScores:
    """How well the nodes of a page that rules select agree with its tags: F1 of the two sets."""

    def __init__(self, page: TrainingPage, tags: Iterable[str]) -> None:
        self._page = page
        self._wanted = frozenset(_name(tag) for tag in tags)
        #: of each node with a short text, the tag that it would be
        self._names = {value.node: _bare(value.folded) for value in page.values if not value.attribute}
        self._scores: dict[str, float] = {}
        self.best = max((self.score(rule) for rule in self.candidates()), default=0.0)

    def candidates(self) -> Iterable[Rule]:
        """Rules without places, of the nodes near the article that hold one of the tags."""
        positions, distances = self._page.profile.positions, self._page.distances
        named = [node for node, name in self._names.items() if name in self._wanted]
        near = sorted(named, key=lambda node: distances[positions[node]])[:MAX_NODES]
        return {rule for node in near for rule in rules_of(node) if "[1]" not in rule.xpath and rule.kind < 7}

    def score(self, rule: Rule) -> float:
        """F1 of what a rule extracts, less a little for nodes that say the same again."""
        found = self._scores.get(rule.xpath)
        if found is None:
            found = self._scores[rule.xpath] = self._f1(rule)
        return found

    def _f1(self, rule: Rule) -> float:
        nodes = select(self._page.tree, rule.xpath)[:MAX_TAGS]
        texts = [self._names[node] if node in self._names else _name(self._page.text(node)) for node in nodes]
        got = set(filter(None, texts))
        if not got or not self._wanted:
            return 0.0
        return 2 * len(got & self._wanted) / (len(got) + len(self._wanted)) - 0.001 * (len(texts) - len(got))


def learn_tags(pages: Sequence[TrainingPage]) -> tuple[Learned, ...]:
    """Rules for the tags: at most one, since a second one would fire on posts without tags. O(n)."""
    told = [(page, page.entry.tags) for page in pages if page.entry.tags]
    tagged = told or _linked_tags(pages)
    return induce([TagScores(page, tags) for page, tags in tagged], MINIMUM)[:1]


def extract_tags(tree: HtmlElement, rules: Sequence[Learned]) -> list[str]:
    """The tags of a page, without doubles."""
    for learned in rules:
        texts = [inline_text(node).lstrip("#").strip() for node in select(tree, learned.rule.xpath)[:MAX_TAGS]]
        found = {fold(text): text for text in reversed(texts) if text}
        if found:
            return list(reversed(found.values()))
    return []


def _linked_tags(pages: Sequence[TrainingPage]) -> list[tuple[TrainingPage, tuple[str, ...]]]:
    """The names of the links to lists of posts that are nearest to the article, for each page that has any.

    A menu of all tags, which says the same on all pages, is none.
    """
    for address in LISTS_OF_POSTS:
        found = [(page, names) for page in pages if (names := _nearest(page, address))]
        if len({frozenset(names) for _, names in found}) > 1:
            return found
    return []


def _nearest(page: TrainingPage, address: re.Pattern[str]) -> tuple[str, ...]:
    links = [value for value in page.values if _leads_to_tag(value, address) and not _in_prose(page, value)]
    least = min((page.distances[link.position] for link in links), default=0)
    return tuple(link.text for link in links if page.distances[link.position] == least)


def _in_prose(page: TrainingPage, link: Value) -> bool:
    parent = page.profile.parents[link.position]
    return page.profile.sizes[parent] - page.profile.link_sizes[parent] > PROSE


def _leads_to_tag(value: Value, address: re.Pattern[str]) -> bool:
    if value.node.tag != "a" or value.attribute or len(value.text) > LONGEST:
        return False
    rel, href = value.node.get("rel") or "", value.node.get("href") or ""
    return "tag" in rel.split() or address.search(href) is not None


def _name(text: str) -> str:
    return _bare(fold(text))


def _bare(folded: str) -> str:
    return folded.lstrip("#").strip()
