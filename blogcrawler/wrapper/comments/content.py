"""The text of a comment as a tree of its own: a copy without its answers and the template's words and signs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lxml import html

from blogcrawler.dom import readable_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.body import Lines, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence, Set

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.authors import AuthorRule
    from blogcrawler.wrapper.comments.body import ContentRule
    from blogcrawler.wrapper.comments.region import Region

SIGNS = ":|-–—·•»«"
COMMON = 0.9
"""Share of texts with a sign from which it is none of theirs."""
LEAST = 3
"""Texts with the sign."""


def content_of(region: Region, rule: ContentRule, lines: Lines) -> HtmlElement:
    """A `div` with the text of a comment, without the `lines` of its day and author. O(n) in the comment's nodes."""
    view = region.view
    number = region.first_at.get(rule.path) if rule.path else None
    top = region.own[number] if number is not None else None
    if top is None and not region.unit.is_run:
        top = region.unit.roots[0]
    holder = html.Element("div")
    made: dict[int, HtmlElement] = {}
    silent = lines.runs | (_runs_of_day(region, top) if top is not None and region.unit.anchor == top else set())
    if top is not None:
        made[top] = holder
        holder.text = _text(region, rule, 2 * top, region.path_at[top], silent)
    roots = set(region.unit.roots)
    cut = _widened(region, rule, Lines(region.inside(lines.nodes) - {top}, silent), top)
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
                _append(above, _text(region, rule, 2 * position + 1, path_above, silent))
            continue
        node = view.nodes[position]
        copy = _element(node.tag, node.attrib)
        copy.text = _text(region, rule, 2 * position, path, silent)
        above.append(copy)
        made[position] = copy
    _add_tails(region, rule, made, top, silent)
    _drop_signs(holder, rule.signs)
    return holder


def _drop_signs(holder: HtmlElement, signs: tuple[str, str]) -> None:
    for place, sign in zip((0, -1), signs, strict=True):
        texts = holder.xpath(".//text()[normalize-space()]") if sign else ()
        if not texts:
            continue
        text = str(texts[place])
        left = text.lstrip().removeprefix(sign) if place == 0 else text.rstrip().removesuffix(sign)
        element = texts[place].getparent()
        if texts[place].is_tail:
            element.tail = left
        else:
            element.text = left


def _runs_of_day(region: Region, top: int) -> set[int]:
    runs = region.view.runs
    return {run for run in region.view.own_runs(top) if runs[run] and " ".join(runs[run].split()) == region.day}


def _widened(region: Region, rule: ContentRule, lines: Lines, top: int | None) -> set[int]:
    """Lines, and the elements around them that say nothing else. O(n)."""
    view = region.view
    says: set[int] = set()
    for number, (position, path, text) in region.numbered:
        if position not in lines.nodes and number not in lines.runs and (path, fold(text)) not in rule.texts:
            says.add(position)
    for position in reversed(region.own):
        if position in says:
            says.add(view.parents[position])
    found = set(lines.nodes)
    for position in reversed(region.own):
        parent = view.parents[position]
        if position in found and parent not in says and parent != top and parent in region.path_at:
            found.add(parent)
    return found


def _add_tails(
    region: Region, rule: ContentRule, made: Mapping[int, HtmlElement], top: int | None, silent: Set[int]
) -> None:
    """Give copies the texts behind them. Those behind elements that are left out are there already."""
    view = region.view
    for position, copy in made.items():
        if position == top or (position in region.unit.roots[-1:] and not _keeps_tail(region, position)):
            continue
        path = region.path_at.get(view.parents[position], "")
        tail = _text(region, rule, 2 * position + 1, path, silent)
        if tail:
            copy.tail = tail + (copy.tail or "")


def _keeps_tail(region: Region, position: int) -> bool:
    """True if the text behind an element of a run is the comment's own."""
    return region.unit.is_run and (region.unit.has_tail or position != region.unit.roots[-1])


def _text(region: Region, rule: ContentRule, run: int, path: str, silent: Set[int]) -> str:
    """A text of the page; of the template's words, and of those that tell the day, nothing but the space."""
    raw = region.view.runs[run]
    if run in silent:
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


def learn_signs(regions: Sequence[Region], rule: ContentRule, authors: Sequence[AuthorRule]) -> tuple[str, str]:
    """The sign that nearly all texts begin with, and the one that they end with; empty where there is none. O(n)."""
    texts = []
    for region in regions:
        lines = lines_of(region, authors, is_by_day=rule.is_by_day)
        texts.append(readable_text(content_of(region, rule, lines)))
    said = [text for text in texts if text]
    return _common(text[0] for text in said), _common(text[-1] for text in said)


def _common(signs: Iterable[str]) -> str:
    counts = Counter(signs)
    sign, count = counts.most_common(1)[0] if counts else ("", 0)
    return sign if sign in SIGNS and count >= max(LEAST, COMMON * counts.total()) else ""
