"""The text of a comment as a tree of its own: a copy without its answers and the template's words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import html

from blogcrawler.similarity import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.fields import ContentRule
    from blogcrawler.wrapper.comments.region import Region

__all__ = ["content_of"]


def content_of(region: Region, rule: ContentRule) -> HtmlElement:
    """A `div` with the text of a comment. O(n) in the comment's nodes, whatever their depth."""
    view = region.view
    number = region.first_at.get(rule.path) if rule.path else None
    top = region.own[number] if number is not None else None
    if top is None and len(region.unit.roots) == 1:
        top = region.unit.roots[0]
    holder = html.Element("div")
    made: dict[int, HtmlElement] = {}
    if top is not None:
        made[top] = holder
        holder.text = _text(region, rule, 2 * top, region.path_at[top])
    roots = set(region.unit.roots)
    cut: set[int] = set()
    last = view.ends[top] if top is not None else len(view)
    for position in region.own:
        if position == top or (top is not None and not top < position < last):
            continue
        parent = view.parents[position]
        above = holder if top is None and position in roots else made.get(parent)
        if parent in cut or above is None:
            cut.add(position)
            continue
        path = region.path_at[position]
        kept_path = "" if top is None and position in roots else region.path_at.get(parent, "")
        if path in rule.cuts:
            cut.add(position)
            _append(above, _text(region, rule, 2 * position + 1, kept_path))
            continue
        node = view.nodes[position]
        copy = _element(node.tag, node.attrib)
        copy.text = _text(region, rule, 2 * position, path)
        above.append(copy)
        made[position] = copy
    _add_tails(region, rule, holder, made, top)
    return holder


def _add_tails(
    region: Region, rule: ContentRule, holder: HtmlElement, made: Mapping[int, HtmlElement], top: int | None
) -> None:
    """Give copies the texts behind them. Those behind elements that are left out are there already."""
    view = region.view
    for position, copy in made.items():
        if position == top:
            continue
        parent = view.parents[position]
        path = region.path_at.get(parent, "")
        tail = _text(region, rule, 2 * position + 1, path)
        if tail:
            copy.tail = tail + (copy.tail or "")
    for position in region.unit.roots if top is None else ():
        if position not in made:
            _append(holder, "")


def _text(region: Region, rule: ContentRule, run: int, path: str) -> str:
    """A text of the page; of the template's words nothing but the space."""
    raw = region.view.runs[run]
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
