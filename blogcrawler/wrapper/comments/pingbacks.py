"""Recognise pingbacks among comments, also those without a date of their own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from blogcrawler.dom import is_excerpt
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.region import Region
from blogcrawler.wrapper.comments.units import Unit, own_nodes
from blogcrawler.wrapper.comments.view import context_of, form_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from blogcrawler.wrapper.comments.units import Form
    from blogcrawler.wrapper.comments.view import View

MOST = 5_000
LABEL = 40
"""Maximum number of characters beside the link of a pingback without an excerpt."""


class SiblingForms(NamedTuple):
    """Forms of siblings of comments."""

    #: forms of siblings that are comments, too
    comments: frozenset[str]
    #: forms of siblings that are no comments
    strangers: frozenset[str]


def learn_sibling_forms(views: Sequence[View], form: Form, units: Sequence[Sequence[Unit]]) -> SiblingForms:
    """Learn the forms of elements that are siblings of comments or of lists of comments, and that are links which only
    one page has. O(n)."""
    texts_by_form: dict[str, Counter[str]] = {}
    failed: set[str] = set()
    for view, page_units in zip(views, units, strict=True):
        others = [Unit(None, [at]) for at in _others(view, form, page_units)]
        own_nodes(view, others)
        texts: set[tuple[str, str]] = set()
        for sibling in others:
            name = form_of(view.nodes[sibling.roots[0]])
            region = Region(view, sibling)
            if not region.runs:
                continue
            if is_bare_link(region):
                texts.add((name, fold(" ".join(text for *_, text in region.runs))))
            else:
                failed.add(name)
        for name, text in texts:
            texts_by_form.setdefault(name, Counter())[text] += 1
    recurring = {name for name, counts in texts_by_form.items() if sum(counts.values()) > 1.25 * len(counts)}
    strangers = failed | recurring
    return SiblingForms(
        frozenset(name for name in texts_by_form if name not in strangers and "." in name), frozenset(strangers)
    )


def _others(view: View, form: Form, units: Sequence[Unit]) -> Iterator[int]:
    """Siblings with the tag of comments that are next to a comment, or in a list of this tag only."""
    if form.between:
        return
    taken = {root for unit in units for root in unit.roots}
    for parent in sorted(_lists(view, form, units)):
        siblings = view.children[parent]
        is_list = len({view.nodes[child].tag for child in siblings}) == 1
        for number, child in enumerate(siblings):
            beside = siblings[max(0, number - 1) : number + 2]
            is_near = is_list or any(neighbour in taken for neighbour in beside)
            if is_near and child not in taken and view.nodes[child].tag == form.chain[-1]:
                yield child


def _lists(view: View, form: Form, units: Sequence[Unit]) -> set[int]:
    named = {context for context in form.contexts if "." in context or "#" in context}
    parents = {view.parents[unit.roots[0]] for unit in units}
    if named:
        tags = {context.rpartition(">")[2].partition(".")[0].partition("#")[0] for context in named}
        parents |= {at for at, node in enumerate(view.nodes) if node.tag in tags and context_of(view, at) in named}
    return parents


def select_undated_pingbacks(view: View, form: Form, kindred: SiblingForms, units: Sequence[Unit]) -> Iterator[Unit]:
    """The siblings in a page that are pingbacks, also in lists without a dated comment; of unknown forms, labelled
    links. O(n)."""
    if form.between:
        return
    taken = {root for unit in units for root in unit.roots}
    count = 0
    for parent in sorted(_lists(view, form, units)):
        for child in view.children[parent]:
            if view.nodes[child].tag == form.chain[-1] and child not in taken and _is_pingback(view, child, kindred):
                count += 1
                if count > MOST:
                    return
                yield Unit(_day(view, child), [child], is_bare=True)


def _day(view: View, child: int) -> int | None:
    """The node with the day of such a sibling, outside of the title of the linked page; None if there is none."""
    away = _whole(view, child).away
    return next((at for at in range(child, view.ends[child]) if at not in away and view.states_day_alone(at)), None)


def _is_pingback(view: View, child: int, kindred: SiblingForms) -> bool:
    name = form_of(view.nodes[child])
    if name in kindred.comments or name in kindred.strangers:
        return name in kindred.comments
    if sum(node.tag == "a" for node in view.nodes[child : view.ends[child]]) != 1:
        return False
    region = _whole(view, child)
    return is_bare_link(region) and is_labelled(region)


def _whole(view: View, child: int) -> Region:
    unit = Unit(None, [child])
    unit.own = list(range(child, view.ends[child]))
    return Region(view, unit)


def is_bare_link(region: Region) -> bool:
    """True if a comment is only a label and a link to another page ("Pingback: A title")."""
    anchor, ends = region.unit.anchor, region.view.ends
    dated = range(anchor, ends[anchor]) if anchor is not None else ()
    sizes = Counter[bool]()
    for position, _, text in region.runs:
        sizes[position in region.away] += len(text) * (position not in dated)
    return sizes[True] > 0 and sizes[False] <= LABEL


def is_labelled(region: Region) -> bool:
    """True if a comment has a text before its only link, which leads to another site."""
    view = region.view
    links = [position for position in region.own if view.nodes[position].tag == "a"]
    host = urlsplit(view.nodes[links[0]].get("href") or "").netloc if len(links) == 1 else ""
    return bool(host) and host != urlsplit(view.url).netloc and region.runs[0][0] < links[0]


def kind_of(text: str, *, is_bare: bool) -> Literal["comment", "pingback"]:
    """The kind of a comment with this text."""
    return "pingback" if is_bare or is_excerpt(text) else "comment"
