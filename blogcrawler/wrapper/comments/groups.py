"""Find the comments in a blog's pages without other sources: lists of siblings that each hold a day.

Nodes with a date are found first, then their common ancestors, whose children may be comments ("Extracting time-based
content with LCA on the DOM"). A model estimates how likely they are. If there are none, items with a day but without
siblings are examined, for blogs whose posts have at most one comment.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.wrapper.comments.comment_feeds import MATCHED, find_undated
from blogcrawler.wrapper.comments.feed_matching import ALIKE
from blogcrawler.wrapper.comments.group_model import confidence_of
from blogcrawler.wrapper.comments.lists import DatedList, Key, dated_lists, forms_of_lists, with_siblings
from blogcrawler.wrapper.comments.units import ANY_CONTEXT, Form
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

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
"""Maximum share of the dates of a form that may be in comments of another form."""


class CommentGroup(NamedTuple):
    """The comments of one form, on each page."""

    form: Form
    units: list[list[Unit]]
    #: the confidence that these are comments, 0 to 1
    confidence: float = 0.0
    key: Key = Key((), "")

    @property
    def size(self) -> int:
        """Number of units on all pages."""
        return sum(map(len, self.units))


def candidates(samples: Sequence[Sample], *, are_lone: bool = False) -> Iterator[list[CommentGroup]]:
    """For each form of dated siblings on the pages, its variants; those with most siblings first. With `are_lone`, for
    items with a date that may have no sibling. O(n)."""
    groups: dict[Key, list[DatedList]] = defaultdict(list)
    for number, sample in enumerate(samples):
        for key, lists in dated_lists(number, sample.view, are_lone=are_lone):
            groups[key].append(lists)
    kinds = [
        (key, dated)
        for key, dated in groups.items()
        if not are_lone or all(len(siblings.units) < 2 for siblings in dated)
    ]
    for key, dated in sorted(kinds, key=lambda kind: -sum(len(siblings.units) for siblings in kind[1]))[:MOST_GROUPS]:
        yield [_select(samples, form, key) for form in forms_of_lists(samples, key, dated)]


def _select(samples: Sequence[Sample], form: Form, key: Key) -> CommentGroup:
    return CommentGroup(form, [form.select(sample.view) for sample in samples], 0.0, key)


def _rated(samples: Sequence[Sample], group: CommentGroup) -> CommentGroup:
    return group._replace(confidence=confidence_of(samples, group.units))


def find_forms(samples: Sequence[Sample], matcher: FeedMatcher) -> list[CommentGroup]:
    """The forms of comments on the pages of a blog, those of most comments first. O(n) in the pages."""
    chosen = _likely(samples, matcher)
    views = [sample.view for sample in samples]
    known = max((matcher.score(views, group.units) for group in chosen), default=0.0) if matcher.knows else MATCHED
    undated = _undated(samples, matcher, known) if known < MATCHED else None
    return [undated] if undated else chosen or _likely(samples, matcher, are_lone=True)


def _likely(samples: Sequence[Sample], matcher: FeedMatcher, *, are_lone: bool = False) -> list[CommentGroup]:
    best = (_best(samples, variants) for variants in candidates(samples, are_lone=are_lone))
    return list(_chosen(samples, [_adjusted_to_feeds(samples, _wider(samples, group), matcher) for group in best]))


def _best(samples: Sequence[Sample], variants: Sequence[CommentGroup]) -> CommentGroup:
    """The most likely variant; of variants that are about as likely, the earlier one."""
    best, *others = (_rated(samples, group) for group in variants)
    for group in others:
        if group.confidence > best.confidence + BETTER:
            best = group
    return best


def _undated(samples: Sequence[Sample], matcher: FeedMatcher, least: float) -> CommentGroup | None:
    """The form of comments without a day that match their feeds better than `least`, if there is one."""
    views = [sample.view for sample in samples]
    form_and_lists = find_undated(views, matcher.texts)
    if form_and_lists is None:
        return None
    form = with_siblings(samples, *form_and_lists)
    units = [form.select(view) for view in views]
    score = matcher.score(views, units)
    facts = [sample.facts(unit) for sample, own in zip(samples, units, strict=True) for unit in own]
    is_quoted = sum(fact.is_in_article for fact in facts) > QUOTED * len(facts)
    return CommentGroup(form, units, round(score, 3)) if score > max(least, ALIKE) and not is_quoted else None


def _adjusted_to_feeds(samples: Sequence[Sample], group: CommentGroup, matcher: FeedMatcher) -> CommentGroup:
    """The group with its confidence adjusted to comment feeds, if there are any."""
    if not matcher.knows:
        return group
    score = matcher.score([sample.view for sample in samples], group.units)
    doubt = DOUBT * (1 - min(1.0, score / MATCHED))
    confidence = max(group.confidence, score) if score >= MATCHED else group.confidence * (1 - doubt)
    return group._replace(confidence=round(confidence, 3))


def _wider(samples: Sequence[Sample], group: CommentGroup) -> CommentGroup:
    """The group of a form that matches at any place of the page, if names alone identify the comments. In broken pages,
    the list of comments is at another place."""
    if not group.confidence:
        return group
    form = group.form
    if form.tokens[-1] and _has_name(form) and (any(form.tokens[:-1]) or _is_all(samples, group.units)):
        group = _at_least(samples, replace(form, is_open=True), group)
    if not form.skips and any(form.tokens):
        group = _at_least(samples, replace(group.form, contexts=form.contexts | {ANY_CONTEXT}), group)
    return group


def _at_least(samples: Sequence[Sample], form: Form, known: CommentGroup) -> CommentGroup:
    """A wider form, if the additional elements that it finds are comments, too; otherwise the known form."""
    wider = _rated(samples, _select(samples, form, known.key))
    return wider._replace(confidence=known.confidence) if wider.confidence >= NEARLY_ALL * known.confidence else known


def _is_all(samples: Sequence[Sample], units: Sequence[Sequence[Unit]]) -> bool:
    """True if the comments are all elements of their kind in their lists."""
    in_group = of_kind = 0
    for sample, page_units in zip(samples, units, strict=True):
        view = sample.view
        in_group += len(page_units)
        for parent in {view.parents[unit.roots[0]] for unit in page_units}:
            of_kind += sum(
                view.nodes[child].tag == view.nodes[page_units[0].roots[0]].tag for child in view.children[parent]
            )
    return in_group >= NEARLY_ALL * of_kind


def _has_name(form: Form) -> bool:
    return all("." in context or "#" in context for context in form.contexts)


def _holds(group: CommentGroup, wider: CommentGroup) -> bool:
    """True if one form selects only comments with a reply, while the other selects all comments of their lists."""
    chain, inner = group.form.chain, wider.form.chain
    is_around = group.key.context == wider.key.context and len(inner) < len(chain) and chain[: len(inner)] == inner
    return is_around and wider.size > MORE * group.size


def _chosen(samples: Sequence[Sample], found_groups: Sequence[CommentGroup]) -> Iterator[CommentGroup]:
    """Of forms that share comments, the form with the largest elements; of equal ones, that with most comments."""
    taken: list[set[int]] = [set() for _ in samples]
    likely = [group for group in found_groups if group.confidence > 0]
    ranked = sorted(
        (group for group in likely if not any(_holds(group, other) for other in likely)),
        key=lambda group: (group.form.skips, group.key.dates, group.key.is_loose, -group.size, -len(group.form.chain)),
    )
    for group in ranked:
        anchors = [{unit.anchor for unit in units if unit.anchor is not None} for units in group.units]
        shared = sum(len(mine & others) for mine, others in zip(anchors, taken, strict=True))
        if any(anchors) and shared <= SHARED * sum(map(len, anchors)):
            for others, units, sample in zip(taken, group.units, samples, strict=True):
                others.update(anchor for unit in units for anchor in unit.own if anchor in sample.view.anchors)
            yield group
