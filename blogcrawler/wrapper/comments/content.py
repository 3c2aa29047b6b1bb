"""Copy the text of a comment into a tree of its own, without its answers and without the template's words and
separators."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from lxml import html

from blogcrawler.dom import readable_text
from blogcrawler.similarity import fold
from blogcrawler.wrapper.comments.body import Lines, lines_of
from blogcrawler.wrapper.core.thresholds import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from lxml.html import HtmlElement

    from blogcrawler.wrapper.comments.authors import AuthorRule
    from blogcrawler.wrapper.comments.body import ContentRule
    from blogcrawler.wrapper.comments.region import Region

SIGNS = ":|-–—·•»«"
LEAST = 3
"""Minimum number of texts with the separator."""


def content_of(region: Region, rule: ContentRule, lines: Lines) -> HtmlElement:
    """A `div` with the text of a comment, without the `lines` of its day and author. O(n) in the comment's nodes."""
    view, top = region.view, _top(region, rule)
    silent = lines.runs | (_runs_of_day(region, top) if top is not None and region.unit.anchor == top else set())
    cut = region.inside(lines.nodes) - {top}
    holder = html.Element("div")
    copies: dict[int | None, HtmlElement] = {top: holder}  # by position; None is the parent of the elements of a run
    for run, position, path in region.flow():
        is_beginning = run == 2 * position and position != top
        if is_beginning and (path in rule.cuts or position in cut):
            continue
        if is_beginning and (above := copies.get(region.above(position))) is not None:
            copies[position] = _element(view.nodes[position])
            above.append(copies[position])
        if (into := copies.get(None if run == 2 * position + 1 else position)) is not None:
            _append(into, _text(region, rule, run, path, silent))
    _drop_signs(holder, rule.signs)
    return holder


def _top(region: Region, rule: ContentRule) -> int | None:
    """The element with the text; None for a run of elements."""
    number = region.first_at.get(rule.path) if rule.path else None
    if number is not None:
        return region.own[number]
    return None if region.unit.is_run else region.unit.roots[0]


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


def _text(region: Region, rule: ContentRule, run: int, path: str, silent: Set[int]) -> str:
    """A text of the page; only its spaces if it belongs to the template or the day."""
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


def _element(node: HtmlElement) -> HtmlElement:
    """A copy of an element without its content; a span if lxml refuses the tag, such as that of `<b"x>`."""
    element = html.Element("span")
    with suppress(ValueError):
        element.tag = node.tag
    for name, value in node.attrib.items():
        with suppress(ValueError):
            element.set(name, value)
    return element


def learn_signs(regions: Sequence[Region], rule: ContentRule, authors: Sequence[AuthorRule]) -> tuple[str, str]:
    """The separator that nearly all texts begin with, and the one that they end with; empty if there is none. O(n)."""
    texts = []
    for region in regions:
        lines = lines_of(region, authors, is_by_day=rule.is_by_day)
        texts.append(readable_text(content_of(region, rule, lines)))
    said = [text for text in texts if text]
    return _common(text[0] for text in said), _common(text[-1] for text in said)


def _common(signs: Iterable[str]) -> str:
    counts = Counter(signs)
    sign, count = counts.most_common(1)[0] if counts else ("", 0)
    return sign if sign in SIGNS and count >= max(LEAST, NEARLY_ALL * counts.total()) else ""
