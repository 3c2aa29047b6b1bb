"""Which parts of a blog's pages are comments, where nobody tells: lists of siblings that each hold a day.

The date nodes come first, their common ancestors next, and the ancestors' children are the comments ("Extracting
time-based content with LCA on the DOM"), if `evidence` does not speak against it. Where posts have one comment at most,
what is in one place on some pages only, with a day, is a comment if its element has a name of its own or is an item.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.comments.comment_feeds import find_undated
from blogcrawler.wrapper.comments.evidence import confidence_of, strangers_of
from blogcrawler.wrapper.comments.lists import DatedList, Key, dated_lists, form_of_lists, with_siblings
from blogcrawler.wrapper.comments.units import ANYWHERE, Form
from blogcrawler.wrapper.comments.view import context_of, form_of, tokens_of
from blogcrawler.wrapper.rules import steady

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.comment_feeds import Teacher
    from blogcrawler.wrapper.comments.evidence import Sample
    from blogcrawler.wrapper.comments.units import Unit
    from blogcrawler.wrapper.comments.view import View

MOST_GROUPS = 40
"""Kinds of dated siblings that are looked at."""
MATCHED = 0.6
"""Mean similarity from which parts of pages are the comments of their feeds."""
ALIKE = 0.4
"""The same where the feeds' texts stand one each in parts that have no day."""
DOUBT = 0.5
"""Of what no comment feed tells."""
NEARLY_ALL = 0.95
MORE = 1.25
"""Times as many comments as have an answer that all are, at least."""
LEVELS = 12
LEAST_PAGES = 3
"""Pages with a lone comment of one form."""
MOST_PAGES = 0.8
"""Share of the pages with one, at most: what all have is the template's."""
DOUBT_OF_LONE = 0.8
ITEMS = frozenset(["li", "article", "tr", "dd"])


class Found(NamedTuple):
    """A form of comments, and the comments of that form on each of the pages."""

    form: Form
    units: list[list[Unit]]
    #: how sure it is that these are comments, 0 to 1
    confidence: float


_Candidate = tuple[Key, Form, list[list["Unit"]], float]


def find_forms(samples: Sequence[Sample], teacher: Teacher) -> list[Found]:
    """The forms that comments have on the pages of a blog, that of most comments first. O(n) in the pages."""
    groups: dict[Key, list[DatedList]] = defaultdict(list)
    for number, sample in enumerate(samples):
        for key, found in dated_lists(number, sample.view):
            groups[key].append(found)
    ranked = sorted(groups.items(), key=lambda item: -sum(len(one.units) for one in item[1]))[:MOST_GROUPS]
    candidates = []
    for key, lists in ranked:
        form = form_of_lists(samples, key, lists)
        candidates.append((key, *_taught(samples, *_wider(samples, form), teacher)))
    chosen = list(_chosen(samples, candidates))
    views = [sample.view for sample in samples]
    known = max((teacher.score(views, one.units) for one in chosen), default=0.0) if teacher.knows else MATCHED
    undated = _undated(samples, teacher, known) if known < MATCHED else None
    if chosen or undated:
        return [undated] if undated else chosen
    forms = lone_forms(samples, 1) if teacher.knows else lone_forms(samples)
    lone = [(Key((), ""), *_taught(samples, *one, teacher)) for one in islice(forms, MOST_GROUPS)]
    return list(_chosen(samples, lone))


def _undated(samples: Sequence[Sample], teacher: Teacher, least: float) -> Found | None:
    """The form of comments without a day which match their feeds better than `least`, if there is one."""
    views = [sample.view for sample in samples]
    found = find_undated(views, teacher.texts)
    if found is None:
        return None
    lists: dict[tuple[int, int], DatedList] = {}
    for page, positions in found.places.items():
        for position in positions:
            parent = views[page].parents[position]
            one = lists.setdefault((page, parent), DatedList(page, parent, [], []))
            one.units.append(position)
            one.anchors.append(position)
    tokens = frozenset([found.name] if found.name else [])
    form = Form((found.tag,), found.contexts, (tokens,), is_dated=False)
    form = with_siblings(samples, form, list(lists.values()))
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


def _is_all(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> bool:
    """True if the lists of comments have no other elements of their kind."""
    mine = others = 0
    for sample, found in zip(samples, units, strict=True):
        view = sample.view
        mine += len(found)
        for parent in {view.parents[unit.roots[0]] for unit in found}:
            others += sum(view.nodes[child].tag == view.nodes[found[0].roots[0]].tag for child in view.children[parent])
    return mine >= NEARLY_ALL * others


def _has_name(form: Form) -> bool:
    return all("." in context or "#" in context for context in form.contexts)


def _holds(one: _Candidate, other: _Candidate) -> bool:
    """True if a form's elements are comments with an answer, where another form has all comments of their lists."""
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


class _Place(NamedTuple):
    #: forms from the node with the date to the comment's element
    chain: tuple[str, ...]
    context: str


def lone_forms(samples: Sequence[Sample], least: int = LEAST_PAGES) -> Iterator[tuple[Form, list[list[Unit]], float]]:
    """The forms of such comments on `least` pages, with those of each page and the confidence in them. O(n)."""
    pages: dict[_Place, dict[int, list[tuple[int, int]]]] = defaultdict(lambda: defaultdict(list))
    for number, sample in enumerate(samples):
        for place, anchor, unit in _places(sample.view):
            pages[place][number].append((anchor, unit))
    for place, shown in pages.items():
        is_lone = all(len(found) == 1 for found in shown.values())
        if not is_lone or not least <= len(shown) <= MOST_PAGES * len(samples):
            continue
        views = [(samples[number].view, *found[0]) for number, found in shown.items()]
        if all(_is_item(view, unit) for view, _, unit in views):
            form = _form(place, views)
            units = [form.select(sample.view) for sample in samples]
            yield form, units, round(DOUBT_OF_LONE * confidence_of(samples, units), 3)


def _places(view: View) -> Iterator[tuple[_Place, int, int]]:
    for anchor in view.anchors:
        chain: tuple[str, ...] = ()
        for level, position in enumerate(view.around(anchor)):
            if level > LEVELS or view.parents[position] < 0:
                break
            chain = (*chain, form_of(view.nodes[position]))
            if _is_item(view, position):
                yield _Place(chain, context_of(view, view.parents[position])), anchor, position


def _is_item(view: View, position: int) -> bool:
    """True for an item of a list, and for an element whose name is on no other page."""
    node = view.nodes[position]
    name = node.get("id") or ""
    return node.tag in ITEMS or (bool(name) and not steady(name))


def _form(place: _Place, views: Sequence[tuple[View, int, int]]) -> Form:
    tokens: list[frozenset[str]] = []
    for level in range(len(place.chain)):
        rows = []
        for view, anchor, _ in views:
            position = next(at for number, at in enumerate(view.around(anchor)) if number == level)
            rows.append(tokens_of(view.nodes[position]))
        tokens.append(frozenset.intersection(*rows))
    first = place.chain[-1].partition(".")[2]
    tokens[-1] = frozenset([first] if first else [])  # a first comment may have other classes for being the first
    tags = tuple(step.partition(".")[0] for step in place.chain)
    return Form(tags, frozenset([place.context]), tuple(tokens))
