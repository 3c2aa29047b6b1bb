"""The authors: the node with the feed's author nearest to the article, or one author for the whole blog.

If the feed names nobody, bylines on the pages replace its values (see `bylines`). If there are none, but the pages name
the person responsible for the feed, this person is the author.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blogcrawler.dom import inline_text
from blogcrawler.people import is_joint, joint_name, known_names, separate
from blogcrawler.similarity import fold
from blogcrawler.wrapper.core.bylines import guess_names, looks_like_name
from blogcrawler.wrapper.core.induce import NodeScores, induce
from blogcrawler.wrapper.core.metadata import metadata_authors, people_in_linked_data
from blogcrawler.wrapper.core.nearness import place_of
from blogcrawler.wrapper.core.place_scores import EXACT, EXTRA, HOLDS, MINOR, is_unseen, nearness
from blogcrawler.wrapper.core.rules import LINKED, NAMED, OWN_TEXT
from blogcrawler.wrapper.core.thresholds import CHANCE, MOST, NEARLY_ALL
from blogcrawler.wrapper.core.values import values_at
from blogcrawler.wrapper.fallback.titles import is_site_name
from blogcrawler.wrapper.fields.text import TextRule, learn_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.induce import Learned
    from blogcrawler.wrapper.core.training import LocatedPage

    Known = Sequence[tuple[LocatedPage, tuple[str, ...]]]

LOGIN = re.compile(r"[!-~]+")
TOGETHER = " & "
"""Joins the authors of a blog that always has the same ones."""
MAX_NAME = 80
"""Maximum length, in characters, of an author's name; a longer text means that the rule is wrong."""
MINIMUM = 0.5
"""Minimum score of a node that names the author."""


@dataclass(frozen=True)
class Authors:
    """How to extract the authors from a page."""

    rules: tuple[TextRule, ...] = ()
    #: the only author of all entries of the feed; or the same several authors, joined
    constant: str | None = None
    #: whether the feed confirmed the rules; otherwise they were learned from bylines
    proven: bool = True
    #: folded names of people who have written for the blog, which help to split joint names
    known: tuple[str, ...] = ()

    def extract(self, tree: HtmlElement, article: HtmlElement | None = None) -> tuple[list[str], TextRule | None]:
        """The authors, and the rule that found them; no rule for the feed's only author."""
        for rule in self.rules:
            if self.constant and rule.learned.support < MOST:
                break
            texts = rule.extract_all(tree, article)
            names_found = dict.fromkeys(name for text in texts for name in separate(text, frozenset(self.known)))
            names = [name for name in names_found if len(name) <= MAX_NAME]
            if names and (self.proven or all(map(looks_like_name, names))):
                return names, rule
        return (separate(self.constant, frozenset(self.known)) if self.constant else []), None

    def may_be_named(self, tree: HtmlElement) -> bool:
        """True if a page has the name of a known author: older bylines may have another form. O(n)."""
        said = fold(tree.text_content()) if self.known else ""
        return any(name in said for name in self.known)


def learn_authors(pages: Sequence[LocatedPage]) -> Authors:
    """Rules for the author, and the constant author. O(n) in the size of the pages."""
    pages_with_names = [(page, page.entry.authors) for page in pages if page.entry.authors]
    if not pages_with_names:
        bylines = _learn_bylines(pages)
        return bylines if bylines.rules else replace(bylines, constant=_editor(pages))
    names = {page.entry.authors for page, _ in pages_with_names}
    single = next(iter(names)) if len(names) == 1 and len(pages_with_names) == len(pages) else ()
    people = known_names(
        name for page, names_of_page in pages_with_names for name in (*names_of_page, *page.once(_people_in_data))
    )
    rules = _learn_rules(pages_with_names, people)
    if rules and rules[0].learned.rule.attribute not in {"", OWN_TEXT}:
        rules = _shown_with_more(pages_with_names, people) or rules
    constant = TOGETHER.join(single) or None
    return Authors(rules, constant, known=tuple(sorted(people)))


def _shown_with_more(known: Known, people: Collection[str]) -> tuple[TextRule, ...]:
    """Rules for visible texts that name all of the feed's authors and, on some pages, further known authors."""
    rules = _learn_rules(known, people, is_shown=True)
    pairs = [
        ({*map(fold, rules[0].extract_all(page.tree))}, {*map(fold, names_of_feed)})
        for page, names_of_feed in known
        if rules
    ]
    is_right = all(names_of_feed <= names <= names_of_feed | {*people} for names, names_of_feed in pairs)
    return rules if is_right and any(names_of_feed < names for names, names_of_feed in pairs) else ()


def _editor(pages: Sequence[LocatedPage]) -> str | None:
    """The person responsible for the feed, if nearly all pages have the name and no page names another author."""
    editors = {page.entry.editor for page in pages}
    editor = editors.pop() if len(editors) == 1 else None
    if editor is None or not looks_like_name(editor):
        return None
    for page in pages:
        stated, guessed = page.once(_named_in_metadata), page.once(guess_author)
        if any(names and fold(editor) not in map(fold, names) for names in (stated, (guessed or editor,))):
            return None
    name = re.compile(rf"(?<!\w){re.escape(fold(editor))}(?!\w)")
    naming = sum(any(name.search(value.folded) for value in page.values) for page in pages)
    return editor if naming >= MOST * len(pages) else None


def _learn_bylines(pages: Sequence[LocatedPage]) -> Authors:
    guessed = [(page, (name,)) for page in pages if (name := page.once(guess_author)) is not None]
    if len(guessed) < MOST * len(pages):
        return Authors(proven=False)
    people = known_names(name for _, (name,) in guessed)
    rules = _learn_rules(guessed, people)
    sure = tuple(rule for rule in rules if rule.learned.support >= MOST)
    return Authors(sure, proven=False, known=tuple(sorted(people)))


def _learn_rules(known: Known, people: Collection[str], *, is_shown: bool = False) -> tuple[TextRule, ...]:
    """Rules that find the names of pages; with `is_shown`, only visible ones. `people` are all known authors."""
    rules = []
    for learned in induce([page.once(author_scores, names[0], is_shown) for page, names in known], MINIMUM):
        rule, pairs = author_rule(learned, known, people)
        right = sum(fold(rule.trim(text)) == fold(name) for text, name in pairs)
        is_named = learned.rule.kind <= NAMED
        by_chance = not is_named and learned.support < CHANCE
        if not by_chance and right >= MOST * len(pairs) * (learned.support if is_named else 1.0):
            rules.append(rule)
    return tuple(rules)


def guess_author(page: LocatedPage, own: Callable[[list[HtmlElement]], list[HtmlElement]] = list) -> str | None:
    """The name at the best place of an author on a page, the site's name last; `own` filters the elements. O(n)."""
    guesses = sorted(guess_names(page), key=lambda guess: (is_site_name(page.tree, guess[1]), -guess[0]))
    own_nodes = set(own([node for _, _, node in guesses]))
    return next((name for _, name, node in guesses if node in own_nodes), None)


def misnames_authors(pages: Sequence[LocatedPage]) -> bool:
    """True if nearly all pages name authors, and these differ from the feed's only author or are better than its
    authors. O(n)."""
    feed_names = {page.entry.authors for page in pages if page.entry.authors}
    if not feed_names:
        return False
    named = [names for page in pages if (names := page.once(_named_in_metadata))]
    if len(named) >= MOST * len(pages) and (len(feed_names) == 1 < len(set(named)) or _are_better(named, pages)):
        return True
    bylines = _learn_bylines(pages)
    return _are_better([bylines.extract(page.tree)[0] for page in pages if bylines.rules], pages)


def _are_better(named: Sequence[Sequence[str]], pages: Sequence[LocatedPage]) -> bool:
    """True if the names on most pages are of other people than the feed's, and more or fuller names."""
    feed_names = {name for page in pages for name in page.entry.authors}
    others = [names for names in named if not any(fold(name) in fold(other) for name in names for other in feed_names)]
    page_names = {name for names in others for name in names}
    if 2 * sum(map(bool, others)) <= len(pages):
        return False
    least = min(_fullness(name, pages) for name in page_names)
    return len(feed_names) == 1 < len(page_names) or all(_fullness(name, pages) < least for name in feed_names)


def _fullness(name: str, pages: Sequence[LocatedPage]) -> int:
    """2 for a full name, 1 for a possible login, 0 for the blog's name."""
    return 0 if all(is_site_name(page.tree, name) for page in pages) else 1 if LOGIN.fullmatch(name) else 2


def _people_in_data(page: LocatedPage) -> frozenset[str]:
    has_data = bool(page.values) and page.values[-1].attribute.startswith(LINKED)
    return people_in_linked_data(page.tree) if has_data else frozenset()


def _named_in_metadata(page: LocatedPage) -> tuple[str, ...]:
    names_and_place = metadata_authors(page.tree)
    return names_and_place[0] if names_and_place else ()


def author_rule(learned: Learned, known: Known, people: Collection[str]) -> tuple[TextRule, list[tuple[str, str]]]:
    """A rule with the marks around the name, and the texts that it finds on pages with known authors.

    Each text is paired with the first author's name, including names that are joined to it in that text. `people` are
    all known authors, folded.
    """
    rule = learned.rule
    nodes_and_names = [(page.lookup.select(rule.xpath), names) for page, names in known]
    texts = [(values_at(nodes, rule.attribute), names) for nodes, names in nodes_and_names]
    pairs = [(held[0], joint_name(held[0], names[0], {*names, *people})) for held, names in texts if held]
    # Further texts are authors if a rule finds exactly them on nearly all pages, or known people in one line; if it
    # finds more on some pages, since many feeds name only the first of several, its element must be named as an
    # author's.
    alone = sum(len(held) in {0, len(names)} or _are_joint(held, names) for held, names in texts)
    beside = sum(len(nodes) > 1 == len(names) and _are_in_line(nodes, people) for nodes, names in nodes_and_names)
    several = alone + beside >= (MOST if rule.kind <= NAMED else NEARLY_ALL) * len(nodes_and_names)
    place = place_of(rule, [page for page, _ in known])
    return TextRule(learned, *learn_marks(pairs), several, place), pairs


def _are_in_line(nodes: Sequence[HtmlElement], people: Collection[str]) -> bool:
    """True if each element names a known person, with words such as "and" or a comma between them."""
    joints = [(node.tail or "").strip() for node in nodes[:-1]]
    is_one = len({node.getparent() for node in nodes}) == 1 and all(joint and is_joint(joint) for joint in joints)
    return is_one and all(fold(inline_text(node)) in people for node in nodes)


def _are_joint(texts: Sequence[str], names: Sequence[str]) -> bool:
    return len(texts) == 1 and len(separate(joint_name(texts[0], names[0], names), set(map(fold, names)))) == len(names)


def author_scores(page: LocatedPage, author: str, is_shown: bool = False) -> NodeScores:
    """Scores of the short texts with the author's name: best if alone, lower among other words and with the distance to
    the article (section 3.5 of the paper). With `is_shown`, only visible texts."""
    name = fold(author)
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?![\w'’])")
    values = [value for value in page.values if not is_shown or value.attribute in {"", OWN_TEXT}]
    naming = [value for value in values if len(value.folded) <= len(name) + EXTRA and whole.search(value.folded)]
    # an element around one with the name may hold other content, or several names on other pages
    around = {value.node.getparent() for value in naming if not value.attribute}
    scores = {}
    for value in naming:
        text = value.folded
        score = EXACT if text == name else HOLDS - (len(text) - len(name)) / 1000
        place = -MINOR if is_unseen(value.node, value.attribute) else nearness(value, page)
        scores[value.node, value.attribute] = score + place - MINOR * (value.node in around)
    return NodeScores(page.lookup, scores)
