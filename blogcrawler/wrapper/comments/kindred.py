"""What stands among comments without a date of its own: pingbacks, as many themes show them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.forms import context_of, form_of
from blogcrawler.wrapper.comments.region import Region
from blogcrawler.wrapper.comments.kinds import is_bare_link
from blogcrawler.wrapper.comments.units import ANYWHERE, Unit, own_nodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Set

    from blogcrawler.wrapper.comments.units import Form
    from blogcrawler.wrapper.comments.view import View

__all__ = ["learn_kindred", "select_kindred"]

MOST = 5_000


def learn_kindred(views: Sequence[View], form: Form, units: Sequence[Sequence[Unit]]) -> frozenset[str]:
    """The forms of siblings of comments that are comments, too: links with a label that recur on no other page. O(n)."""
    told: dict[str, Counter[str]] = {}
    failed: set[str] = set()
    for view, found in zip(views, units, strict=True):
        taken = {root for unit in found for root in unit.roots}
        texts: set[tuple[str, str]] = set()
        others = [Unit(None, [at]) for at in _siblings(view, form, found) if at not in taken]
        own_nodes(view, others)
        for other in others:
            name = form_of(view.nodes[other.roots[0]])
            region = Region(view, other)
            if not region.runs:
                continue
            if is_bare_link(region):
                texts.add((name, fold(" ".join(text for *_, text in region.runs))))
            else:
                failed.add(name)
        for name, text in texts:
            told.setdefault(name, Counter())[text] += 1
    return frozenset(
        name
        for name, counts in told.items()
        if name not in failed and sum(counts.values()) <= 1.25 * len(counts) and _is_other(name, form)
    )


def _is_other(name: str, form: Form) -> bool:
    """Has a form a class, which the comments' own elements need not have?"""
    return "." in name or bool(form.tokens[-1])


def _siblings(view: View, form: Form, units: Sequence[Unit]) -> Iterator[int]:
    if form.between:
        return
    for parent in sorted({view.parents[unit.roots[0]] for unit in units}):
        for child in view.children[parent]:
            if view.nodes[child].tag == form.chain[-1]:
                yield child


def select_kindred(view: View, form: Form, kindred: Set[str], units: Sequence[Unit]) -> Iterator[Unit]:
    """Such siblings in a page, those of lists without a dated comment included. O(n)."""
    if not kindred:
        return
    taken = {root for unit in units for root in unit.roots}
    lists = {view.parents[unit.roots[0]] for unit in units}
    found = 0
    for position, node in enumerate(view.nodes):
        parent = view.parents[position]
        if node.tag != form.chain[-1] or position in taken or parent < 0 or form_of(node) not in kindred:
            continue
        if parent in lists or context_of(view, parent) in form.contexts - {ANYWHERE}:
            found += 1
            if found > MOST:
                return
            yield Unit(None, [position])
