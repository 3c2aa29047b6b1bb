"""Elements that a person has pointed out, and which of their rules stand for them on other pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import fold, similarity
from blogcrawler.wrapper.core.rules import NAMED, OWN_TEXT, Rule, is_text_part, rules_of, select
from blogcrawler.wrapper.core.values import text_parts, value_at
from blogcrawler.wrapper.corrections.pointing import Correction, told_by
from blogcrawler.wrapper.fields.text import learn_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.choices import CorrectedField
    from blogcrawler.items import Entry
    from blogcrawler.wrapper.core.training import Example
    from blogcrawler.wrapper.fields.date import Dates

LIKE = 0.8
"""Similarity of what an element says and what the feed says, from which they agree."""
SEVERAL = ("authors", "tags")
"""Fields with several values, which several posts have alike."""
MOST_RULES = 3
"""A blog has few templates."""
MOST_NODES = 60
"""Elements that a rule for several values selects on a page."""
LONGEST_PROOF = 2_000
"""Characters of a feed's article that are compared."""


class Pointed(NamedTuple):
    """An element that was pointed out."""

    page: Example
    node: HtmlElement
    correction: Correction

    @property
    def is_one_of_several(self) -> bool:
        """True if there may be more values of the field beside it: a link stands for those like it."""
        return self.correction.field in SEVERAL and self.node.tag == "a"

    @property
    def has_links(self) -> bool:
        """True if the links in it are the values, not its text."""
        is_list = self.correction.field in SEVERAL and self.correction.words is None and self.node.tag != "a"
        return is_list and any(inline_text(link).strip() for link in self.node.iter("a"))


def rules_for(
    pointed: Sequence[Pointed], others: Sequence[Example], field: CorrectedField, dates: Dates, *, ignores_feed: bool
) -> list[Rule]:
    """The rules that select the elements that were pointed out, the one that selects most of them first."""
    left, found = list(pointed), list[Rule]()
    while left and len(found) < MOST_RULES:
        trials = [Trial.of(rule, left, others, dates) for rule in candidates(left)]
        best = min(trials, key=lambda trial: trial.rank(ignores_feed=ignores_feed), default=None)
        if best is None:
            break
        found.append(best.rule)
        left = [one for one in left if not selects(best.rule, one, field)]
    return found


def candidates(pointed: Sequence[Pointed]) -> set[Rule]:
    return {rule for one in pointed for rule in rules_of(one.node, attribute_of(one))}


class Trial(NamedTuple):
    """What a rule does that selects an element which was pointed out."""

    rule: Rule
    #: elements that were pointed out, and that it selects
    covered: int
    #: other pages, and those of them on which it finds something
    pages: int
    said: int
    #: those on which that is the same as on others: it belongs to the blog
    alike: int
    #: those on which the feed says something else
    wrong: int
    #: elements that were pointed out, beside which it finds values that are not in them
    strays: int

    @classmethod
    def of(cls, rule: Rule, pointed: Sequence[Pointed], others: Sequence[Example], dates: Dates) -> Trial:
        """A rule on all pages."""
        field = pointed[0].correction.field
        covered = sum(selects(rule, one, field) for one in pointed)
        said = [(told, page.entry) for page in others if (told := told_on(rule, page, field, dates)) is not None]
        counts = Counter(repr(told) for told, _ in said) if field not in SEVERAL else Counter()
        alike = sum(count for count in counts.values() if count > 1)
        wrong = sum(differs(told, entry, field) for told, entry in said if has_value(entry, field))
        strays = sum(_strays(rule, one, dates) for one in pointed) if field in SEVERAL else 0
        return cls(rule, covered, len(others), len(said), alike, wrong, strays)

    @property
    def is_general(self) -> bool:
        """True if it finds something of its own on most pages."""
        return 2 * self.said > self.pages and 2 * self.alike < self.said

    def rank(self, *, ignores_feed: bool) -> tuple[Any, ...]:
        """The least is the best; what the feed says counts for nothing where it is wrong, or nowhere to be seen."""
        is_named = self.rule.kind <= NAMED
        if ignores_feed:
            return -self.covered, not self.is_general, self.strays, self.alike, -self.said, not is_named, self.rule
        doubtful = not self.is_general or 2 * self.wrong > self.said
        return -self.covered, doubtful, self.strays, self.alike + self.wrong, -self.said, not is_named, self.rule


def attribute_of(one: Pointed) -> str:
    """Where the value is in an element: of a date in the attribute for machines, or in the part of its text with it."""
    node, words = one.node, " ".join((one.correction.words or "").split())
    if one.correction.field == "published":
        return "datetime" if node.get("datetime") else ""
    parts = (OWN_TEXT, *text_parts(node, fold(words))) if words else ()
    return next((part for part in parts if value_at(node, part) == words), "")


def selects(rule: Rule, one: Pointed, field: CorrectedField) -> bool:
    nodes = select(one.page.tree, rule.xpath)
    return one.node in nodes[:MOST_NODES] if field in SEVERAL else one.node in nodes[:1]


def _strays(rule: Rule, one: Pointed, dates: Dates) -> bool:
    """True if a rule for several values finds some beside the element that was pointed out as the whole of them."""
    if one.is_one_of_several:
        return False
    field = one.correction.field
    own = set((told_by(one.node, field, dates, one.correction.words) or {}).get(field, ()))
    others = (node for node in select(one.page.tree, rule.xpath)[:MOST_NODES] if node is not one.node)
    return any(not own.issuperset((told_by(node, field, dates) or {}).get(field, ())) for node in others)


def told_on(rule: Rule, page: Example, field: CorrectedField, dates: Dates) -> dict[str, Any] | None:
    """What a rule finds on a page, as a field of an entry."""
    nodes = select(page.tree, rule.xpath)
    if nodes and is_text_part(rule.attribute):
        words = value_at(nodes[0], rule.attribute)
        return told_by(nodes[0], field, dates, words) if words else None
    if field not in SEVERAL:
        return told_by(nodes[0], field, dates) if nodes else None
    names = [name for node in nodes[:MOST_NODES] for name in (told_by(node, field, dates) or {}).get(field, ())]
    return {field: tuple(dict.fromkeys(names))} if names else None


def differs(told: Mapping[str, Any], entry: Entry, field: CorrectedField) -> bool:
    """True if an element says something else than the feed, as far as that says something."""
    if field == "title":
        return bool(entry.title) and similarity(told["title"], entry.title or "") < LIKE
    if field == "published":
        one, other = Moment.parse_iso(told["published"]), Moment.parse_iso(entry.published)
        return one is not None and other is not None and not one.may_be_same_day(other)
    if field == "content":
        return _is_other_text(told["content_html"], entry)
    known = set(map(fold, getattr(entry, field)))
    return bool(known) and not known <= set(map(fold, told[field]))


def _is_other_text(html: str, entry: Entry) -> bool:
    """True if what the feed brings is no part of an element."""
    text = fold(inline_text(fragment(entry.content_html or "")))[:LONGEST_PROOF]
    return bool(text) and similarity(text, fold(inline_text(fragment(html)))[: 2 * len(text)]) < LIKE / 2


def has_value(entry: Entry, field: CorrectedField) -> bool:
    return bool(entry.content_html if field == "content" else getattr(entry, field))


def marks_of(pointed: Sequence[Pointed]) -> tuple[str, str]:
    """What stands around the words that are the value, where these are not all of an element."""
    pairs = [(inline_text(one.node), one.correction.words) for one in pointed if not attribute_of(one)]
    return learn_marks([(text, words) for text, words in pairs if words]) if pairs else ("", "")
