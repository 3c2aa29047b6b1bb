"""Find lists of siblings that each hold a day in the same place, and the form that their elements have in common."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import compress, pairwise, takewhile
from operator import not_
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.tags import HEADINGS
from blogcrawler.wrapper.comments.region import has_word
from blogcrawler.wrapper.comments.threads import is_box
from blogcrawler.wrapper.comments.units import TEXT, Form
from blogcrawler.wrapper.comments.view import context_of, form_of, tokens_of
from blogcrawler.wrapper.core.rules import steady
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.features import Sample
    from blogcrawler.wrapper.comments.view import View

LEVELS = 12
"""Maximum number of levels between the node with a date and the element of its comment."""
LEAST_PAGES = 3
"""Number of pages with such siblings at or above which the first or last sibling may belong to the template."""
ITEMS = frozenset(["li", "article", "tr", "dd"])
MOST_DATES = 3
"""Maximum number of dates of one form that a comment may hold."""


class Key(NamedTuple):
    """Where dated siblings are."""

    #: forms of the elements upwards from the one with the date; only the tag of the comment's own element
    chain: tuple[str, ...]
    context: str
    #: number of dates of this form that each sibling holds
    dates: int = 1
    #: whether the forms consist of tags only
    is_loose: bool = False


class DatedList(NamedTuple):
    """Siblings of one form that each hold a date, by their positions in the page's view."""

    page: int
    parent: int
    units: list[int]
    anchors: list[int]


def dated_lists(number: int, view: View, *, are_lone: bool = False) -> Iterator[tuple[Key, DatedList]]:
    """Lists of siblings of one tag that each hold a date in the same place; with `are_lone`, also items without
    siblings. O(n)."""
    siblings: dict[tuple[int, tuple[str, ...]], tuple[list[int], list[list[int]]]] = {}
    for anchor in view.anchors:
        below: tuple[str, ...] = ()
        tags: tuple[str, ...] = ()
        for level, position in enumerate(view.around(anchor)):
            parent, node = view.parents[position], view.nodes[position]
            if level > LEVELS or parent < 0:
                break
            tags = (*tags, node.tag)
            for chain in dict.fromkeys([(*below, node.tag), tags]):
                units, anchors = siblings.setdefault((parent, chain), ([], []))
                if not units or units[-1] != position:
                    units.append(position)
                    anchors.append([])
                anchors[-1].append(anchor)
            below = (*below, form_of(node))
    for (parent, chain), (units, anchors) in siblings.items():
        sizes = Counter(map(len, anchors)).most_common(1)
        is_list = len(units) > 1 or (are_lone and _is_item(view, units[0]))
        if is_list and sizes[0][1] >= NEARLY_ALL * len(units) and sizes[0][0] <= MOST_DATES:
            is_loose = not any("." in step for step in chain)
            key = Key(chain, context_of(view, parent), sizes[0][0], is_loose)
            yield key, DatedList(number, parent, units, [of[0] for of in anchors])


def _is_item(view: View, position: int) -> bool:
    """True for an item of a list, and for an element whose id is on no other page."""
    node = view.nodes[position]
    name = node.get("id") or ""
    return node.tag in ITEMS or (bool(name) and not steady(name))


def forms_of_lists(samples: Sequence[Sample], key: Key, lists: Sequence[DatedList]) -> Iterator[Form]:
    """The form of lists, with the classes that all siblings have. If all pages have such siblings, also the forms
    without the first or the last one of each page, which may be the line of the post itself."""
    counts: list[Counter[str]] = [Counter() for _ in key.chain]
    total = 0
    for dated_list in lists:
        view = samples[dated_list.page].view
        for anchor in dated_list.anchors:
            total += 1
            for level, position in enumerate(view.around(anchor)):
                if level >= len(key.chain):
                    break
                counts[level].update(tokens_of(view.nodes[position]))
    tokens = _common(counts, total)
    if all(
        len(dated_list.units) == 1 for dated_list in lists
    ):  # a first comment may have other classes for being the first
        name = form_of(samples[lists[0].page].view.nodes[lists[0].units[0]]).partition(".")[2]
        tokens = (*tokens[:-1], tokens[-1] & {name})
    if not any(tokens):
        tokens = _common(counts, NEARLY_ALL * total)
    chain = tuple(step.partition(".")[0] for step in key.chain)
    form = Form(chain, frozenset([key.context]), tokens)
    yield with_siblings(samples, form, lists)
    units = list(takewhile(bool, (form.select(sample.view) for sample in samples)))
    if len(units) == len(samples) >= LEAST_PAGES:
        for place, end in (("first", 0), ("last", -1)):
            own = {(number, page_units[end].anchor) for number, page_units in enumerate(units)}
            others = [
                _without(dated_list, [(dated_list.page, anchor) in own for anchor in dated_list.anchors])
                for dated_list in lists
            ]
            yield with_siblings(
                samples, replace(form, skips=place), [dated_list for dated_list in others if dated_list.units]
            )


def _without(dated_list: DatedList, is_own: Sequence[bool]) -> DatedList:
    """A list without the lines that hold the day of a post."""
    units, anchors = ([*compress(places, map(not_, is_own))] for places in (dated_list.units, dated_list.anchors))
    return dated_list._replace(units=units, anchors=anchors)


def _common(counts: Sequence[Counter[str]], least: float) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(token for token, number in count.items() if number >= least) for count in counts)


def with_siblings(samples: Sequence[Sample], form: Form, lists: Sequence[DatedList]) -> Form:
    """The form, extended by the siblings that belong to a comment beside the one with the date."""
    between = _between(samples, form, lists)
    if not between:
        return form
    heads = tails = 0
    firsts: Counter[str] = Counter()
    for dated_list in lists:
        view = samples[dated_list.page].view
        before, behind = _neighbours(view, dated_list)
        heads += bool(before) and form_of(view.nodes[before[0]]) in between
        tails += bool(behind) and form_of(view.nodes[behind[0]]) in between
        reach = [form_of(view.nodes[sibling]) for sibling in _within(view, before, between)]
        firsts.update(reach[-1:])
    is_before = 2 * heads > len(lists)
    is_behind = 2 * tails > len(lists) or not is_before
    first = firsts.most_common(1)[0][0] if is_before and is_behind and firsts else ""
    return replace(form, between=between, before=is_before, behind=is_behind, first=first)


def _between(samples: Sequence[Sample], form: Form, lists: Sequence[DatedList]) -> frozenset[str]:
    """Forms of the elements between siblings with dates; none if most of these have no text. Boxes with other elements
    of the form, which may be replies, and headings that separate lists are left out."""
    forms: Counter[str] = Counter()
    gaps = filled = 0
    places = {
        page: sorted({at for at, _ in form.places(samples[page].view)})
        for page in {dated_list.page for dated_list in lists}
    }
    for dated_list in lists:
        view = samples[dated_list.page].view
        siblings = view.children[dated_list.parent]
        at = {position: number for number, position in enumerate(siblings)}
        for unit, following in pairwise(dated_list.units):
            run = [it for it in siblings[at[unit] + 1 : at[following]] if not is_box(view, it, places[dated_list.page])]
            bare = any(has_word(view.runs[2 * sibling + 1]) for sibling in (unit, *run))
            gaps += 1
            filled += bare or any(_has_text(view, sibling) for sibling in run)
            forms.update({form_of(view.nodes[sibling]) for sibling in run} | ({TEXT} if bare else set()))
    parting = {name for name in forms if name.partition(".")[0] in HEADINGS and 2 * forms[name] <= gaps}
    return frozenset(forms.keys() - parting) if 2 * filled >= gaps > 0 else frozenset()


def _neighbours(view: View, dated_list: DatedList) -> tuple[list[int], list[int]]:
    """The siblings before the first element of a list, nearest first, and those behind the last."""
    siblings = view.children[dated_list.parent]
    first, last = dated_list.units[0], dated_list.units[-1]
    return [sibling for sibling in reversed(siblings) if sibling < first], [it for it in siblings if it > last]


def _within(view: View, siblings: Sequence[int], forms: frozenset[str]) -> Iterator[int]:
    for sibling in siblings:
        if form_of(view.nodes[sibling]) not in forms:
            return
        yield sibling


def _has_text(view: View, position: int) -> bool:
    text = view.texts[position]
    return text is None or any(map(str.isalnum, text))
