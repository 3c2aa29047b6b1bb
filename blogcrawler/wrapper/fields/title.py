"""The title: the node nearest to the article whose text is the feed's title."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.dom.tags import HEADINGS
from blogcrawler.similarity import dice, fold
from blogcrawler.urls import leads_back, resolve
from blogcrawler.wrapper.core.induce import NodeScores, induce
from blogcrawler.wrapper.core.nearness import place_of
from blogcrawler.wrapper.core.place_scores import EXACT, EXTRA, HOLDS, INEXACT, MINOR, is_unseen, nearness
from blogcrawler.wrapper.core.rules import OWN_TEXT, is_text_part, select
from blogcrawler.wrapper.core.thresholds import LEAST, MOST, NEARLY_ALL
from blogcrawler.wrapper.core.values import text_parts, value_at
from blogcrawler.wrapper.fields.text import TextRule, learn_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.lookup import Lookup
    from blogcrawler.wrapper.core.rules import Rule
    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

WORD = re.compile(r"[^\W_]")
MINIMUM = 0.75
LONGEST = 300
"""Maximum length, in characters, of a title; a longer text holds other content, such as a whole post in a list."""
HEADING = 0.01


def learn_title(pages: Sequence[LocatedPage]) -> tuple[TextRule, ...]:
    """Rules for the title. O(n) in the size of the pages. A text that equals the feed's title is preferred to one that
    contains it; a text that several pages share is no title."""
    return tuple(replace(rule, of_site=_texts_of_site(rule, pages)) for rule in _learn_rules(pages))


def _learn_rules(pages: Sequence[LocatedPage]) -> tuple[TextRule, ...]:
    known = [page for page in pages if page.title]
    scores = [page.once(title_scores) for page in known]
    rules = _rules(scores, known)
    right = sum(_finds_title(rules, page) for page in known)
    if not rules or right >= MOST * len(known):
        return rules
    others = [one.without(rules[0].learned.rule) for one in scores]
    exact = _rules(others, known)
    if sum(_finds_title(exact, page) for page in known) >= NEARLY_ALL * len(known):
        return exact
    return tuple(_doubted(rule, right / len(known)) for rule in rules)


def _rules(scores: Sequence[TitleScores], pages: Sequence[LocatedPage]) -> tuple[TextRule, ...]:
    rules = []
    for learned in induce(scores, MINIMUM):
        pairs = []
        for page in pages:
            nodes = page.lookup.select(learned.rule.xpath)
            if nodes and page.entry.title:
                pairs.append((value_at(nodes[0], learned.rule.attribute), page.entry.title))
        before, after = learn_marks(pairs)
        rules.append(TextRule(learned, before, after, place=place_of(learned.rule, pages)))
    return tuple(rules)


def _texts_of_site(rule: TextRule, pages: Sequence[LocatedPage]) -> tuple[str, ...]:
    """Folded texts that a rule finds on several pages and that none of their titles contains. For a rule that finds
    invisible texts, also the headings that all pages share."""
    attribute = rule.learned.rule.attribute
    pages_by_text: dict[str, list[LocatedPage]] = defaultdict(list)
    is_seen = True
    for page in pages:
        for node in page.lookup.select(rule.learned.rule.xpath)[:1]:
            pages_by_text[fold(rule.trim(value_at(node, attribute)))].append(page)
            is_seen = is_seen and not is_unseen(node, attribute)
    alike = {
        text for text, own in pages_by_text.items() if len(own) > 1 and all(text not in page.title for page in own)
    }
    if not is_seen and len(pages_by_text) > 1:
        alike |= frozenset.intersection(*(page.once(_headings) for page in pages)) - {page.title for page in pages}
    return tuple(sorted(alike - {""}))


def _headings(page: LocatedPage) -> frozenset[str]:
    heading_values = (value for value in page.values if value.attribute == "" and value.node.tag in HEADINGS)
    return frozenset(value.folded for value in heading_values)


def _finds_title(rules: Sequence[TextRule], page: LocatedPage) -> bool:
    for rule in rules:
        for node in page.lookup.select(rule.learned.rule.xpath)[:1]:
            if text := rule.trim(value_at(node, rule.learned.rule.attribute)):
                return page.profile.alphabet.fold(text) == page.title
    return False


def _doubted(rule: TextRule, right: float) -> TextRule:
    """The rule with a lower score, if it finds the feed's title on only some of its training pages."""
    return replace(rule, learned=replace(rule.learned, score=min(rule.learned.score, max(right, LEAST))))


def find_title_by(
    rule: TextRule, tree: HtmlElement, article: HtmlElement | None = None, url: str | None = None
) -> str | None:
    """The title that a rule finds in a page at `url`, without links to the page that consist of a sign. O(n). None for
    the blog's name, or a text that is far too long."""
    title = rule.extract(tree, article)
    if title is None or len(title) > LONGEST or (rule.of_site and fold(title) in rule.of_site):
        return None
    if url is None or (title[:1].isalnum() and title[-1:].isalnum()):
        return title
    for node in select(tree, rule.learned.rule.xpath)[:1]:
        for link in node.iter("a"):
            sign = inline_text(link)
            if sign and not WORD.search(sign) and leads_back(url, link.get("href") or ""):
                title = title.removesuffix(sign).removeprefix(sign).strip() or title
    return title


def title_link(tree: HtmlElement, rule: TextRule, url: str) -> str | None:
    """The address that the title of a page links to, if it is a link as a whole."""
    for node in select(tree, rule.learned.rule.xpath)[:1]:
        around = next(node.iterancestors("a"), None)
        anchor = around if around is not None else next(node.iter("a"), None)
        if anchor is None or (around is None and 2 * len(inline_text(anchor)) < len(inline_text(node))):
            return None
        href = anchor.get("href")
        return resolve(url, href) if href else None
    return None


class TitleScores(NodeScores):
    """Scores of the texts that hold a page's title."""

    def __init__(
        self,
        lookup: Lookup,
        of: dict[tuple[HtmlElement, str], float],
        texts: Mapping[tuple[HtmlElement, str], str],
    ) -> None:
        super().__init__(lookup, of)
        #: the whole texts of the elements, folded
        self._texts = texts

    def score(self, rule: Rule) -> float:
        """The score of the first node that a rule selects; if its text has no leading child, the score of the whole
        text."""
        score = super().score(rule)
        if score or rule.attribute == OWN_TEXT or not is_text_part(rule.attribute):
            return score
        nodes = self.lookup.select(rule.xpath)
        whole = self.of.get((nodes[0], ""), 0.0) if nodes else 0.0
        return whole if whole and value_at(nodes[0], rule.attribute) == value_at(nodes[0], "") else 0.0

    def without(self, rule: Rule) -> TitleScores:
        """The scores without the text that a rule finds."""
        nodes = self.lookup.select(rule.xpath)
        text = self._texts.get((nodes[0], rule.attribute)) if nodes else None
        of = {place: score for place, score in self.of.items() if self._texts[place] != text}
        return TitleScores(self.lookup, of, self._texts)


def title_scores(page: LocatedPage) -> TitleScores:
    """Dice similarity of each short text with the feed's title, slightly lower with the distance to the article. Side
    bars and links to the next post have the same words, but not at the same place on all pages."""
    target = page.profile.alphabet.bigrams(page.title)
    scores, texts = {}, {}
    for value in page.values:
        likeness = _likeness(value.folded, page.title, value.bigrams, target)
        if likeness < MINIMUM:
            continue
        place = value.node, value.attribute
        scores[place], texts[place] = likeness + _reward(value, page), value.folded
        if not value.attribute and value.folded != page.title and page.title in value.folded:
            for part in text_parts(value.node, page.title):
                scores[value.node, part], texts[value.node, part] = EXACT + _reward(value, page), page.title
    return TitleScores(page.lookup, scores, texts)


def _reward(value: Value, page: LocatedPage) -> float:
    tag = value.node.tag
    if is_unseen(value.node, value.attribute):
        return -MINOR
    parent = value.node.getparent()
    is_heading = tag in HEADINGS or (parent is not None and parent.tag in HEADINGS)
    return HEADING * is_heading + nearness(value, page)


def _likeness(text: str, title: str, bigrams: int, target: int) -> float:
    if text == title:
        return EXACT
    likeness = dice(bigrams, target)
    if title in text and len(text) <= len(title) + EXTRA:
        return min(INEXACT, max(HOLDS, likeness - HEADING))
    return min(likeness, INEXACT)
