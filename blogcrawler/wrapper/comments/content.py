"""The text of a comment as a tree of its own: a copy without its answers and the template's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import html

from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.body import ContentRule
    from blogcrawler.wrapper.comments.region import Region

__all__ = ["content_of"]


def content_of(region: Region, rule: ContentRule, lines: Iterable[int] = ()) -> HtmlElement:
    """A `div` with the text of a comment, without the nodes `lines` that tell its day and author, and what is around
    them alone. O(n) in the comment's nodes, whatever their depth."""
    view = region.view
    number = region.first_at.get(rule.path) if rule.path else None
    top = region.own[number] if number is not None else None
    if top is None and not region.unit.is_run:
        top = region.unit.roots[0]
    holder = html.Element("div")
    made: dict[int, HtmlElement] = {}
    day = region.day if region.unit.anchor == top else ""
    if top is not None:
        made[top] = holder
        holder.text = _text(region, rule, 2 * top, region.path_at[top], day)
    roots = set(region.unit.roots)
    cut = _widened(region, rule, region.inside(lines) - {top}, top)
    last = view.ends[top] if top is not None else len(view)
    for position in region.own:
        if position == top or (top is not None and not top < position < last):
            continue
        parent = view.parents[position]
        above = holder if top is None and position in roots else made.get(parent)
        if above is None:
            continue
        path, path_above = region.path_at[position], region.path_at.get(parent, "")
        if path in rule.cuts or position in cut:
            if position not in roots or _keeps_tail(region, position):
                _append(above, _text(region, rule, 2 * position + 1, path_above, day))
            continue
        node = view.nodes[position]
        copy = _element(node.tag, node.attrib)
        copy.text = _text(region, rule, 2 * position, path)
        above.append(copy)
        made[position] = copy
    _add_tails(region, rule, made, top, day)
    return holder


def _widened(region: Region, rule: ContentRule, lines: set[int], top: int | None) -> set[int]:
    """Lines, and the elements around them that say nothing else. O(n)."""
    view = region.view
    says: set[int] = set()
    for position, path, text in region.runs:
        if position not in lines and (path, fold(text)) not in rule.texts:
            says.add(position)
    for position in reversed(region.own):
        if position in says:
            says.add(view.parents[position])
    found = set(lines)
    for position in reversed(region.own):
        parent = view.parents[position]
        if position in found and parent not in says and parent != top and parent in region.path_at:
            found.add(parent)
    return found


def _add_tails(region: Region, rule: ContentRule, made: Mapping[int, HtmlElement], top: int | None, day: str) -> None:
    """Give copies the texts behind them. Those behind elements that are left out are there already."""
    view = region.view
    for position, copy in made.items():
        if position == top or (position in region.unit.roots[-1:] and not _keeps_tail(region, position)):
            continue
        path = region.path_at.get(view.parents[position], "")
        tail = _text(region, rule, 2 * position + 1, path, day if view.parents[position] == top else "")
        if tail:
            copy.tail = tail + (copy.tail or "")


def _keeps_tail(region: Region, position: int) -> bool:
    """Is the text behind an element of a run the comment's own?"""
    return region.unit.is_run and (region.unit.has_tail or position != region.unit.roots[-1])


def _text(region: Region, rule: ContentRule, run: int, path: str, day: str = "") -> str:
    """A text of the page; of the template's words, and of the one that is a day's, nothing but the space."""
    raw = region.view.runs[run]
    if day and raw and " ".join(raw.split()) == day:
        return " "
    if raw and rule.texts and len(raw) <= 400 and (path, fold(raw)) in rule.texts:
        return " "
    return raw


def _append(element: HtmlElement, text: str) -> None:
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text


def _element(tag: str, attributes: Mapping[str, str]) -> HtmlElement:
    element = html.Element("div")
    try:
        element.tag = tag
    except ValueError:
        element.tag = "span"
    for name, value in attributes.items():
        try:
            element.set(name, value)
        except ValueError:
            continue
    return element
