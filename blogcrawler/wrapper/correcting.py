"""Learning from what a person has pointed out: the element of one page tells where a field stands on all.

An element has many rules (see `rules`). The one is taken that selects it on each page that was corrected, and then
contradicts the feed least and finds something of its own on most of the other pages. What it finds there stands for
what the feed does not tell, or tells wrong, and the wrapper is learned again from all pages. So marks around a value,
what is dropped from an article and the templates of a blog are learned as they always are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from blogcrawler.dates import Moment
from blogcrawler.dom import fragment, inline_text
from blogcrawler.errors import NotEnoughExamples
from blogcrawler.similarity import fold, similarity
from blogcrawler.urls import identity
from blogcrawler.wrapper.fields import TextRule
from blogcrawler.wrapper.fields.date_rule import DateRule
from blogcrawler.wrapper.fields.text import learn_marks
from blogcrawler.wrapper.induce import Learned
from blogcrawler.wrapper.learning import learn
from blogcrawler.wrapper.pointing import CORRECTABLE, CorrectedField, Correction, Pin, node_at, told_by
from blogcrawler.wrapper.rules import BEHIND_CHILD, NAMED, OWN_TEXT, Rule, forms_of, rules_of, select
from blogcrawler.wrapper.several import SeveralRule
from blogcrawler.wrapper.values import beginning_child, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.items import Entry
    from blogcrawler.wrapper.fields import Dates
    from blogcrawler.wrapper.training import Example
    from blogcrawler.wrapper.wrapper import Extraction, Wrapper

__all__ = ["Corrected", "learn_corrected"]

LIKE = 0.8
"""Similarity of what an element says and what the feed says, from which they agree."""
SEVERAL = ("authors", "tags")
"""Fields with several values, which several posts have alike."""
MOST_RULES = 3
"""A blog has few templates."""
MOST_NODES = 60
"""Elements that a rule for several values selects on a page."""
LINK = re.compile(r"/a(?:\[[^/]*\])?$")
"""What the expression of a link ends with."""
SURE = 1.0
"""Support and score of a rule that a person has pointed out."""


@dataclass(frozen=True)
class Corrected:
    """A page, what the feed says of its post, and what a person says of some fields."""

    example: Example
    corrections: tuple[Correction, ...]

    @property
    def url(self) -> str:
        """Of the page."""
        return self.example.url or self.example.entry.url


class _Pointed(NamedTuple):
    """An element that was pointed out."""

    page: Example
    node: HtmlElement
    correction: Correction

    @property
    def is_one_of_several(self) -> bool:
        """May there be more values of the field beside it? A link that was pointed out stands for those like it."""
        return self.correction.field in SEVERAL and self.node.tag == "a"

    @property
    def has_links(self) -> bool:
        """Are the links in it the values, not its text?"""
        is_list = self.correction.field in SEVERAL and self.correction.words is None and self.node.tag != "a"
        return is_list and any(inline_text(link).strip() for link in self.node.iter("a"))


def learn_corrected(examples: Iterable[Example], corrected: Sequence[Corrected]) -> Wrapper:
    """The wrapper of posts that a feed announces, and of what a person has said of some pages; O(n) in the pages.

    Corrections whose element is not in its page are passed over. Raises NotEnoughExamples where there is no page.
    """
    pages = {identity(example.url or example.entry.url): example for example in examples}
    for one in corrected:
        known = pages.get(identity(one.url))
        pages[identity(one.url)] = one.example if known is None else replace(one.example, entry=known.entry)
    if not pages:
        raise NotEnoughExamples("There is no page of a feed entry to learn from.")
    before = learn(pages.values())
    pointed = [
        _Pointed(pages[identity(one.url)], node, correction)
        for one in corrected
        for correction in one.corrections
        if (node := node_at(one.example.tree, correction.path)) is not None
    ]
    wrapper, lies, rules = before, set[CorrectedField](), dict[CorrectedField, list[Rule]]()
    for field in CORRECTABLE:
        own = [one for one in pointed if one.correction.field == field]
        if own:
            others = [page for page in pages.values() if all(page.tree is not one.page.tree for one in own)]
            misled = _is_misled(own, others, before)
            teaches_nothing = field in before.distrusted or _is_silent(own, others, before)
            rules[field] = _rules(own, others, field, before.dates, ignores_feed=misled or teaches_nothing)
            if misled or any(_contradicts(one, before) for one in own):
                lies.add(field)
            pages = _amended(pages, own, rules[field], field, before.dates, is_lie=teaches_nothing or field in lies)
    if rules:
        wrapper = replace(learn(pages.values()), affixes=before.affixes, feed_matter=before.feed_matter)
    wrapper = _enforced(wrapper, pointed, rules)
    distrusted = dict.fromkeys((*wrapper.distrusted, *before.distrusted, *sorted(lies - {"content"})))
    pins = tuple(Pin.of(one.page.url or one.page.entry.url, one.correction, one.node) for one in pointed)
    return replace(wrapper, distrusted=tuple(distrusted), pins=pins)


# ------------------------------------------------------------------------------------------------ rules of an element


def _rules(
    pointed: Sequence[_Pointed], others: Sequence[Example], field: CorrectedField, dates: Dates, *, ignores_feed: bool
) -> list[Rule]:
    """The rules that select the elements that were pointed out, the one that selects most of them first."""
    left, found = list(pointed), list[Rule]()
    while left and len(found) < MOST_RULES:
        trials = [_Trial.of(rule, left, others, dates) for rule in _candidates(left)]
        best = min(trials, key=lambda trial: trial.rank(ignores_feed=ignores_feed), default=None)
        if best is None:
            break
        found.append(best.rule)
        left = [one for one in left if not _selects(best.rule, one, field)]
    return found


def _candidates(pointed: Sequence[_Pointed]) -> set[Rule]:
    return {rule for one in pointed for rule in rules_of(one.node, _attribute(one))}


class _Trial(NamedTuple):
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
    def of(cls, rule: Rule, pointed: Sequence[_Pointed], others: Sequence[Example], dates: Dates) -> _Trial:
        """A rule on all pages."""
        field = pointed[0].correction.field
        covered = sum(_selects(rule, one, field) for one in pointed)
        said = [(told, page.entry) for page in others if (told := _told(rule, page, field, dates)) is not None]
        counts = Counter(repr(told) for told, _ in said) if field not in SEVERAL else Counter()
        alike = sum(count for count in counts.values() if count > 1)
        wrong = sum(_differs(told, entry, field) for told, entry in said if _has(entry, field))
        strays = sum(_strays(rule, one, dates) for one in pointed) if field in SEVERAL else 0
        return cls(rule, covered, len(others), len(said), alike, wrong, strays)

    @property
    def is_general(self) -> bool:
        """Does it find something of its own on most pages?"""
        return 2 * self.said > self.pages and 2 * self.alike < self.said

    def rank(self, *, ignores_feed: bool) -> tuple[Any, ...]:
        """The least is the best; what the feed says counts for nothing where it is wrong, or nowhere to be seen."""
        is_named = self.rule.kind <= NAMED
        if ignores_feed:
            return -self.covered, not self.is_general, self.strays, self.alike, -self.said, not is_named, self.rule
        doubtful = not self.is_general or 2 * self.wrong > self.said
        return -self.covered, doubtful, self.strays, self.alike + self.wrong, -self.said, not is_named, self.rule


def _attribute(one: _Pointed) -> str:
    """Where the value stands in an element: in the attribute for machines, where that is a date's, or in a part of its
    text, where the words that are the value are all of that."""
    node, words = one.node, " ".join((one.correction.words or "").split())
    if one.correction.field == "published":
        return "datetime" if node.get("datetime") else ""
    child = beginning_child(node) if words else None
    behind = [f"{BEHIND_CHILD}{form}" for form in forms_of(child)] if child is not None else []
    return next((part for part in (OWN_TEXT, *behind) if words and value_at(node, part) == words), "")


def _is_part(attribute: str) -> bool:
    """Is it a part of an element's text?"""
    return attribute == OWN_TEXT or attribute.startswith(BEHIND_CHILD)


def _selects(rule: Rule, one: _Pointed, field: CorrectedField) -> bool:
    nodes = select(one.page.tree, rule.xpath)
    return one.node in nodes[:MOST_NODES] if field in SEVERAL else one.node in nodes[:1]


def _strays(rule: Rule, one: _Pointed, dates: Dates) -> bool:
    """Does a rule for several values find some beside the element that was pointed out as the whole of them?"""
    if one.is_one_of_several:
        return False
    field = one.correction.field
    own = set((told_by(one.node, field, dates, one.correction.words) or {}).get(field, ()))
    others = (node for node in select(one.page.tree, rule.xpath)[:MOST_NODES] if node is not one.node)
    return any(not own.issuperset((told_by(node, field, dates) or {}).get(field, ())) for node in others)


def _told(rule: Rule, page: Example, field: CorrectedField, dates: Dates) -> dict[str, Any] | None:
    """What a rule finds on a page, as a field of an entry."""
    nodes = select(page.tree, rule.xpath)
    if nodes and _is_part(rule.attribute):
        words = value_at(nodes[0], rule.attribute)
        return told_by(nodes[0], field, dates, words) if words else None
    if field not in SEVERAL:
        return told_by(nodes[0], field, dates) if nodes else None
    names = [name for node in nodes[:MOST_NODES] for name in (told_by(node, field, dates) or {}).get(field, ())]
    return {field: tuple(dict.fromkeys(names))} if names else None


def _differs(told: Mapping[str, Any], entry: Entry, field: CorrectedField) -> bool:
    """Does an element say something else than the feed, as far as that says something?"""
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
    """Is what the feed brings no part of an element?"""
    text = fold(inline_text(fragment(entry.content_html or "")))[:LONGEST_PROOF]
    return bool(text) and similarity(text, fold(inline_text(fragment(html)))[: 2 * len(text)]) < LIKE / 2


LONGEST_PROOF = 2_000
"""Characters of a feed's article that are compared."""


def _contradicts(one: _Pointed, wrapper: Wrapper) -> bool:
    """Does the feed say something else of a post than the element that a person has pointed out?"""
    entry, correction = one.page.entry, one.correction
    told = told_by(one.node, correction.field, wrapper.dates, correction.words)
    if told is None:
        return False
    if correction.field == "title":
        title = wrapper.affixes.strip(entry.title)
        return bool(title) and fold(title or "") != fold(told["title"])
    if correction.field in SEVERAL:
        known = set(map(fold, getattr(entry, correction.field)))
        return bool(known) and known != set(map(fold, told[correction.field]))
    return _differs(told, entry, correction.field)


def _is_misled(pointed: Sequence[_Pointed], others: Sequence[Example], wrapper: Wrapper) -> bool:
    """Has a rule that the feed has taught found what is wrong, on a page that is like those that it was learned from?

    Then all rules that stand for the element on most pages find something else than the feed says on most of these.
    """
    field = pointed[0].correction.field
    wrong = [one for one in pointed if _by_rule(one.page, field, wrapper) and not _is_met(wrapper, one)]
    if not wrong or not any(wrapper.fits(one.page.tree) for one in wrong):
        return False
    trials = [_Trial.of(rule, wrong, others, wrapper.dates) for rule in _candidates(wrong)]
    general = [trial for trial in trials if trial.is_general]
    return bool(general) and all(2 * trial.wrong > trial.said for trial in general)


def _is_silent(pointed: Sequence[_Pointed], others: Sequence[Example], wrapper: Wrapper) -> bool:
    """Has the feed taught no rule for a field that finds anything on most pages? Then its values are not on them."""
    field = pointed[0].correction.field
    pages = [*(one.page for one in pointed), *others]
    return 2 * sum(_by_rule(page, field, wrapper) for page in pages) < len(pages)


def _by_rule(page: Example, field: CorrectedField, wrapper: Wrapper) -> bool:
    """Does a wrapper find a field of a page by a rule?"""
    source = wrapper.extract(page.tree, page.url, page.fetched).sources.get(field)
    return source is not None and source.source == "rule"


# ------------------------------------------------------------------------------------------------- what stands for it


def _amended(
    pages: Mapping[str, Example],
    pointed: Sequence[_Pointed],
    rules: Sequence[Rule],
    field: CorrectedField,
    dates: Dates,
    *,
    is_lie: bool,
) -> dict[str, Example]:
    """The pages with entries that say what the rules find, where the feed says nothing, or is not to be believed."""
    own = {id(one.page.tree): one for one in pointed}
    marks = _marks(pointed)
    amended = {}
    for key, page in pages.items():
        changes: dict[str, Any] | None = None
        if (one := own.get(id(page.tree))) is not None:
            changes = told_by(one.node, field, dates, one.correction.words)
        elif is_lie or not _has(page.entry, field):
            changes = next(filter(None, (_told(rule, page, field, dates) for rule in rules)), None)
            changes = changes and _trimmed(changes, field, marks)
        if changes is None and is_lie:
            changes = _nothing(field)
        amended[key] = replace(page, entry=replace(page.entry, **changes)) if changes else page
    return amended


def _has(entry: Entry, field: CorrectedField) -> bool:
    return bool(entry.content_html if field == "content" else getattr(entry, field))


def _nothing(field: CorrectedField) -> dict[str, Any]:
    if field == "content":
        return {"content_html": None, "is_summary": False}
    return {field: () if field in SEVERAL else None}


def _marks(pointed: Sequence[_Pointed]) -> tuple[str, str]:
    """What stands around the words that are the value, where these are not all of an element."""
    pairs = [(inline_text(one.node), one.correction.words) for one in pointed if not _attribute(one)]
    return learn_marks([(text, words) for text, words in pairs if words]) if pairs else ("", "")


def _trimmed(told: dict[str, Any], field: CorrectedField, marks: tuple[str, str]) -> dict[str, Any] | None:
    """The same between marks."""
    if not any(marks) or field not in ("title", "authors"):
        return told
    rule = TextRule(Learned(Rule.of(0, "//*"), SURE, SURE), *marks)
    if field == "title":
        return {"title": text} if (text := rule.trim(told["title"])) else None
    names = tuple(filter(None, map(rule.trim, told["authors"])))
    return {"authors": names} if names else None


# ------------------------------------------------------------------------------------------------- what must come true


def _enforced(wrapper: Wrapper, pointed: Sequence[_Pointed], rules: Mapping[CorrectedField, Sequence[Rule]]) -> Wrapper:
    """The wrapper with the rules themselves, where what was learned finds something else on a page of a correction."""
    for field, found in rules.items():
        own = [one for one in pointed if one.correction.field == field]
        for rule in reversed(found):
            unmet = [one for one in own if _selects(rule, one, field) and not _is_met(wrapper, one)]
            if unmet:
                linked = Rule.of(rule.kind, f"{rule.xpath}//a") if all(one.has_links for one in unmet) else rule
                wrapper = _with_rule(_without_strays(wrapper, unmet), field, linked, _marks(own))
    return wrapper


def _without_strays(wrapper: Wrapper, pointed: Sequence[_Pointed]) -> Wrapper:
    """Without the rules for tags, all of which count, that find others than what was pointed out as all of them."""
    whole = [one for one in pointed if one.correction.field == "tags" and not one.is_one_of_several]
    if not whole:
        return wrapper
    kept = tuple(rule for rule in wrapper.tags if not any(_finds_more(rule, one, wrapper.dates) for one in whole))
    templates, older = (
        tuple(_without_strays(one, whole) for one in nested) for nested in (wrapper.templates, wrapper.older)
    )
    return replace(wrapper, tags=kept, templates=templates, older=older)


def _finds_more(rule: SeveralRule, one: _Pointed, dates: Dates) -> bool:
    told = told_by(one.node, "tags", dates, one.correction.words) or {"tags": ()}
    return not set(map(fold, rule.extract(one.page.tree, None))) <= set(map(fold, told["tags"]))


def _is_met(wrapper: Wrapper, one: _Pointed) -> bool:
    """Does a wrapper find on a page what a person has pointed out there?"""
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
        authors = replace(wrapper.authors, rules=rules, constant=None, proven=True, prefers_metadata=False)
        return replace(wrapper, authors=authors)
    return replace(wrapper, tags=(SeveralRule(learned, split=not LINK.search(learned.rule.xpath)), *wrapper.tags))
