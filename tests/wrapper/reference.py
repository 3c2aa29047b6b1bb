"""Algorithm 1 of the paper as it stands there: the quadratic oracle for the linear learner.

All rules of all nodes of a page are made, the XPath of each is applied to each page once, the text of each node that is
selected is read anew, and its bigrams are computed from scratch, as sets of Python. Nothing is shared between two nodes,
nothing is skipped.
Each page votes for all rules within `TOLERANCE` of its best; votes are counted over the rules of all pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from lxml.html import HtmlElement

from blogcrawler.dom import fragment, inline_text, lowest_common_ancestor
from blogcrawler.items import Entry
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core import place_scores
from blogcrawler.wrapper.core.induce import TOLERANCE, NodeScores
from blogcrawler.wrapper.core.profile import SHORT, SILENT
from blogcrawler.wrapper.core.rules import MERGED, NAMED, OWN_TEXT, PLACED, Rule, is_text_part, merged_paths, rules_of
from blogcrawler.wrapper.core.values import DATA_ATTRIBUTES, TITLED, text_parts, value_at
from blogcrawler.wrapper.fields import evidence as article_field
from blogcrawler.wrapper.fields import title as title_field

Score = Callable[[HtmlElement], float]


class QuadraticScores:
    """Scores of one page by Algorithm 1: `score_of` maps each kind of value ("": the text) to a function of a node."""

    def __init__(self, tree: HtmlElement, score_of: dict[str, Score]) -> None:
        self.tree = tree
        self._score_of = score_of
        self._known: dict[tuple[HtmlElement, str], float] = {}
        self._selected: dict[str, list[HtmlElement]] = {}
        self._rules = {
            rule
            for node in tree.iter("*")
            for name in score_of
            if not name or is_text_part(name) or name in node.attrib
            for rule in rules_of(node, name)
        }
        self.best = max((self.score(rule) for rule in self._rules), default=0.0)

    def candidates(self) -> Iterable[Rule]:
        return self._rules

    def score(self, rule: Rule) -> float:
        path = rule.xpath
        if path not in self._selected:
            self._selected[path] = self.tree.xpath(path)[:2]
        nodes = self._selected[path]
        if not nodes or (rule.kind == MERGED and len(nodes) > 1):
            return 0.0
        value = nodes[0], rule.attribute
        if value not in self._known:
            self._known[value] = self._score_of[rule.attribute](nodes[0])
        return self._known[value]


def best_rule(pages: Sequence[NodeScores]) -> tuple[Rule, list[float]] | None:
    """The rule with most votes; among equals a node's own names, then the higher mean, then the steadier kind."""
    standings = {}
    proposed = [list(page.candidates()) for page in pages]
    merged = merged_paths([[rule for rule in rules if rule.kind == PLACED] for rules in proposed])
    for rule in {*merged, *(rule for rules in proposed for rule in rules)}:
        scores = [page.score(rule) for page in pages]
        votes = sum(score > 0 and score >= page.best - TOLERANCE for score, page in zip(scores, pages, strict=True))
        standings[rule] = (votes, rule.kind <= NAMED, round(sum(scores) / len(scores), 3)), scores
    if not standings:
        return None
    highest = max(standing for standing, _ in standings.values())
    winner = min(rule for rule, (standing, _) in standings.items() if standing == highest)
    return (winner, standings[winner][1]) if highest[0] else None


def article_pages(pairs: Iterable[tuple[HtmlElement, Entry]]) -> list[QuadraticScores]:
    """Scores for articles of a feed that brings them whole."""
    return [QuadraticScores(tree, {"": _article_score(entry)}) for tree, entry in pairs]


def title_pages(pairs: Iterable[tuple[HtmlElement, Entry]]) -> list[QuadraticScores]:
    """Scores for titles; distances are measured from the root, as before an article is known."""
    found, told = [], [(tree, fold(entry.title or "")) for tree, entry in pairs]
    parts = {kind for tree, title in told for kind in _parts(tree, title)}
    kinds = ("", OWN_TEXT, *sorted(parts), "content", "datetime", "title", "alt")
    for tree, title in told:
        score = _TitleScore(tree, title)
        found.append(QuadraticScores(tree, {name: score.of(name) for name in kinds}))
    return found


def _parts(tree: HtmlElement, title: str) -> Iterable[str]:
    """The parts of its elements' texts with which a page says its title."""
    for node in tree.iter("*"):
        yield from text_parts(node, title)


def pieces(node: HtmlElement) -> list[str]:
    """The visible texts of a subtree, each folded by itself; comments in the markup are as if they were not there."""
    if any(above.tag in SILENT for above in (node, *node.iterancestors())):
        return []
    found: list[str] = []
    waiting = [node]
    while waiting:
        element = waiting.pop()
        found.extend(_own_texts(element))
        waiting.extend(child for child in element if isinstance(child.tag, str) and child.tag not in SILENT)
    return [folded for folded in map(fold, found) if folded]


def _own_texts(element: HtmlElement) -> list[str]:
    """The texts that stand in an element itself: before its first child element, and behind each."""
    texts = [element.text or ""]
    for child in element:
        if isinstance(child.tag, str):
            texts.append("")
        texts[-1] += child.tail or ""
    return texts


def bigrams(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(text[i : i + 2] for text in texts for i in range(len(text) - 1))


def dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


def _article_score(entry: Entry) -> Score:
    target = pieces(fragment(entry.content_html or ""))
    size, wanted = sum(map(len, target)), bigrams(target)

    def score(node: HtmlElement) -> float:
        text = pieces(node)
        length = sum(map(len, text))
        if node.tag in article_field.NO_ARTICLE or 3 * length < size:
            return 0.0
        agreement = min(length, size) / max(length, size) if length and size else 0.0
        first = next(iter(node.iterchildren("*")), None)
        is_shell = first is not None and sum(map(len, pieces(first))) == length
        return dice(bigrams(text), wanted) * (0.5 + 0.5 * agreement) - article_field.SHELL * is_shell

    return score


class _TitleScore:
    """The score of titles, written from its description: likeness, less a little for what is unseen or far away."""

    def __init__(self, tree: HtmlElement, title: str) -> None:
        self._tree, self._title = tree, title

    def of(self, attribute: str) -> Score:
        return lambda node: self._score(node, attribute)

    def _score(self, node: HtmlElement, attribute: str) -> float:
        is_part = is_text_part(attribute) and attribute != OWN_TEXT
        text, pairs = _value(node, "" if is_part else attribute)
        if is_part and text != (rest := fold(value_at(node, attribute))):
            text, pairs = (
                (rest, bigrams([rest])) if rest == self._title and self._score(node, "") else ("", frozenset())
            )
        likeness = self._likeness(text, pairs) if text else 0.0
        if likeness < title_field.MINIMUM:
            return 0.0
        if (attribute and not is_text_part(attribute)) or node.tag == "title":
            return likeness - place_scores.MINOR
        parent = node.getparent()
        heads = node.tag in title_field.HEADINGS or (parent is not None and parent.tag in title_field.HEADINGS)
        far = min(place_scores.FAR, _distance(node, self._tree))
        likeness -= place_scores.DISTANCE * far
        return likeness + title_field.HEADING * heads

    def _likeness(self, text: str, pairs: frozenset[str]) -> float:
        if text == self._title:
            return place_scores.EXACT
        likeness = dice(pairs, bigrams([self._title]))
        if self._title in text and len(text) <= len(self._title) + place_scores.EXTRA:
            return min(place_scores.INEXACT, max(place_scores.HOLDS, likeness - title_field.HEADING))
        return min(likeness, place_scores.INEXACT)


def _value(node: HtmlElement, attribute: str) -> tuple[str, frozenset[str]]:
    """A node's value as folded text, and its bigrams; empty where the node has no such value."""
    nothing = "", frozenset[str]()
    if attribute == "":
        if node.tag == "title" and any(above.tag == "head" for above in node.iterancestors()):
            text = fold(node.text or "")
            return text, bigrams([text])
        own = pieces(node)
        return (fold(inline_text(node)), bigrams(own)) if 0 < sum(map(len, own)) <= SHORT else nothing
    if attribute == OWN_TEXT:
        text = " ".join(_own_texts(node)[0].split())
        if not pieces(node) or node.find("*") is None or len(text) > SHORT:
            return nothing
    else:
        if attribute not in TITLED.get(node.tag, DATA_ATTRIBUTES):
            return nothing
        text = " ".join((node.get(attribute) or "").split())
        if len(text) > SHORT:
            return nothing
    return fold(text), bigrams([fold(text)])


def _distance(one: HtmlElement, other: HtmlElement) -> int:
    """The number of edges between two nodes of one tree."""
    common = sum(1 for _ in lowest_common_ancestor([one, other]).iterancestors())
    return sum(sum(1 for _ in node.iterancestors()) - common for node in (one, other))
