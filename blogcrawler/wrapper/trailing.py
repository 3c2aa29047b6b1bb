"""Lines without an element of their own with which articles end: "posted by Ann Lee", behind the last line break.

No expression selects such a line, nor is there a block to drop: it is told by its wording alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from blogcrawler.dom.tags import SILENT
from blogcrawler.similarity import fold
from blogcrawler.wrapper.recurring import RAW, phrase_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.html import HtmlElement

__all__ = ["drop_trailing", "trailing_pieces"]

MOST = 8
"""Texts at the end of a container that are looked at."""


class _Loose(NamedTuple):
    """A text behind a child of an element that has other text before it."""

    before: HtmlElement
    text: str


def trailing_pieces(container: HtmlElement, holds: Callable[[str], bool | None]) -> Iterator[str]:
    """The folded texts behind line breaks at the end of a container that are not the article's, the last first."""
    for loose in _trailing(container):
        text = fold(loose.text)
        if holds(text) is not False:
            return
        yield text


def drop_trailing(container: HtmlElement, phrases: frozenset[str]) -> None:
    """Drop from the end of a container, which is changed, lines of such a wording, and links behind them."""
    for loose in [*_trailing(container)]:
        if len(loose.text) > RAW or phrase_of(fold(loose.text)) not in phrases:
            return
        for after in [*loose.before.itersiblings()]:
            after.drop_tree()
        loose.before.tail = None


def _trailing(container: HtmlElement) -> Iterator[_Loose]:
    """The texts behind line breaks at the end of a container, the last first; links may stand between and behind them.

    A bounded number of elements from the end is looked at.
    """
    node = _last_box(container)
    child = node[-1] if len(node) else None
    for _ in range(MOST):
        if child is None:
            return
        if (child.tail or "").strip():
            if child.tag != "br":
                return
            yield _Loose(child, child.tail or "")
        elif child.tag not in {"a", "br"} and isinstance(child.tag, str) and child.tag not in SILENT:
            return
        child = child.getprevious()


def _last_box(container: HtmlElement) -> HtmlElement:
    """The innermost element at the end of a container whose own text ends it."""
    node = container
    while len(node) and not (node[-1].tail or "").strip() and _is_box(node[-1]):
        node = node[-1]
    return node


def _is_box(node: HtmlElement) -> bool:
    return isinstance(node.tag, str) and node.tag not in {"a", "br"} and node.tag not in SILENT
