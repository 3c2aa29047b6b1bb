"""Find the comments in a blog's pages without other sources: lists of siblings that each hold a day.

Nodes with a date are found first, then their common ancestors, whose children may be comments ("Extracting time-based
content with LCA on the DOM"). A model estimates how likely they are. If there are none, items with a day but without
siblings are examined, for blogs whose posts have at most one comment.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.comments.alike import ALIKE
from blogcrawler.wrapper.comments.comment_feeds import MATCHED, find_undated
from blogcrawler.wrapper.comments.group_model import confidence_of
from blogcrawler.wrapper.comments.lists import DatedList, Key, dated_lists, forms_of_lists, with_siblings
from blogcrawler.wrapper.comments.units import ANY_CONTEXT, Form
from blogcrawler.wrapper.core.shares import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.comment_feeds import FeedMatcher
    from blogcrawler.wrapper.comments.features import Sample
    from blogcrawler.wrapper.comments.units import Unit

MOST_GROUPS = 40
"""Maximum number of kinds of dated siblings that are examined."""
QUOTED = 0.25
"""Share of items with text of the article at or above which they are its own paragraphs."""
DOUBT = 0.5
"""Deduction from the confidence of groups that no comment feed confirms."""
BETTER = 0.1
"""Gain in confidence that justifies leaving out the first or last member of a list as no comment."""
MORE = 1.25
"""Minimum ratio of all comments to comments with an answer."""
SHARED = 0.1
"""Most of the dates of a form, as a share, that may be in comments of another form."""


class Found(NamedTuple):
    """A form of comments, and the comments of this form on each page."""

    form: Form
    units: list[list[Unit]]
    #: the confidence that these are comments, 0 to 1
    confidence: float = 0.0
    key: Key = Key((), "")

    @property
    def size(self) -> int:
        """Number of units on all pages."""
        return sum(map(len, self.units))


def candidates(samples: Sequence[Sample], *, are_lone: bool = False) -> Iterator[list[Found]]:
    """For each form of dated siblings on the pages, its variants; those with most siblings first. With `are_lone`, for
    items with a date that may have no sibling. O(n)."""
    groups: dict[Key, list[DatedList]] = defaultdict(list)
    for number, sample in enumerate(samples):
        for key, lists in dated_lists(number, sample.view, are_lone=are_lone):
            groups[key].append(lists)
    kinds = [(key, found) for key, found in groups.items() if not are_lone or all(len(one.units) < 2 for one in found)]
    for key, found in sorted(kinds, key=lambda kind: -sum(len(one.units) for one in kind[1]))[:MOST_GROUPS]:
        yield [_select(samples, form, key) for form in forms_of_lists(samples, key, found)]


def _select(samples: Sequence[Sample], form: Form, key: Key) -> Found:
    return Found(form, [form.select(sample.view) for sample in samples], 0.0, key)


def _rated(samples: Sequence[Sample], one: Found) -> Found:
    return one._replace(confidence=confidence_of(samples, one.units))


def find_forms(samples: Sequence[Sample], matcher: FeedMatcher) -> list[Found]:
    """The forms of comments on the pages of a blog, those of most comments first. O(n) in the pages."""
    chosen = _likely(samples, matcher)
    views = [sample.view for sample in samples]
    known = max((matcher.score(views, one.units) for one in chosen), default=0.0) if matcher.knows else MATCHED
    undated = _undated(samples, matcher, known) if known < MATCHED else None
    return [undated] if undated else chosen or _likely(samples, matcher, are_lone=True)


def _likely(samples: Sequence[Sample], matcher: FeedMatcher, *, are_lone: bool = False) -> list[Found]:
    best = (_best(samples, variants) for variants in candidates(samples, are_lone=are_lone))
    return list(_chosen(samples, [_taught(samples, _wider(samples, one), matcher) for one in best]))


def _best(samples: Sequence[Sample], variants: Sequence[Found]) -> Found:
    """The most likely variant; of variants that are about as likely, the earlier one."""
    best, *others = (_rated(samples, one) for one in variants)
    for one in others:
        if one.confidence > best.confidence + BETTER:
            best = one
    return best


def _undated(samples: Sequence[Sample], matcher: FeedMatcher, least: float) -> Found | None:
    """The form of comments without a day that match their feeds better than `least`, if there is one."""
    views = [sample.view for sample in samples]
    found = find_undated(views, matcher.texts)
    if found is None:
        return None
    form = with_siblings(samples, *found)
    units = [form.select(view) for view in views]
    score = matcher.score(views, units)
    facts = [sample.facts(unit) for sample, own in zip(samples, units, strict=True) for unit in own]
    is_quoted = sum(one.is_in_article for one in facts) > QUOTED * len(facts)
    return Found(form, units, round(score, 3)) if score > max(least, ALIKE) and not is_quoted else None


def _taught(samples: Sequence[Sample], one: Found, matcher: FeedMatcher) -> Found:
    """A form with its confidence adjusted to comment feeds, if there are any."""
    if not matcher.knows:
        return one
    score = matcher.score([sample.view for sample in samples], one.units)
    doubt = DOUBT * (1 - min(1.0, score / MATCHED))
    confidence = max(one.confidence, score) if score >= MATCHED else one.confidence * (1 - doubt)
    return one._replace(confidence=round(confidence, 3))


def _wider(samples: Sequence[Sample], one: Found) -> Found:
    """A form that is not bound to a place in the page, if its names are sufficient: broken pages move lists."""
    if not one.confidence:
        return one
    form = one.form
    if form.tokens[-1] and _has_name(form) and (any(form.tokens[:-1]) or _is_all(samples, one.units)):
        one = _at_least(samples, replace(form, is_open=True), one)
    if not form.skips and any(form.tokens):
        one = _at_least(samples, replace(one.form, contexts=form.contexts | {ANY_CONTEXT}), one)
    return one


def _at_least(samples: Sequence[Sample], form: Form, known: Found) -> Found:
    """A wider form, if the additional elements that it finds are comments, too; otherwise the known form."""
    wider = _rated(samples, _select(samples, form, known.key))
    return wider._replace(confidence=known.confidence) if wider.confidence >= NEARLY_ALL * known.confidence else known


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


def _holds(one: Found, other: Found) -> bool:
    """True if one form selects only comments with an answer, while the other selects all comments of their lists."""
    chain, inner = one.form.chain, other.form.chain
    is_around = one.key.context == other.key.context and len(inner) < len(chain) and chain[: len(inner)] == inner
    return is_around and other.size > MORE * one.size


def _chosen(samples: Sequence[Sample], found: Sequence[Found]) -> Iterator[Found]:
    """Of forms that share comments, the one with the largest elements, and among these the one with most comments."""
    taken: list[set[int]] = [set() for _ in samples]
    likely = [one for one in found if one.confidence > 0]
    ranked = sorted(
        (one for one in likely if not any(_holds(one, other) for other in likely)),
        key=lambda one: (one.form.skips, one.key.dates, one.key.is_loose, -one.size, -len(one.form.chain)),
    )
    for one in ranked:
        anchors = [{unit.anchor for unit in units if unit.anchor is not None} for units in one.units]
        shared = sum(len(mine & others) for mine, others in zip(anchors, taken, strict=True))
        if any(anchors) and shared <= SHARED * sum(map(len, anchors)):
            for others, units, sample in zip(taken, one.units, samples, strict=True):
                others.update(anchor for unit in units for anchor in unit.own if anchor in sample.view.anchors)
            yield one
