"""What a person has pointed out comes true: where learning finds something else there, the rule itself goes first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.fields.date_rule import DateRule
from blogcrawler.wrapper.fields.text import TextRule
from blogcrawler.wrapper.induce import Learned
from blogcrawler.wrapper.pointed import Pointed, marks_of, selects
from blogcrawler.wrapper.pointing import told_by
from blogcrawler.wrapper.rules import Rule
from blogcrawler.wrapper.several import SeveralRule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from blogcrawler.wrapper.fields.date import Dates
    from blogcrawler.wrapper.pointing import CorrectedField
    from blogcrawler.wrapper.wrapper import Extraction, Wrapper

LINK = re.compile(r"/a(?:\[[^/]*\])?$")
"""What the expression of a link ends with."""
SURE = 1.0
"""Support and score of a rule that a person has pointed out."""


def enforced(wrapper: Wrapper, pointed: Sequence[Pointed], rules: Mapping[CorrectedField, Sequence[Rule]]) -> Wrapper:
    """The wrapper with the rules themselves, where what was learned finds something else on a page of a correction."""
    for field, found in rules.items():
        own = [one for one in pointed if one.correction.field == field]
        for rule in reversed(found):
            unmet = [one for one in own if selects(rule, one, field) and not is_met(wrapper, one)]
            if unmet:
                linked = Rule.of(rule.kind, f"{rule.xpath}//a") if all(one.has_links for one in unmet) else rule
                wrapper = _with_rule(_without_strays(wrapper, unmet), field, linked, marks_of(own))
    return wrapper


def _without_strays(wrapper: Wrapper, pointed: Sequence[Pointed]) -> Wrapper:
    """Without the rules for tags, all of which count, that find others than what was pointed out as all of them."""
    whole = [one for one in pointed if one.correction.field == "tags" and not one.is_one_of_several]
    if not whole:
        return wrapper
    kept = tuple(rule for rule in wrapper.tags if not any(_finds_more(rule, one, wrapper.dates) for one in whole))
    templates, older = (
        tuple(_without_strays(one, whole) for one in nested) for nested in (wrapper.templates, wrapper.older)
    )
    return replace(wrapper, tags=kept, templates=templates, older=older)


def _finds_more(rule: SeveralRule, one: Pointed, dates: Dates) -> bool:
    told = told_by(one.node, "tags", dates, one.correction.words) or {"tags": ()}
    return not set(map(fold, rule.extract(one.page.tree, None))) <= set(map(fold, told["tags"]))


def is_met(wrapper: Wrapper, one: Pointed) -> bool:
    """True if a wrapper finds on a page what a person has pointed out there."""
    correction = one.correction
    told = told_by(one.node, correction.field, wrapper.dates, correction.words)
    found = wrapper.extract(one.page.tree, one.page.url, one.page.fetched)
    return told is None or _agrees(found, told, correction.field, is_part=one.is_one_of_several)


def _agrees(found: Extraction, told: Mapping[str, Any], field: CorrectedField, *, is_part: bool) -> bool:
    if field == "title":
        return fold(found.title or "") == fold(told["title"])
    if field == "published":
        one, other = Moment.parse_iso(found.published), Moment.parse_iso(told["published"])
        return one is not None and other is not None and one.may_be_same_day(other)
    if field == "content":
        article = inline_text(found.article) if found.article is not None else ""
        return bool(article) and fold(article) in fold(inline_text(fragment(told["content_html"])))
    own, all_found = set(map(fold, told[field])), set(map(fold, getattr(found, field)))
    return own <= all_found if is_part else own == all_found


def _with_rule(wrapper: Wrapper, field: CorrectedField, rule: Rule, marks: tuple[str, str]) -> Wrapper:
    """A wrapper, and the templates in it, that try a rule first."""
    templates, older = (
        tuple(_with_rule(one, field, rule, marks) for one in nested) for nested in (wrapper.templates, wrapper.older)
    )
    return replace(_tried_first(wrapper, field, Learned(rule, SURE, SURE), marks), templates=templates, older=older)


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
