"""Which parts of a blog's pages are comments, where nobody tells: lists of siblings that each hold a day.

The date nodes come first, their common ancestors next, and the ancestors' children are the comments ("Extracting
time-based content with LCA on the DOM"). Comments are not written before their post, they are each their own (what
recurs on other pages is the template's, or lists posts), and they are no part of an article.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.comments.boxes import is_box
from blogcrawler.wrapper.comments.evidence import confidence_of, strangers_of
from blogcrawler.wrapper.comments.forms import context_of, form_of, tokens_of
from blogcrawler.wrapper.comments.lone import lone_forms
from blogcrawler.wrapper.comments.region import has_word
from blogcrawler.wrapper.comments.undated import find_undated
from blogcrawler.wrapper.comments.units import ANYWHERE, TEXT, Form

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.evidence import Sample
    from blogcrawler.wrapper.comments.taught import Teacher
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

__all__ = ["ALIKE", "Found", "find_forms"]

LEVELS = 12
"""Levels between the node with a date and the element of its comment."""
MOST_GROUPS = 40
"""Kinds of dated siblings that are looked at."""
MATCHED = 0.6
"""Mean similarity from which parts of pages are the comments of their feeds."""
ALIKE = 0.4
"""The same where the feeds' texts stand one each in parts that have no day."""
DOUBT = 0.5
"""Of what no comment feed tells."""
SINGLE = 0.9
"""Share of the siblings that hold one date of a form."""
NEARLY_ALL = 0.95
MOSTLY = 0.9
"""Share of the siblings with a class from which others are none, where all have none in common."""
MORE = 1.25
"""Times as many comments as have an answer that all are, at least."""
MOST_DATES = 3
"""Dates of one form that a comment holds, at most."""


class _Key(NamedTuple):
    #: forms of the elements from the one with the date; of the comment's own the tag alone
    chain: tuple[str, ...]
    context: str
    #: dates of the form that each sibling holds
    dates: int = 1
    #: are the forms but tags?
    is_loose: bool = False


class _List(NamedTuple):
    """Siblings of one form that hold a date each."""

    page: int
    parent: int
    units: list[int]
    anchors: list[int]


class Found(NamedTuple):
    """A form of comments, and the comments of that form on each of the pages."""

    form: Form
    units: list[list[Unit]]
    #: how sure it is that these are comments, 0 to 1
    confidence: float


_Candidate = tuple[_Key, Form, list[list["Unit"]], float]


def find_forms(samples: Sequence[Sample], teacher: Teacher) -> list[Found]:
    """The forms that comments have on the pages of a blog, that of most comments first. O(n) in the pages.

    Where comment feeds tell some, what matches them is comments; what does not is as far as its form tells.
    """
    groups: dict[_Key, list[_List]] = defaultdict(list)
    for number, sample in enumerate(samples):
        for key, found in _lists(number, sample.view):
            groups[key].append(found)
    ranked = sorted(groups.items(), key=lambda item: -sum(len(one.units) for one in item[1]))[:MOST_GROUPS]
    candidates = []
    for key, lists in ranked:
        form = _form(samples, key, lists)
        candidates.append((key, *_taught(samples, *_wider(samples, form), teacher)))
    chosen = list(_chosen(samples, candidates))
    views = [sample.view for sample in samples]
    known = max((teacher.score(views, one.units) for one in chosen), default=0.0) if teacher.knows else MATCHED
    undated = _undated(samples, teacher, known) if known < MATCHED else None
    if chosen or undated:
        return [undated] if undated else chosen
    forms = lone_forms(samples, 1) if teacher.knows else lone_forms(samples)
    lone = [(_Key((), ""), *_taught(samples, *one, teacher)) for one in islice(forms, MOST_GROUPS)]
    return list(_chosen(samples, lone))


def _undated(samples: Sequence[Sample], teacher: Teacher, least: float) -> Found | None:
    """The form of comments without a day which match their feeds better than `least`, if there is one."""
    views = [sample.view for sample in samples]
    found = find_undated(views, teacher.texts)
    if found is None:
        return None
    lists: dict[tuple[int, int], _List] = {}
    for page, positions in found.places.items():
        for position in positions:
            parent = views[page].parents[position]
            one = lists.setdefault((page, parent), _List(page, parent, [], []))
            one.units.append(position)
            one.anchors.append(position)
    tokens = frozenset([found.name] if found.name else [])
    form = Form((found.tag,), found.contexts, (tokens,), is_dated=False)
    form = _with_siblings(samples, form, list(lists.values()))
    units = [form.select(view) for view in views]
    score = teacher.score(views, units)
    return Found(form, units, round(score, 3)) if score > max(least, ALIKE) and confidence_of(samples, units) else None


def _taught(
    samples: Sequence[Sample], form: Form, units: list[list[Unit]], confidence: float, teacher: Teacher
) -> tuple[Form, list[list[Unit]], float]:
    """A form with the confidence that comment feeds give it, where there are any."""
    if teacher.knows:
        score = teacher.score([sample.view for sample in samples], units)
        doubt = DOUBT * (1 - min(1.0, score / MATCHED))
        confidence = max(confidence, score) if score >= MATCHED else confidence * (1 - doubt)
    return form, units, round(confidence, 3)


def _wider(samples: Sequence[Sample], form: Form) -> tuple[Form, list[list[Unit]], float]:
    """A form, wherever it stands in a page if its names tell it as well: broken pages move lists."""
    form = _turned(samples, form)
    units = [form.select(sample.view) for sample in samples]
    confidence = confidence_of(samples, units)
    if skips := strangers_of(samples, units):
        form = replace(form, skips=skips)
        units = [form.select(sample.view) for sample in samples]
        confidence = confidence_of(samples, units)
    if confidence and form.tokens[-1] and _has_name(form) and (any(form.tokens[:-1]) or _is_all(samples, units)):
        opened = replace(form, is_open=True)
        more = [opened.select(sample.view) for sample in samples]
        if more == units or confidence_of(samples, more) >= NEARLY_ALL * confidence:
            form, units = opened, more
    if confidence and not form.skips and any(form.tokens):
        anywhere = replace(form, contexts=form.contexts | {ANYWHERE})
        more = [anywhere.select(sample.view) for sample in samples]
        if more == units or confidence_of(samples, more) >= NEARLY_ALL * confidence:
            return anywhere, more, confidence
    return form, units, confidence


def _turned(samples: Sequence[Sample], form: Form) -> Form:
    """A form whose siblings stand before the date if the last date has none behind it, and the first is the post's."""
    if not form.behind or form.before:
        return form
    lasts = [found[-1] for sample in samples if (found := form.select(sample.view))]
    if sum(len(unit.roots) == 1 for unit in lasts) < NEARLY_ALL * len(lasts):
        return form
    turned = replace(form, before=True, behind=False)
    skips = strangers_of(samples, [turned.select(sample.view) for sample in samples])
    return turned if skips == "first" else form


def _is_all(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> bool:
    """Have the lists of comments no other elements of their kind?"""
    mine = others = 0
    for sample, found in zip(samples, units, strict=True):
        view = sample.view
        mine += len(found)
        for parent in {view.parents[unit.roots[0]] for unit in found}:
            others += sum(view.nodes[child].tag == view.nodes[found[0].roots[0]].tag for child in view.children[parent])
    return mine >= NEARLY_ALL * others


def _has_name(form: Form) -> bool:
    """Do classes or identifiers tell the lists of a form?"""
    return all("." in context or "#" in context for context in form.contexts)


def _lists(number: int, view: View) -> Iterator[tuple[_Key, _List]]:
    """Siblings of one tag that each hold a date in the same place. O(n) in the dates."""
    found: dict[tuple[int, tuple[str, ...]], tuple[list[int], list[list[int]]]] = {}
    for anchor in view.anchors:
        below: tuple[str, ...] = ()
        tags: tuple[str, ...] = ()
        for level, position in enumerate(view.around(anchor)):
            parent, node = view.parents[position], view.nodes[position]
            if level > LEVELS or parent < 0:
                break
            tags = (*tags, node.tag)
            for chain in dict.fromkeys([(*below, node.tag), tags]):
                units, anchors = found.setdefault((parent, chain), ([], []))
                if not units or units[-1] != position:
                    units.append(position)
                    anchors.append([])
                anchors[-1].append(anchor)
            below = (*below, form_of(node))
    for (parent, chain), (units, anchors) in found.items():
        sizes = Counter(map(len, anchors)).most_common(1)
        if len(units) > 1 and sizes[0][1] >= SINGLE * len(units) and sizes[0][0] <= MOST_DATES:
            is_loose = not any("." in step for step in chain)
            key = _Key(chain, context_of(view, parent), sizes[0][0], is_loose)
            yield key, _List(number, parent, units, [of[0] for of in anchors])


def _form(samples: Sequence[Sample], key: _Key, lists: Sequence[_List]) -> Form:
    """The form of lists, with the classes that all of their siblings have."""
    counts: list[Counter[str]] = [Counter() for _ in key.chain]
    total = 0
    for one in lists:
        view = samples[one.page].view
        for anchor in one.anchors:
            total += 1
            for level, position in enumerate(view.around(anchor)):
                if level >= len(key.chain):
                    break
                counts[level].update(tokens_of(view.nodes[position]))
    tokens = _common(counts, total)
    if not any(tokens):
        tokens = _common(counts, MOSTLY * total)
    chain = tuple(step.partition(".")[0] for step in key.chain)
    return _with_siblings(samples, Form(chain, frozenset([key.context]), tokens), lists)


def _common(counts: Sequence[Counter[str]], least: float) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(token for token, number in count.items() if number >= least) for count in counts)


def _with_siblings(samples: Sequence[Sample], form: Form, lists: Sequence[_List]) -> Form:
    """The form with the siblings that belong to a comment besides the one with the date."""
    between = _between(samples, form, lists)
    if not between:
        return form
    heads = tails = 0
    firsts: Counter[str] = Counter()
    for one in lists:
        view = samples[one.page].view
        before, behind = _neighbours(view, one)
        heads += bool(before) and form_of(view.nodes[before[0]]) in between
        tails += bool(behind) and form_of(view.nodes[behind[0]]) in between
        reach = [form_of(view.nodes[sibling]) for sibling in _within(view, before, between)]
        firsts.update(reach[-1:])
    is_before = 2 * heads > len(lists)
    is_behind = 2 * tails > len(lists) or not is_before
    first = firsts.most_common(1)[0][0] if is_before and is_behind and firsts else ""
    return replace(form, between=between, before=is_before, behind=is_behind, first=first)


def _between(samples: Sequence[Sample], form: Form, lists: Sequence[_List]) -> frozenset[str]:
    """Forms of what stands between siblings with dates; none where that says nothing in most places.

    Boxes that hold others of the form, which may be answers, are no part of any.
    """
    found: set[str] = set()
    gaps = filled = 0
    places = {page: sorted({at for at, _ in form.places(samples[page].view)}) for page in {one.page for one in lists}}
    for one in lists:
        view = samples[one.page].view
        siblings = view.children[one.parent]
        at = {position: number for number, position in enumerate(siblings)}
        for unit, following in pairwise(one.units):
            run = [it for it in siblings[at[unit] + 1 : at[following]] if not is_box(view, it, places[one.page])]
            bare = any(has_word(view.runs[2 * sibling + 1]) for sibling in (unit, *run))
            gaps += 1
            filled += bare or any(_has_text(view, sibling) for sibling in run)
            found.update(form_of(view.nodes[sibling]) for sibling in run)
            found.update([TEXT] if bare else [])
    return frozenset(found) if 2 * filled >= gaps > 0 else frozenset()


def _neighbours(view: View, one: _List) -> tuple[list[int], list[int]]:
    """The siblings before the first of a list, the nearest first, and those behind the last."""
    siblings = view.children[one.parent]
    first, last = one.units[0], one.units[-1]
    return [sibling for sibling in reversed(siblings) if sibling < first], [it for it in siblings if it > last]


def _within(view: View, siblings: Sequence[int], forms: frozenset[str]) -> Iterator[int]:
    for sibling in siblings:
        if form_of(view.nodes[sibling]) not in forms:
            return
        yield sibling


def _has_text(view: View, position: int) -> bool:
    text = view.texts[position]
    return text is None or any(map(str.isalnum, text))


def _holds(one: _Candidate, other: _Candidate) -> bool:
    """Are the elements of a form comments with an answer within, where another form has all comments of their lists?"""
    chain, inner = one[1].chain, other[1].chain
    is_around = one[0].context == other[0].context and len(inner) < len(chain) and chain[: len(inner)] == inner
    return is_around and sum(map(len, other[2])) > MORE * sum(map(len, one[2]))


def _chosen(samples: Sequence[Sample], candidates: Sequence[_Candidate]) -> Iterator[Found]:
    """Of forms that share comments that of the largest elements, and of those the one with most comments."""
    taken: list[set[int]] = [set() for _ in samples]
    likely = [candidate for candidate in candidates if candidate[3] > 0]
    ranked = sorted(
        (one for one in likely if not any(_holds(one, other) for other in likely)),
        key=lambda one: (one[1].skips, one[0].dates, one[0].is_loose, -sum(map(len, one[2])), -len(one[1].chain)),
    )
    for _, form, units, confidence in ranked:
        anchors = [{unit.anchor for unit in found if unit.anchor is not None} for found in units]
        total = sum(map(len, anchors))
        shared = sum(len(mine & others) for mine, others in zip(anchors, taken, strict=True))
        if total and shared <= 0.1 * total:
            for others, found, sample in zip(taken, units, samples, strict=True):
                others.update(anchor for unit in found for anchor in unit.own if anchor in sample.view.anchors)
            yield Found(form, units, confidence)
