"""Rules for fields with several values: the nodes that a rule selects together hold the feed's values of the post.

Learned as well: how far from the article the nodes may be (the shared prefix with its path, AdaptivePost section III-D,
since a side bar has the blog's tags), whether a text is split at commas, and whether a second rule adds values, since
categories and tags are often in two places.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain, islice, product
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from blogcrawler.serialise import INLINE
from blogcrawler.wrapper.core.induce import Learned
from blogcrawler.wrapper.core.names import bare, has_parts, parts_of, strip
from blogcrawler.wrapper.core.nearness import levels_above
from blogcrawler.wrapper.core.rules import BEHIND_CHILD, LINKED, OWN_TEXT, Rule, plain_name, quoted, select
from blogcrawler.wrapper.core.values import NAME, values_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.core.lookup import Lookup
    from blogcrawler.wrapper.core.training import LocatedPage
    from blogcrawler.wrapper.core.values import Value

MAX_VALUES = 60
"""Maximum number of values of a page; more are a list of all existing values."""
LONGEST = 80
"""Maximum length, in characters, of a value."""
FEW = 12
"""Maximum number of values that are taken from places far from the article."""
VOTERS = 8
"""Number of pages that propose rules."""
MAX_NODES = 10
"""Maximum number of nodes with a wanted value that are considered on a page."""
JOINED = 250
"""Maximum length, in characters, of a text with several values."""
PLACES = 2
"""Maximum number of places of one value that are considered, those nearest to the article first: menus have tags'
names, too."""
MAX_JOINED = 4
"""Maximum number of places with several values between commas that are considered."""
MAX_CANDIDATES = 40
"""Maximum number of rules that are tried on the first pages."""
SAMPLE = 2
MAX_TRIED = 12
"""Maximum number of rules that are tried on all pages."""
MAX_PAIRED = 8
"""Number of best rules that are combined with all other rules."""
MINIMUM = 0.75
"""Minimum mean F1 of a rule: an empty field is better than a wrong one."""
SHOWING = 0.3
"""Share of the pages with wanted values that must show some of them."""
GAIN = 0.02
"""Minimum gain in mean F1 from a second rule."""
ADDRESS_STEP = re.compile(r"(?:[^\W\d]|%[\dA-Fa-f]{2})(?:[\w.-]|%[\dA-Fa-f]{2}){1,30}")


class Wanted(NamedTuple):
    """The values that rules should find on a page, written as by `bare`."""

    page: LocatedPage
    names: frozenset[str]
    #: values that all pages have, which are removed from what is found
    common: frozenset[str] = frozenset()


@dataclass(frozen=True)
class SeveralRule:
    """A learned rule for several values."""

    learned: Learned = field(metadata=INLINE)
    #: the values are below the ancestor this many levels above the article's container; None: anywhere
    levels: int | None = None
    #: whether each text is split at commas
    split: bool = False
    #: whether training pages have no such values elsewhere: then a few are taken from elsewhere if there are none
    #: nearby
    elsewhere: bool = False
    #: values that are removed since all pages have them, written as by `bare`
    without: tuple[str, ...] = ()

    def extract(self, tree: HtmlElement, article: HtmlElement | None) -> list[str]:
        """The values in a page, including duplicates."""
        nodes = select(tree, self.learned.rule.xpath)
        texts = _values(_Candidate(self.learned.rule, self.levels, self.split), nodes, article)
        if not texts and self.elsewhere:
            texts = _values(_Candidate(self.learned.rule, None, self.split), nodes, article)
            texts = texts if len(texts) <= FEW else []
        return [text for text in texts if bare(text) not in self.without] if self.without else texts


class _Candidate(NamedTuple):
    rule: Rule
    levels: int | None
    split: bool


def learn_several(pages: Sequence[Wanted]) -> tuple[SeveralRule, ...]:
    """The rule, or the two rules, whose values together agree best with the wanted ones. O(n).

    A rule must find nothing on pages without wanted values. Values of the feed that the page does not show are not
    required; if most pages show none, the field is not on the pages.
    """
    pages = _shown(pages)
    votes: Counter[_Candidate] = Counter()
    for page in pages[:VOTERS]:
        votes.update(page.page.once(_candidates, page.names, page.common))
    tried = sorted(votes, key=lambda candidate: (-votes[candidate], candidate.rule, candidate.split))[:MAX_CANDIDATES]
    trials = [_Trial(candidate, pages) for candidate in _different(tried, votes, pages[:SAMPLE])]
    trials.sort(key=lambda trial: _preference(trial, votes))
    if not trials:
        return ()
    chosen, best = trials[:1], trials[0].score
    for first, second in product(trials[:MAX_PAIRED], trials):
        together = _mean_f1(pages, [names | more for names, more in zip(first.names, second.names, strict=True)])
        if together >= best + GAIN:
            chosen, best = [first, second], together
    if best < MINIMUM:
        return ()
    return tuple(trial.learned(best) for trial in chosen)


def _preference(trial: _Trial, votes: Counter[_Candidate]) -> tuple[float, bool, int, int]:
    """Sort key of trials: best agreement, then rules without commas, then the most stable rule."""
    return -round(trial.score, 3), trial.candidate.split, trial.candidate.rule.kind, -votes[trial.candidate]


def _shown(pages: Sequence[Wanted]) -> list[Wanted]:
    """The pages, with those of their wanted values that they show. Pages that show none are left out; if most show
    none, the result is empty."""
    with_names = [page for page in pages if page.names]
    common = with_names[0].names.intersection(*(page.names for page in with_names)) if with_names else frozenset()
    limited = [
        page._replace(names=page.names & (page.page.shown | common & page.page.counts.keys())) for page in with_names
    ]
    showing = [page for page in limited if page.names]
    silent = [page for page in pages if not page.names]
    return [*showing, *silent] if showing and len(showing) >= SHOWING * len(with_names) else []


def _different(
    candidates: Sequence[_Candidate], votes: Mapping[_Candidate, int], pages: Sequence[Wanted]
) -> list[_Candidate]:
    """Of candidates that find the same values on some pages, the one with most votes, then the most stable one."""
    by_result: dict[tuple[object, ...], _Candidate] = {}
    for candidate in sorted(candidates, key=lambda item: (-votes[item], item.rule, item.split)):
        results = tuple(_found(candidate, page) for page in pages)
        by_result.setdefault((*results, candidate.levels), candidate)
    return sorted(by_result.values(), key=candidates.index)[:MAX_TRIED]


class _Trial:
    """A candidate, and the values that it finds on each page."""

    def __init__(self, candidate: _Candidate, pages: Sequence[Wanted]) -> None:
        self.candidate = candidate
        self.names = [_found(candidate, page) for page in pages]
        self._pages = pages
        self.score = _mean_f1(pages, self.names)
        pairs = [(page.names, found) for page, found in zip(pages, self.names, strict=True) if page.names]
        #: share of the pages with wanted values on which some of them are found
        self.support = sum(not wanted.isdisjoint(found) for wanted, found in pairs) / len(pairs)

    def learned(self, score: float) -> SeveralRule:
        """The rule with a score, which it reaches alone or with another rule."""
        rule, levels, split = self.candidate
        anywhere = _Candidate(rule, None, split)
        elsewhere = all(_found(anywhere, page) == near for page, near in zip(self._pages, self.names, strict=True))
        common = frozenset[str]().union(*(page.common for page in self._pages))
        return SeveralRule(Learned(rule, self.support, score), levels, split, elsewhere, tuple(sorted(common)))


def _mean_f1(pages: Sequence[Wanted], got: Sequence[frozenset[str]]) -> float:
    return sum(_f1(page.names, names) for page, names in zip(pages, got, strict=True)) / len(pages)


def _f1(wanted: frozenset[str], got: frozenset[str]) -> float:
    return 2 * len(wanted & got) / (len(wanted) + len(got)) if wanted or got else 1.0


def _found(candidate: _Candidate, page: Wanted) -> frozenset[str]:
    return page.page.once(_names, candidate) - page.common


def _names(page: LocatedPage, candidate: _Candidate) -> frozenset[str]:
    article = page.article
    return frozenset(map(bare, _values(candidate, page.lookup.select(candidate.rule.xpath), article))) - {""}


def _candidates(page: LocatedPage, names: frozenset[str], common: frozenset[str]) -> list[_Candidate]:
    """The rules of nodes that hold a wanted value, and of nodes that hold several values between commas."""
    distances = page.distances
    single, joined = _holders(Wanted(page, names, common))
    single.sort(key=lambda holder: distances[holder[0].position])
    joined.sort(key=lambda holder: (len(holder[0].text), distances[holder[0].position]))
    nearest, first, seen = [], [], Counter[str]()
    for value, name in single:
        if not _is_shown(value.attribute) or seen[name] < PLACES:
            nearest.append(value)
            first += [] if not _is_shown(value.attribute) or name in seen else [value]
            seen[name] += 1
    smallest = [value for value, _ in joined[:MAX_JOINED]]
    return [
        *_candidates_of(page, nearest[:MAX_NODES], first, split=False),
        *_candidates_of(page, smallest, [value for value in smallest if not value.attribute], split=True),
    ]


def _candidates_of(
    page: LocatedPage, values: Sequence[Value], first: Sequence[Value], *, split: bool
) -> Iterator[_Candidate]:
    """The rules of values, limited to nodes that are no farther from the article than these first values."""
    article = page.article
    above = [levels_above(article, value.node) for value in first] if article is not None else []
    levels = max(above, default=None)
    for rule in dict.fromkeys(rule for value in values for rule in _rules(page.lookup, value)):
        yield _Candidate(rule, levels if _is_shown(rule.attribute) else None, split)


def _is_shown(attribute: str) -> bool:
    """True if readers see the value; a picture's name is what it shows."""
    return attribute in {"", OWN_TEXT, NAME, "alt", "title"} or attribute.startswith(BEHIND_CHILD)


def _holders(page: Wanted) -> tuple[list[tuple[Value, str]], list[tuple[Value, str]]]:
    """The wanted values of a page, and the values that hold wanted ones between commas, each with its name."""
    single, joined = [], []
    for value in page.page.values:
        name = strip(value.folded)
        if name in page.names:
            single.append((value, name))
        elif value.attribute == OWN_TEXT:
            continue
        elif value.attribute.startswith(LINKED) or (len(value.text) <= JOINED and has_parts(value.folded)):
            parts = frozenset(strip(part) for part in parts_of(value.folded))
            if 2 * len(parts & page.names) >= len(parts - page.common) > 0:
                joined.append((value, name))
    return single, joined


def _rules(lookup: Lookup, value: Value) -> Iterator[Rule]:
    """The rules of a node except those by place, and the rules by a link's address."""
    for rule in lookup.rules_of(value.node, value.attribute):
        if "[1]" not in rule.xpath and rule.kind < 7:
            yield rule
    if value.node.tag == "a" and (value.attribute in ("", NAME) or value.attribute.startswith(BEHIND_CHILD)):
        for step in address_steps(value.node.get("href") or ""):
            test = f"a[contains(@href,{quoted(step)})]"
            yield Rule.of(5, f"//{test}")
            for ancestor in list(value.node.iterancestors())[:1]:
                if plain_name(ancestor.tag):
                    yield Rule.of(6, f"//{ancestor.tag}/{test}")


def address_steps(href: str) -> Iterator[str]:
    """The parts of a tag page's address that mark it as one: a folder before the last, or the name of a query
    parameter."""
    try:
        parts = urlsplit(href)
    except ValueError:
        return
    folders = [part for part in parts.path.split("/") if part]
    for folder in folders[:-1][-2:]:
        if ADDRESS_STEP.fullmatch(folder):
            yield f"/{folder}/"
    for name, _ in parse_qsl(parts.query)[:2]:
        if ADDRESS_STEP.fullmatch(name):
            yield f"{name}="


def _values(candidate: _Candidate, nodes: Sequence[HtmlElement], article: HtmlElement | None) -> list[str]:
    near = _within(nodes, article, candidate.levels)
    texts = values_at(near[:MAX_VALUES], candidate.rule.attribute)
    if candidate.split:
        texts = [part for text in texts for part in parts_of(text)]
    return [text for text in texts if 0 < len(text) <= LONGEST][:MAX_VALUES]


def _within(nodes: Sequence[HtmlElement], article: HtmlElement | None, levels: int | None) -> Sequence[HtmlElement]:
    """The nodes inside the ancestor that is this many levels above the article's container; all nodes without such an
    ancestor."""
    if article is None or levels is None or not nodes:
        return nodes
    scope = next(islice(chain((article,), article.iterancestors()), levels, None), None)
    return nodes if scope is None else [node for node in nodes if node is scope or scope in node.iterancestors()]
