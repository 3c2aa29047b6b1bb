"""Learn from the elements that a person marked: the element of one page shows where a field is on all pages.

Of the element's rules, the one is chosen that selects it on each corrected page, then contradicts the feed least, and
finds different values on most other pages. Its values replace missing or wrong values of the feed, and the wrapper is
learned again from all pages. If the new wrapper still finds another value on a corrected page, the rule itself is tried
first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from blogcrawler.choices import CORRECTABLE, CorrectedField
from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.similarity import fold
from blogcrawler.urls import identity
from blogcrawler.wrapper.core.induce import Learned
from blogcrawler.wrapper.core.multi_value_rules import SeveralRule
from blogcrawler.wrapper.core.rules import Rule
from blogcrawler.wrapper.corrections.element_values import Correction, Pin, element_value, node_at
from blogcrawler.wrapper.corrections.marked_elements import (
    SEVERAL,
    MarkedElement,
    Trial,
    candidates,
    differs,
    has_value,
    marks_of,
    rules_for,
    selects,
    value_on_page,
)
from blogcrawler.wrapper.fields.date_rule import DateRule
from blogcrawler.wrapper.fields.text import TextRule
from blogcrawler.wrapper.learning import learn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from blogcrawler.wrapper.core.extraction import Extraction
    from blogcrawler.wrapper.core.training import Example
    from blogcrawler.wrapper.fields.date import Dates
    from blogcrawler.wrapper.wrapper import Wrapper

LINK = re.compile(r"/a(?:\[[^/]*\])?$")
"""Matches the end of a link's expression."""
SURE = 1.0
"""Support and score of a rule for a marked element."""


@dataclass(frozen=True)
class Corrected:
    """A page, its feed entry, and a person's corrections of some fields."""

    example: Example
    corrections: tuple[Correction, ...]

    @property
    def url(self) -> str:
        return self.example.url or self.example.entry.url


def learn_corrected(examples: Iterable[Example], corrected: Sequence[Corrected]) -> Wrapper:
    """The wrapper learned from a feed's posts, and from a person's corrections of some pages. O(n) in the pages.
    Ignores elements that are not in their page. Raises NotEnoughExamples without any page."""
    pages = {identity(example.url or example.entry.url): example for example in examples}
    for page in corrected:
        known = pages.get(identity(page.url))
        pages[identity(page.url)] = page.example if known is None else replace(page.example, entry=known.entry)
    if not pages:
        raise NotEnoughExamples("There is no page of a feed entry to learn from.")
    before = learn(pages.values())
    pointed = [
        MarkedElement(pages[identity(page.url)], node, correction)
        for page in corrected
        for correction in page.corrections
        if (node := node_at(page.example.tree, correction.path)) is not None
    ]
    wrapper, lies, rules = before, set[CorrectedField](), dict[CorrectedField, list[Rule]]()
    for field in CORRECTABLE:
        own = [marked for marked in pointed if marked.correction.field == field]
        if own:
            others = [page for page in pages.values() if all(page.tree is not marked.page.tree for marked in own)]
            misled = _is_misled(own, others, before)
            teaches_nothing = field in before.distrusted or _is_silent(own, others, before)
            rules[field] = rules_for(own, others, field, before.dates, ignores_feed=misled or teaches_nothing)
            if misled or any(_contradicts(marked, before) for marked in own):
                lies.add(field)
            pages = _amended(pages, own, rules[field], field, before.dates, is_lie=teaches_nothing or field in lies)
    if rules:
        wrapper = replace(learn(pages.values()), affixes=before.affixes)
    wrapper = with_rules_first(wrapper, pointed, rules)
    distrusted = dict.fromkeys((*wrapper.distrusted, *before.distrusted, *sorted(lies - {"content"})))
    pins = tuple(Pin.of(marked.page.url or marked.page.entry.url, marked.correction, marked.node) for marked in pointed)
    return replace(wrapper, distrusted=tuple(distrusted), pins=pins)


def _contradicts(marked: MarkedElement, wrapper: Wrapper) -> bool:
    """True if the feed's value differs from the marked element.

    Titles that are only similar differ, too, and so do tags or authors if the feed has only some of them.
    """
    entry, field = marked.page.entry, marked.correction.field
    value = element_value(marked.node, field, wrapper.dates, marked.correction.words)
    if value is None:
        return False
    if field == "title":
        title = fold(wrapper.affixes.strip(entry.title) or "")
        return title not in {"", fold(value["title"])}
    if field in SEVERAL:
        known = set(map(fold, getattr(entry, field)))
        return bool(known) and known != set(map(fold, value[field]))
    return differs(value, entry, field)


def _is_misled(pointed: Sequence[MarkedElement], others: Sequence[Example], wrapper: Wrapper) -> bool:
    """True if a rule learned from the feed found a wrong value on a page that is like its training pages. All rules
    that select the element on most pages then contradict the feed on most of them."""
    field = pointed[0].correction.field
    wrong = [marked for marked in pointed if _by_rule(marked.page, field, wrapper) and not agrees_with(wrapper, marked)]
    if not wrong or not any(wrapper.fits(marked.page.tree) for marked in wrong):
        return False
    trials = [Trial.of(rule, wrong, others, wrapper.dates) for rule in candidates(wrong, others)]
    general = [trial for trial in trials if trial.is_general]
    return bool(general) and all(2 * trial.wrong > trial.said for trial in general)


def _is_silent(pointed: Sequence[MarkedElement], others: Sequence[Example], wrapper: Wrapper) -> bool:
    """True if no rule learned from the feed finds a field on most pages: then its values are not on them."""
    field = pointed[0].correction.field
    pages = [*(marked.page for marked in pointed), *others]
    return 2 * sum(_by_rule(page, field, wrapper) for page in pages) < len(pages)


def _by_rule(page: Example, field: CorrectedField, wrapper: Wrapper) -> bool:
    source = wrapper.extract(page.tree, page.url, page.fetched).sources.get(field)
    return source is not None and source.source == "rule"


def _amended(
    pages: Mapping[str, Example],
    pointed: Sequence[MarkedElement],
    rules: Sequence[Rule],
    field: CorrectedField,
    dates: Dates,
    *,
    is_lie: bool,
) -> dict[str, Example]:
    """The pages with entries whose missing or untrusted values are replaced by those that the rules find."""
    own = {id(marked.page.tree): marked for marked in pointed}
    marks = marks_of(pointed)
    amended = {}
    for key, page in pages.items():
        changes: dict[str, Any] | None = None
        if (marked := own.get(id(page.tree))) is not None:
            changes = element_value(marked.node, field, dates, marked.correction.words)
        elif is_lie or not has_value(page.entry, field):
            changes = next(filter(None, (value_on_page(rule, page, field, dates) for rule in rules)), None)
            changes = changes and _trimmed(changes, field, marks)
        if changes is None and is_lie:
            several = () if field in SEVERAL else None
            changes = {"content_html": None, "is_summary": False} if field == "content" else {field: several}
        amended[key] = replace(page, entry=replace(page.entry, **changes)) if changes else page
    return amended


def _trimmed(value: dict[str, Any], field: CorrectedField, marks: tuple[str, str]) -> dict[str, Any] | None:
    if not any(marks) or field not in ("title", "authors"):
        return value
    rule = TextRule(Learned(Rule.of(0, "//*"), SURE, SURE), *marks)
    if field == "title":
        return {"title": text} if (text := rule.trim(value["title"])) else None
    names = tuple(filter(None, map(rule.trim, value["authors"])))
    return {"authors": names} if names else None


def with_rules_first(
    wrapper: Wrapper, pointed: Sequence[MarkedElement], rules: Mapping[CorrectedField, Sequence[Rule]]
) -> Wrapper:
    """The wrapper; if it finds another value on a corrected page, the rules for marked elements are tried before its
    own."""
    for field, field_rules in rules.items():
        own = [marked for marked in pointed if marked.correction.field == field]
        for rule in reversed(field_rules):
            unmet = [marked for marked in own if selects(rule, marked, field) and not agrees_with(wrapper, marked)]
            if unmet:
                linked = Rule.of(rule.kind, f"{rule.xpath}//a") if all(marked.has_links for marked in unmet) else rule
                wrapper = _with_rule(_without_strays(wrapper, unmet), field, linked, marks_of(own))
    return wrapper


def _without_strays(wrapper: Wrapper, pointed: Sequence[MarkedElement]) -> Wrapper:
    """The wrapper without the rules for tags that find other tags than a marked element that holds all of them."""
    whole = [marked for marked in pointed if marked.correction.field == "tags" and not marked.is_one_of_several]
    if not whole:
        return wrapper

    def without(part: Wrapper) -> Wrapper:
        return replace(part, tags=tuple(rule for rule in part.tags if not _finds_any_more(rule, whole, part.dates)))

    return wrapper.each(without)


def _finds_any_more(rule: SeveralRule, pointed: Sequence[MarkedElement], dates: Dates) -> bool:
    for marked in pointed:
        value = element_value(marked.node, "tags", dates, marked.correction.words) or {"tags": ()}
        if not set(map(fold, rule.extract(marked.page.tree, None))) <= set(map(fold, value["tags"])):
            return True
    return False


def agrees_with(wrapper: Wrapper, marked: MarkedElement) -> bool:
    """True if a wrapper finds what a person marked on a page."""
    correction = marked.correction
    value = element_value(marked.node, correction.field, wrapper.dates, correction.words)
    extraction = wrapper.extract(marked.page.tree, marked.page.url, marked.page.fetched)
    return value is None or _agrees(extraction, value, correction.field, is_part=marked.is_one_of_several)


def _agrees(extraction: Extraction, value: Mapping[str, Any], field: CorrectedField, *, is_part: bool) -> bool:
    if field == "title":
        return fold(extraction.title or "") == fold(value["title"])
    if field == "published":
        extracted, day = Moment.parse_iso(extraction.published), Moment.parse_iso(value["published"])
        return extracted is not None and day is not None and extracted.may_be_same_day(day)
    if field == "content":
        article = inline_text(extraction.article) if extraction.article is not None else ""
        return bool(article) and fold(article) in fold(inline_text(fragment(value["content_html"])))
    own, all_found = set(map(fold, value[field])), set(map(fold, getattr(extraction, field)))
    return own <= all_found if is_part else own == all_found


def _with_rule(wrapper: Wrapper, field: CorrectedField, rule: Rule, marks: tuple[str, str]) -> Wrapper:
    """A wrapper that tries a rule first, also in its templates."""
    return wrapper.each(lambda part: _tried_first(part, field, Learned(rule, SURE, SURE), marks))


def _tried_first(wrapper: Wrapper, field: CorrectedField, learned: Learned, marks: tuple[str, str]) -> Wrapper:
    if field == "title":
        return replace(wrapper, title=(TextRule(learned, *marks), *wrapper.title), untitled=False)
    if field == "content":
        return replace(wrapper, article=replace(wrapper.article, rules=(learned, *wrapper.article.rules)))
    if field == "published":
        return replace(wrapper, dates=replace(wrapper.dates, rules=(DateRule(learned), *wrapper.dates.rules)))
    if field == "authors":
        rules = (TextRule(learned, *marks, several=True), *wrapper.authors.rules)
        authors = replace(wrapper.authors, rules=rules, constant=None, proven=True)
        return replace(wrapper, authors=authors)
    return replace(wrapper, tags=(SeveralRule(learned, split=not LINK.search(learned.rule.xpath)), *wrapper.tags))
