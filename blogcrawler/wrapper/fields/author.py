"""The authors: the node that names the feed's author, nearest to the article; or one author for the whole blog.

Where the feed names nobody, what the pages call an author stands for its values (see `bylines`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from blogcrawler.people import joint_name, known_names, separate
from blogcrawler.similarity import fold
from blogcrawler.wrapper.bylines import guess_author, looks_like_name
from blogcrawler.wrapper.fields.text import TextRule, learn_marks
from blogcrawler.wrapper.induce import NodeScores, induce
from blogcrawler.wrapper.metadata import metadata_author
from blogcrawler.wrapper.nearness import place_of
from blogcrawler.wrapper.rules import NAMED, OWN_TEXT
from blogcrawler.wrapper.values import values_at

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.induce import Learned
    from blogcrawler.wrapper.rules import Rule
    from blogcrawler.wrapper.training import TrainingPage

__all__ = ["Authors", "author_scores", "learn_authors"]

MINIMUM = 0.5
HOLDS = 0.92
EXTRA = 120
DISTANCE = 0.01
FAR = 15
UNSEEN = 0.04
SHELL = 0.025
"""The element around just one name may be that of several names on other pages."""
TRUSTED = 0.8
"""Support from which a rule is asked before the feed's one author."""
CHANCE = 0.3
"""Support below which a rule of mere places names who is mentioned there by chance."""
ALONE, NEARLY_ALONE = 0.9, 0.7
"""Share of the pages on which a rule finds just the authors."""
FIRST = 2
TOGETHER = " & "
"""Between the authors of a blog that has the same ones always."""
MAX_NAME = 80
"""Characters; a longer author is a rule gone wrong."""


@dataclass(frozen=True)
class Authors:
    """How to get the authors from a page."""

    rules: tuple[TextRule, ...] = ()
    #: the author of all entries of the feed, where they have just one; or the same several, joined
    constant: str | None = None
    #: do the pages name several authors in a standard vocabulary where the feed has just one?
    prefers_metadata: bool = False
    #: did the feed prove the rules? Else they were learned from bylines.
    proven: bool = True
    #: do bylines name several authors where the feed has just one?
    prefers_bylines: bool = False
    #: folded names of people who have written for the blog, by which joint names are told
    known: tuple[str, ...] = ()

    def extract(self, tree: HtmlElement, article: HtmlElement | None = None) -> tuple[list[str], TextRule | None]:
        """The authors, and the rule that found them; no rule where they are the feed's only one."""
        for rule in self.rules:
            if self.constant and rule.learned.support < TRUSTED:
                break
            texts = rule.extract_all(tree, article)
            found = dict.fromkeys(name for text in texts for name in separate(text, frozenset(self.known)))
            names = [name for name in found if len(name) <= MAX_NAME]
            if names and (self.proven or all(map(looks_like_name, names))):
                return names, rule
        return (separate(self.constant, frozenset(self.known)) if self.constant else []), None

    def to_dict(self) -> dict[str, Any]:
        """JSON types only."""
        return {
            "rules": [rule.to_dict() for rule in self.rules],
            "constant": self.constant,
            "prefers_metadata": self.prefers_metadata,
            "proven": self.proven,
            "prefers_bylines": self.prefers_bylines,
            "known": list(self.known),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The object of `to_dict`."""
        rules = tuple(TextRule.from_dict(item) for item in data["rules"])
        return cls(
            rules,
            data["constant"],
            data["prefers_metadata"],
            data["proven"],
            data["prefers_bylines"],
            tuple(data["known"]),
        )


def learn_authors(pages: Sequence[TrainingPage]) -> Authors:
    """Rules for the author, and the constant one. O(n) in the size of the pages."""
    known = [(page, page.entry.authors) for page in pages if page.entry.authors]
    if not known:
        return _learn_bylines(pages)
    names = {page.entry.authors for page, _ in known}
    single = next(iter(names)) if len(names) == 1 and len(known) == len(pages) else ()
    prefers_metadata = len(names) == 1 and _pages_know_better(pages)
    if single and not prefers_metadata and _bylines_may_differ(pages):
        bylines = _learn_bylines(pages)
        if _bylines_differ(bylines, pages):
            return replace(bylines, prefers_bylines=True)
    people = known_names(name for _, told in known for name in told)
    rules = _learn_rules(known, people)
    if rules and not prefers_metadata and _metadata_is_steadier(rules[0].learned, known):
        rules = ()
    constant = TOGETHER.join(single) or None
    return Authors(rules, constant, prefers_metadata, known=tuple(sorted(people)))


def _metadata_is_steadier(learned: Learned, known: Sequence[tuple[TrainingPage, tuple[str, ...]]]) -> bool:
    """Does a standard vocabulary name the feed's authors oftener than a rule of some pages, or of a mere place?"""
    if learned.rule.kind <= NAMED and learned.support >= TRUSTED:
        return False
    told = [(page.once(_named_in_metadata), names) for page, names in known]
    right = sum(found is not None and (fold(found[0]),) == tuple(map(fold, names)) for found, names in told)
    return right >= TRUSTED * len(known) and right > learned.support * len(known)


def _learn_bylines(pages: Sequence[TrainingPage]) -> Authors:
    """Rules for what most pages call their author."""
    guessed = [(page, (name,)) for page in pages if (name := page.once(guess_author)) is not None]
    if len(guessed) < TRUSTED * len(pages):
        return Authors(proven=False)
    people = known_names(name for _, (name,) in guessed)
    rules = _learn_rules(guessed, people)
    sure = tuple(rule for rule in rules if rule.learned.support >= TRUSTED)
    return Authors(sure, proven=False, known=tuple(sorted(people)))


def _learn_rules(
    known: Sequence[tuple[TrainingPage, tuple[str, ...]]], people: Collection[str]
) -> tuple[TextRule, ...]:
    """Rules that find the names that pages are known to have; `people` are all who are known, folded."""
    rules = []
    for learned in induce([page.once(author_scores, names[0]) for page, names in known], MINIMUM):
        found = [
            (values_at(page.lookup.select(learned.rule.xpath), learned.rule.attribute), names) for page, names in known
        ]
        pairs = [(texts[0], joint_name(texts[0], names[0], {*names, *people})) for texts, names in found if texts]
        before, after = learn_marks(pairs)
        place = place_of(learned.rule, [page for page, _ in known])
        rule = TextRule(learned, before, after, _may_be_several(learned.rule, found), place)
        right = sum(fold(rule.trim(text)) == fold(name) for text, name in pairs)
        is_named = learned.rule.kind <= NAMED
        by_chance = not is_named and learned.support < CHANCE
        if not by_chance and right >= TRUSTED * len(pairs) * (learned.support if is_named else 1.0):
            rules.append(rule)
    return tuple(rules)


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


def _bylines_may_differ(pages: Sequence[TrainingPage]) -> bool:
    """Does none of the first pages' bylines name the feed's author? To learn all of them takes long."""
    guesses = [(page.once(guess_author), page.entry.authors) for page in pages[:FIRST]]
    return all(name is not None and fold(name) not in map(fold, authors) for name, authors in guesses)


def _bylines_differ(bylines: Authors, pages: Sequence[TrainingPage]) -> bool:
    """Do bylines name different authors, not one of which the feed knows?"""
    told = {fold(name) for page in pages for name in bylines.extract(page.tree)[0]} if bylines.rules else set()
    return len(told) > 1 and told.isdisjoint(fold(name) for page in pages for name in page.entry.authors)


def _pages_know_better(pages: Sequence[TrainingPage]) -> bool:
    """Do nearly all pages name an author, and not all the same one?"""
    told: set[str] = set()
    silent = 0
    for page in pages:
        found = page.once(_named_in_metadata)
        if found is None:
            silent += 1
            if len(pages) - silent < TRUSTED * len(pages):
                return False
        else:
            told.add(found[0])
    return len(told) > 1


def _named_in_metadata(page: TrainingPage) -> tuple[str, str] | None:
    return metadata_author(page.tree)


def author_scores(page: TrainingPage, author: str) -> NodeScores:
    """Scores of the short texts that name the author: alone best, among other words less, and less with the distance to
    the article (section 3.5 of the paper)."""
    name = fold(author)
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?![\w'’])")
    distances = page.distances
    found = {}
    for value in page.values:
        text = value.folded
        if name not in text or len(text) > len(name) + EXTRA or not whole.search(text):
            continue
        score = 1.0 if text == name else HOLDS - 0.001 * (len(text) - len(name))
        if value.attribute not in {"", OWN_TEXT} or value.node.tag == "title":
            score -= UNSEEN + DISTANCE * 3
        else:
            score -= DISTANCE * min(FAR, distances[value.position])
            score -= SHELL * page.profile.is_shell(value.position)
        found[value.node, value.attribute] = score
    return NodeScores(page.lookup, found)
