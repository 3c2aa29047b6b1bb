"""Elements that a person marked, and their rules that select the field on other pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import fold, similarity
from blogcrawler.wrapper.core.prefixes import learn_prefixes
from blogcrawler.wrapper.core.rules import NAMED, OWN_TEXT, Rule, is_text_part, rules_of, select
from blogcrawler.wrapper.core.values import text_parts, value_at
from blogcrawler.wrapper.corrections.element_values import Correction, element_value
from blogcrawler.wrapper.fields.text import learn_marks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.choices import CorrectedField
    from blogcrawler.items import Entry
    from blogcrawler.wrapper.core.training import Example
    from blogcrawler.wrapper.fields.date import Dates

LIKE = 0.8
"""Similarity of an element's value and the feed's at or above which they agree."""
SEVERAL = ("authors", "tags")
"""Fields with several values, which posts may share."""
MOST_RULES = 3
"""Maximum number of rules; a blog has few templates."""
MOST_NODES = 60
"""Maximum number of elements of a page that a rule for several values selects."""
LONGEST_PROOF = 2_000
"""Maximum number of characters of a feed's article that are compared."""


class MarkedElement(NamedTuple):
    page: Example
    node: HtmlElement
    correction: Correction

    @property
    def is_one_of_several(self) -> bool:
        """True if other elements may hold further values of the field: a link represents similar links."""
        return self.correction.field in SEVERAL and self.node.tag == "a"

    @property
    def has_links(self) -> bool:
        """True if the links in it are the values, not its text."""
        is_list = self.correction.field in SEVERAL and self.correction.words is None and self.node.tag != "a"
        return is_list and any(inline_text(link).strip() for link in self.node.iter("a"))


def rules_for(
    pointed: Sequence[MarkedElement],
    others: Sequence[Example],
    field: CorrectedField,
    dates: Dates,
    *,
    ignores_feed: bool,
) -> list[Rule]:
    """The rules that select the marked elements, the one that selects most of them first."""
    remaining, rules = list(pointed), list[Rule]()
    while remaining and len(rules) < MOST_RULES:
        trials = [Trial.of(rule, remaining, others, dates) for rule in candidates(remaining, others)]
        best = min(trials, key=lambda trial: trial.rank(ignores_feed=ignores_feed), default=None)
        if best is None:
            break
        rules.append(best.rule)
        remaining = [marked for marked in remaining if not selects(best.rule, marked, field)]
    return rules


def candidates(pointed: Sequence[MarkedElement], others: Sequence[Example]) -> set[Rule]:
    prefixes = learn_prefixes(dict.fromkeys(page.tree for page in (*others, *(marked.page for marked in pointed))))
    return {rule for marked in pointed for rule in rules_of(marked.node, attribute_of(marked), prefixes)}


class Trial(NamedTuple):
    """The results of a rule that selects a marked element."""

    rule: Rule
    #: number of marked elements that it selects
    covered: int
    #: number of other pages, and of those on which it finds a value
    pages: int
    said: int
    #: number of pages with the same value as another page: this value belongs to the blog
    alike: int
    #: number of pages on which the feed has another value
    wrong: int
    #: number of marked elements beside which it finds values that are not in them
    strays: int

    @classmethod
    def of(cls, rule: Rule, pointed: Sequence[MarkedElement], others: Sequence[Example], dates: Dates) -> Trial:
        """Try a rule on all pages."""
        field = pointed[0].correction.field
        covered = sum(selects(rule, marked, field) for marked in pointed)
        values_found = [
            (value, page.entry) for page in others if (value := value_on_page(rule, page, field, dates)) is not None
        ]
        counts = Counter(repr(value) for value, _ in values_found) if field not in SEVERAL else Counter()
        alike = sum(count for count in counts.values() if count > 1)
        wrong = sum(differs(value, entry, field) for value, entry in values_found if has_value(entry, field))
        strays = sum(_strays(rule, marked, dates) for marked in pointed) if field in SEVERAL else 0
        return cls(rule, covered, len(others), len(values_found), alike, wrong, strays)

    @property
    def is_general(self) -> bool:
        """True if it finds different values on most pages."""
        return 2 * self.said > self.pages and 2 * self.alike < self.said

    def rank(self, *, ignores_feed: bool) -> tuple[Any, ...]:
        """Sort key, least is best; the feed's values are ignored if they are wrong or nowhere on the pages."""
        is_named = self.rule.kind <= NAMED
        if ignores_feed:
            return -self.covered, not self.is_general, self.strays, self.alike, -self.said, not is_named, self.rule
        doubtful = not self.is_general or 2 * self.wrong > self.said
        return -self.covered, doubtful, self.strays, self.alike + self.wrong, -self.said, not is_named, self.rule


def attribute_of(marked: MarkedElement) -> str:
    """Where the value is in an element: for a date the attribute for machines, otherwise the part of its text with the
    value."""
    node, words = marked.node, " ".join((marked.correction.words or "").split())
    if marked.correction.field == "published":
        return "datetime" if node.get("datetime") else ""
    parts = (OWN_TEXT, *text_parts(node, fold(words))) if words else ()
    return next((part for part in parts if value_at(node, part) == words), "")


def selects(rule: Rule, marked: MarkedElement, field: CorrectedField) -> bool:
    nodes = select(marked.page.tree, rule.xpath)
    return marked.node in nodes[:MOST_NODES] if field in SEVERAL else marked.node in nodes[:1]


def _strays(rule: Rule, marked: MarkedElement, dates: Dates) -> bool:
    """True if a rule for several values finds some outside of an element that was marked as holding all of them."""
    if marked.is_one_of_several:
        return False
    field = marked.correction.field
    own = set((element_value(marked.node, field, dates, marked.correction.words) or {}).get(field, ()))
    others = (node for node in select(marked.page.tree, rule.xpath)[:MOST_NODES] if node is not marked.node)
    return any(not own.issuperset((element_value(node, field, dates) or {}).get(field, ())) for node in others)


def value_on_page(rule: Rule, page: Example, field: CorrectedField, dates: Dates) -> dict[str, Any] | None:
    """The values that a rule finds on a page, as a field of an entry."""
    nodes = select(page.tree, rule.xpath)
    if nodes and is_text_part(rule.attribute):
        words = value_at(nodes[0], rule.attribute)
        return element_value(nodes[0], field, dates, words) if words else None
    if field not in SEVERAL:
        return element_value(nodes[0], field, dates) if nodes else None
    names = [name for node in nodes[:MOST_NODES] for name in (element_value(node, field, dates) or {}).get(field, ())]
    return {field: tuple(dict.fromkeys(names))} if names else None


def differs(value: Mapping[str, Any], entry: Entry, field: CorrectedField) -> bool:
    """True if an element contradicts the feed; False if the feed has no value."""
    if field == "title":
        return bool(entry.title) and similarity(value["title"], entry.title or "") < LIKE
    if field == "published":
        day, feed_day = Moment.parse_iso(value["published"]), Moment.parse_iso(entry.published)
        return day is not None and feed_day is not None and not day.may_be_same_day(feed_day)
    if field == "content":
        return _is_other_text(value["content_html"], entry)
    known = set(map(fold, getattr(entry, field)))
    return bool(known) and not known <= set(map(fold, value[field]))


def _is_other_text(html: str, entry: Entry) -> bool:
    """True if the feed's text is no part of the element."""
    text = fold(inline_text(fragment(entry.content_html or "")))[:LONGEST_PROOF]
    return bool(text) and similarity(text, fold(inline_text(fragment(html)))[: 2 * len(text)]) < LIKE / 2


def has_value(entry: Entry, field: CorrectedField) -> bool:
    return bool(entry.content_html if field == "content" else getattr(entry, field))


def marks_of(pointed: Sequence[MarkedElement]) -> tuple[str, str]:
    """The texts around the words that are the value, if these are only a part of an element."""
    pairs = [(inline_text(marked.node), marked.correction.words) for marked in pointed if not attribute_of(marked)]
    return learn_marks([(text, words) for text, words in pairs if words]) if pairs else ("", "")
